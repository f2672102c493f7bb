"""A block or a sheet on a table, pressed by a driven top and let go: what several studies do."""

from typing import Any

import numpy as np

from yawara.laws import Voigt
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Lattice, Sheet, Truss
from yawara.scene.scene import Scene, Time

ELASTIC = Voigt(k=100.0, c=0.5)
SPACING = 0.01  # [m]


def pressed(shape: str, height: float, *, points: int = 5, end: float = 4.0, **effects: Any) -> Scene:
    """Pressed to `height`, a share of its own, within 1 s, held for 0.2 s, then free."""
    options = {"spacing": SPACING, "density": 1000.0, "law": ELASTIC, **effects}
    if shape == "sheet":
        body: Any = Sheet(counts=(2 * points - 1, points), pattern="alternating", **options)
        down = np.array([0.0, -1.0, 0.0])
    else:
        body = {"truss": Truss, "lattice": Lattice}[shape](counts=(points,) * 3, **options)
        down = np.array([0.0, 0.0, -1.0])
    depth = tuple((1.0 - height) * (points - 1) * SPACING * down)
    press = Drive(
        name="press", body="body", points="top", times=(0.0, 1.0, 1.2), displacement=((0, 0, 0), depth, depth),
        interpolation="smooth", release=1.2,
    )  # fmt: skip
    return Scene(time=Time(end=end, frame=0.05), body={"body": body}, fix=(Fix(body="body", points="bottom"),), drive=(press,))
