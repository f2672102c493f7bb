"""Linear laws in closed form: sums of exponentials, exact for any number of springs and dampers.

Two functions of the Laplace variable s describe a linear element: the compliance P = extension / force, and the impedance
Z = force / speed. For springs and dampers both have the same form, with weights >= 0 and rates >= 0,

    H(s) = instant + sum_i weight_i / (s + rate_i),        and  s P(s) Z(s) = 1,

so that creep (force switched on, P) and a ramp (speed switched on, Z) are one formula, as are recovery and hold.
"""

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.laws.base import Law, as_duration, as_times, refuse_step

SAME_RATE = 1e-13  # rates this close, relatively, are one: their mode carries a share of about its square


@dataclass(frozen=True)
class Spectrum:
    """H(s) above. Compliance: m/N, m/(N s), 1/s. Impedance: N s/m, N/m, 1/s."""

    instant: float
    weight: Floats  # (line_count,)
    rate: Floats  # (line_count,)

    def __add__(self, other: "Spectrum") -> "Spectrum":
        """Compliances in series, impedances in parallel."""
        join = np.concatenate
        return Spectrum(self.instant + other.instant, join([self.weight, other.weight]), join([self.rate, other.rate]))

    def during(self, time: Floats) -> Floats:
        """Answer to a constant 1 that began at time 0."""
        # inverse transform of H(s)/s: instant + sum weight (1 - exp(-rate t)) / rate
        answer: Floats = self.instant + filled(self.rate, time[..., None]) @ self.weight
        return answer

    def after(self, time: Floats, duration: float) -> Floats:
        """Answer at `time` after the end of a constant 1 that lasted for `duration`."""
        # during(time + duration) - during(time), without the cancellation
        answer: Floats = np.exp(-self.rate * time[..., None]) @ (self.weight * filled(self.rate, duration))
        return answer

    def impulse(self, time: Floats) -> Floats:
        """Answer to an impulse of 1 at time 0, without that of `instant`, which is infinite there and zero later."""
        answer: Floats = np.exp(-self.rate * time[..., None]) @ self.weight
        return answer


def filled(rate: Any, time: Any) -> Any:
    """(1 - exp(-rate t)) / rate, which is t for a rate of zero."""
    from scipy.special import exprel

    return time * exprel(-rate * time)


def spectrum(instant: float, *lines: tuple[float, float]) -> Spectrum:
    """From (weight, rate) pairs."""
    table = np.array(lines, np.float64).reshape(-1, 2)
    return Spectrum(instant, table[:, 0], table[:, 1])


def voigt_compliance(k: float, c: float) -> Spectrum:
    """Of a spring and a damper in parallel, not both zero."""
    # 1/(k + c s)
    return spectrum(0.0, (1.0 / c, k / c)) if c > 0 else spectrum(1.0 / k)


def voigt_impedance(k: float, c: float) -> Spectrum:
    """Of a spring and a damper in parallel."""
    # c + k/s
    return spectrum(c, (k, 0.0)) if k > 0 else spectrum(c)


def reciprocal(h: Spectrum) -> Spectrum:
    """1/(s H(s)) as a spectrum: impedance from compliance and compliance from impedance; accurate to rounding."""
    a, lines = h.instant, _distinct(zip(h.weight.tolist(), h.rate.tolist(), strict=True))
    result: list[tuple[float, float]] = []
    # poles are s = 0, unless H is infinite there, with residue 1/H(0), and the zeros s = -r of H, with residue 1/(-r H'(-r))
    if all(rate > 0 for _, rate in lines):
        result.append((1.0 / (a + sum(weight / rate for weight, rate in lines)), 0.0))
    for r in _zeros(a, lines):
        slope = sum(weight / (rate - r) ** 2 if rate != r else np.inf for weight, rate in lines)
        result.append((1.0 / (r * slope), r))
    return spectrum(0.0 if a > 0 else 1.0 / sum(weight for weight, _ in lines), *result)


def _distinct(lines: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """Lines by increasing rate, those of the same rate added."""
    merged: list[tuple[float, float]] = []
    for weight, rate in sorted(lines, key=lambda line: line[1]):
        if merged and rate - merged[-1][1] <= SAME_RATE * rate:
            merged[-1] = (merged[-1][0] + weight, merged[-1][1])
        else:
            merged.append((weight, rate))
    return merged


def _zeros(a: float, lines: list[tuple[float, float]]) -> list[float]:
    """The r > 0 with H(-r) = 0: between neighbouring rates H grows with r from -inf to inf, beyond the last one to a."""
    between = [_zero_between(a, lines, i) for i in range(len(lines) - 1)]
    return [*between, _zero_beyond(a, lines)] if a > 0 and lines else between


def _zero_between(a: float, lines: list[tuple[float, float]], i: int) -> float:
    (w0, p0), (w1, p1) = lines[i : i + 2]
    rest = lines[:i] + lines[i + 2 :]

    def scaled(r: float) -> float:
        # H(-r) (r - p0) (p1 - r), finite at both ends; for a series of parts H(-r) = sum 1/(k_i - r c_i)
        others = a + sum(weight / (rate - r) for weight, rate in rest)
        return others * (r - p0) * (p1 - r) - w0 * (p1 - r) + w1 * (r - p0)

    return _root(scaled, p0, p1)


def _zero_beyond(a: float, lines: list[tuple[float, float]]) -> float:
    *rest, (w0, p0) = lines

    def scaled(gap: float) -> float:
        # H(-p0 - gap) gap
        return (a - sum(weight / (p0 - rate + gap) for weight, rate in rest)) * gap - w0

    return p0 + _root(scaled, 0.0, 1.001 * sum(weight for weight, _ in lines) / a)


def _root(function: Any, low: float, high: float) -> float:
    """To rounding, also if the root is many decades below `high`."""
    from scipy.optimize import brentq

    return float(brentq(function, low, high, xtol=1e-300, rtol=1e-15, maxiter=2000))


class LinearLaw(Law):
    """A law that is a network of linear springs and dampers."""

    @abstractmethod
    def compliance(self) -> Spectrum:
        """Extension over force."""

    @abstractmethod
    def impedance(self) -> Spectrum:
        """Force over speed."""

    def creep(self, time: Any, force: float) -> Floats:
        return force * self.compliance().during(as_times(time))

    def recovery(self, time: Any, force: float, load_time: float) -> Floats:
        return force * self.compliance().after(as_times(time), as_duration("load_time", load_time))

    def relaxation(self, time: Any, stretch: float, ramp_time: float) -> Floats:
        return ramp_and_hold(self, self.impedance(), time, stretch, ramp_time)


def ramp_and_hold(law: Law, response: Spectrum, time: Any, stretch: float, ramp_time: float) -> Floats:
    """`response` to a constant speed until `ramp_time` [s], by which `stretch` [m] is reached, and none later."""
    times, ramp_time = as_times(time), as_duration("ramp_time", ramp_time)
    if ramp_time == 0.0:
        if response.instant > 0:
            refuse_step(law)
        return stretch * response.impulse(times)
    held = response.after(np.maximum(times - ramp_time, 0.0), ramp_time)
    return stretch / ramp_time * np.where(times > ramp_time, held, response.during(np.minimum(times, ramp_time)))
