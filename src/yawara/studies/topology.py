"""Pressed to a half and to a tenth of their height and released, with the inversion barrier and without: Figs. 1.8, 2.22 and 4.18.

The papers show in pictures that without it triangles and tetrahedra stay reversed, and that with it an elastic body takes its
natural shape again; the preface of Hirai 2005 speaks of dough pressed to a tenth of its thickness. No numbers are printed.
"""

from collections.abc import Iterator

import numpy as np

from yawara.simulate import simulate
from yawara.studies.pressed import SPACING, pressed
from yawara.studies.row import StudyRow

NAME, TITLE = (
    "topology",
    "pressed to 50 % and 10 % of the height and released, inversion barrier on and off (Hirai 2005, Figs. 1.8, 2.22, 4.18)",
)
POINTS = 5


def rows() -> Iterator[StudyRow]:
    for shape in ("sheet", "truss"):
        for height in (0.5, 0.1):
            options: tuple[dict[str, float] | None, ...] = ({}, None)
            for topology in options:
                result = simulate(pressed(shape, height, points=POINTS, inversion_barrier=topology))
                name = f"{shape} to {height:.0%}, inversion barrier {'off' if topology is None else 'on'}"
                inverted = float(result.history["body.inverted"][-1])
                moved = np.linalg.norm(result.state.position - result.compiled.model.rest_position, axis=1).max()
                if topology is None:
                    yield StudyRow(NAME, f"{name}: reversed cells at the end (shown failing)", "1", None, inverted, low=1)
                else:
                    yield StudyRow(NAME, f"{name}: reversed cells at the end", "1", 0, inverted, high=0)
                    away = moved / ((POINTS - 1) * SPACING)
                    yield StudyRow(NAME, f"{name}: farthest point from its natural place, of the height", "1", 0, away, high=0.01)
