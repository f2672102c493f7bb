"""Time of one step on the standard bodies, in the keys of the C++ yardstick.

Each figure is the least over many short windows; all configurations of a case take turns, so that a disturbance hits all of them.
A window includes the call from Python and the wake-up of helper threads, which the yardstick leaves out.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from yawara.core.control import ControlArrays
from yawara.core.state import State
from yawara.laws import ThreeElement
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Lattice, MassSharing, Truss
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.scene import Scene, Time

YARDSTICK_NAMES = {"semi_implicit_euler": "euler", "rk4": "rk4"}  # the yardstick's "euler" is semi-implicit
STEP = 1e-4  # [s], as in the yardstick
SECONDS_PER_FIGURE = 0.6
RESET_AFTER = 5000  # steps: long runs would slowly flow apart


@dataclass(frozen=True)
class Case:
    """A body to time."""

    name: str
    counts: tuple[int, int, int]
    truss: bool
    integrators: tuple[str, ...] = ("semi_implicit_euler", "rk4")
    threads: tuple[int, ...] = (1, 2)


def standard_cases(*, quick: bool = False) -> list[Case]:
    """The yardstick's four cases, or the two that have a bar."""
    cases = [
        Case("6x4x6-26n", (6, 4, 6), False),
        Case("9x9x9-truss", (9, 9, 9), True),
        Case("15x15x16-truss", (15, 15, 16), True),
        Case("30x30x30-26n", (30, 30, 30), False),
    ]
    return [cases[0], cases[2]] if quick else cases


def growth_cases() -> list[Case]:
    """Lattices from 10^3 to 60^3 points, one thread, semi-implicit Euler."""
    return [Case(f"{n}x{n}x{n}-26n", (n, n, n), False, ("semi_implicit_euler",), (1,)) for n in (10, 15, 20, 30, 40, 60)]


def bench_scene(counts: tuple[int, int, int], *, truss: bool) -> Scene:
    """The yardstick's body: bottom fixed, top driven, gravity, every link with its own three-element coefficients."""
    points = counts[0] * counts[1] * counts[2]
    law = ThreeElement(k1=100.0, c1=0.05, c2=10.0)
    shape = Truss if truss else Lattice
    body = shape(counts=counts, spacing=0.01, law=law, mass=1e-3 * points, mass_sharing=MassSharing.EQUAL)
    press = Drive(body="block", points="top", times=(0.0, 10.0), displacement=((0, 0, 0), (0, 0, -0.001)), interpolation="smooth")
    return Scene(
        gravity=(0.0, 0.0, -9.81),
        time=Time(end=10.0, step=STEP),
        body={"block": body},
        fix=(Fix(body="block", points="bottom"),),
        drive=(press,),
    )


@dataclass
class _Configuration:
    integrator: str
    threads: int
    runner: Runner
    state: State
    steps: int
    best: float = float("inf")


def measure(cases: list[Case], *, seconds: float | None = None) -> Iterator[dict[str, Any]]:
    """One row per case, integrator and thread count; `seconds` of measuring for each."""
    for case in cases:
        compiled = compile_scene(bench_scene(case.counts, truss=case.truss))
        control = compiled.control.stretch(0.0, 10.0)
        configurations = [
            _configure(compiled, integrator, threads) for threads in case.threads for integrator in case.integrators
        ]
        _take_turns(compiled, control, configurations, seconds or SECONDS_PER_FIGURE)
        for item in configurations:
            item.runner.close()
            yield _row(case, compiled, item)


def _configure(compiled: Compiled, integrator: str, threads: int) -> _Configuration:
    runner = Runner(compiled.model, SCHEMES[integrator], threads=threads, account=False)
    work = (1_000_000 if threads > 1 else 320_000) // len(runner.scheme.stages)
    return _Configuration(integrator, threads, runner, compiled.state.copy(), max(1, work // compiled.model.link_count))


def _take_turns(compiled: Compiled, control: ControlArrays, configurations: list[_Configuration], seconds: float) -> None:
    begin, rounds = time.perf_counter(), 0
    while rounds < 5 or time.perf_counter() - begin < seconds * len(configurations):
        for item in configurations:
            if item.state.step_count > RESET_AFTER:
                item.state.assign(compiled.state)
            start = time.perf_counter()
            item.runner.advance(item.state, control, 0, item.steps, STEP)
            item.best = min(item.best, (time.perf_counter() - start) / item.steps)
            item.state.step_count += item.steps
        rounds += 1
    for item in configurations:
        if not item.state.is_finite():
            raise RuntimeError(
                f"{item.integrator}, {item.threads} threads: the state is not finite; the figure would be worthless"
            )


def _row(case: Case, compiled: Compiled, item: _Configuration) -> dict[str, Any]:
    links = compiled.model.link_count
    return {
        "case": case.name,
        "points": compiled.model.point_count,
        "links": links,
        "integrator": YARDSTICK_NAMES[item.integrator],
        "variant": "yawara",
        "threads": item.threads,
        "us_per_step": round(item.best * 1e6, 3),
        "ns_per_link": round(item.best * 1e9 / links, 3),
    }


def memory_per_link(count: int = 40) -> dict[str, Any]:
    """Bytes per link of a lattice of count^3 points: of its arrays, and as the process grew by a run's model, state and scratch."""
    before = _resident()
    compiled = compile_scene(bench_scene((count,) * 3, truss=False))
    runner = Runner(compiled.model, SCHEMES["semi_implicit_euler"])
    runner.advance(compiled.state, compiled.control.stretch(0.0, 10.0), 0, 1, STEP)
    links = compiled.model.link_count
    return {
        "case": f"{count}x{count}x{count}-26n",
        "links": links,
        "bytes_per_link_arrays": round(sum(term.nbytes for term in compiled.model.terms) / links, 1),
        "bytes_per_link_process": round((_resident() - before) / links, 1),
    }


def _resident() -> int:
    """[B] of memory the process holds now."""
    import os

    try:
        with open("/proc/self/statm") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
