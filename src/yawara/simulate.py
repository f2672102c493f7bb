"""The one loop of the package.

Time runs from frame to frame; between frames it is cut at the corners of the time tables, and each stretch is divided into equal
steps no larger than the stable one. Observers see every frame. After a frame that went wrong the state is that of the last good one.
Nothing is remembered outside the state: from any frame a run can be taken up again, bit for bit.
"""

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil
from typing import Protocol

import numpy as np

from yawara.control import FREE, SAME_TIME, ControlArrays
from yawara.fault import EnergyGuard, energy_noise, fault_of, guilty_element
from yawara.frame import Frame
from yawara.integrators import SCHEMES
from yawara.integrators.runner import Runner
from yawara.observe.energies import Energies, first_energy
from yawara.observe.probes import measures
from yawara.observe.recorder import History, Recorder
from yawara.observe.recovery import Recovery, recoveries
from yawara.plan import StepPlan, plan_steps, step_to_be_caught
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.scene import Scene
from yawara.state import WORK_OF_DRIVES, State
from yawara.status import Failure, SimulationError, StepStatus

WORK_PER_CALL = 5e7  # link evaluations: about 0.3 s, so that interrupts are heard
PASSES_OF_IMPLICIT_STEP = 50  # over all links, about
IMPLICIT_STEPS_TOGETHER = 10  # made again with smaller ones if one of them cannot be solved
SMALLEST_IMPLICIT_STEP = 1000.0  # of the planned one, inverse
STEPS_BETWEEN_LOOKS, LINKS_BETWEEN_LOOKS = 200, 100_000  # a look at the pace costs 3 steps of a large body, 14 of a small one


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
    notify: Callable[[str], None] | None = None,
    start: tuple[int, State] | None = None,
    strict: bool = True,
) -> Result:
    """Run a scene to its end, or from the frame and state of `start` on. Raises SimulationError on failure if `strict`.

    The history is kept by `recorder`, or by one with the scene's own measures.
    """
    compiled = scene if isinstance(scene, Compiled) else compile_scene(scene)
    plan, recorder = plan_steps(compiled), recorder or Recorder(measures(compiled))
    _tell(plan, notify)
    first, state = (start[0], start[1].copy()) if start else (0, compiled.state.copy())
    runner = Runner(compiled.model, SCHEMES[plan.integrator], threads=plan.threads, account=compiled.scene.output.energies)
    result = Result(compiled, state, plan, recorder.history)
    try:
        guard = _energy_guard(compiled, plan, recorder.history) if runner.account else None
        if not start:
            _show((recorder, *observers), Frame(0, compiled.model, state, *_first_control(compiled)))
        good = state.copy()
        for index, stretches in enumerate(_frames(compiled, first), start=first + 1):
            good.assign(state)
            log = []
            for _, control, since in _travel(compiled, runner, plan, state, stretches):  # noqa: B007 - the last ones are used
                log.append(runner.log)
                if progress:
                    progress(state.time, compiled.scene.time.end)
            frame = Frame(index, compiled.model, state, control, since, np.concatenate(log))
            fault = _fault(runner, state) or (guard.fault_of(frame) if guard else None)
            if fault:
                result.failure = _locate(compiled, runner, plan, good, stretches, fault)
                state.assign(good)
                break
            _show((recorder, *observers), frame)
    finally:
        runner.close()
    if result.failure and strict:
        raise SimulationError(result.failure)
    return result


def _fault(runner: Runner, state: State) -> StepStatus | None:
    """What the solver noticed, or what is wrong with the numbers."""
    if runner.too_fast:
        return StepStatus.TOO_FAST
    return StepStatus.NOT_SOLVED if runner.unsolved else fault_of(runner.model, state)


def _energy_guard(compiled: Compiled, plan: StepPlan, history: History) -> EnergyGuard:
    energies = Energies(first_energy(compiled))
    return EnergyGuard(energies, history, energy_noise(compiled.model, plan.largest_step))


def _tell(plan: StepPlan, notify: Callable[[str], None] | None) -> None:
    """What the user should know of the steps: everything if there is somewhere to say it, a split in any case."""
    if notify:
        notify(plan.notice())
    elif plan.is_split:
        warnings.warn(plan.notice(), stacklevel=3)


def _travel(
    compiled: Compiled,
    runner: Runner,
    plan: StepPlan,
    state: State,
    stretches: list[tuple[float, float]],
    *,
    step_by_step: bool = False,
) -> Iterator[tuple[float, ControlArrays, float]]:
    """Move the state through stretches of time; yields (step, control, time since the control's beginning) after every call.

    The pace of the quickest vibration is looked at now and then, and steps are made smaller while it is higher than at rest.
    """
    links, stages = max(1, runner.model.link_count), len(runner.scheme.stages) or PASSES_OF_IMPLICIT_STEP
    between_looks = (
        IMPLICIT_STEPS_TOGETHER if runner.scheme.is_implicit else max(STEPS_BETWEEN_LOOKS, LINKS_BETWEEN_LOOKS // links)
    )
    per_call = 1 if step_by_step else max(1, int(WORK_PER_CALL / (links * stages)))
    for begin, end in stretches:
        control, piece = compiled.control.stretch(begin, end), begin
        _catch(compiled, state, control, begin)
        while piece < end:
            if piece > begin:
                control = compiled.control.stretch(piece, end)
            largest = min(plan.step_at(state.pace[0]), step_to_be_caught(compiled.model, state, control))
            left = ceil((end - piece) / largest * (1 - 1e-12))
            looks = state.step_count // between_looks
            dt, steps = (end - piece) / left, min(left, between_looks)
            before = state.copy() if runner.scheme.is_implicit else None
            for done in range(0, steps, per_call):
                count = min(per_call, steps - done)
                runner.advance(state, control, done, count, dt)
                state.step_count += count
                last = done + count == left
                state.time = end if last else piece + (done + count) * dt
                if before is not None and runner.unsolved and before.pace[0] < SMALLEST_IMPLICIT_STEP:
                    _again_with_smaller_steps(runner, state, before)
                    break
                yield dt, control, state.time - piece
                if runner.unsolved or runner.too_fast:
                    return  # the loop sees it at the end of the frame
            piece = state.time
            if before is None:
                if state.step_count // between_looks != looks:  # told by the state, so that a resumed run looks at the same times
                    compiled.watch.look(state)
            elif state.pace[0] == before.pace[0]:
                state.pace[0] = max(1.0, state.pace[0] * 0.7)  # try larger steps again


def _again_with_smaller_steps(runner: Runner, state: State, before: State) -> None:
    """Go back to where the implicit steps could still be solved, and halve them; their pace is part of the state."""
    state.assign(before)
    state.pace[0] *= 2.0
    runner.forget_unsolved()


def prepare_kernels(compiled: Compiled) -> None:
    """Load the kernels, or compile them if this machine never did; so that this time does not count as the run's."""
    state, control = compiled.state.copy(), _first_control(compiled)[0]
    runner = Runner(compiled.model, SCHEMES[compiled.scene.time.integrator])
    runner.advance(state, control, 0, 0, 0.0)
    step_to_be_caught(compiled.model, state, control)
    compiled.watch.look(state)
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
    time = compiled.scene.time
    last = frame_count(compiled.scene)
    for index in range(first + 1, last + 1):
        corners = compiled.control.corners()  # a hand may have written new ones
        begin, end = (index - 1) * time.frame_time, index * time.frame_time if index < last else time.end
        near = _near(compiled.scene)
        cuts = [begin, *corners[(corners > begin + near) & (corners < end - near)].tolist(), end]
        yield list(pairwise(cuts))


def _catch(compiled: Compiled, state: State, arrays: ControlArrays, begin: float) -> None:
    """Drives that begin now hold their points where they are; held points take their drives' speed, which costs work."""
    near = _near(compiled.scene)
    if begin > near and not (abs(compiled.control.corners() - begin) <= near).any():
        return  # a frame begins, but nothing changes
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
    compiled: Compiled, runner: Runner, plan: StepPlan, good: State, stretches: list[tuple[float, float]], fault: StepStatus
) -> Failure:
    """Repeat the frame that failed, step by step, to tell which element failed first and when."""
    state, dt = good.copy(), plan.largest_step
    runner.forget_unsolved()
    for dt, _, _ in _travel(compiled, runner, plan, state, stretches, step_by_step=True):
        if caught := runner.too_fast:
            return Failure(StepStatus.TOO_FAST, *compiled.model.owner_of(caught[1]), state.time, dt, min(caught[0], 0.9 * dt))
        if found := _fault(runner, state):
            return Failure(found, *guilty_element(compiled.model, state), state.time, dt)
    return Failure(fault, *guilty_element(compiled.model, state), state.time, dt)
