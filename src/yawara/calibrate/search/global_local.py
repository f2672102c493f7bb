"""A sample of the whole box, then least squares from its best points."""

from dataclasses import replace
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.calibrate.outcome import Outcome
from yawara.calibrate.search.base import Ask, Count, Search
from yawara.calibrate.search.least_squares import LeastSquares
from yawara.calibrate.space import Space
from yawara.checks import Quantity, SceneError
from yawara.kernels.kinds import Floats

Distance = Annotated[float, Quantity("1", ge=0, le=1, remedy="0.1 of a range sets most dips apart")]


class GlobalLocal(Search):
    """Looks at points spread evenly over the box, and at the start; then goes on with least squares from the best few of them."""

    source: ClassVar[str] = "Sobol 1967, McKay et al. 1979, as in SciPy (qmc), then least_squares"
    use: ClassVar[str] = "no fair start, or several dips; residuals that are smooth within a dip"
    needs_residuals: ClassVar[bool] = True

    method: Literal["global_local"] = "global_local"
    sample: Literal["sobol", "latin_hypercube"] = Field("sobol", description="how points are spread")
    samples: Count = Field(64, description="points in the sample, beside the start; powers of 2 suit sobol")
    refined: Count = Field(3, description="how many of the best go on with least squares")
    apart: Distance = Field(
        0.1, description="in one parameter at least, over its range: what is closer to a better one is the same dip"
    )
    local: LeastSquares = Field(LeastSquares(), description="how they go on")

    def rated(self, outcome: Outcome) -> float:
        return self.local.rated(outcome)

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        points = np.vstack([space.to_unit(space.start), self._spread(space.size, rng)])
        outcomes = ask(space.to_values(points))
        for best in self._best(points, outcomes):
            self.local.run(ask, replace(space, start=space.to_values(points[best])), rng)

    def _spread(self, size: int, rng: np.random.Generator) -> Floats:
        """(samples, size) in the unit cube."""
        from scipy.stats import qmc

        if self.sample == "latin_hypercube":
            return np.asarray(qmc.LatinHypercube(size, seed=rng).random(self.samples))
        whole = int(np.ceil(np.log2(self.samples)))  # sequences are even for powers of 2; a part of one is nearly so
        return np.asarray(qmc.Sobol(size, seed=rng).random_base2(whole)[: self.samples])

    def _best(self, points: Floats, outcomes: list[Outcome]) -> list[int]:
        """Their numbers, the lowest cost first."""
        chosen: list[int] = []
        for i in np.argsort([outcome.cost for outcome in outcomes], kind="stable").tolist():
            is_new = all(np.abs(points[i] - points[j]).max() >= self.apart for j in chosen)
            if is_new and not outcomes[i].failed and len(chosen) < self.refined:
                chosen.append(i)
        if not chosen:
            what = f"must find a point that can be simulated (none of {len(points)} could); narrow the bounds, or raise samples"
            raise SceneError([("search", what)], source="the calibration")
        return chosen
