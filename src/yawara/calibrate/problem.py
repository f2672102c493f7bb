"""What is to be explained: scenes, the numbers of them that are looked for, and what was measured.

A problem travels to worker processes as it is: plain data and arrays only.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any, Self

import numpy as np

from yawara.calibrate.models import compiled_for_now
from yawara.calibrate.observation.base import Comparison, Observation, Showing
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.parameter import Parameter, space_of
from yawara.calibrate.space import Space
from yawara.calibrate.target import with_values
from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.kernels.kinds import Floats
from yawara.observe.probes import measures
from yawara.observe.recorder import Recorder
from yawara.scene.file import scene_data
from yawara.scene.scene import Scene
from yawara.simulate import frame_times, simulate

SAME_TIME = 1e-9  # of a run: times closer than this are the same


class Objective(StrEnum):
    """What searches make small."""

    LEAST_SQUARES = "least_squares"  # half the sum of squares of residuals over their noise
    DISTANCE_SUM = (
        "distance_sum"  # S of Noborio et al. 2003: distances of all captured points from the surface, small ones left out
    )


@dataclass(frozen=True)
class Experiment:
    """A scene and what was measured in it."""

    name: str
    scene: dict[str, Any]  # plain data
    observations: tuple[Observation, ...]
    held_out: bool = False  # not fitted, but compared in the end
    weight: float = 1.0  # of all its residuals

    @classmethod
    def of(
        cls, name: str, scene: Scene, observations: Sequence[Observation], *, held_out: bool = False, weight: float = 1.0
    ) -> Self:
        """With the scene as plain data."""
        return cls(name, scene_data(scene), tuple(observations), held_out, weight)

    @property
    def end(self) -> float:
        return max(one.end for one in self.observations)

    @property
    def count(self) -> int:
        return sum(one.count for one in self.observations)


@dataclass(frozen=True)
class Problem:
    """Parameters in their order, experiments, and what counts."""

    parameters: Mapping[str, Parameter]
    start: Mapping[str, float]  # of all parameters
    experiments: tuple[Experiment, ...]
    objective: Objective = Objective.LEAST_SQUARES
    units: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def free(self) -> dict[str, Parameter]:
        return {name: one for name, one in self.parameters.items() if not one.fixed}

    @cached_property
    def space(self) -> Space:
        return space_of(self.free, self.start)

    @property
    def fitted(self) -> list[Experiment]:
        return [one for one in self.experiments if not one.held_out]

    @property
    def residual_count(self) -> int:
        return sum(one.count for one in self.fitted)

    def all_values(self, free: Iterable[float]) -> dict[str, float]:
        """Of all parameters by name, given those of the free ones in their order."""
        return {**self.start, **dict(zip(self.free, map(float, free), strict=True))}

    def scene(self, experiment: Experiment, free: Iterable[float]) -> Scene:
        """The experiment's scene with these values."""
        values = self.all_values(free)
        return with_values(experiment.scene, {path: values[name] for name, one in self.parameters.items() for path in one.target})

    def compare(self, free: Sequence[float] | Floats, experiment: Experiment) -> list[Comparison]:
        """All observations of an experiment beside a run with these values. SceneError or SimulationError if it cannot be run."""
        showing = show(self.scene(experiment, free), experiment.observations)
        return [one.compare(showing) for one in experiment.observations]

    def doubts(self, outcome: Outcome) -> list[str]:
        """What an evaluation shows to be strange in the measurements themselves."""
        if outcome.failed:
            return []
        parts = parts_of(self, outcome.residual)
        return [f"{experiment.name}, {words}" for experiment, one, residual in parts for words in one.doubts(residual)]

    def misfit(self, free: Floats, outcome: Outcome) -> str:
        """Why this cannot be an evaluation of this problem; nothing if it can."""
        if len(free) != len(self.free):
            return f"{len(free)} values, where {len(self.free)} parameters are looked for"
        if len(outcome.residual) not in (0, self.residual_count) or not np.isfinite(outcome.residual).all():
            return f"{len(outcome.residual)} residuals, where {self.residual_count} finite ones belong"
        return ""

    def evaluate(self, free: Sequence[float] | Floats) -> Outcome:
        """How well these values explain what is fitted; a failure is an answer, too."""
        residual, metrics, sum_of_distances = [], dict[str, float](), 0.0
        for experiment in self.fitted:
            try:
                comparisons = self.compare(free, experiment)
            except (SceneError, RuntimeError) as error:
                return Outcome(FAILED_COST, failure=f"{experiment.name}: {error}")
            for observation, one in zip(experiment.observations, comparisons, strict=True):
                residual.append(np.sqrt(experiment.weight) * one.residual)
                sum_of_distances += experiment.weight * one.metrics.get("S [m]", 0.0)
                metrics |= {f"{experiment.name}.{observation.name}.{key}": value for key, value in one.metrics.items()}
        together = np.concatenate(residual)
        if not np.isfinite(together).all():
            return Outcome(FAILED_COST, failure="the run has no finite answer")
        least_squares = self.objective is Objective.LEAST_SQUARES
        return Outcome(0.5 * float(np.sum(together * together)) if least_squares else sum_of_distances, together, metrics)


def parts_of(problem: Problem, residual: Floats) -> Iterator[tuple[Experiment, Observation, Floats]]:
    """The residual of an outcome, observation by observation, each over its noise alone."""
    begin = 0
    for experiment in problem.fitted:
        for one in experiment.observations:
            yield experiment, one, residual[begin : begin + one.count] / np.sqrt(experiment.weight)
            begin += one.count


class Snapshots:
    """Positions at chosen times; an observer."""

    def __init__(self, times: Iterable[float]) -> None:
        self.positions = dict[float, Floats]()
        self._wanted = set(times)

    def observe(self, frame: Frame) -> None:
        if frame.time in self._wanted:
            self.positions[frame.time] = frame.state.position.copy()


def show(scene: Scene, observations: Sequence[Observation]) -> Showing:
    """Run a scene as far as the observations need it. SimulationError if that fails."""
    compiled = compiled_for_now(_bare(scene))
    snapshots = Snapshots(time for one in observations for time in one.times)
    wanted = {column for one in observations for column in one.columns}
    recorder = Recorder([one for one in measures(compiled) if wanted & {column.name for column in one.columns}])
    times = run_times(scene, observations)
    simulate(compiled, observers=[snapshots], recorder=recorder, times=times, notify=_say_nothing)
    return Showing(compiled, snapshots.positions, recorder.history)


def run_times(scene: Scene, observations: Sequence[Observation]) -> list[float]:
    """[s], when a run must be looked at: whenever positions are wanted, and at the scene's frames if curves are."""
    end = max(one.end for one in observations)
    times = {time for one in observations for time in one.times if time > 0.0}
    if any(one.columns for one in observations):
        near = SAME_TIME * end
        frames = [time for time in frame_times(scene) if time < end - near] + [end]
        times |= {time for time in frames if all(abs(time - other) > near for other in times)}
    return sorted(times)


def _bare(scene: Scene) -> Scene:
    """Without what a calibration does not look at; on one thread, as others run beside it."""
    output = scene.output.model_copy(update={"energies": False, "positions": False, "report": False})
    return scene.model_copy(update={"output": output, "time": scene.time.model_copy(update={"threads": 1})})


def _say_nothing(words: str) -> None:
    """Splits of steps are no news in the hundredth run."""
