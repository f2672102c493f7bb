"""Problems with known answers for searches, and one who answers: remembers, counts, and stops when the budget is spent."""

import numpy as np

from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.search import BudgetSpent
from yawara.calibrate.space import Space


class Asker:
    """Answers by a function of one set of values; what was asked before is free."""

    def __init__(self, answer, budget=10_000):
        self.answer, self.budget = answer, budget
        self.known = {}  # by the bits of the values
        self.batches = []  # all that was asked, in order

    def __call__(self, values):
        self.batches.append(np.array(values))
        return [self._one(row) for row in self.batches[-1]]

    def _one(self, row):
        if row.tobytes() not in self.known:
            if len(self.known) == self.budget:
                raise BudgetSpent
            self.known[row.tobytes()] = self.answer(row)
        return self.known[row.tobytes()]

    @property
    def questions(self):
        """(count, parameter_count), repeated ones too."""
        return np.vstack(self.batches)

    @property
    def best(self):
        return np.frombuffer(min(self.known, key=lambda row: self.known[row].cost))


def search_with(search, space, answer, *, budget, seed=1):
    """Runs a search to its end; returns who was asked."""
    asker = Asker(answer, budget)
    try:
        search.run(asker, space, np.random.default_rng(seed))
    except BudgetSpent:
        assert len(asker.known) == budget
    return asker


def papers_space(start=(0.45, 0.7, 0.6)):
    """K, C1, C2 in the ranges of the papers, C2 by its logarithm; the start is in the unit cube."""
    low, high, log = np.array([100.0, 500.0, 500.0]), np.array([3000.0, 10000.0, 20000.0]), np.array([0.0, 0.0, 1.0])
    space = Space(("K", "C1", "C2"), low, high, (low + high) / 2, log)
    return Space(space.names, low, high, space.to_values(np.array(start)), log)


def unit_space(start, log=0.0):
    """From 0 to 1 in every parameter, or from 1 to e by its logarithm."""
    start = np.asarray(start, float)
    ones = np.ones_like(start)
    names = tuple(f"p{i}" for i in range(len(start)))
    if log:
        return Space(names, ones, np.e * ones, np.exp(start), ones)
    return Space(names, 0.0 * ones, ones, start, 0.0 * ones)


def outcome_of(residual):
    return Outcome(float(np.sum(residual**2)), residual)


def bowl(space, centre):
    """Cost = squared distance from the centre in the unit cube."""
    return lambda values: outcome_of(space.to_unit(values) - centre)


def failing_beyond(space, answer, limit):
    """What cannot be simulated where the first parameter is above `limit` of its range."""
    failed = Outcome(FAILED_COST, failure="diverged")
    return lambda values: failed if space.to_unit(values)[0] > limit else answer(values)
