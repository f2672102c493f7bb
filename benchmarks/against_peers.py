"""Our press-hold-release of a block of 216 points beside other engines: python benchmarks/against_peers.py PATH/TO/PEERS

PATH/TO/PEERS holds one script per engine, which prints one line (peer_lines.py). Each engine gets an environment of its own, and
takes its turn before one of ours, since only ratios within one run mean anything on a shared machine.
"""

import argparse
import os
import subprocess
import sys
import venv
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from peer_lines import Figures, is_result, read_line

HERE = Path(__file__).resolve().parent
OURS = HERE / "peer_block.py"
MINUTES = 20  # at most for one command: Newton compiles for minutes on its first run
RATIO, TICK, DEPTH, VOLUME = 10.0, 1.0, 0.5, 0.01  # bars: times the fastest peer, ms, mm, share


@dataclass(frozen=True)
class Peer:
    packages: tuple[str, ...]
    module: str
    script: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict)


PEERS = {
    "pypbd": Peer(("pypbd",), "pypbd", ("pypbd_block.py", "6", "5"), {"OMP_NUM_THREADS": "1"}),
    "mujoco": Peer(("mujoco",), "mujoco", ("mj_block.py", "6", "CG", "0.05")),
    "rapier": Peer(("rapier3d[numpy]",), "rapier3d", ("rapier_block.py", "6", "cons", "1")),
    "pybullet": Peer(("pybullet", "numpy"), "pybullet", ("pybullet_block.py", "6")),  # its package does not ask for NumPy
    "newton": Peer(("newton[sim]",), "newton", ("newton_mpm_block.py", "6", "1", "5")),
    "taichi": Peer(("taichi",), "taichi", ("taichi_mpm_block.py", "6", "1", "1")),
}
DEFAULT = "pypbd,mujoco,rapier,pybullet"


class FailedError(Exception):
    """A command that ended badly; the text is the last thing it said."""


def output_of(command, **options) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 * MINUTES, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FailedError(str(error)) from error
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise FailedError(f"ended with code {done.returncode}: {last}")
    return done.stdout


def environment_of(name: str, under: Path) -> Path:
    """The interpreter of the peer's environment; what a broken-off installation left behind is completed."""
    home, peer = under / name, PEERS[name]
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        print(f"{name}: makes an environment in {home}", flush=True)
        try:
            venv.create(home, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise FailedError(f"no environment: {error}") from error
    probe = [python, "-c", f"import numpy, {peer.module}"]
    try:
        output_of(probe)
    except FailedError:
        print(f"{name}: installs {' '.join(peer.packages)}", flush=True)
        output_of([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.packages])
        output_of(probe)
    return python


def figures_of(command, **options) -> Figures:
    lines = [line for line in output_of(command, **options).splitlines() if is_result(line)]
    if not lines:
        raise FailedError("printed no line of figures")
    try:
        figures = read_line(lines[-1])
    except ValueError as error:
        raise FailedError(str(error)) from error
    if not figures.finite:
        raise FailedError("the positions are not finite")
    return figures


def run_peer(name: str, python: Path, scripts: Path) -> Figures:
    script, *arguments = PEERS[name].script
    # from the environment's directory, without bytecode: engines drop logs where they run, and the scripts' folder may be read-only
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **PEERS[name].variables}
    return figures_of([python, scripts / script, *arguments], cwd=python.parent.parent, env=variables)


def attempt(name: str, action, *arguments, **options):
    """What the action gives, or None with the reason printed: one engine that fails does not end the comparison."""
    try:
        return action(*arguments, **options)
    except FailedError as failure:
        print(f"{name}: skipped, {failure}", flush=True)
        return None


def timed(name: str, action, *arguments) -> Figures | None:
    print(f"{name}: runs", flush=True)
    if figures := attempt(name, action, *arguments):
        print(f"{name}: {figures.speed:g} simulated over real, p99 {figures.p99:g} ms per {figures.step:g} ms", flush=True)
    return figures


def table_of(rows: dict[str, Figures]) -> Table:
    table = Table(title="Press, hold and release of a 0.1 m cube")
    table.add_column("engine")
    for heading in (
        "points",
        "ms per 1 ms,\np50 / p99",
        "simulated\n/ real",
        "least height,\nmm",
        "residual,\n%",
        "volume\nat end",
        "penetration,\nmm",
    ):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows.values():
        table.add_row(
            row.name,
            str(row.points),
            f"{row.per_ms(row.p50):.3f} / {row.per_ms(row.p99):.3f}",
            f"{row.speed:.2f}",
            f"{row.least_height:.1f}",
            f"{row.residual:z.1f}",
            f"{row.volume_end:.3f}",
            f"{row.penetration:.2f}",
        )
    return table


def bars_of(ours: Figures, peers: dict[str, Figures]) -> list[tuple[str, bool]]:
    """Each bar in words with our figure, and whether it is met."""
    bars = [
        (
            f"p99 of a 1 ms tick < {TICK:g} ms, is {ours.p99:.3f} ms at a tick of {ours.step:g} ms",
            ours.step == 1.0 and ours.p99 < TICK,
        ),
        (f"penetration < {DEPTH:g} mm, is {ours.penetration:.2f} mm", ours.penetration < DEPTH),
        # the line has three decimals: 0.990 may not fall to a rounding of 1 - 0.99
        (f"volume at end within {VOLUME:.0%}, is {ours.volume_end:.3f}", abs(ours.volume_end - 1.0) <= VOLUME + 1e-9),
    ]
    if peers:
        name = max(peers, key=lambda key: peers[key].speed)
        ratio = ours.speed / peers[name].speed
        bars.insert(0, (f"simulated/real >= {RATIO:g}x the fastest peer ({name}), is {ratio:.1f}x", ratio >= RATIO))
    else:
        bars.insert(0, (f"simulated/real >= {RATIO:g}x the fastest peer, but no peer ran", False))
    return bars


def main() -> int:
    parser = argparse.ArgumentParser(description="Our press-hold-release of a block of 216 points beside other engines")
    parser.add_argument("scripts", type=Path, help="directory with the engines' scripts")
    parser.add_argument("--environments", type=Path, default=HERE.parent / "out" / "peers", help="kept here (default out/peers)")
    parser.add_argument(
        "--peers", default=DEFAULT, help=f"names with commas between them, or all, which adds newton and taichi ({DEFAULT})"
    )
    asked = parser.parse_args()
    names = list(PEERS) if asked.peers == "all" else asked.peers.split(",")
    if unknown := [name for name in names if name not in PEERS]:
        parser.error(f"--peers: {', '.join(unknown)} not known; choose from {', '.join(PEERS)}, or all")
    scripts = asked.scripts.resolve()
    if not scripts.is_dir():
        parser.error(f"{scripts} is not a directory")

    # all installations first, so that none disturbs a measurement
    pythons = {name: attempt(name, environment_of, name, asked.environments.resolve()) for name in names}
    peers: dict[str, Figures] = {}
    turns: list[Figures] = []
    for name, python in pythons.items():
        if python and (figures := timed(name, run_peer, name, python, scripts)):
            peers[name] = figures
        if figures := timed("ours", figures_of, [sys.executable, OURS]):
            turns.append(figures)

    turns.sort(key=lambda turn: turn.speed)
    ours = turns[(len(turns) - 1) // 2] if turns else None  # the middle turn, the slower one of two
    console = Console(width=130)  # the same table in a pipe
    console.print(table_of(peers | ({"ours": ours} if ours else {})))
    if absent := [name for name in names if name not in peers]:
        print(f"not in the table: {', '.join(absent)}")
    if not ours:
        print("ours gave no figures: no bar is met")
        return 1
    bars = bars_of(ours, peers)
    for words, met in bars:
        print(f"{words}: {'met' if met else 'MISSED'}")
    return 0 if all(met for _, met in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
