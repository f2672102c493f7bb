"""Evolution of a cloud of points whose shape adapts to the valley it is in."""

import warnings
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.calibrate.outcome import Outcome
from yawara.calibrate.search.base import Ask, Search, ask_one
from yawara.calibrate.space import Space
from yawara.checks import Quantity, SceneError
from yawara.kernels.kinds import Floats

Spread = Annotated[float, Quantity("1", gt=0, le=0.5, remedy="0.3 reaches all of the box, 0.1 stays near the start")]
Tolerance = Annotated[float, Quantity("1", ge=1e-12, le=0.1, remedy="1e-6 of a range is exact enough for most")]
Population = Annotated[int, Quantity("1", ge=4, whole=True, remedy="leave it out to have it by the number of parameters")]

FLAT = 20  # generations without any difference in cost, as when all failed, before it gives up


class CmaEs(Search):
    """Draws points around a centre, moves it to the better half of them and learns how far and in which directions to draw."""

    source: ClassVar[str] = "Hansen and Ostermeier 2001, as in the package cma"
    use: ClassVar[str] = "many parameters, rough costs, failures here and there, hundreds to thousands of evaluations"

    method: Literal["cma_es"] = "cma_es"
    spread: Spread = Field(0.3, description="standard deviation of the first points around the start, over the ranges")
    population: Population | None = Field(
        None, description="points in each generation; if left out, 4 + 3 ln(n) for n parameters"
    )
    step_tolerance: Tolerance = Field(
        1e-6, description="ends the search when points differ by less than this share of the ranges"
    )
    cost_tolerance: Tolerance = Field(
        1e-12, description="ends the search when costs differ by less than this share of what was gained"
    )

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        _check(space)
        worth = _Worth(space, ask_one(ask, space.start))
        evolution = self._evolution(space, rng)
        while not evolution.stop():
            points = np.array(evolution.ask())
            outcomes = ask(space.to_values(points))
            evolution.tell(list(points), worth.of(points, outcomes))

    def _evolution(self, space: Space, rng: np.random.Generator) -> Any:
        cma = _package()
        options = {
            "bounds": [0.0, 1.0],
            "randn": lambda *shape: rng.standard_normal(shape),  # in place of the common generator and its seed
            "verbose": -10,  # no words, no files, no orders read from files
            "tolx": self.step_tolerance,
            "tolfunrel": self.cost_tolerance,
            "tolfun": 0.0,  # costs have any unit
            "tolfunhist": 0.0,
            "tolflatfitness": FLAT,
        }
        if self.population is not None:
            options["popsize"] = self.population
        return cma.CMAEvolutionStrategy(space.to_unit(space.start), self.spread, options)


class _Worth:
    """Costs with a finite number in place of those that failed.

    These count as worse than all that did not, and the worse the further they are from the best point, which draws the cloud back.
    """

    def __init__(self, space: Space, start: Outcome) -> None:
        self.best, self.lowest, self.highest = space.to_unit(space.start), np.inf, -np.inf
        self._learn(self.best, start)

    def _learn(self, point: Floats, outcome: Outcome) -> None:
        if outcome.failed:
            return
        if outcome.cost < self.lowest:
            self.best, self.lowest = point, outcome.cost
        self.highest = max(self.highest, outcome.cost)

    def of(self, points: Floats, outcomes: list[Outcome]) -> list[float]:
        for point, outcome in zip(points, outcomes, strict=True):
            self._learn(point, outcome)
        return [self._one(point, outcome) for point, outcome in zip(points, outcomes, strict=True)]

    def _one(self, point: Floats, outcome: Outcome) -> float:
        if not outcome.failed:
            return outcome.cost
        if not np.isfinite(self.lowest):  # nothing is known yet
            return 0.0
        unit = (self.highest - self.lowest) or abs(self.highest) or 1.0
        return float(self.highest + unit * (1.0 + np.linalg.norm(point - self.best)))


def _check(space: Space) -> None:
    if space.size < 2:
        what = 'cma_es needs at least 2 parameters (got 1); use method = "least_squares" or "global_local"'
        raise SceneError([("search", what)], source="the calibration")


def _package() -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it misses a plotting library that is not wanted
        import cma
    return cma
