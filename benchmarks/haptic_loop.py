"""How well the haptic loop keeps time beside a solver: python benchmarks/haptic_loop.py [--seconds 60] [--device simulated] [--ordinary]

The solver is a stand-in: a floor that resists like a spring, which follows the proxy a thousand times a second and tells the loop
force and stiffness, as a real one does.
"""

import argparse
import multiprocessing
import os
import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table

from yawara.haptics.board import Board
from yawara.haptics.coupling import passive_stiffness
from yawara.haptics.device import DeviceError
from yawara.haptics.loop import Settings
from yawara.haptics.pace import Pacer
from yawara.haptics.process import HapticProcess
from yawara.haptics.report import Durations, LoopReport
from yawara.priority import become_real_time

FLOOR = 400.0  # [N/m]
COUPLING, DAMPING = 500.0, 0.5  # [N/m], [N s/m]
FRICTION = 3.0  # [N s/m], of the simulated hand


def solve(board_name: str, parent: int, real_time: bool) -> None:
    """A floor at z = 0, until the parent ends it."""
    if real_time:  # what is measured is the loop, not whether others keep its solver from running
        become_real_time()
    board, pacer, stiffness = Board.join(board_name), Pacer(1000.0), np.diag([0.0, 0.0, FLOOR])
    contact, tick = board.contact, 0
    while os.getppid() == parent:
        now, _ = pacer.wait()
        board.proxy.fetch()
        place = board.proxy["proxy"]
        force = np.array([0.0, 0.0, max(0.0, -FLOOR * place[2])])
        contact["tick"], contact["time"], contact["touching"] = tick, now, float(force[2] > 0.0)
        contact["place"], contact["force"], contact["stiffness"] = place, force, stiffness
        contact.publish()
        tick += 1


def measured(device: str, seconds: float, real_time: bool) -> LoopReport:
    settings = Settings(friction=FRICTION if device.startswith("simulated") else 0.0, real_time=real_time)
    with Board.open(stiffness=COUPLING, damping=DAMPING) as board:
        solver = multiprocessing.get_context("spawn").Process(
            target=solve, args=(board.name, os.getpid(), real_time), daemon=True
        )
        with HapticProcess(device, board, settings) as process:
            solver.start()
            end = time.monotonic() + seconds
            while process.alive and time.monotonic() < end:
                time.sleep(0.2)
            if not process.alive:
                raise DeviceError(process.error)
            report = process.report()
        solver.terminate()
        solver.join()
        return report


def table(report: LoopReport, device: str, seconds: float) -> Table:
    def row(name: str, durations: Durations) -> None:
        values = (durations.middle, durations.p99, durations.largest)
        result.add_row(name, "median, p99, max", ", ".join(f"{1e3 * value:.3f}" for value in values) + " ms")

    result = Table(title=f"Haptic loop, device '{device}', {seconds:g} s beside a stand-in solver, {os.cpu_count()} cores")
    for column in ("what", "", "measured"):
        result.add_column(column)
    result.add_row("rate", "mean", f"{report.rate:.1f} Hz")
    result.add_row("ticks", "done, left out", f"{report.ticks}, {report.skipped}")
    row("lateness of a tick", report.lateness)
    result.add_row("", "later than 0.5 ms", f"{100 * report.lateness.late_share:.3f} %")
    row("hand's change to force, longest wait", report.latency)
    row("age of the contact model", report.age)
    result.add_row("force", "largest, largest jump between ticks", f"{report.max_force:.3f} N, {report.max_jump:.3f} N")
    result.add_row("energy given to the hand", "net", f"{1e3 * report.energy:.3f} mJ")
    result.add_row("stale reads, refused models, watchdog", "", f"{report.stale}, {report.unsound}, {report.trips}")
    result.add_row("priority", "0 ordinary, 1 raised, 2 real-time", str(report.priority))
    result.add_row("coupling", "used, passive limit", f"{COUPLING:g} N/m, {passive_stiffness(FRICTION, 1e-3, DAMPING):g} N/m")
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--device", default="simulated")
    parser.add_argument(
        "--priority", action="store_true", help="ask for real-time priority; the rest of the machine may nearly stop"
    )
    chosen = parser.parse_args()
    try:
        report = measured(chosen.device, chosen.seconds, chosen.priority)
    except DeviceError as error:
        print(error, file=sys.stderr)
        return 1
    Console().print(table(report, chosen.device, chosen.seconds))
    return 0


if __name__ == "__main__":
    sys.exit(main())
