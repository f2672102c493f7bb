"""Time and iterations per step of volumes that stay the same, by the number of elements: python benchmarks/incompressible.py [THREADS]

A lattice is pressed between glued plates at a steady speed; the same without constraints stands beside it.
"""

import sys
import time
from typing import Any

import numpy as np

from yawara import Drive, Fix, Lattice, Scene, Time, Voigt, compile_scene
from yawara.journey import Journey
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner

COUNTS = (4, 6, 9, 13, 19, 27)  # points along each side
SCHEME = "semi_implicit_euler"
WARM, STEPS, WINDOWS = 50, 20, 10  # the least time of ten windows counts: others are at work, too


def scene(points: int, per: str | None) -> Scene:
    height = (points - 1) * 0.01
    effect: Any = {"incompressible": {"per": per}} if per else {}
    block = Lattice(counts=(points,) * 3, spacing=0.01, density=1000.0, law=Voigt(k=100.0, c=0.5), **effect)
    press = Drive(body="it", points="top", times=(0.0, 1.0), displacement=((0.0, 0.0, 0.0), (0.0, 0.0, -0.4 * height)))
    return Scene(time=Time(end=1.0), body={"it": block}, fix=(Fix(body="it", points="bottom"),), drive=(press,))


def measure(points: int, per: str | None, threads: int) -> tuple[int, float, float, float]:
    """Elements, microseconds per step, iterations per step, and the most of them."""
    compiled = compile_scene(scene(points, per))
    runner, control, state = (
        Runner(compiled.model, SCHEMES[SCHEME], threads=threads),
        compiled.control.stretch(0.0, 1.0),
        compiled.state,
    )
    with Journey(compiled) as journey:
        journey._catch(state, control, 0.0)  # the press begins with its speed
    dt = compiled.model.stable_step[SCHEME]
    counts = next((one[0].values["counts"] for one in runner.crew.records if "counts" in one[0].values), None)
    runner.advance(state, control, 0, WARM, dt)
    taken, seen = np.inf, np.zeros((WINDOWS, 3))
    for window in range(WINDOWS):
        begin = time.perf_counter()
        runner.advance(state, control, WARM + window * STEPS, STEPS, dt)
        taken = min(taken, time.perf_counter() - begin)
        seen[window] = counts[:3] if counts is not None else (0.0, 1.0, 0.0)  # of this call
    runner.close()
    iterations, systems, _ = seen.sum(axis=0)
    return len(compiled.model.bodies[0].elements), 1e6 * taken / STEPS, iterations / systems, float(seen[:, 2].max())


def main() -> int:
    threads = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    for per in (None, "body", "cell", "patch"):
        for points in COUNTS:
            elements, cost, iterations, most = measure(points, per, threads)
            print(
                f"{per or 'without':8} {elements:>7} tetrahedra {cost:>10.1f} us/step {1e3 * cost / elements:>8.1f} ns each "
                f"{iterations:>6.1f} iterations, {most:.0f} at most"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
