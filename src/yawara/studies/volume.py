"""Volume through a press to 70 % of the height, with the volume effect of the whole body and without it.

Hirai 2005, ch. 3, reports that bodies without it end at 67.35 to 71.14 of 75 cm^3, with it at 74.5 to 75.9 (real dough: 72.75, 3 % less).
"""

from collections.abc import Iterator

from yawara.simulate import simulate
from yawara.studies.pressed import pressed
from yawara.studies.row import StudyRow

NAME, TITLE = "volume", "volume through a press to 70 % of the height"
PRESSURE = {"cavity": 2e6, "cavity_damping": 2e3}  # the links' Young's modulus is about 2.5e4 Pa


def rows() -> Iterator[StudyRow]:
    for shape in ("sheet", "truss", "lattice"):
        for volume in (PRESSURE, None):
            history = simulate(pressed(shape, 0.7, inversion_barrier={}, volume=volume, end=2.0)).history
            size = history["body.area" if shape == "sheet" else "body.volume"]
            change = float(abs(size / size[0] - 1.0).max())
            with_it = volume is not None
            name = f"{shape}, volume effect {'on' if with_it else 'off'}: largest change"
            yield StudyRow(NAME, name, "1", None, change, high=0.01 if with_it else None)
