"""Answers the questions of searches: from memory if it can, else by the workers; keeps count of them, and the best one."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from yawara.calibrate.journal import Journal, key_of
from yawara.calibrate.outcome import Outcome
from yawara.calibrate.search.base import BudgetSpent
from yawara.calibrate.workers import Workers
from yawara.kernels.kinds import Floats


@dataclass
class Standing:
    """How far a search has come."""

    asked: int  # distinct questions so far
    budget: int | None
    best_cost: float
    best: Floats | None
    seconds: float  # since it began, in this process
    fresh: int  # of the questions, those that were evaluated by this process
    failed: int

    @property
    def rate(self) -> float:
        """[1/s]"""
        return self.fresh / self.seconds if self.seconds > 0.0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """Until the budget is spent, if there is one."""
        if self.budget is None or self.rate == 0.0:
            return None
        return max(self.budget - self.asked, 0) / self.rate


Progress = Callable[[Standing], None]
NO_RESIDUAL: Floats = np.zeros(0)


def _cost(outcome: Outcome) -> float:
    return outcome.cost


@dataclass
class Asker:
    """Call it with values (count, parameter_count)."""

    workers: Workers
    journal: Journal = field(default_factory=lambda: Journal(None))
    budget: int | None = None
    progress: Progress | None = None
    rated: Callable[[Outcome], float] = _cost  # the best answer is the one for which this is least
    keep_residuals: bool = True  # of new answers; many evaluations of large clouds would fill the memory and the disk

    def __post_init__(self) -> None:
        self._known = {key_of(values): outcome for values, outcome in self.journal.found}
        self._asked = dict[bytes, None]()  # in the order in which they were first asked for: it does not depend on interruptions
        self.trace: list[tuple[Floats, Outcome]] = []
        self.best: tuple[Floats, Outcome] | None = None
        self.fresh = self.failed = 0
        self._begun = time.perf_counter()

    def __call__(self, values: Floats) -> list[Outcome]:
        rows = [np.array(row, float) for row in np.atleast_2d(values)]
        unique = {key_of(row): row for row in rows}
        new = [key for key in unique if key not in self._asked]
        allowed = len(new) if self.budget is None else max(0, self.budget - len(self._asked))
        too_many = set(new[allowed:])
        self._evaluate([row for key, row in unique.items() if key not in too_many])
        for key in new[:allowed]:
            self._take_note(unique[key], self._known[key])
        if too_many:
            raise BudgetSpent
        return [self._known[key_of(row)] for row in rows]

    def _is_known(self, row: Floats) -> bool:
        """Whether it need not be evaluated; an answer whose residual was not kept is none where residuals are wanted."""
        outcome = self._known.get(key_of(row))
        return outcome is not None and (outcome.failed or not self.keep_residuals or len(outcome.residual) > 0)

    def _evaluate(self, rows: list[Floats]) -> None:
        missing = [row for row in rows if not self._is_known(row)]

        def done(number: int, outcome: Outcome) -> None:
            row = missing[number]
            if not self.keep_residuals:
                outcome = replace(outcome, residual=NO_RESIDUAL)
            self.journal.note(row, outcome)
            self._known[key_of(row)] = outcome
            self.fresh += 1
            if self.progress:
                self.progress(self.standing)

        if missing:
            self.workers.run(missing, done)

    def _take_note(self, row: Floats, outcome: Outcome) -> None:
        self._asked[key_of(row)] = None
        self.trace.append((row, outcome))
        self.failed += outcome.failed
        if self.best is None or self.rated(outcome) < self.rated(self.best[1]):
            self.best = (row, outcome)
        if self.progress:
            self.progress(self.standing)

    @property
    def standing(self) -> Standing:
        cost, best = (self.best[1].cost, self.best[0]) if self.best else (float("inf"), None)
        asked = max(len(self._asked), self.fresh)
        return Standing(asked, self.budget, cost, best, time.perf_counter() - self._begun, self.fresh, self.failed)
