"""Gauss-Newton within bounds, with a trust region: few evaluations where residuals are smooth."""

from collections.abc import Callable
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.calibrate.outcome import Outcome
from yawara.calibrate.search.base import Ask, Search, ask_one
from yawara.calibrate.search.differences import jacobian
from yawara.calibrate.space import Space
from yawara.checks import Quantity, SceneError
from yawara.kernels.kinds import Floats

Tolerance = Annotated[float, Quantity("1", ge=1e-15, le=0.1, remedy="1e-8 is exact enough for most")]
Difference = Annotated[float, Quantity("1", ge=1e-8, le=0.1, remedy="1e-3 of a range is above what runs differ by rounding")]
Scale = Annotated[float, Quantity("1", gt=0, remedy="residuals are over their noise: 1 to 3 begins where noise ends")]

SAME = 1e-9  # of a range: positions closer than this to the start or to a bound are that
AWAY = 1.0  # from zero, because the first trust region is as large as the position

LOSSES: dict[str, Callable[[Floats], Floats]] = {  # rho(z), as in SciPy's least_squares
    "soft_l1": lambda z: 2.0 * (np.sqrt(1.0 + z) - 1.0),
    "huber": lambda z: np.where(z <= 1.0, z, 2.0 * np.sqrt(z) - 1.0),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}


class LeastSquares(Search):
    """Makes the sum of squared residuals small from the start on, by derivatives from finite differences, and keeps to the bounds.

    A trial point that fails makes the trust region shrink. Where a derivative fails on both sides, its parameter stays for this step.
    """

    source: ClassVar[str] = "Branch, Coleman and Li 1999, as in SciPy (least_squares, trf)"
    use: ClassVar[str] = "the first to try with up to about 8 parameters and a fair start; finds the nearest minimum, precisely"
    needs_residuals: ClassVar[bool] = True

    method: Literal["least_squares"] = "least_squares"
    difference: Difference = Field(1e-3, description="change of a parameter, over its range, to see what it does")
    two_sided: bool = Field(False, description="changes up and down: more exact derivatives for twice the evaluations")
    cost_tolerance: Tolerance = Field(
        1e-6, description="ends the search when a step lowers the sum by less than this share of it"
    )
    step_tolerance: Tolerance = Field(1e-8, description="ends the search when a step is shorter than this share of the ranges")
    gradient_tolerance: Tolerance = Field(
        1e-8, description="ends the search when half the sum changes less than this over a range"
    )
    loss: Literal["linear", "soft_l1", "huber", "cauchy", "arctan"] = Field(
        "linear", description="what becomes of squares; all but linear let outliers count less"
    )
    loss_scale: Scale = Field(1.0, description="residual from which on it counts less")

    def rated(self, outcome: Outcome) -> float:
        # cost = 1/2 sum of C^2 rho(z), z = (r/C)^2      SciPy's reference manual, least_squares: loss, f_scale
        if self.loss == "linear" or outcome.failed:
            return outcome.cost
        return float(0.5 * self.loss_scale**2 * LOSSES[self.loss](np.square(outcome.residual / self.loss_scale)).sum())

    def run(self, ask: Ask, space: Space, rng: np.random.Generator) -> None:
        from scipy.optimize import least_squares

        start = space.to_unit(space.start)
        failed = np.full_like(_first(ask, space).residual, np.nan)

        def residual(position: Floats) -> Floats:
            outcome = ask_one(ask, space.to_values(_unit(position, start)))
            return failed if outcome.failed else outcome.residual

        def slopes(position: Floats) -> Floats:
            found = jacobian(ask, space, _unit(position, start), residual(position), self.difference, two_sided=self.two_sided)
            return np.where(np.isnan(found), 0.0, found)

        least_squares(
            residual,
            start + AWAY,
            slopes,
            bounds=(AWAY, 1.0 + AWAY),
            method="trf",
            ftol=self.cost_tolerance,
            xtol=self.step_tolerance,
            gtol=self.gradient_tolerance,
            loss=self.loss,
            f_scale=self.loss_scale,
        )


def _unit(position: Floats, start: Floats) -> Floats:
    """In the unit cube; just beside the start or a bound, where the method keeps to, it is taken to be that."""
    unit = np.clip(position - AWAY, 0.0, 1.0)
    unit = np.where(unit < SAME, 0.0, np.where(unit > 1.0 - SAME, 1.0, unit))
    return np.where(np.abs(unit - start) < SAME, start, unit)


def _first(ask: Ask, space: Space) -> Outcome:
    """At the start, which must be a point from which derivatives can be taken."""
    outcome = ask_one(ask, space.start)
    values = ", ".join(f"{name} = {value:g}" for name, value in zip(space.names, space.start, strict=True))
    if outcome.failed:
        reason = outcome.failure or "its cost is infinite"
        remedy = 'change the start, or use method = "global_local", which looks for one'
        raise SceneError(
            [("search", f"needs a start that can be simulated (got {values}: {reason}); {remedy}")], source="the calibration"
        )
    if not outcome.residual.size:
        what = f'least_squares needs residuals (got a cost of {outcome.cost:g} and no residuals); use method = "cma_es"'
        raise SceneError([("search", what)], source="the calibration")
    return outcome
