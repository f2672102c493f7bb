"""The papers' push on a block of dough, in SI: two rows of points across its top go down, are held and let go, 4 s in all.

The papers' numbers are read with the gram, the centimetre and the second as units: their K = 1990 is 1.99 N/m here. Depth and course of the
push are lost with the figures.
"""

from collections.abc import Sequence

from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import AnyBody
from yawara.scene.push import Push
from yawara.scene.scene import Scene, Time

WIDTH, HEIGHT, MASS = 0.05, 0.03, 0.864  # [m], [m], [kg]
DEPTH, ROWS = 0.008, (0.019, 0.031)  # [m], [m] along x
PRESSED, RELEASED, END, STEP = 1.0, 2.0, 4.0, 0.04  # [s]
CLOUDS = (0.6, 1.6, 2.4, 4.0)  # [s]: two while it is pushed, two after the release
PAPERS_UNIT = 1e-3  # [N/m] or [N s/m] per printed K, C1, C2


def pushed(body: AnyBody, *, lag: float = 0.0, push: Sequence[Push] = ()) -> Scene:
    """With a `lag` [s], the far half of the tool touches later than the near one."""
    halves = [((0.0, WIDTH), 0.0)] if lag == 0.0 else [((0.0, 0.49 * WIDTH), 0.0), ((0.49 * WIDTH, WIDTH), lag)]
    down = (0.0, 0.0, -DEPTH)
    drives = tuple(
        Drive(
            name=f"push{number}", body="dough", points={"min": (ROWS[0], low, HEIGHT), "max": (ROWS[1], high, HEIGHT)},
            times=(late, PRESSED + late, RELEASED), displacement=((0, 0, 0), down, down), interpolation="smooth", release=RELEASED,
        )
        for number, ((low, high), late) in enumerate(halves)
    )  # fmt: skip
    return Scene(
        time=Time(end=END, frame=STEP, step=STEP, integrator="implicit_euler"),
        body={"dough": body}, fix=(Fix(body="dough", points="bottom"),), drive=drives, push=tuple(push),
    )  # fmt: skip
