"""How sure a fitted value is: 95 % intervals, by linearisation, by bootstrap, by profile.

All start from the Jacobian J of the residuals r at the best place u (in the unit cube), with m readings and n parameters.

- linear: cov = s^2 (J^T J)^-1, s^2 = max(1, r.r / (m - n)); half width t(0.975, m - n) sqrt(cov_ii). Seber and Wild, Nonlinear Regression
  (1989), sec. 2.1.2. Readings that scatter more than their noise says (s > 1) widen it; none makes it narrower than the noise does.
- bootstrap: residuals are drawn again, with replacement, within each observation, and each draw moves the answer by its
  Gauss-Newton step: nothing is simulated again. It does not take the residuals for Gaussian, but where an observation has only a few
  of them, as a volume has one, which tell nothing by themselves.
- profile: one parameter is held aside of its best value while all others are fitted again, until the cost has grown by what 95 % allow:
  cost - cost_best = s^2 t^2 / 2. It sees what bends; it takes many evaluations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy import optimize, stats

from yawara.calibrate.identifiability import inverse_normal, inverse_of
from yawara.calibrate.search.base import Ask
from yawara.calibrate.search.differences import jacobian
from yawara.calibrate.space import Space
from yawara.kernels.kinds import Floats

LEVEL = 0.95
DRAWS = 2000
AT_BOUND = 1e-6  # of a range
REFITS, CLOSE = 4, 0.02  # Gauss-Newton steps of a refit; how closely a profile's end is found, over its half width
SPREAD = 2.0  # how far a profile's end is looked for at first, over the linear one
FEW = 8  # readings of an observation: fewer do not show how they scatter


class IntervalMethod(StrEnum):
    """How an interval is found."""

    LINEAR = "linear"
    BOOTSTRAP = "bootstrap"
    PROFILE = "profile"


@dataclass(frozen=True)
class Best:
    """The best place, and what is known around it."""

    unit: Floats  # in the unit cube
    residual: Floats
    jacobian: Floats  # by the unit cube's coordinates
    parts: tuple[int, ...]  # lengths of the observations' residuals, in their order

    @property
    def freedom(self) -> int:
        return max(1, len(self.residual) - len(self.unit))

    @property
    def scatter(self) -> float:
        """s: how many times their noise the readings scatter, 1 at least."""
        return float(np.sqrt(max(1.0, float(self.residual @ self.residual) / self.freedom)))

    @property
    def covariance(self) -> Floats:
        return self.scatter**2 * inverse_normal(self.jacobian)

    @property
    def quantile(self) -> float:
        return float(stats.t.ppf(0.5 + 0.5 * LEVEL, self.freedom))


@dataclass(frozen=True)
class Interval:
    """95 %, in the parameter's own unit; ends on the bounds if the data reach no further."""

    low: float
    high: float
    open_low: bool = False  # ends at the bound, not by the data
    open_high: bool = False


def linear_intervals(space: Space, best: Best) -> list[Interval]:
    half = best.quantile * np.sqrt(np.diag(best.covariance))
    return _intervals(space, best.unit - half, best.unit + half)


def bootstrap_intervals(space: Space, best: Best, rng: np.random.Generator) -> list[Interval]:
    solve = inverse_of(best.jacobian)
    moves = np.zeros((DRAWS, space.size))
    begin = 0
    for count in best.parts:
        end = begin + count
        part = best.residual[begin:end] - best.residual[begin:end].mean()
        # as if every reading had been drawn from all of its observation's residuals: r* = r_i + e, u* = u - J^+ e
        widened = part * np.sqrt(len(best.residual) / best.freedom)
        for n in range(DRAWS):
            drawn = widened[rng.integers(0, count, count)] if count >= FEW else rng.normal(0.0, best.scatter, count)
            moves[n] -= solve[:, begin:end] @ drawn
        begin = end
    low, high = np.quantile(best.unit + moves, [0.5 - 0.5 * LEVEL, 0.5 + 0.5 * LEVEL], axis=0)
    return _intervals(space, low, high)


def profile_intervals(space: Space, best: Best, ask: Ask) -> list[Interval]:
    """Asks for several evaluations per end and parameter. BudgetSpent passes through."""
    ends = np.array([[_profile_end(space, best, ask, n, side) for side in (-1.0, 1.0)] for n in range(space.size)])
    return _intervals(space, ends[:, 0], ends[:, 1])


def _profile_end(space: Space, best: Best, ask: Ask, number: int, side: float) -> float:
    """Where the refitted cost has grown by s^2 t^2 / 2; beyond the bounds if it has not grown so far even there."""
    half = best.quantile * float(np.sqrt(best.covariance[number, number]))
    allowed, base = (best.scatter * best.quantile) ** 2, float(best.residual @ best.residual)
    room = best.unit[number] if side < 0 else 1.0 - best.unit[number]

    def excess(share: float) -> float:
        if share == 0.0:
            return -allowed
        return _refitted(space, best, ask, number, best.unit[number] + side * share * half) - base - allowed

    bound = room / half
    far = min(SPREAD, bound)
    while (grown := excess(far)) < 0.0 and far < bound:
        far = min(2.0 * far, bound)
    if grown < 0.0:
        return float(best.unit[number] + side)
    share = float(optimize.brentq(excess, 0.0, far, xtol=CLOSE * far))
    return float(best.unit[number] + side * share * half)


def _refitted(space: Space, best: Best, ask: Ask, number: int, held: float) -> float:
    """Sum of squares with one coordinate held and all others fitted again, by Gauss-Newton steps with the Jacobian of the best place."""
    others = [n for n in range(space.size) if n != number]
    unit = best.unit.copy()
    unit[number] = held
    # along the linear model's valley
    J = best.jacobian
    if others:
        unit[others] -= np.linalg.lstsq(J[:, others], J[:, number] * (held - best.unit[number]), rcond=None)[0]
    lowest = np.inf
    for _ in range(REFITS):
        unit = np.clip(unit, 0.0, 1.0)
        outcome = ask(space.to_values(unit)[None])[0]
        if outcome.failed:
            break
        cost = float(outcome.residual @ outcome.residual)
        improved, lowest = lowest - cost, min(lowest, cost)
        if not others or improved < 0.01 * best.scatter**2:
            break
        unit[others] -= np.linalg.lstsq(J[:, others], outcome.residual, rcond=None)[0]
    return lowest


def _intervals(space: Space, low: Floats, high: Floats) -> list[Interval]:
    values = np.stack([space.to_values(np.clip(low, 0.0, 1.0)), space.to_values(np.clip(high, 0.0, 1.0))], axis=1)
    return [
        Interval(float(a), float(b), bool(under <= AT_BOUND), bool(over >= 1.0 - AT_BOUND))
        for (a, b), under, over in zip(values.tolist(), low, high, strict=True)
    ]


def best_at(space: Space, unit: Floats, residual: Floats, ask: Ask, parts: Sequence[int], difference: float) -> Best:
    """With a fresh Jacobian, by differences on both sides."""
    return Best(unit, residual, jacobian(ask, space, unit, residual, difference, two_sided=True), tuple(parts))
