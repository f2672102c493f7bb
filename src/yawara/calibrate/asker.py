"""Answers the questions of searches: from memory if it can, else by the workers; keeps count of them, and the best one."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from yawara.calibrate.journal import Journal, key_of
from yawara.calibrate.outcome import Outcome
from yawara.calibrate.search.base import BudgetSpent
from yawara.calibrate.workers import Workers
from yawara.model import Floats


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


@dataclass
class Asker:
    """Call it with values (count, parameter_count)."""

    workers: Workers
    journal: Journal = field(default_factory=lambda: Journal(None))
    budget: int | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        self._known = {key_of(values): outcome for values, outcome in self.journal.found}
        self._asked = dict[bytes, None]()  # in the order in which they were first asked for: it does not depend on interruptions
        self.trace: list[tuple[Floats, Outcome]] = []
        self.best: tuple[Floats, Outcome] | None = None
        self.fresh = self.failed = 0
        self._begun = time.perf_counter()

    def __call__(self, values: Floats) -> list[Outcome]:
        rows = [np.array(row, float) for row in np.atleast_2d(values)]
        new = [row for row in rows if key_of(row) not in self._asked]
        unique = list({key_of(row): row for row in new}.values())
        allowed = len(unique) if self.budget is None else max(0, self.budget - len(self._asked))
        self._evaluate(unique[:allowed])
        for row in unique[:allowed]:
            self._take_note(row, self._known[key_of(row)])
        if allowed < len(unique):
            raise BudgetSpent
        return [self._known[key_of(row)] for row in rows]

    def _evaluate(self, rows: list[Floats]) -> None:
        missing = [row for row in rows if key_of(row) not in self._known]

        def done(number: int, outcome: Outcome) -> None:
            row = missing[number]
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
        if self.best is None or outcome.cost < self.best[1].cost:
            self.best = (row, outcome)
        if self.progress:
            self.progress(self.standing)

    @property
    def standing(self) -> Standing:
        cost, best = (self.best[1].cost, self.best[0]) if self.best else (float("inf"), None)
        asked = max(len(self._asked), self.fresh)
        return Standing(asked, self.budget, cost, best, time.perf_counter() - self._begun, self.fresh, self.failed)
