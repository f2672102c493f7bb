"""The demonstration: an elastic, a viscoplastic and a rheological block, pressed, held and released side by side.

Hirai 2005, Fig. 1.8: one element makes all three. Elastic: the serial damper does not move. Viscoplastic: no spring,
k1 = 0, and c1 = c2 = 2 c for a damper c. Rheological: everything, so that a part returns and a part stays.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from yawara.laws import AnyLaw, ThreeElement, Voigt
from yawara.observe.positions import Positions
from yawara.observe.recovery import Recovery
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Truss
from yawara.scene.scene import Scene, Time
from yawara.simulate import Result

LAWS: dict[str, AnyLaw] = {
    "elastic": Voigt(k=100.0, c=2.0),
    "viscoplastic": ThreeElement(k1=0.0, c1=4.0, c2=4.0),
    "rheological": ThreeElement(k1=100.0, c1=2.0, c2=300.0),
}
POINTS, SPACING, GAP = 9, 0.0125, 0.04  # per edge, [m], [m]
DEPTH, PRESSED, RELEASED, END, FRAME = 0.015, 1.0, 3.0, 6.0, 0.02  # [m], [s], [s], [s], [s]


@dataclass(frozen=True)
class Row:
    """What one block did."""

    block: str
    recovery: Recovery
    volume_pressed: float  # over the natural volume, at the release
    volume_end: float


@dataclass(frozen=True)
class Demonstration:
    """The run, its table and where the report is."""

    result: Result
    positions: Positions
    rows: list[Row]
    wall_time: float  # [s]
    summary: dict[str, Any]  # as every run has one
    report: Path

    @property
    def steps_per_second(self) -> float:
        return self.result.state.step_count / self.wall_time


def demo_scene() -> Scene:
    """Three blocks on the table, their tops driven alike."""
    width = (POINTS - 1) * SPACING
    bodies = {
        name: Truss(counts=(POINTS,) * 3, spacing=SPACING, density=1000.0, law=law, origin=(n * (width + GAP), 0.0, 0.0))
        for n, (name, law) in enumerate(LAWS.items())
    }
    table = {"times": (0.0, PRESSED, RELEASED), "displacement": ((0, 0, 0), (0, 0, -DEPTH), (0, 0, -DEPTH))}
    return Scene(
        name="elastic, viscoplastic and rheological blocks",
        time=Time(end=END, frame=FRAME),
        body=bodies,
        fix=tuple(Fix(name=f"floor_{name}", body=name, points="bottom") for name in bodies),
        drive=tuple(Drive(name=f"press_{name}", body=name, points="top", release=RELEASED, **table) for name in bodies),
    )
