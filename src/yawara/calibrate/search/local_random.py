"""Descents from the ends of random walks, one after the other."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.calibrate.search.base import Ask, Count
from yawara.calibrate.search.grid import Grid, Moves, grid_at
from yawara.calibrate.search.steepest_descent import Descending, descend
from yawara.calibrate.space import Space


class Walking(Descending):
    """What all searches have in common that walk at random."""

    walk: Count = Field(
        100, description="T_ran: moves of a random walk; 100 with a delta of 10 in most papers, 1000 with 1 in one"
    )
    walks: Count = Field(100_000, description="ends the search after so many walks, if the budget does not")


class LocalRandom(Walking):
    """Descends from the start, walks away at random from where it ends, descends again, and so on, whatever the walk brought."""

    source: ClassVar[str] = "Noborio et al. 2003 (ICRA), sec. 3.3"
    use: ClassVar[str] = "to repeat the paper; looks around the start for better dips"

    method: Literal["local_random"] = "local_random"

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        grid = grid_at(space, space.start, self.delta)
        wander(self, ask, grid, grid.home(), rng)


def wander(search: Walking, ask: Ask, grid: Grid, moves: Moves, rng: np.random.Generator) -> None:
    """The local randomized algorithm from a point of a grid, for as many walks as the search has.

    The paper prints that it ends while the time is "equal to or smaller than" the threshold: a slip for larger.
    """
    moves, _ = descend(ask, grid, moves, search.corners, rng)
    for _ in range(search.walks):
        moves, _ = descend(ask, grid, grid.walked(moves, search.walk, rng), search.corners, rng)
