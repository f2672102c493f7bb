"""Dampers a thousand times as viscous: implicit steps against the stable explicit ones, at the same error.

The block of the benchmark (k1 = 100 N/m, c1 = 0.05, c2 = 10 N s/m per link) with c1 and c2 raised 1000 times. Errors are distances from a
run with ten times as many implicit steps as the finest one here, extrapolated; the cheapest run of each scheme that keeps the error counts.
"""

import time
from collections.abc import Iterator

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.laws import ThreeElement
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Lattice, MassSharing
from yawara.scene.compile import compile_scene
from yawara.scene.scene import Scene, Time
from yawara.simulate import simulate
from yawara.studies.row import StudyRow

NAME, TITLE = "stiff", "implicit Euler against stable explicit steps, c1 and c2 raised 1000 times"
ERROR = 1e-3  # of the depth of the press
END, DEPTH = 0.2, 0.006  # [s], [m]


def _scene(integrator: str, step: float | None) -> Scene:
    law = ThreeElement(k1=100.0, c1=50.0, c2=1e4)
    body = Lattice(counts=(6, 6, 4), spacing=0.01, mass=0.144, mass_sharing=MassSharing.EQUAL, law=law)
    press = Drive(
        body="block", points="top", times=(0.0, END / 2), displacement=((0, 0, 0), (0, 0, -DEPTH)), interpolation="smooth",
        release=0.6 * END,
    )  # fmt: skip
    return Scene(
        time=Time(end=END, frame=END / 10, step=step, integrator=integrator),
        body={"block": body},
        fix=(Fix(body="block", points="bottom"),),
        drive=(press,),
    )


def _run(integrator: str, step: float | None) -> tuple[Floats, float, int]:
    compiled = compile_scene(_scene(integrator, step))
    begin = time.perf_counter()
    state = simulate(compiled).state
    return state.position, time.perf_counter() - begin, state.step_count


def rows() -> Iterator[StudyRow]:
    fine, finer = (_run("implicit_euler", step)[0] for step in (1e-5, 5e-6))
    exact = 2.0 * finer - fine  # order 1
    explicit, explicit_time, explicit_steps = _run("semi_implicit_euler", None)
    explicit_error = float(np.abs(explicit - exact).max() / DEPTH)
    yield StudyRow(NAME, "explicit: steps", "1", None, explicit_steps)
    yield StudyRow(NAME, "explicit: error, of the depth", "1", None, explicit_error, high=ERROR)
    yield StudyRow(NAME, "explicit: time", "s", None, explicit_time)
    for step in (4e-3, 2e-3, 1e-3, 5e-4, 2.5e-4, 1e-4):
        position, seconds, steps = _run("implicit_euler", step)
        error = float(np.abs(position - exact).max() / DEPTH)
        if error <= ERROR:
            break
    yield StudyRow(NAME, "implicit: steps", "1", None, steps)
    yield StudyRow(NAME, "implicit: error, of the depth", "1", None, error, high=ERROR)
    yield StudyRow(NAME, "implicit: time", "s", None, seconds)
    yield StudyRow(NAME, "how much quicker the implicit run is", "1", None, explicit_time / seconds, low=10.0)
