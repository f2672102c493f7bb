"""What all searches have in common.

A search is told how to ask for evaluations, and asks until it has converged or the budget is spent. It keeps nothing else: the asker
remembers all answers, finds the best of them, and answers from its memory what was asked before. A search that is run again with the same
seed asks the same questions, so that an interrupted one goes on by asking all over again.
"""

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from yawara.calibrate.outcome import Outcome
from yawara.calibrate.space import Space
from yawara.checks import Part, Quantity
from yawara.kernels.kinds import Floats

Ask = Callable[[Floats], list[Outcome]]
"""Takes values (count, parameter_count), which may be evaluated side by side; answers in their order. Raises BudgetSpent."""

Count = Annotated[int, Quantity("1", ge=1, whole=True, remedy="give a whole number")]


class BudgetSpent(Exception):  # noqa: N818 - the ordinary end of most searches
    """No more evaluations."""


class Search(Part):
    """Settings of a search; one kind per file. The first line of a kind's docstring says what it does."""

    source: ClassVar[str]  # where it is from
    use: ClassVar[str]  # when it is the one to take
    needs_residuals: ClassVar[bool] = False  # makes a sum of squares small, and looks at its terms

    if TYPE_CHECKING:
        method: str  # every kind has its own literal

    def rated(self, outcome: Outcome) -> float:
        """What it makes small, infinite if the evaluation failed: the answer is the one of all it asked for that has least of it."""
        return outcome.cost

    @abstractmethod
    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        """Until it has converged; BudgetSpent passes through."""


def ask_one(ask: Ask, values: Floats) -> Outcome:
    """For one set of values (parameter_count,)."""
    return ask(values[None])[0]


def best_of(outcomes: list[Outcome]) -> int:
    """Number of the one with the lowest cost; the first of equals."""
    return int(np.argmin([outcome.cost for outcome in outcomes]))
