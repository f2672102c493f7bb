"""Downhill as in Noborio et al. 2003: to the best of the corners around, until none is better."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.calibrate.search.base import Ask, Count, Search, ask_one, best_of
from yawara.calibrate.search.grid import Delta, Grid, Moves, grid_at
from yawara.calibrate.space import Space


class Descending(Search):
    """What all searches have in common that go downhill from corner to corner."""

    delta: Delta | None = Field(
        None,
        description="by how much all parameters change at once, each in its own unit; if left out, a hundredth of each range",
    )
    corners: Count = Field(256, description="neighbours to look at; if there are more, 2^n for n parameters, so many at random")


class SteepestDescent(Descending):
    """Downhill from the start, each move changing all parameters by +-delta, to the first point with no better corner.

    There are no moves along the axes, so that only one of 2^(n-1) points of the grid can be reached inside the box.
    """

    source: ClassVar[str] = (
        "Noborio et al. 2003 (ICRA), sec. 3.2; Noborio et al. 2003 (Eurographics), sec. 3.2; Nogami et al. 2004 (ICRA), sec. B.1"
    )
    use: ClassVar[str] = "to see what a local search of the papers does by itself; ends in the nearest dip"

    method: Literal["steepest_descent"] = "steepest_descent"

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        grid = grid_at(space, space.start, self.delta)
        descend(ask, grid, grid.home(), self.corners, rng)


def descend(ask: Ask, grid: Grid, moves: Moves, corners: int, rng: np.random.Generator) -> tuple[Moves, float]:
    """The local minimum that is reached, and its cost S. Of equal corners the first is taken; one that failed is never better."""
    cost = ask_one(ask, grid.values(moves)).cost
    while True:
        around = grid.corners(moves, corners, rng)
        outcomes = ask(grid.values(around))
        best = best_of(outcomes)
        # "If the minimum is smaller than S obtained in step 3, we move"      Noborio et al. 2003 (ICRA), sec. 3.2, step 5
        if not outcomes[best].cost < cost:
            return moves, cost
        moves, cost = around[best], outcomes[best].cost
