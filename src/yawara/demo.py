"""The demonstration: an elastic, a viscoplastic and a rheological block, pressed, held and released side by side.

Chapter 1 of the report, Fig. 1.8: one element makes all three. Elastic: the serial damper does not move. Viscoplastic: no spring,
k1 = 0, and c1 = c2 = 2 c for a damper c. Rheological: everything, so that a part returns and a part stays.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from yawara.files import write_text
from yawara.laws import AnyLaw, ThreeElement, Voigt
from yawara.observe.positions import Positions
from yawara.observe.recovery import Recovery
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Truss
from yawara.scene.compile import compile_scene
from yawara.scene.scene import Scene, Time
from yawara.simulate import Progress, Result, prepare_kernels, simulate
from yawara.summary import summarise

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


def make_demo(out: Path, *, progress: Progress | None = None, notify: Callable[[str], None] | None = None) -> Demonstration:
    """Run the three blocks and write the report."""
    from yawara.demo_report import report_page

    positions, compiled = Positions(), compile_scene(demo_scene())
    prepare_kernels(compiled)
    begin = time.perf_counter()
    result = simulate(compiled, observers=[positions], progress=progress, notify=notify)
    wall_time = time.perf_counter() - begin
    rows = [_row(result, recovery) for recovery in result.recoveries]
    summary = summarise(result, wall_time=wall_time)
    demonstration = Demonstration(result, positions, rows, wall_time, summary, out / "report.html")
    write_text(demonstration.report, report_page(demonstration))
    return demonstration


def _row(result: Result, recovery: Recovery) -> Row:
    block = recovery.drive.removeprefix("press_")
    volume = result.history[f"{block}.volume"] / result.compiled.model.body(block).rest_size
    held = result.history["time"] <= RELEASED * (1 + 1e-12)
    return Row(block, recovery, float(volume[held][-1]), float(volume[-1]))


def table_of(demonstration: Demonstration) -> Table:
    """For the terminal."""
    table = Table(title="Pressed, held and released", box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    table.add_column("block", no_wrap=True)
    headings = (
        "pressed\n[mm]",
        "return\n[mm]",
        "residual\n[mm]",
        "volume\npressed",
        "volume\nat end",
        "force\n[N]",
        "steps\nper s",
    )
    for heading in headings:
        table.add_column(escape(heading), justify="right")
    for row in demonstration.rows:
        lengths = (row.recovery.pressed, row.recovery.returned, row.recovery.residual)
        table.add_row(
            row.block,
            *(f"{1e3 * length:z.2f}" for length in lengths),
            f"{row.volume_pressed:.4f}",
            f"{row.volume_end:.4f}",
            f"{row.recovery.peak_force:.2f}",
            f"{demonstration.steps_per_second:.0f}",
        )
    return table
