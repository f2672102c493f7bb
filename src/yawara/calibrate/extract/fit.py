"""Least squares: the parameters of a law with which it answers most nearly as was measured, and how well they are known."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from yawara.calibrate.extract.curve import RESOLUTION, Curve, Observed, Quantity
from yawara.calibrate.extract.families import Family
from yawara.calibrate.extract.starts import first_guess, time_range
from yawara.checks import SceneError
from yawara.kernels.kinds import Floats
from yawara.laws.linear import LinearLaw

STARTS = 6  # the first guess, and so many less one around it
SPREAD = 0.8  # standard deviation of the others' logarithms around it
WIDEST = 18.0  # parameters are looked for within exp(+-this) of the size of the data
AT_END = 0.5  # a logarithm this near to the end of where it was looked for has run away
SAME = 1e-4  # minima whose sums of squares are this close, relatively, are one
UNSEEN = 1e-9  # of the greatest change that a parameter brings: what brings less changes nothing
SHARE = 1e-3  # of a direction that changes nothing: a parameter with less of it has no part in it
PASSES = 3  # over the weights of quantities whose noise is not known


@dataclass(frozen=True)
class Fit:
    """A fitted law. Parameters are those of `family`, the quickest part first."""

    family: Family
    values: Floats  # [N/m], [N s/m], or [Pa], [Pa s], (parameter_count,)
    covariance: Floats  # of the logarithms, (parameter_count, parameter_count)
    law: LinearLaw
    residuals: tuple[tuple[Floats, ...], ...]  # measured less fitted, of each observed quantity of each curve
    bounded: tuple[bool, ...]  # which parameters ran to the end of where they were looked for
    agreeing: int  # starts that led to this minimum
    likelihood: float  # -2 ln of the likelihood, noise of each quantity as found
    settled: bool  # the search ended at a minimum, not for want of tries
    row_count: int
    quantity_count: int
    echo: float  # correlation of neighbouring residuals: 0 for noise, towards 1 for a law that does not fit

    @property
    def deviation(self) -> Floats:
        """Standard deviation of each logarithm."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def intervals(self) -> Floats:
        """95 % of each parameter, by linearisation in its logarithm, (parameter_count, 2)."""
        from scipy.stats import t

        width = t.ppf(0.975, max(self.row_count - len(self.values), 1)) * self.deviation
        with np.errstate(over="ignore"):
            return np.stack([self.values * np.exp(-width), self.values * np.exp(width)], axis=1)

    @property
    def correlation(self) -> Floats:
        """Of the logarithms; NaN for parameters that are not known at all."""
        size = np.where(np.isfinite(self.deviation), self.deviation, np.nan)
        return self.covariance / np.outer(size, size)

    @property
    def part_times(self) -> Floats:
        """c/k [s] of each part."""
        pairs = self.values[: 2 * self.family.parts].reshape(-1, 2)
        return pairs[:, 1] / pairs[:, 0]

    def rms(self, curves: Sequence[Curve], quantity: Quantity) -> float | None:
        """Of all residuals of a quantity, in its unit; None if it was not observed."""
        found = [r for observed, r in _with_residuals(curves, self.residuals) if observed.quantity is quantity]
        return float(np.sqrt(np.mean(np.concatenate(found) ** 2))) if found else None


def fit(curves: Sequence[Curve], family: Family, *, starts: int = STARTS, seed: int = 0) -> Fit:
    """Fit a law to all curves at once; the same seed gives the same result."""
    check_enough(curves, family)
    scales = dict.fromkeys(Quantity, 1.0)
    passes = PASSES if _wants_reweighting(curves) else 1
    for again in range(passes):
        problem = _Problem(curves, family, scales)
        if again == 0:
            best, agreeing = _best_of(problem, _guesses(curves, family, starts, seed))
        best = problem.minimise(best.x, precision=1e-12, tries=100)
        scales = _found_scales(curves, problem.residuals(best.x))
    return _finished(curves, problem, best, agreeing)


def _best_of(problem: "_Problem", guesses: Sequence[Floats]) -> tuple[Any, int]:
    """The lowest of the minima that the guesses lead to, roughly, and how many of them lead there."""
    found = [problem.minimise(guess, precision=1e-8, tries=60) for guess in guesses]
    best = min(found, key=lambda result: result.cost)
    return best, sum(result.cost <= best.cost * (1 + SAME) + SAME for result in found)


def check_enough(curves: Sequence[Curve], family: Family) -> None:
    """Refuse more parameters than data can tell."""
    rows = sum(len(observed.times) for curve in curves for observed in curve.observed)
    wanted = len(family.names)
    if rows <= wanted:
        raise SceneError(
            [("rows", f"must be more than parameters (got {rows} rows for the {wanted} parameters {', '.join(family.names)}); "
              "measure more points, or fit fewer elements")],
            source=", ".join(curve.name for curve in curves),
        )  # fmt: skip


class _Problem:
    """Residuals over their noise, as a function of the logarithms of the parameters."""

    def __init__(self, curves: Sequence[Curve], family: Family, scales: dict[Quantity, float]) -> None:
        self.curves, self.family, self.scales = curves, family, scales
        stiffness, time = _sizes(curves)
        middle = np.log([stiffness if is_stiffness else stiffness * time for is_stiffness in family.stiffness])
        self.bounds = (middle - WIDEST, middle + WIDEST)

    def residuals(self, logs: Floats) -> tuple[tuple[Floats, ...], ...]:
        law = self.family.build(np.exp(logs))
        return tuple(tuple(observed.values - curve.answer(law, observed) for observed in curve.observed) for curve in self.curves)

    def weighted(self, logs: Floats) -> Floats:
        pairs = _with_residuals(self.curves, self.residuals(logs))
        return np.concatenate([r / (self.scales[observed.quantity] * observed.noise) for observed, r in pairs])

    def least_variance(self) -> float:
        """Mean square of residuals as small as the resolution."""
        observed = [item for curve in self.curves for item in curve.observed]
        return float(np.mean([np.mean((RESOLUTION * o.span / (self.scales[o.quantity] * o.noise)) ** 2) for o in observed]))

    def minimise(self, logs: Floats, *, precision: float, tries: int) -> Any:
        from scipy.optimize import least_squares

        inside = np.clip(logs, self.bounds[0] + 1e-3, self.bounds[1] - 1e-3)
        return least_squares(
            self.weighted,
            inside,
            bounds=self.bounds,
            x_scale="jac",
            ftol=precision,
            xtol=precision,
            gtol=precision,
            max_nfev=tries,
        )


def _guesses(curves: Sequence[Curve], family: Family, starts: int, seed: int) -> list[Floats]:
    random = np.random.default_rng(seed)
    first = np.log(first_guess(curves, family))
    return [first, *(first + SPREAD * random.standard_normal(len(first)) for _ in range(starts - 1))]


def _sizes(curves: Sequence[Curve]) -> tuple[float, float]:
    """Stiffness and time of the size that the curves are of."""
    slow, fast = time_range(curves)
    ratios = []
    for curve in curves:
        course = float(np.abs(curve.course.values).max())
        for observed in curve.observed:
            if observed.quantity is not curve.prescribed:
                ratios.append(course / observed.span if curve.prescribed is Quantity.FORCE else observed.span / course)
    return float(np.median(ratios)), 1.0 / np.sqrt(slow * fast)


def _with_residuals(curves: Sequence[Curve], residuals: Sequence[Sequence[Floats]]) -> list[tuple[Observed, Floats]]:
    return [pair for curve, found in zip(curves, residuals, strict=True) for pair in zip(curve.observed, found, strict=True)]


def _wants_reweighting(curves: Sequence[Curve]) -> bool:
    """Force and displacement are weighed against each other by what is left of each, unless their noise is known."""
    observed = [item for curve in curves for item in curve.observed]
    return len({item.quantity for item in observed}) > 1 and not all(item.noise_known for item in observed)


def _found_scales(curves: Sequence[Curve], residuals: Sequence[Sequence[Floats]]) -> dict[Quantity, float]:
    """What the noise of each quantity has to be multiplied by to explain its residuals."""
    return {quantity: np.sqrt(variance) for quantity, (variance, _) in _variances(curves, residuals).items()}


def _variances(curves: Sequence[Curve], residuals: Sequence[Sequence[Floats]]) -> dict[Quantity, tuple[float, int]]:
    """Mean square of the residuals over their noise, not below what the resolution allows, and how many there are."""
    found = {}
    for quantity in Quantity:
        mine = [(observed, r) for observed, r in _with_residuals(curves, residuals) if observed.quantity is quantity]
        if mine:
            over = np.concatenate([r / observed.noise for observed, r in mine])
            floor = np.concatenate([RESOLUTION * observed.span / observed.noise for observed, _ in mine])
            found[quantity] = (max(float(np.mean(over**2)), float(np.mean(floor**2))), len(over))
    return found


def _finished(curves: Sequence[Curve], problem: _Problem, best: Any, agreeing: int) -> Fit:
    values, places = problem.family.sorted(np.exp(best.x))
    residuals, weighted = problem.residuals(best.x), problem.weighted(best.x)
    echo = _echo(curves, residuals)
    # AR(1) residuals tell as much as (1 - echo)/(1 + echo) times as many independent ones
    freedom = max(len(weighted) - len(values), 1)
    variance = max(float(weighted @ weighted) / freedom, problem.least_variance()) * (1.0 + echo) / (1.0 - echo)
    inverse, unseen = normal_inverse(best.jac)
    covariance = variance * inverse
    at_end = np.minimum(best.x - problem.bounds[0], problem.bounds[1] - best.x) < AT_END
    unknown = at_end | unseen
    covariance[unknown, :] = covariance[:, unknown] = 0.0
    covariance[unknown, unknown] = np.inf
    return Fit(
        family=problem.family, values=values, covariance=covariance[np.ix_(places, places)], law=problem.family.build(values),
        residuals=residuals, bounded=tuple(at_end[places].tolist()), agreeing=agreeing, settled=best.status > 0,
        likelihood=sum(count * float(np.log(variance)) for variance, count in _variances(curves, residuals).values()),
        row_count=len(weighted), quantity_count=len(_variances(curves, residuals)), echo=echo,
    )  # fmt: skip


def normal_inverse(jacobian: Floats) -> tuple[Floats, "np.typing.NDArray[np.bool_]"]:
    """Inverse of J'J, and which parameters change nothing, alone or together.

    Columns are brought to one length first: what hardly changes anything is hardly known, and would be taken for exactly known where a
    pseudoinverse leaves out its direction.
    """
    size = np.linalg.norm(jacobian, axis=0)
    unseen = size <= UNSEEN * size.max()
    size = np.where(unseen, 1.0, size)
    _, strength, directions = np.linalg.svd(np.where(unseen, 0.0, jacobian / size), full_matrices=False)
    seen = strength > UNSEEN * strength[0]
    half = directions[seen] / strength[seen, None] / size
    unseen |= (np.abs(directions[~seen]) > SHARE).any(axis=0)
    return half.T @ half, np.asarray(unseen)


def _echo(curves: Sequence[Curve], residuals: Sequence[Sequence[Floats]]) -> float:
    """Correlation of neighbouring residuals, over all curves; 0 where it could be chance."""
    above = below = 0.0
    count = 0
    for observed, r in _with_residuals(curves, residuals):
        z = np.where(np.abs(r) > RESOLUTION * observed.span, r, 0.0) / observed.noise
        above, below, count = above + float(z[1:] @ z[:-1]), below + float(z @ z), count + len(z)
    echo = above / below if below else 0.0
    return min(echo, 0.99) if echo > 2.0 / np.sqrt(count) else 0.0
