"""The threads of a run with all that their kernels see: contexts, records of the terms, and the table by which terms are called."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from yawara.core.context import TALLY, Context
from yawara.core.control import Control, ControlArrays
from yawara.core.model import Model
from yawara.core.rows import table_of
from yawara.core.state import State
from yawara.core.table import Phase
from yawara.core.term import ForceTerm, Team
from yawara.core.threads import LINE
from yawara.kernels.aligned import zeros
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.meeting import MEETING_SIZE
from yawara.kernels.records import Bound

NO_LOG = np.zeros((0, 0))


class Needs(NamedTuple):
    """What a scheme needs."""

    phases: tuple[Phase, ...]
    stages: Floats = np.zeros((1, 5))
    keeps_start: bool = False
    needs_tangent: bool = False
    account: bool = True


def share_points(cost: Floats, threads: int) -> Words:
    """First own point of each thread, (threads + 1,), so that all have about as much to do."""
    total = np.append(0.0, np.cumsum(cost))
    cut = np.searchsorted(total, np.linspace(0.0, total[-1], threads + 1)).astype(np.int64)
    cut[0], cut[-1] = 0, len(cost)
    return cut


class Crew:
    """Bound to one model; states and controls may change from call to call."""

    def __init__(self, model: Model, terms: Sequence[ForceTerm], needs: Needs, threads: int = 1) -> None:
        self.model, self.terms, self.needs, self.threads = model, tuple(terms), needs, threads
        self.first_point = share_points(model.cost, threads)
        self.tallies = np.zeros((len(terms), threads, TALLY))
        self.energy = np.zeros((threads, LINE))
        self.meeting, self.rounds, self.stop = (
            np.zeros(MEETING_SIZE, np.int64),
            np.zeros(threads * LINE, np.int64),
            np.zeros(threads * LINE),
        )
        self.records = [[Bound(share) for share in term.shares(self._team(n))] for n, term in enumerate(self.terms)]
        self._bound: dict[str, object] = {}
        self._control = Bound(Control(model.point_count).stretch(0.0, 1.0))
        self.contexts = self._contexts()

    def _team(self, n: int) -> Team:
        needs = self.needs
        touched = any(term.by_impulse for term in self.model.terms)
        return Team(
            self.first_point, self.model.point_count, self.tallies[n], needs.keeps_start, int(needs.stages[0, 0]),
            len(needs.stages) == 1 and not needs.needs_tangent, needs.needs_tangent, needs.account, Phase.NOTE in needs.phases, touched,
        )  # fmt: skip

    def _contexts(self) -> list[Bound]:
        model, kept = self.model, 8 * self.model.point_count if self.needs.keeps_start else 0
        start, total, forces = zeros(kept), zeros(kept), zeros(self.threads * 4 * model.point_count)
        direction = zeros(4 * model.point_count if self.needs.needs_tangent else 0)
        begin, end = self._reach()
        found = []
        for me in range(self.threads):
            rows, cut = table_of(self.terms, [records[me] for records in self.records], self.needs.phases)
            own = Context(
                np.zeros(0), start, total, *model.point, np.zeros((0, 3)), np.zeros(0), forces,
                me, self.threads, me * 4 * model.point_count, int(self.first_point[me]), int(self.first_point[me + 1]),
                begin, end, self.meeting, self.rounds, self.stop, rows, cut, self.needs.stages,
                0, 0, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, int(self.needs.account), np.inf, 0.0, 0, 0, 0, 0, 0.0, 0, 0.0, direction,
                self._control, NO_LOG, self.energy[me],
            )  # fmt: skip
            found.append(Bound(own))
        self.forces, self.direction = forces, direction
        return found

    def _reach(self) -> tuple[Indices, Indices]:
        """First and last point (exclusive) that each thread's elements can put a force on, with those that they hand it on to."""
        reached = [term.reach(self._team(n)) for n, term in enumerate(self.terms)]
        carriers = [found for term in self.terms if (found := term.carriers(self.model.point_count)) is not None]
        begin, end = np.zeros(self.threads, np.uint32), np.zeros(self.threads, np.uint32)
        for me in range(self.threads):
            points = np.concatenate([np.zeros(0, np.uint32), *(one[me] for one in reached)])
            if points.size:
                points = np.concatenate([points, *(one[np.unique(points)].indices for one in carriers)])
                begin[me], end[me] = points.min(), points.max() + 1
        return begin, end

    def bind_state(self, state: State) -> None:
        """Let kernels see the blocks of this state; what they see already costs a comparison."""
        bound = self._bound
        for name, block in state.blocks.items():
            if bound.get(name) is not block:
                self._bind_block(name, block)
                bound[name] = block

    def _bind_block(self, name: str, block: Floats) -> None:
        if name in ("points", "anchor", "push"):
            for context in self.contexts:
                context.put(name, block if name == "anchor" else block.reshape(-1))
            return
        owner, _, variable = name.partition(".")
        for term, records in zip(self.terms, self.records, strict=True):
            if term.name == owner:
                self._bind_variable(term, records, variable, block.reshape(-1))

    def _bind_variable(self, term: ForceTerm, records: Sequence[Bound], variable: str, block: Floats) -> None:
        kept = block.size if self.needs.keeps_start and term.variables[variable].has_rate else 0
        start, total = zeros(kept), zeros(kept)
        for record in records:
            record.put_everywhere(variable, block)
            for name, scratch in ((f"{variable}_start", start), (f"{variable}_total", total)):
                if name in record.kind.fields:
                    record.put(name, scratch)

    def bind_control(self, control: ControlArrays, log: Floats = NO_LOG) -> None:
        """For one stretch of time; what stays from stretch to stretch costs a comparison."""
        known = self._control.values
        for name, value in zip(ControlArrays._fields, control, strict=True):
            if known[name] is not value:
                self._control.put(name, value)
        for context in self.contexts:
            context.put("log", log)

    def begin_call(self) -> None:
        self.tallies[...] = 0.0
        self.energy[...] = 0.0
        self.meeting[...] = 0
        self.rounds[...] = 0
        self.stop[...] = 0.0
