"""Where a fit begins: a spectrum of many fixed rates by non-negative least squares, gathered into as many lines as the law has."""

import math
from collections.abc import Sequence

import numpy as np

from yawara.calibrate.extract.curve import Curve, Quantity
from yawara.calibrate.extract.families import Family
from yawara.calibrate.extract.response import compliance_response, impedance_response
from yawara.kernels.kinds import Floats
from yawara.laws.linear import Spectrum, reciprocal, spectrum

RATES_PER_DECADE = 5
BEYOND = 10.0  # rates are looked for from this times slower than the whole curve to this times quicker than its steps

Line = tuple[float, float]  # weight and rate


def first_guess(curves: Sequence[Curve], family: Family) -> Floats:
    """Parameters to begin with, (parameter_count,)."""
    slow, fast = time_range(curves)
    wanted = _in_the_form_of(family, _estimate(curves, np.geomspace(slow, fast, _count(slow, fast))))
    lines = [(float(w), float(r)) for w, r in zip(wanted.weight, wanted.rate, strict=True) if r > 0.0 and w > 0.0]
    lasting = float(wanted.weight[wanted.rate == 0.0].sum())
    instant = wanted.instant
    needs_instant, needs_lasting = (family.spring, family.damper) if family.series else (family.damper, family.spring)
    if instant and not needs_instant:  # what answers at once becomes the quickest line, what lasts the slowest
        lines.append((instant * fast, fast))
    if lasting and not needs_lasting:
        lines.append((lasting, slow))
    size = sum(weight / rate for weight, rate in lines) + instant or lasting / slow or 1.0
    gathered = _gathered(lines or [(size * math.sqrt(slow * fast), math.sqrt(slow * fast))], family)
    return family.values_of(gathered, instant or 0.01 * size, lasting or size * slow)


def time_range(curves: Sequence[Curve]) -> tuple[float, float]:
    """The slowest and the quickest rate [1/s] that curves can tell of."""
    times = [observed.times - curve.course.times[0] for curve in curves for observed in curve.observed]
    longest = max(float(np.ptp(np.append(each, 0.0))) for each in times)
    shortest = min(float(np.min(gaps[gaps > 0.0], initial=longest)) for each in times for gaps in [np.diff(np.append(0.0, each))])
    return 1.0 / (BEYOND * longest), BEYOND / shortest


def _count(slow: float, fast: float) -> int:
    return max(4, round(RATES_PER_DECADE * math.log10(fast / slow)))


def _estimate(curves: Sequence[Curve], rates: Floats) -> tuple[bool, Spectrum]:
    """Whether it is a compliance, and the best spectrum with these rates, a line of rate 0, and an answer at once."""
    from scipy.optimize import nnls

    is_compliance = curves[0].prescribed is Quantity.FORCE
    rates = np.append(0.0, rates)
    blocks, targets = [], []
    for curve in curves:
        for observed in curve.observed:
            if is_compliance or observed.quantity is Quantity.FORCE:
                blocks.append(_columns(curve, observed.times, rates, is_compliance) / observed.span)
                targets.append(observed.values / observed.span)
    matrix = np.concatenate(blocks)
    size = np.linalg.norm(matrix, axis=0)
    size[size == 0.0] = np.inf
    found = nnls(matrix / size, np.concatenate(targets), maxiter=50 * matrix.shape[1])[0] / size
    return is_compliance, Spectrum(float(found[0]), found[1:], rates)


def _columns(curve: Curve, times: Floats, rates: Floats, is_compliance: bool) -> Floats:
    """What is observed for an answer at once of 1 and for each rate with the weight 1, (time_count, 1 + rate_count)."""
    if is_compliance:
        units = [spectrum(1.0), *(spectrum(0.0, (1.0, rate)) for rate in rates.tolist())]
        return np.stack([compliance_response(unit, curve.course, times) for unit in units], axis=1)
    at_once = impedance_response(spectrum(1.0), curve.course, times)[0]
    return np.column_stack([at_once, impedance_response(Spectrum(0.0, np.zeros_like(rates), rates), curve.course, times)[1]])


def _in_the_form_of(family: Family, estimate: tuple[bool, Spectrum]) -> Spectrum:
    """The compliance for a series of parts, the impedance for arms side by side."""
    is_compliance, found = estimate
    kept = found.weight > 1e-9 * found.weight.sum() if len(found.weight) else np.zeros(0, bool)
    found = Spectrum(found.instant, found.weight[kept], found.rate[kept])
    if is_compliance == family.series or not (found.instant or len(found.weight)):
        return found
    return reciprocal(found)


def _gathered(lines: list[Line], family: Family) -> Spectrum:
    """As many lines as the family has parts: neighbours are joined, or the strongest is split."""
    strengths = [(weight / rate if family.series else weight, rate) for weight, rate in sorted(lines, key=lambda line: line[1])]
    while len(strengths) > max(family.parts, 1):
        at = min(range(len(strengths) - 1), key=lambda i: _cost(strengths[i], strengths[i + 1]))
        strengths[at : at + 2] = [_joined(strengths[at], strengths[at + 1])]
    while len(strengths) < family.parts:
        at = max(range(len(strengths)), key=lambda i: strengths[i][0])
        size, rate = strengths[at]
        strengths[at : at + 1] = [(size / 2, rate / 2), (size / 2, rate * 2)]
    return spectrum(0.0, *((size * rate if family.series else size, rate) for size, rate in strengths[: family.parts]))


def _cost(one: Line, other: Line) -> float:
    return one[0] * other[0] / (one[0] + other[0]) * math.log(other[1] / one[1]) ** 2


def _joined(one: Line, other: Line) -> Line:
    size = one[0] + other[0]
    return size, math.exp((one[0] * math.log(one[1]) + other[0] * math.log(other[1])) / size)
