"""Runs the three blocks, writes their report and makes the table for the terminal."""

import time
from collections.abc import Callable
from pathlib import Path

from rich import box
from rich.markup import escape
from rich.table import Table

from yawara.demo import blocks
from yawara.demo.blocks import Demonstration, Row
from yawara.demo.report import report_page
from yawara.files import write_text
from yawara.observe.positions import Positions
from yawara.observe.recovery import Recovery
from yawara.scene.compile import compile_scene
from yawara.simulate import Progress, Result, prepare_kernels, simulate
from yawara.summary import summarise


def make_demo(out: Path, *, progress: Progress | None = None, notify: Callable[[str], None] | None = None) -> Demonstration:
    """Run the three blocks and write the report."""
    positions, compiled = Positions(), compile_scene(blocks.demo_scene())
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
    held = result.history["time"] <= blocks.RELEASED * (1 + 1e-12)
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
