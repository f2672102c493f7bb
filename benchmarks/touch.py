"""Does a touched body keep real time? The solver's process beside the page's server, with a tool that never rests.

    python benchmarks/touch.py [--seconds 60] [--cells 5,5,5 ...] [--tool ball] [--haptics]

For each size: simulated over real time, work per tick (p50, p99, max), views sent per second. With --haptics the simulated device's loop
runs as well and moves the tool: its rate, how late its ticks begin, and how long a change of the hand waits for its force.
"""

import argparse
import math
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from yawara.live.line import GiveWork
from yawara.live.live import TICK
from yawara.live.messages import Choose, Move
from yawara.live.presets import SIZE, preset_scene
from yawara.touch import open_session
from yawara.view.serve import serve

SIZES = "5,5,5 9,9,9"  # 216 and 1000 points
STROKE = 1.0  # [s], of the tool, down and up and across


def place(now: float, height: float) -> tuple[float, float, float]:
    """[m]: on its way round over the block, into it and out of it."""
    phase = 2.0 * math.pi * now / STROKE
    return 0.25 * SIZE * math.cos(0.37 * phase), 0.25 * SIZE * math.sin(0.37 * phase), height + 0.02 * math.cos(phase)


def run(cells: tuple[int, int, int], seconds: float, tool: str, haptics: bool, preset: str, priority: bool) -> dict[str, object]:
    scene = preset_scene(preset, cells)
    top = SIZE / cells[0] * cells[2]
    with TemporaryDirectory() as folder:
        device = f"simulated:depth=0.05,height=0.02,period={STROKE}"
        session = open_session(scene, Path(folder), device if haptics else None, priority)
        with session, serve(session, port=0, plain=True) as page:
            reach = 0.18 * SIZE if tool in ("ball", "roller") else 0.0
            if not haptics:
                session.send(Choose(tool))
            time.sleep(1.0)
            before, begun = session.latest(), time.monotonic()
            sent, views = page.loop.sent, []
            while time.monotonic() - begun < seconds:
                if not haptics:
                    session.send(Move(place(time.monotonic() - begun, top + reach)))
                time.sleep(0.05)
                views.append(session.latest())
            after, spent = session.latest(), time.monotonic() - begun
            work = 1e3 * session.ask(GiveWork())[-round(seconds / TICK) :]
            found = {
                "points": math.prod(count + 1 for count in cells),
                "simulated / real": (after.time - before.time) / (after.wall - before.wall),
                "tick p50, p99, max [ms]": tuple(float(one) for one in (*np.percentile(work, [50, 99]), work.max())),
                "steps per tick": after.pace.steps_per_tick,
                "late [s]": after.pace.late - before.pace.late,
                "views sent per s": (page.loop.sent - sent) / spent,
                "largest force [N]": max(float(np.linalg.norm(view.force)) for view in views),
            }
            if haptics:
                report = session.loop.report()
                found |= {
                    "loop [Hz]": report.rate,
                    "lateness p50, p99, max [ms]": tuple(
                        1e3 * one for one in (report.lateness.middle, report.lateness.p99, report.lateness.largest)
                    ),
                    "ticks > 0.5 ms late [%]": 100 * report.lateness.late_share,
                    "ticks left out [%]": 100 * report.skipped / max(report.ticks + report.skipped, 1),
                    "hand to force p50, p99 [ms]": (1e3 * report.latency.middle, 1e3 * report.latency.p99),
                    "largest jump [N]": report.max_jump,
                    "energy to the hand [mJ]": 1e3 * report.energy,
                    "watchdog trips": report.trips,
                    "priority": report.priority,
                }
            return found


def shown(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"{one:.3g}" for one in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cells", nargs="*", default=SIZES.split(), help="along x, y, z, such as 5,5,5")
    parser.add_argument("--tool", default="ball", choices=["ball", "plate", "roller"])
    parser.add_argument("--preset", default="dough")
    parser.add_argument("--haptics", action="store_true")
    parser.add_argument("--priority", action="store_true", help="before all other processes, as with a device that is felt")
    chosen = parser.parse_args()
    rows = []
    for text in chosen.cells:
        x, y, z = (int(one) for one in text.split(","))
        rows.append(run((x, y, z), chosen.seconds, chosen.tool, chosen.haptics, chosen.preset, chosen.priority))
    table = Table(title=f"{chosen.preset} under a moving {chosen.tool}, {chosen.seconds:g} s each")
    table.add_column("")
    for row in rows:
        table.add_column(f"{row['points']} points", justify="right")
    for name in rows[0]:
        if name != "points":
            table.add_row(escape(name), *(shown(row[name]) for row in rows))
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
