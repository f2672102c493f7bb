"""Nogami et al. 2004 (ICRA), Table I: integrators compared on one push (K = 500, C1 = C2 = 2000).

Printed: S = 2508.076 (Runge-Kutta), 2518.455 (Euler, +0.4 %), 2496.485 cm (implicit Euler, -0.5 %), in 17.297, 6.891 and 10.297 s. S is the
sum of distances to camera points, which are not printed; here the end shapes are compared with each other. At the papers' 2 ms the explicit
schemes are unstable in a direct reading of the numbers, so each step is split as often as needed, and that is part of the time.
"""

import time
import warnings
from collections.abc import Iterator

import numpy as np

from yawara.scene.compile import compile_scene
from yawara.simulate import simulate
from yawara.studies.chapter_3 import FRAME, push
from yawara.studies.row import StudyRow

NAME, TITLE = "integrators", "Runge-Kutta, Euler and implicit Euler on the same push (Nogami et al. 2004, Table I)"
PRINTED = {"rk4": (2508.076, 17.297), "euler": (2518.455, 6.891), "implicit_euler": (2496.485, 10.297)}
COEFFICIENTS = (500.0, 2000.0, 2000.0)


def rows() -> Iterator[StudyRow]:
    best, seconds = {}, {}
    for name in PRINTED:
        compiled = compile_scene(push(*COEFFICIENTS, integrator=name))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the split, which the rows tell
            begin = time.perf_counter()
            result = simulate(compiled)
            seconds[name] = time.perf_counter() - begin
        best[name] = result.state.position
        steps = result.state.step_count / (4.0 / FRAME)
        yield StudyRow(NAME, f"{name}: time of the run (printed on a Pentium 4, 3 GHz)", "s", PRINTED[name][1], seconds[name])
        yield StudyRow(NAME, f"{name}: steps per 2 ms", "1", 1, steps)
    for name in ("euler", "implicit_euler"):
        apart = np.linalg.norm(best[name] - best["rk4"], axis=1)
        moved = np.linalg.norm(best["rk4"] - compiled.model.rest_position, axis=1)
        printed = PRINTED[name][0] / PRINTED["rk4"][0] - 1.0
        share = float(apart.mean() / moved.mean())
        yield StudyRow(
            NAME, f"{name}: end shape off Runge-Kutta's, of the mean displacement (printed: change of S)", "1", printed, share
        )
        yield StudyRow(NAME, f"{name}: farthest point off Runge-Kutta's", "cm", None, float(apart.max()))
        ratio = seconds[name] / seconds["rk4"]
        yield StudyRow(NAME, f"{name}: time over Runge-Kutta's", "1", PRINTED[name][1] / PRINTED["rk4"][1], ratio)
