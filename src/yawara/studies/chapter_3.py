"""The dough of Hirai 2005, ch. 3: 6x4x6 points, 144 times 6 g, links to all 26 neighbours, pushed by two rows of its top points.

The numbers of the papers are read directly, with the centimetre, the gram and the second as units: only the ratios K/M and C/M matter.
Depth and times of the push are lost with the figures; 4 s in all, push, hold and release, are stated. (The unit here is 1 for each.)
"""

from typing import Any

from yawara.laws import ThreeElement
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Lattice, MassSharing
from yawara.scene.scene import Scene, Time

FRAME = 0.002  # [s], the papers' step: 2000 of them
DEPTH = 0.8  # of 3
TWO_ROWS = {"min": (1.9, 0.0, 3.0), "max": (3.1, 5.0, 3.0)}  # 12 points


def push(
    k: float, c1: float, c2: float, *, integrator: str, step: float | None = FRAME, end: float = 4.0, **effects: Any
) -> Scene:
    """Pushed within 1 s, held until 2 s, then free."""
    body = Lattice(
        counts=(6, 6, 4), spacing=1.0, mass=864.0, mass_sharing=MassSharing.EQUAL, law=ThreeElement(k1=k, c1=c1, c2=c2), **effects
    )
    down = (0.0, 0.0, -DEPTH)
    drive = Drive(
        name="push", body="dough", points=TWO_ROWS, times=(0.0, 1.0, 2.0), displacement=((0, 0, 0), down, down),
        interpolation="smooth", release=2.0,
    )  # fmt: skip
    return Scene(
        time=Time(end=end, frame=0.02, step=step, integrator=integrator),
        body={"dough": body},
        fix=(Fix(body="dough", points="bottom"),),
        drive=(drive,),
    )
