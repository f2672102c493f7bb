"""The one loop of the package.

Time runs from frame to frame; between frames it is cut at the corners of the time tables, and each stretch is divided into equal
steps no larger than the stable one. Observers see every frame. After a frame that went wrong the state is that of the last good one.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Protocol

import numpy as np

from yawara.control import FREE, ControlArrays
from yawara.fault import fault_of, guilty_element
from yawara.frame import Frame
from yawara.integrators import SCHEMES
from yawara.integrators.runner import Runner
from yawara.observe.probes import measures
from yawara.observe.recorder import History, Recorder
from yawara.observe.recovery import Recovery, recoveries
from yawara.plan import StepPlan, plan_steps
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.scene import Scene
from yawara.state import WORK_OF_DRIVES, State
from yawara.status import Failure, SimulationError, StepStatus

WORK_PER_CALL = 5e7  # link evaluations: about 0.3 s, so that interrupts are heard
SAME_TIME = 1e-9  # of a frame: corners closer than this to a frame fall together with it


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
        return self.failure.status if self.failure else StepStatus.DONE

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
    start: tuple[int, State] | None = None,
    strict: bool = True,
) -> Result:
    """Run a scene to its end, or from the frame and state of `start` on. Raises SimulationError on failure if `strict`.

    The history is kept by `recorder`, or by one with the scene's own measures.
    """
    compiled = scene if isinstance(scene, Compiled) else compile_scene(scene)
    plan, recorder = plan_steps(compiled), recorder or Recorder(measures(compiled))
    observers = (recorder, *observers)
    first, state = (start[0], start[1].copy()) if start else (0, compiled.state.copy())
    runner = Runner(compiled.model, SCHEMES[plan.integrator], threads=plan.threads, account=compiled.scene.output.energies)
    result = Result(compiled, state, plan, recorder.history)
    try:
        if not start:
            _show(observers, Frame(0, compiled.model, state, *_first_control(compiled)))
        good = state.copy()
        for index, stretches in enumerate(_frames(compiled, first), start=first + 1):
            good.assign(state)
            for begin, end in stretches:
                control = compiled.control.stretch(begin, end)
                _catch(compiled, state, control, begin)
                steps = ceil((end - begin) / plan.largest_step * (1 - 1e-12))
                _advance(runner, state, control, steps, (end - begin) / steps)
                if progress:
                    progress(end, compiled.scene.time.end)
                state.time = end
                state.step_count += steps
            if fault := fault_of(compiled.model, state):
                result.failure = _locate(compiled, runner, good, stretches, plan, fault)
                state.assign(good)
                if strict:
                    raise SimulationError(result.failure)
                return result
            _show(observers, Frame(index, compiled.model, state, control, end - begin))
    finally:
        runner.close()
    return result


def prepare_kernels(compiled: Compiled) -> None:
    """Load the kernels, or compile them if this machine never did; so that this time does not count as the run's."""
    state, control = compiled.state.copy(), _first_control(compiled)[0]
    runner = Runner(compiled.model, SCHEMES[compiled.scene.time.integrator])
    runner.advance(state, control, 0, 0, 0.0)
    _ = Frame(0, compiled.model, state, control, 0.0).evaluation


def _show(observers: Sequence[Observer], frame: Frame) -> None:
    for observer in observers:
        observer.observe(frame)


def _first_control(compiled: Compiled) -> tuple[ControlArrays, float]:
    (begin, end), *_ = next(_frames(compiled, 0))
    return compiled.control.stretch(begin, end), 0.0


def frame_count(scene: Scene) -> int:
    """Frames after the first one."""
    return max(1, ceil(scene.time.end / scene.time.frame_time * (1 - 1e-12)))


def _near(scene: Scene) -> float:
    """Times [s] closer than this are the same."""
    return SAME_TIME * scene.time.frame_time


def _frames(compiled: Compiled, first: int) -> Iterator[list[tuple[float, float]]]:
    """For each frame after number `first`, the stretches of time (begin, end) [s] that lead to it."""
    time, corners = compiled.scene.time, compiled.control.corners()
    for index in range(first + 1, frame_count(compiled.scene) + 1):
        begin, end = (min(n * time.frame_time, time.end) for n in (index - 1, index))
        near = _near(compiled.scene)
        cuts = [begin, *corners[(corners > begin + near) & (corners < end - near)].tolist(), end]
        yield list(pairwise(cuts))


def _advance(runner: Runner, state: State, control: ControlArrays, steps: int, dt: float) -> None:
    """All steps of a stretch, in calls of bounded length."""
    work_per_step = runner.model.link_count * len(runner.scheme.stages)
    chunk = max(1, int(WORK_PER_CALL / max(1, work_per_step)))
    for first in range(0, steps, chunk):
        runner.advance(state, control, first, min(chunk, steps - first), dt)


def _catch(compiled: Compiled, state: State, arrays: ControlArrays, begin: float) -> None:
    """Drives that begin now hold their points where they are; held points take their drives' speed, which costs work."""
    near = _near(compiled.scene)
    for index, drive in enumerate(compiled.control.drives):
        if abs(drive.begin - begin) <= near:
            axes = np.flatnonzero(drive.axes)
            place = np.ix_(drive.points, axes)
            state.anchor[place] = state.position[place] - arrays.drive[index, axes, 0]
    held = arrays.axis_drive != FREE
    points, axes = np.nonzero(held)
    speed = arrays.drive[arrays.axis_drive[held], axes, 1]
    change = speed**2 - state.velocity[points, axes] ** 2
    state.account[WORK_OF_DRIVES] += 0.5 * float(np.dot(compiled.model.arrays.point.mass[points], change))
    state.velocity[points, axes] = speed


def _locate(
    compiled: Compiled, runner: Runner, good: State, stretches: list[tuple[float, float]], plan: StepPlan, fault: StepStatus
) -> Failure:
    """Repeat the frame that failed, step by step, to tell which element failed first and when."""
    model, state = compiled.model, good.copy()
    for begin, end in stretches:
        control = compiled.control.stretch(begin, end)
        _catch(compiled, state, control, begin)
        steps = ceil((end - begin) / plan.largest_step * (1 - 1e-12))
        dt = (end - begin) / steps
        for step in range(steps):
            runner.advance(state, control, step, 1, dt)
            if found := fault_of(model, state):
                return Failure(found, *guilty_element(model, state), begin + (step + 1) * dt, dt)
    return Failure(fault, *guilty_element(model, state), stretches[-1][1], plan.largest_step)
