"""The points that moves of +-delta lead to, in all parameters at once, as the searches of Noborio et al. 2003 move."""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from yawara.calibrate.space import Space
from yawara.checks import Quantity
from yawara.kernels.kinds import Floats

Moves = NDArray[np.int64]
"""How many deltas up (or down, if negative) from a grid's origin: (..., parameter_count)."""

Delta = Annotated[
    float, Quantity("the parameters' own units", gt=0, remedy="Noborio et al. 2003 use 10, for parameters from 50 to 20000")
]

SHARE = 0.01  # of each range, where no delta is given
ROUNDING = 1e-9  # of a move: a bound that is a whole number of moves away is reached by that number


@dataclass(frozen=True)
class Grid:
    """Points are counted in moves, so that one reached by two ways is the same to the last bit, and is not evaluated twice.

    The papers do not say what happens at the bounds. Here a move that would leave the box ends on its bound, and the next one inwards
    comes back onto the grid.
    """

    space: Space
    origin: Floats  # coordinates of the point of no moves
    step: Floats  # delta in these coordinates
    low: Floats
    high: Floats
    in_unit_cube: bool  # else the coordinates are the values

    def values(self, moves: Moves) -> Floats:
        """In the parameters' units."""
        coordinates = np.clip(self.origin + moves * self.step, self.low, self.high)
        return self.space.to_values(coordinates) if self.in_unit_cube else coordinates

    @cached_property
    def ends(self) -> tuple[Moves, Moves]:
        """The first points at or beyond the bounds."""
        down, up = (self.origin - self.low) / self.step, (self.high - self.origin) / self.step
        return -np.ceil(down - ROUNDING).astype(np.int64), np.ceil(up - ROUNDING).astype(np.int64)

    def moved(self, moves: Moves, change: Moves) -> Moves:
        """No further than to the ends."""
        lowest, highest = self.ends
        return np.minimum(np.maximum(moves + change, lowest), highest)

    def home(self) -> Moves:
        return np.zeros(self.space.size, np.int64)

    def corners(self, moves: Moves, limit: int, rng: np.random.Generator) -> Moves:
        """All 2^n neighbours (count, parameter_count), first the one with all parameters up; `limit` of them at random if more."""
        size = self.space.size
        if 2**size > limit:
            return self.moved(moves, _signs(rng, (limit, size)))
        bits = np.arange(2**size)[:, None] >> np.arange(size)[::-1] & 1
        return self.moved(moves, 1 - 2 * bits)

    def walked(self, moves: Moves, length: int, rng: np.random.Generator) -> Moves:
        """Where a random walk ends: `length` moves, each of all parameters up or down."""
        for change in _signs(rng, (length, self.space.size)):
            moves = self.moved(moves, change)
        return moves


def grid_at(space: Space, origin: Floats, delta: float | None) -> Grid:
    """Through a point in the parameters' units. Without `delta` moves are a hundredth of each range, of its logarithm where that counts."""
    if delta is None:
        ones = np.ones(space.size)
        return Grid(space, space.to_unit(origin), SHARE * ones, 0.0 * ones, ones, True)
    return Grid(space, np.asarray(origin, float), np.full(space.size, delta), space.low, space.high, False)


def _signs(rng: np.random.Generator, shape: tuple[int, int]) -> Moves:
    return 1 - 2 * rng.integers(0, 2, shape)
