"""First all over the box, then around the best minimum."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.calibrate.search.base import Ask, Count
from yawara.calibrate.search.global_random import lowest_minimum
from yawara.calibrate.search.local_random import Walking, wander
from yawara.calibrate.space import Space


class Efficient(Walking):
    """The global randomized algorithm for some descents, then the local one from the lowest minimum it has found.

    The paper does not say how the time is shared between the two; here it is by the number of descents of the first.
    """

    source: ClassVar[str] = "Noborio et al. 2003 (ICRA), sec. 3.5: the modified randomized algorithm of its title"
    use: ClassVar[str] = "to repeat the paper; several dips, of which the lowest has lower ones near by"

    method: Literal["efficient"] = "efficient"
    starts: Count = Field(10, description="points drawn at random to descend from, before the walks begin")

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        grid, moves = lowest_minimum(self, ask, space, self.starts, rng)
        wander(self, ask, grid, moves, rng)
