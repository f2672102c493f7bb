"""Our press-hold-release of a block of 216 points beside other engines: python benchmarks/against_peers.py PATH/TO/PEERS

PATH/TO/PEERS holds one script per engine, which prints one line (peer_lines.py). Each engine gets an environment of its own, and
takes its turn before one of ours, since only ratios within one run mean anything on a shared machine. Where other work comes and goes,
`--processor-time` leaves out what the engines wait for a core: all run on one thread.
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
OURS, OTHER_CLOCK = HERE / "peer_block.py", HERE / "on_processor_time.py"
MINUTES = 20  # at most for one command: Newton compiles for minutes on its first run
RATIO, TICK, DEPTH, VOLUME = 25.0, 1.0, 0.5, 0.01  # bars: times the fastest peer, ms, mm, share


@dataclass(frozen=True)
class Peer:
    packages: tuple[str, ...]
    module: str
    script: tuple[str, ...]  # with {points} along each edge
    is_continuum: bool = False  # finite elements whose stiffness is a material's, as ours are
    variables: dict[str, str] = field(default_factory=dict)


PEERS = {
    "pypbd": Peer(("pypbd",), "pypbd", ("pypbd_block.py", "{points}", "5"), variables={"OMP_NUM_THREADS": "1"}),
    "mujoco": Peer(("mujoco",), "mujoco", ("mj_block.py", "{points}", "CG", "0.05"), is_continuum=True),
    "rapier": Peer(("rapier3d[numpy]",), "rapier3d", ("rapier_block.py", "{points}", "cons", "1")),
    "rapier-fem": Peer(("rapier3d[numpy]",), "rapier3d", ("rapier_block.py", "{points}", "fem", "1"), is_continuum=True),
    # its package does not ask for NumPy
    "pybullet": Peer(("pybullet", "numpy"), "pybullet", ("pybullet_block.py", "{points}"), is_continuum=True),
    "newton": Peer(("newton[sim]",), "newton", ("newton_mpm_block.py", "{points}", "1", "5")),
    "taichi": Peer(("taichi",), "taichi", ("taichi_mpm_block.py", "{points}", "1", "1")),
}
DEFAULT = "pypbd,mujoco,rapier,rapier-fem,pybullet"


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
    home, peer = under / PEERS[name].module, PEERS[name]  # one for all modes of an engine
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


@dataclass(frozen=True)
class Turn:
    """How each engine is run."""

    points: int  # along each edge
    processor_time: bool

    def command(self, python: Path, script: Path, *arguments: str) -> list[str | Path]:
        clock = [OTHER_CLOCK] if self.processor_time else []
        return [python, *clock, script, *(argument.format(points=self.points) for argument in arguments)]

    def of_peer(self, name: str, python: Path, scripts: Path) -> Figures:
        script, *arguments = PEERS[name].script
        # from the environment's directory, without bytecode: engines drop logs where they run, and the scripts' folder may be read-only
        variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **PEERS[name].variables}
        return figures_of(self.command(python, scripts / script, *arguments), cwd=python.parent.parent, env=variables)

    def of_ours(self, elements: str) -> Figures:
        return figures_of(self.command(Path(sys.executable), OURS, "{points}", "--elements", elements))


def attempt(name: str, action, *arguments, **options):
    """What the action gives, or None with the reason printed: one engine that fails does not end the comparison."""
    try:
        return action(*arguments, **options)
    except FailedError as failure:
        print(f"{name}: skipped, {failure}", flush=True)
        return None


def middle(turns: list[Figures]) -> Figures | None:
    """By speed; the slower one of two."""
    return sorted(turns, key=lambda turn: turn.speed)[(len(turns) - 1) // 2] if turns else None


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
    return [
        ratio_bar("fastest with finite elements", ours, {name: peers[name] for name in peers if PEERS[name].is_continuum}),
        ratio_bar("fastest of all", ours, peers),
        (
            f"p99 of a 1 ms tick < {TICK:g} ms, is {ours.p99:.3f} ms at a tick of {ours.step:g} ms",
            ours.step == 1.0 and ours.p99 < TICK,
        ),
        (f"penetration < {DEPTH:g} mm, is {ours.penetration:.2f} mm", ours.penetration < DEPTH),
        # the line has three decimals: 0.990 may not fall to a rounding of 1 - 0.99
        (f"volume at end within {VOLUME:.0%}, is {ours.volume_end:.3f}", abs(ours.volume_end - 1.0) <= VOLUME + 1e-9),
        (f"no cell inside out, are {ours.inverted}", ours.inverted == 0),
    ]


def ratio_bar(which: str, ours: Figures, peers: dict[str, Figures]) -> tuple[str, bool]:
    """Against the fastest of these peers."""
    if not peers:
        return f"simulated/real >= {RATIO:g}x the {which}, but no such peer ran", False
    name = max(peers, key=lambda key: peers[key].speed)
    ratio = ours.speed / peers[name].speed
    return f"simulated/real >= {RATIO:g}x the {which} ({name}), is {ratio:.1f}x", ratio >= RATIO


def main() -> int:
    parser = argparse.ArgumentParser(description="Our press-hold-release of a block beside other engines")
    parser.add_argument("scripts", type=Path, help="directory with the engines' scripts")
    parser.add_argument("--environments", type=Path, default=HERE.parent / "out" / "peers", help="kept here (default out/peers)")
    parser.add_argument("--points", type=int, default=6, help="along each edge (6)")
    parser.add_argument("--rounds", type=int, default=1, help="turns of every engine, of which the middle one counts (1)")
    parser.add_argument("--links", action="store_true", help="ours with links, too")
    parser.add_argument("--processor-time", action="store_true", help="without what engines wait for a core that others use")
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
    turn = Turn(asked.points, asked.processor_time)
    own = {"ours": "continuum"} | ({"ours, links": "links"} if asked.links else {})
    turns: dict[str, list[Figures]] = {name: [] for name in [*names, *own]}
    for _ in range(asked.rounds):
        for name, python in pythons.items():
            if python and (figures := timed(name, turn.of_peer, name, python, scripts)):
                turns[name].append(figures)
            for title, elements in own.items():
                if figures := timed(title, turn.of_ours, elements):
                    turns[title].append(figures)

    found = {name: figures for name in turns if (figures := middle(turns[name]))}
    console = Console(width=130)  # the same table in a pipe
    console.print(table_of(found))
    if absent := [name for name in turns if name not in found]:
        print(f"not in the table: {', '.join(absent)}")
    if not (ours := found.get("ours")):
        print("ours gave no figures: no bar is met")
        return 1
    peers = {name: found[name] for name in names if name in found}
    bars = bars_of(ours, peers)
    for words, met in bars:
        print(f"{words}: {'met' if met else 'MISSED'}")
    return 0 if all(met for _, met in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
