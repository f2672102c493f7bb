"""How to look for the best parameters: one search per file, all asking in the same way.

Each kind says what it does (its docstring), where it is from (`source`) and when to take it (`use`).
"""

from typing import Annotated

from pydantic import Field

from yawara.calibrate.search.base import Ask, BudgetSpent, Search
from yawara.calibrate.search.cma_es import CmaEs
from yawara.calibrate.search.differences import jacobian
from yawara.calibrate.search.efficient import Efficient
from yawara.calibrate.search.genetic import Genetic
from yawara.calibrate.search.global_local import GlobalLocal
from yawara.calibrate.search.global_random import GlobalRandom
from yawara.calibrate.search.least_squares import LeastSquares
from yawara.calibrate.search.local_random import LocalRandom
from yawara.calibrate.search.modified_random import ModifiedRandom
from yawara.calibrate.search.steepest_descent import SteepestDescent

AnySearch = Annotated[
    LeastSquares | GlobalLocal | CmaEs | Genetic | ModifiedRandom | Efficient | GlobalRandom | LocalRandom | SteepestDescent,
    Field(discriminator="method"),
]

SEARCHES: tuple[type[Search], ...] = (
    LeastSquares,
    GlobalLocal,
    CmaEs,
    Genetic,
    ModifiedRandom,
    Efficient,
    GlobalRandom,
    LocalRandom,
    SteepestDescent,
)

FEW = 8  # parameters: beyond it, some are rarely seen in the measurements, and derivatives by differences mislead


def default_search(parameter_count: int, *, squares: bool = True) -> Search:
    """Where none is chosen; `squares` says whether the cost is a sum of them."""
    if squares and parameter_count <= FEW:
        return LeastSquares()
    return CmaEs() if parameter_count > 1 else SteepestDescent()


__all__ = [
    "SEARCHES",
    "AnySearch",
    "Ask",
    "BudgetSpent",
    "CmaEs",
    "Efficient",
    "Genetic",
    "GlobalLocal",
    "GlobalRandom",
    "LeastSquares",
    "LocalRandom",
    "ModifiedRandom",
    "Search",
    "SteepestDescent",
    "default_search",
    "jacobian",
]
