"""Coefficients of dough from Hirai 2005, ch. 3, run at its 2 ms: read directly, most of them blow up there with explicit steps.

Each set is run with steps that are split as often as the estimate asks for, and implicitly with whole steps; the run tells which way.
"""

import warnings
from collections.abc import Iterator
from typing import Any

from yawara.scene.compile import compile_scene
from yawara.simulate import simulate
from yawara.status import StepStatus
from yawara.studies.chapter_3 import DEPTH, FRAME, push
from yawara.studies.row import StudyRow

NAME, TITLE = "published_sets", "published coefficient sets of Hirai 2005, ch. 3, at a 2 ms frame"
SETS: dict[str, tuple[float, float, float, dict[str, Any]]] = {
    "model 1, first push": (1990.0, 510.0, 3470.0, {}),
    "model 2, first push": (1720.0, 1300.0, 780.0, {"volume": {"centres": True}}),
    "model 3, first push": (3000.0, 1380.0, 1550.0, {}),
    "model 1, second push": (1970.0, 510.0, 3470.0, {}),
    "model 2, second push": (1780.0, 980.0, 720.0, {"volume": {"centres": True}}),
    "model 3, second push": (1950.0, 7520.0, 8930.0, {}),
    "weak push": (1831.0, 4732.0, 18524.0, {}),
    "strong push": (1398.0, 6345.0, 18524.0, {}),
    "model 4 (local and global volume)": (
        1903.0,
        2688.0,
        807.0,
        {"volume": {"centres": True, "cavity": 1e4, "cavity_damping": 1e3}},
    ),
    "largest of the search range": (3000.0, 10000.0, 20000.0, {}),
}


def rows() -> Iterator[StudyRow]:
    for name, (k, c1, c2, effects) in SETS.items():
        for integrator in ("semi_implicit_euler", "implicit_euler"):
            compiled = compile_scene(push(k, c1, c2, integrator=integrator, **effects))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = simulate(compiled, strict=False)
            way = "implicit" if integrator == "implicit_euler" else "split"
            steps = result.state.step_count / (4.0 / FRAME)
            done = result.status is StepStatus.DONE
            yield StudyRow(NAME, f"{name}, {way}: steps per 2 ms", "1", None, steps)
            lowest = float(result.history["dough.height"].min()) if done else float("nan")
            yield StudyRow(NAME, f"{name}, {way}: least height, of 3", "cm", None, lowest, low=3.0 - 1.5 * DEPTH, high=3.0)
