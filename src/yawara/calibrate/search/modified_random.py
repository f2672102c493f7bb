"""Descents from the ends of random walks, if these are no worse than the last minimum."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.calibrate.search.base import Ask, ask_one
from yawara.calibrate.search.grid import grid_at
from yawara.calibrate.search.local_random import Walking
from yawara.calibrate.search.steepest_descent import descend
from yawara.calibrate.space import Space


class ModifiedRandom(Walking):
    """Descends from a random point, then walks at random until a walk ends no higher than that minimum, descends from there, and so on.

    What a walk that ends higher is followed by is not clear: "otherwise, continued to step 3". By the words the next one goes on from
    where it ended (the default); in the planning of paths, where the algorithm comes from, it begins at the minimum again. The Japanese
    version says in its fourth section that points of SMALLER cost are not adopted: a slip, as its step 3 and the other papers have it.
    """

    source: ClassVar[str] = "Noborio et al. 2003 (Eurographics), sec. 3.3; Nogami et al. 2004 (ICRA), sec. B.2"
    use: ClassVar[str] = "to repeat the papers; spends no descents on bad points, so good if descents are dear"

    method: Literal["modified_random"] = "modified_random"
    failed_walk: Literal["continue", "return"] = Field(
        "continue", description="after a walk that ended higher: continue from its end, or return to the minimum"
    )

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        grid = grid_at(space, space.draw(rng, 1)[0], self.delta)
        minimum, s_ran = descend(ask, grid, grid.home(), self.corners, rng)
        walker = minimum
        for _ in range(self.walks):
            walker = grid.walked(walker, self.walk, rng)
            # S <= S_ran      Noborio et al. 2003 (Eurographics), sec. 3.3, step 3
            if ask_one(ask, grid.values(walker)).cost <= s_ran:
                minimum, s_ran = descend(ask, grid, walker, self.corners, rng)
                walker = minimum
            elif self.failed_walk == "return":
                walker = minimum
