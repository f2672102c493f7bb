"""Runs a scheme over force terms on one or more threads: the caller's thread takes share 0, helpers the others."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from yawara.core.context import DISSIPATED, DRIVEN, GIVEN, LOST_IN_MOTION, STIFFENED, TAKEN
from yawara.core.context import WORK_OF_DRIVES as DRIVES
from yawara.core.context import WORK_OF_FORCES as FORCES
from yawara.core.control import ControlArrays
from yawara.core.crew import Crew, Needs
from yawara.core.method import Stepper
from yawara.core.model import Model
from yawara.core.state import ACCOUNTS, INTO_SPRINGS, WORK_OF_DRIVES, WORK_OF_FORCES, State
from yawara.core.state import DISSIPATED as LOST
from yawara.core.table import EXPLICIT, IMPLICIT
from yawara.core.term import Trouble
from yawara.core.threads import LINE, SUMS
from yawara.kernels.kinds import Floats
from yawara.kernels.meeting import ABORT
from yawara.kernels.records import Bound
from yawara.methods.evaluation import evaluator_of
from yawara.methods.explicit import advance
from yawara.methods.implicit import advance_implicitly
from yawara.methods.line_search import Search
from yawara.methods.linear_systems import CHANGE, COUNTS, UNSOLVED, Solver
from yawara.methods.scheme import Scheme
from yawara.status import StepStatus

SMALL, MISSED = 1e-12, 1e-8  # of the scene's size: Newton steps that need no other, constraints that are missed
BENT = 3e-4  # of the scene's size: how far a point's path may leave a straight line in a quasi-static step
STIFFER = 1.4  # than the highest mode was at the last look: what the margin of the stable step bears
LEAP = 1.5  # times stiffer than it was allowed to be, after one step: the step was too large
STIFFER_THAN_SEEN = 1.25  # an element that was stiffer than that already, without raising the mode, may be a little more
EULER_STAGE = np.zeros((1, 5))  # an implicit scheme has no table of stages


def needs_of(scheme: Scheme, *, account: bool) -> Needs:
    if scheme.is_implicit:
        return Needs(IMPLICIT, EULER_STAGE, keeps_start=True, needs_tangent=True, account=account)
    return Needs(EXPLICIT, scheme.table, keeps_start=scheme.keeps_start, account=account)


class Runner(Stepper):
    """Advances states of one model by one scheme; holds the scratch memory and the helper threads."""

    def __init__(self, model: Model, scheme: Scheme, *, threads: int = 1, account: bool = True) -> None:
        self.model, self.scheme, self.threads, self.account = model, scheme, threads, account
        self.crew = Crew(model, model.terms, needs_of(scheme, account=account), threads)
        self._solvers = self._new_solvers() if scheme.is_implicit else []
        self.log, self._allowed = self._new_log(0), np.inf
        self._helpers = ThreadPoolExecutor(max(1, threads - 1), "yawara-solver")  # starts threads when they are needed

    def _new_solvers(self) -> list[Bound]:
        """One for each thread: they share all but the notes of their searches."""
        vectors = np.zeros((5, 4 * self.model.point_count))
        sums, counts = np.zeros(SUMS * self.threads * LINE), np.zeros(COUNTS)
        small, missed, left = SMALL * self.model.size, MISSED * self.model.size, float(self.scheme.has_inertia)
        return [Bound(Solver(*vectors, sums, small, missed, left, Search(*(0.0,) * 7, 0), counts)) for _ in range(self.threads)]

    def advance(self, state: State, control: ControlArrays, first: int, steps: int, dt: float) -> int:
        """Make `steps` steps of `dt` seconds, in place, from step number `first` of the control's stretch on.

        Returns how many were made: fewer if elements have become so stiff that the step may no longer be stable. Leaves `state.time`.
        """
        self.log, done, self.counts[CHANGE] = self._new_log(steps), 0, 0.0
        bearable = max(STIFFER * float(state.pace[0]) ** 2, STIFFER_THAN_SEEN * float(state.stiffening[0]))
        self._allowed = np.inf if self.scheme.is_implicit else bearable
        for context in self.crew.contexts:
            context.put("allowed", self._allowed)
        for term, records in zip(self.crew.terms, self.crew.records, strict=True):
            term.forget_trouble(records)
        while True:
            done += self._advance(state, control, first + done, steps - done, dt, self.log[done:])
            if done >= steps or self.has_stiffened:
                self.log = self.log[:done]
                self.log[:, -1] = dt
                return done

    def _advance(self, state: State, control: ControlArrays, first: int, steps: int, dt: float, log: Floats) -> int:
        """One call of the kernel; the number of steps that it made."""
        crew = self.crew
        self._reconsider(state, control, first * dt)
        crew.bind_state(state)
        crew.bind_control(control, log)
        crew.begin_call()
        for term, records in zip(crew.terms, crew.records, strict=True):
            term.prepare(state, records)
        calls: list[tuple[Callable[..., Any], tuple[Any, ...]]]
        if self._solvers:
            pairs = zip(crew.contexts, self._solvers, strict=True)
            calls = [(advance_implicitly, (context.address, solver.address, first, steps, dt)) for context, solver in pairs]
        else:
            calls = [(advance, (context.address, first, steps, dt)) for context in crew.contexts]
        helpers = []
        try:
            for call in calls[1:]:
                helpers.append(self._helpers.submit(self._do_share, *call))
            made = self._do_share(*calls[0])
        finally:
            for helper in helpers:
                helper.result()
        if self.account:
            self._book(state.account)
        return made

    def _reconsider(self, state: State, control: ControlArrays, since: float) -> None:
        """Let terms change what they remember; what is stored less is lost, and no part of what a scheme takes."""
        changes = [change for term in self.crew.terms if (change := term.reconsider(state)) is not None]
        if not changes:
            return
        evaluator = evaluator_of(self.model)
        before = evaluator.evaluate(state, control, since).stored
        for change in changes:
            change()
        lost = before - evaluator.evaluate(state, control, since).stored
        state.account[LOST] += lost
        state.account[INTO_SPRINGS] -= lost

    def _do_share(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
        """One thread's part; whatever keeps it from being done, the others must not wait for it."""
        try:
            return int(function(*arguments))
        except BaseException:
            self.crew.meeting[ABORT] = 1
            raise

    def _book(self, account: Floats) -> None:
        """Add the call's energies [J]."""
        tally, energy = self.crew.tallies.sum(axis=1), self.crew.energy.sum(axis=0)
        account[WORK_OF_DRIVES] += energy[DRIVES] + tally[:, DRIVEN].sum()
        account[WORK_OF_FORCES] += energy[FORCES]
        account[LOST] += tally[:, DISSIPATED].sum()
        account[ACCOUNTS:] += tally[:, TAKEN]
        if self.scheme.is_implicit:
            account[INTO_SPRINGS] += energy[LOST_IN_MOTION] + tally[:, GIVEN].sum() - tally[:, DISSIPATED].sum()

    def _new_log(self, steps: int) -> Floats:
        """(steps, 6 * tool_count + 3): force and torque that each tool feels, deepest distance [m], contacts, step [s]."""
        return np.zeros((steps, 6 * len(self.model.tools) + 3))

    def largest_step(self, state: State, control: ControlArrays) -> float:
        """[s], that no term would miss something in."""
        return min((term.largest_step(state, control) for term in self.model.terms), default=np.inf)

    def fault(self, state: State) -> StepStatus | None:
        if self.trouble:
            return StepStatus.TOO_FAST
        if self.unsolved:
            return StepStatus.NOT_SOLVED
        found = (term.fault(records) for term, records in zip(self.crew.terms, self.crew.records, strict=True))
        return next((one for one in found if one), None)

    @property
    def stiffenings(self) -> Floats:
        """(term_count,): largest stiffness of an element over that at rest, at the end of the last call; 0 if a term does not note it."""
        return np.asarray(self.crew.tallies[:, :, STIFFENED].max(axis=1, initial=0.0))

    @property
    def stiffening(self) -> float:
        """The largest of all; at least 1."""
        return float(self.stiffenings.max(initial=1.0))

    @property
    def has_stiffened(self) -> bool:
        """Whether an element is stiffer than the last call allowed for."""
        return self.stiffening > self._allowed

    @property
    def leapt(self) -> bool:
        """Whether an element has stiffened so much in the last step that the step was too large for it."""
        return self.stiffening > LEAP * self._allowed

    @property
    def trouble(self) -> Trouble | None:
        """The worst of what terms found wrong in the last call."""
        found = [term.trouble(records) for term, records in zip(self.crew.terms, self.crew.records, strict=True)]
        return min((one for one in found if one), key=lambda one: one.needed, default=None)

    @property
    def counts(self) -> Floats:
        """What an implicit scheme has done so far, see `linear_systems.py`."""
        found: Floats = self._solvers[0].values["counts"] if self._solvers else np.zeros(COUNTS)
        return found

    @property
    def bent(self) -> float:
        """By how much the path of a point bent in a step of the last call, over what is allowed: steps are chosen by it."""
        return float(self.counts[CHANGE]) / (BENT * self.model.size)

    @property
    def unsolved(self) -> int:
        """Implicit steps so far that could not be solved."""
        return int(self.counts[UNSOLVED])

    def forget_unsolved(self) -> None:
        self.counts[UNSOLVED] = 0.0

    def close(self) -> None:
        self._helpers.shutdown()
