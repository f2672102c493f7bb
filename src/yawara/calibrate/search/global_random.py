"""Descents from points all over the box."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.calibrate.search.base import Ask, Count
from yawara.calibrate.search.grid import Grid, Moves, grid_at
from yawara.calibrate.search.steepest_descent import Descending, descend
from yawara.calibrate.space import Space


class GlobalRandom(Descending):
    """Descends from points drawn evenly in the box, one after the other; the lowest of all minima counts.

    Points are drawn as real numbers. The papers do not say: results are multiples of delta in some of them, in others not.
    """

    source: ClassVar[str] = "Noborio et al. 2003 (ICRA), sec. 3.4"
    use: ClassVar[str] = "to repeat the paper; many dips and many cheap evaluations"

    method: Literal["global_random"] = "global_random"
    starts: Count = Field(100_000, description="ends the search after so many descents, if the budget does not")

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        lowest_minimum(self, ask, space, self.starts, rng)


def lowest_minimum(search: Descending, ask: Ask, space: Space, starts: int, rng: np.random.Generator) -> tuple[Grid, Moves]:
    """Of the minima below `starts` points drawn at random; the first of equals."""

    def minimum() -> tuple[float, Grid, Moves]:
        grid = grid_at(space, space.draw(rng, 1)[0], search.delta)
        moves, cost = descend(ask, grid, grid.home(), search.corners, rng)
        return cost, grid, moves

    _, grid, moves = min((minimum() for _ in range(starts)), key=lambda found: found[0])
    return grid, moves
