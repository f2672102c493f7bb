"""The one loop of the package: from frame to frame, shown to all observers."""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Protocol

from yawara.core.state import State
from yawara.doubts import cells_inside_out, doubts_of, is_imbalanced
from yawara.frame import Frame
from yawara.journey import Journey
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.observe.probes import measures
from yawara.observe.recorder import History, Recorder
from yawara.observe.recovery import Recovery, recoveries
from yawara.plan import StepPlan
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.scene import Scene
from yawara.status import Failure, SimulationError, StepStatus


class Observer(Protocol):
    """Sees every frame of a run, from the first state on."""

    def observe(self, frame: Frame) -> None: ...


Progress = Callable[[float, float], None]  # gets the simulated time and its end [s]


@dataclass
class Result:
    """What a run left."""

    compiled: Compiled
    state: State
    plan: StepPlan
    history: History
    failure: Failure | None = None

    @property
    def status(self) -> StepStatus:
        if self.failure:
            return self.failure.status
        return StepStatus.IMBALANCED if is_imbalanced(self.compiled, self.history, self.plan) else StepStatus.DONE

    @property
    def doubts(self) -> list[str]:
        """What speaks against the run, in sentences; none if all is well."""
        return doubts_of(self.compiled, self.history, self.plan)

    @property
    def recoveries(self) -> list[Recovery]:
        """Pressed, returned and residual displacement for each drive that let go."""
        return recoveries(self.compiled, self.history)


def simulate(
    scene: Scene | Compiled,
    *,
    observers: Sequence[Observer] = (),
    recorder: Recorder | None = None,
    progress: Progress | None = None,
    notify: Callable[[str], None] | None = None,
    start: tuple[int, State] | None = None,
    times: Sequence[float] | None = None,
    strict: bool = True,
) -> Result:
    """Run a scene to its end, or from the frame and state of `start` on. Raises SimulationError on failure if `strict`.

    The history is kept by `recorder`, or by one with the scene's own measures. Frames after the first are those of the scene, or are
    taken at `times` [s], increasing; the run then ends with the last of them. Doubts about the result are told to `notify` or, without it,
    are warnings.
    """
    compiled = scene if isinstance(scene, Compiled) else compile_scene(scene)
    times = frame_times(compiled.scene) if times is None else times
    recorder, end = recorder or Recorder(measures(compiled)), times[-1]
    with Journey(compiled, start, recorder.history) as journey:
        _tell(journey.plan, notify)
        result = Result(compiled, journey.state, journey.plan, recorder.history)
        tell_time = (lambda time: progress(time, end)) if progress else None
        if not start:
            _show((recorder, *observers), journey.first_frame(times[0]))
        told = _tell_of_cells(result, None, 0)  # a run that is taken up again has told of them before
        while journey.index < len(times):
            frame = journey.next_frame(times[journey.index], tell_time)
            if frame is None:
                result.failure = journey.failure
                break
            _show((recorder, *observers), frame)
            told = told or _tell_of_cells(result, notify, -1)
    if result.failure and strict:
        raise SimulationError(result.failure)
    if not result.failure:
        _tell_doubts(result.doubts, notify)
    return result


def _tell(plan: StepPlan, notify: Callable[[str], None] | None) -> None:
    """What the user should know of the steps: everything if there is somewhere to say it, a split in any case."""
    if notify:
        notify(plan.notice())
    elif plan.is_split:
        warnings.warn(plan.notice(), stacklevel=3)


def _tell_of_cells(result: Result, notify: Callable[[str], None] | None, since: int) -> bool:
    """Tell of the first cells that turn inside out when they do; whether there are some in the rows from number `since` on."""
    columns = [n for n, name in enumerate(result.history.names) if name.endswith(".inverted")]
    if not any(row[n] > 0.0 for row in result.history.rows[since:] for n in columns):
        return False
    if notify:
        for sentence in cells_inside_out(result.compiled, result.history, is_over=False):
            notify(f"Warning: {sentence}")
    return True


def _tell_doubts(doubts: Sequence[str], notify: Callable[[str], None] | None) -> None:
    for sentence in doubts:
        if notify:
            notify(f"Warning: {sentence}")
        else:
            warnings.warn(sentence, stacklevel=3)


def prepare_kernels(compiled: Compiled) -> None:
    """Load the kernels, or compile them if this machine never did; so that this time does not count as the run's."""
    state, control = compiled.state.copy(), compiled.control.stretch(0.0, frame_end(compiled.scene, 1))
    runner = Runner(compiled.model, SCHEMES[compiled.scene.time.integrator])
    runner.advance(state, control, 0, 0, 0.0)
    for term in compiled.model.terms:
        term.largest_step(state, control)
    compiled.watch.look(state)
    _ = Frame(0, compiled.model, state, control, 0.0).evaluation


def _show(observers: Sequence[Observer], frame: Frame) -> None:
    for observer in observers:
        observer.observe(frame)


def frame_count(scene: Scene) -> int:
    """Frames after the first one."""
    return max(1, ceil(scene.time.end / scene.time.frame_time * (1 - 1e-12)))


def frame_times(scene: Scene) -> list[float]:
    """[s], of all frames after the first one."""
    return [frame_end(scene, index) for index in range(1, frame_count(scene) + 1)]


def frame_end(scene: Scene, index: int) -> float:
    """[s], when frame number `index` is taken."""
    return index * scene.time.frame_time if index < frame_count(scene) else scene.time.end
