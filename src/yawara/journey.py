"""A state on its way through time, frame by frame.

Between frames time is cut at the corners of the time tables, and each stretch is divided into equal steps no larger than the stable one.
After a frame that went wrong the state is that of the last good one. Nothing is remembered outside the state: from any frame a run can
be taken up again, bit for bit.
"""

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from math import ceil, sqrt
from types import TracebackType
from typing import Self

import numpy as np

from yawara.core.control import SAME_TIME, ControlArrays
from yawara.core.state import WORK_OF_DRIVES, State
from yawara.fault import EnergyGuard, energy_noise, fault_of, guilty_element
from yawara.frame import Frame
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.observe.energies import Energies
from yawara.observe.recorder import History
from yawara.plan import plan_steps
from yawara.scene.compile import Compiled
from yawara.status import Failure, StepStatus

TIME_PER_CALL = 0.2e9  # [ns], about: so that interrupts are heard
PASSES_OF_IMPLICIT_STEP = 50  # over all links, about
IMPLICIT_STEPS_TOGETHER = 10  # made again with smaller ones if one of them cannot be solved
SMALLEST_STEP = 1000.0  # of the planned one, inverse, that is tried where larger ones did not do
MOST_SHORTENED = 10.0  # times, at once
TOO_BENT = 4.0  # times what quasi-static steps should leave: made again
SLOWEST_GROWTH = 0.5  # of the pace, from one quasi-static step to the next: they at most double
MOST_STEPS = 1e9  # from one corner of time to the next: more would never end
STEPS_BETWEEN_LOOKS, TIME_BETWEEN_LOOKS = 200, 350_000.0  # [ns]; a look at the pace costs a few steps

Stretches = list[tuple[float, float]]  # (begin, end) [s]


class Journey:
    """Takes a state from frame to frame; close it, or use it in a `with`, so that its threads end."""

    def __init__(self, compiled: Compiled, start: tuple[int, State] | None = None, history: History | None = None) -> None:
        """From the frame and state of `start` on, or from the beginning; `history` holds the rows so far, if energies are watched."""
        self.compiled, self.plan = compiled, plan_steps(compiled)
        self.index, self.state = (start[0], start[1].copy()) if start else (0, compiled.state.copy())
        self.failure: Failure | None = None
        self._good, self._hopeless = self.state.copy(), False  # whether something is too fast for any number of steps
        self._before: State | None = None  # where the last call of the solver began
        self._near = SAME_TIME * compiled.scene.time.frame_time  # [s], times closer than this are the same
        account = compiled.scene.output.energies
        self._runner = Runner(compiled.model, SCHEMES[self.plan.integrator], threads=self.plan.threads, account=account)
        self._others = [method.stepper(compiled.model) for method in compiled.model.methods]
        self._guard = self._new_guard(history or History(())) if account else None

    def _new_guard(self, history: History) -> EnergyGuard:
        return EnergyGuard(Energies.of(self.compiled), history, energy_noise(self.compiled.model, self.plan.largest_step))

    def go_on_with(self, compiled: Compiled) -> None:
        """From here on with new numbers in the arrays of the same model, see `scene/refill.py`."""
        self.compiled, self.plan = compiled, plan_steps(compiled)
        if self._guard:
            self._guard = self._new_guard(History(()))

    def first_frame(self, end: float) -> Frame:
        """The state where it is, before anything has moved; `end` [s] is that of the next frame."""
        begin, first = self._stretches(end)[0]
        return Frame(self.index, self.compiled.model, self.state, self.compiled.control.stretch(begin, first), 0.0)

    def next_frame(self, end: float, progress: Callable[[float], None] | None = None) -> Frame | None:
        """Go on to the time `end` [s]; None if it went wrong, then `failure` tells why. `progress` gets the time now and then."""
        self._good.assign(self.state)
        stretches, log = self._stretches(end), []
        for _, control, since in self._travel(self.state, stretches):  # noqa: B007 - the last ones are used
            log.append(self._runner.log)
            if progress:
                progress(self.state.time)
        frame = Frame(
            self.index + 1, self.compiled.model, self.state, control, since, log[0] if len(log) == 1 else np.concatenate(log)
        )
        fault = self._fault(self.state) or (self._guard.fault_of(frame) if self._guard else None)
        if fault:
            self.failure = self._locate(stretches, fault)
            self.state.assign(self._good)
            return None
        self.index += 1
        return frame

    def close(self) -> None:
        for stepper in (self._runner, *self._others):
            stepper.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _stretches(self, end: float) -> Stretches:
        begin = self.state.time
        return list(pairwise([begin, *self.compiled.control.corners(begin + self._near, end - self._near), end]))

    def _fault(self, state: State) -> StepStatus | None:
        """What the solver noticed, or what is wrong with the numbers."""
        for stepper in (self._runner, *self._others):
            if found := stepper.fault(state):
                return found
        return fault_of(self.compiled.model, state) or (StepStatus.TOO_FAST if self._hopeless else None)

    def _travel(
        self, state: State, stretches: Stretches, *, step_by_step: bool = False
    ) -> Iterator[tuple[float, ControlArrays, float]]:
        """Move the state through stretches of time; yields (step, control, time since the control's beginning) after every call.

        The pace of the highest mode is looked at now and then, and steps are made smaller while it is higher than at rest. Steps that did
        not do, as elements became too stiff within one of them or a system could not be solved, are made again, smaller.
        """
        compiled, runner = self.compiled, self._runner
        cost, stages = float(runner.model.cost.sum()), len(runner.scheme.stages) or PASSES_OF_IMPLICIT_STEP
        between_looks = max(STEPS_BETWEEN_LOOKS, int(TIME_BETWEEN_LOOKS / cost))
        if runner.scheme.is_implicit:
            between_looks = IMPLICIT_STEPS_TOGETHER if runner.scheme.has_inertia else 1
        beside = sum(method.cost for method in compiled.model.methods)
        one_by_one = step_by_step or any(stepper.pushes for stepper in self._others)
        per_call = 1 if one_by_one else max(1, int(TIME_PER_CALL / (cost * stages + beside)))
        for begin, end in stretches:
            control, piece = compiled.control.stretch(begin, end), begin
            self._catch(state, control, begin)
            while piece < end:
                if piece > begin:
                    control = compiled.control.stretch(piece, end)
                wishes = (stepper.largest_step(state, control) for stepper in (runner, *self._others))
                largest = min(self.plan.step_at(state.pace[0]), *wishes)
                self._hopeless = not end - piece <= MOST_STEPS * largest
                if self._hopeless:
                    yield largest, control, state.time - piece
                    return  # seen at the end of the frame
                left = ceil((end - piece) / largest * (1 - 1e-12))
                looks = state.step_count // between_looks
                dt, steps = (end - piece) / left, min(left, between_looks)
                for done in range(0, steps, per_call):
                    count = min(per_call, steps - done)
                    before = self._remembered(state, fresh=piece == stretches[0][0] and done == 0) if self._may_go_back else None
                    made = runner.advance(state, control, done, count, dt)
                    state.step_count += made
                    last = done + made == left
                    state.time = end if last else piece + (done + made) * dt
                    again = before is not None and self._go_back(state, before, dt)
                    if again:
                        if before is self._good:
                            self._catch(state, control, begin)
                        break
                    self._bring_others(state, control, done, made, dt)
                    yield dt, control, state.time - piece
                    if runner.unsolved or runner.trouble or (before is not None and not state.is_finite()):
                        return  # seen at the end of the frame
                    if runner.has_stiffened:
                        break
                piece = state.time
                if again:
                    continue
                if not runner.scheme.has_inertia:
                    state.pace[0] = max(1.0, self.plan.largest_step / dt * max(SLOWEST_GROWTH, sqrt(runner.bent)))
                elif runner.scheme.is_implicit:
                    state.pace[0] = max(1.0, state.pace[0] * 0.7)  # try larger steps again
                elif runner.has_stiffened or state.step_count // between_looks != looks:
                    # told by the state, so that a resumed run looks at the same times
                    compiled.watch.look(state, runner.stiffenings, closely=runner.has_stiffened)

    def _bring_others(self, state: State, control: ControlArrays, first: int, steps: int, dt: float) -> None:
        """To where the bodies over force terms are, with the tools."""
        if self._others:
            state.push[...] = 0.0
        for stepper in self._others:
            stepper.advance(state, control, first, steps, dt)
            stepper.add_loads(self._runner.log)
            if not stepper.pushes and state.push.any():
                who = type(stepper).__name__
                raise RuntimeError(f"{who} puts impulses on points, and must be called after every step; set pushes = True in it")

    def _remembered(self, state: State, *, fresh: bool) -> State:
        """Where the next call begins, to go back to. Copies cost as much as a step of a small body.

        In a frame's first call, which is the only one of a short frame, that is where the frame began, before drives took hold. Later it
        is a copy, always in the same memory.
        """
        if fresh and state is self.state:
            return self._good
        if self._before is None:
            self._before = state.copy()
        else:
            self._before.assign(state)
        return self._before

    @cached_property
    def _may_go_back(self) -> bool:
        return self._runner.scheme.is_implicit or any(term.stiffens for term in self.compiled.model.terms)

    def _go_back(self, state: State, before: State, dt: float) -> bool:
        """To where the last call began, if its steps of `dt` [s] did not do, and halve them; their pace is part of the state."""
        runner, plan = self._runner, self.plan
        did = not runner.unsolved if runner.scheme.is_implicit else not runner.leapt and state.is_finite()
        did = did and (runner.scheme.has_inertia or runner.bent <= TOO_BENT)
        if did or not dt * SMALLEST_STEP > plan.largest_step:
            return False
        state.assign(before)
        # steps may be smaller than the pace asks for
        longest = plan.largest_step if runner.scheme.is_implicit else plan.stable_step
        shorter = 2.0 if runner.scheme.has_inertia or runner.unsolved else min(max(2.0, runner.bent), MOST_SHORTENED)
        state.pace[0] = shorter * max(state.pace[0], longest / dt)
        runner.forget_unsolved()
        return True

    def _catch(self, state: State, arrays: ControlArrays, begin: float) -> None:
        """Drives that begin now hold their points where they are; held points take their drives' speed, which costs work."""
        control, near = self.compiled.control, self._near
        if begin > near and not control.corners(begin - near, begin + near):
            return  # a frame begins, but nothing changes
        begins = False
        for index, drive in enumerate(control.drives):
            if abs(drive.begin - begin) <= near:
                begins, axes = True, np.flatnonzero(drive.axes)
                place = np.ix_(drive.points, axes)
                state.anchor[place] = state.position[place] - arrays.drive[index, axes, 0]
        points, axes, drives = control.held_axes(arrays.axis_drive, moving=not begins)  # what was fixed before stays at rest
        speed = arrays.drive[drives, axes, 1]
        change = speed**2 - state.velocity[points, axes] ** 2
        state.account[WORK_OF_DRIVES] += 0.5 * float(np.sum(self.compiled.model.point.mass[points] * change))
        state.velocity[points, axes] = speed

    def _locate(self, stretches: Stretches, fault: StepStatus) -> Failure:
        """Repeat the frame that failed, step by step, to tell which element failed first and when."""
        state, dt, model = self._good.copy(), self.plan.largest_step, self.compiled.model
        self._runner.forget_unsolved()
        for dt, _, _ in self._travel(state, stretches, step_by_step=True):
            if caught := self._runner.trouble:
                return Failure(StepStatus.TOO_FAST, *model.owner_of(caught.point), state.time, dt, min(caught.needed, 0.9 * dt))
            if found := self._fault(state):
                return Failure(found, *guilty_element(model, state), state.time, dt)
        return Failure(fault, *guilty_element(model, state), state.time, dt)
