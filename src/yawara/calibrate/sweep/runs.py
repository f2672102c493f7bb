"""One row of a sweep: a run of the scene with some of its values changed. It travels to worker processes as it is."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from yawara.calibrate.models import compiled_for_now
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.sweep.readings import RECOVERY, Reading, recovery_needs
from yawara.calibrate.target import with_values
from yawara.checks import SceneError
from yawara.kernels.kinds import Floats
from yawara.observe.probes import measures
from yawara.observe.recorder import Recorder
from yawara.scene.compile import Compiled
from yawara.scene.scene import Scene
from yawara.simulate import Result, simulate

WALL_TIME = "wall_time_s"  # among the metrics of an outcome, but not of the table: it is never the same twice


@dataclass(frozen=True)
class Runs:
    """A scene, the paths in it that change, and what is read off each run."""

    scene: dict[str, Any]  # plain data
    paths: tuple[str, ...]
    readings: tuple[Reading, ...]

    def scene_at(self, values: Iterable[float]) -> Scene:
        """SceneError if there is no such scene."""
        scene = with_values(self.scene, dict(zip(self.paths, map(float, values), strict=True)))
        # On one thread, as others run beside it; sums then have the same order wherever it runs
        return scene.model_copy(update={"time": scene.time.model_copy(update={"threads": 1})})

    def misfit(self, values: Floats, outcome: Outcome) -> str:
        """Why this cannot be one of these runs; nothing if it can."""
        missing = {WALL_TIME, *(one.column.name for one in self.readings)} - set(outcome.metrics)
        if len(values) != len(self.paths) or (missing and not outcome.failed):
            return f"{len(values)} values and {len(outcome.metrics)} results, where {len(self.paths)} and others belong"
        return ""

    def evaluate(self, values: Iterable[float]) -> Outcome:
        """The numbers of one run, or why there are none: whatever goes wrong in it must not cost the others."""
        begun = time.perf_counter()
        try:
            found = self._numbers(compiled_for_now(self.scene_at(values)))
        except SceneError as error:
            return Outcome(
                FAILED_COST, failure="; ".join(f"{place}: {what}".removeprefix(": ") for place, what in error.problems)
            )
        except (RuntimeError, ArithmeticError, ValueError) as error:
            return Outcome(FAILED_COST, failure=" ".join(str(error).split()) or type(error).__name__)
        except MemoryError:
            return Outcome(
                FAILED_COST, failure="there is not enough memory for it; make the bodies smaller, or use fewer workers"
            )
        return Outcome(0.0, metrics=found | {WALL_TIME: time.perf_counter() - begun})

    def _numbers(self, compiled: Compiled) -> dict[str, float]:
        needed = recovery_needs(compiled).union(*(one.needs for one in self.readings))
        recorder = Recorder([one for one in measures(compiled) if needed & {column.name for column in one.columns}])
        result = simulate(compiled, recorder=recorder, notify=_say_nothing)
        return _recoveries(result) | {one.column.name: one.of(result.history) for one in self.readings}


def _recoveries(result: Result) -> dict[str, float]:
    return {f"{one.drive}.{what}": float(getattr(one, what)) for one in result.recoveries for what in RECOVERY}


def _say_nothing(words: str) -> None:
    """Splits of steps are no news in the hundredth run."""
