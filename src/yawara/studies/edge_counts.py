"""Edges of truss blocks: Hirai 2005, Table 1.1, and the 15 x 15 x 16 block that its ch. 2 hopes to put on an FPGA."""

from collections.abc import Iterator

from yawara.laws import Voigt
from yawara.scene.bodies import Truss
from yawara.studies.row import StudyRow, near

NAME, TITLE = "edge_counts", "edges of the truss blocks in Hirai 2005, Table 1.1 and ch. 2"
PRINTED = {(7, 7, 6): 1385, (9, 8, 8): 2857, (4, 4, 4): 252, (6, 5, 5): 661, (15, 15, 16): 19531}


def rows() -> Iterator[StudyRow]:
    for counts, printed in PRINTED.items():
        block = Truss(counts=counts, spacing=0.01, density=1000.0, law=Voigt(k=1.0, c=1.0))
        ours = len(block.geometry().links)
        yield near(NAME, "x".join(map(str, counts)), "edges", printed, ours, 0.0)
