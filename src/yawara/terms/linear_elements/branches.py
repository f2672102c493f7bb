"""Linear laws side by side: a spring, a damper, and Maxwell arms. Every network of springs and dampers can be written so.

    sigma = k e + c e' + sum k_i (e - q_i),   q_i' = r_i (e - q_i)

An arm's stress k_i (e - q_i) is the w of Hirai 2005 (English ch. 5): eq. (5.4) for Maxwell's law. For three elements the printed rate of w,
eqs. (5.9), (5.10) and (5.22), has c2 where c2^2/(c1 + c2) must stand. Networks that relax alike also store and dissipate alike, so
energies are those of the network that was asked for.
"""

from collections.abc import Sequence
from typing import NamedTuple

from yawara.laws.linear import Spectrum, reciprocal, spectrum, voigt_compliance

SAME = 1e-9  # relatively: laws that differ by less behave alike


class Branches(NamedTuple):
    """Stress by strain."""

    spring: float  # k [Pa]
    damper: float  # c [Pa s]
    arm: tuple[float, ...]  # k_i [Pa]
    rate: tuple[float, ...]  # r_i [1/s]

    @property
    def at_once(self) -> float:
        """[Pa]: what a sudden strain meets beside the damper."""
        return self.spring + sum(self.arm)

    @property
    def acts(self) -> bool:
        return self.at_once > 0.0 or self.damper > 0.0

    def times(self, factor: float) -> "Branches":
        """As many side by side."""
        return Branches(self.spring * factor, self.damper * factor, tuple(k * factor for k in self.arm), self.rate)

    def ratio_to(self, other: "Branches") -> float | None:
        """How many of the other it is, if it is a number of them."""
        if not self.acts:
            return 0.0
        if not other.acts or len(self.arm) != len(other.arm):
            return None
        ratio = self.at_once / other.at_once if other.at_once > 0.0 else self.damper / other.damper
        mine = (self.spring, self.damper, *self.arm, *self.rate)
        its = (*(ratio * one for one in (other.spring, other.damper, *other.arm)), *other.rate)
        return ratio if all(abs(a - b) <= SAME * max(abs(a), abs(b)) for a, b in zip(mine, its, strict=True)) else None


NOTHING = Branches(0.0, 0.0, (), ())


def in_series(parts: Sequence[tuple[float, float]]) -> Branches:
    """Voigt parts of moduli [Pa] and viscosities [Pa s]: Hirai 2005, eqs. (2.5)-(2.9), stress for force. One with neither bears nothing."""
    if any(k == 0.0 and c == 0.0 for k, c in parts):
        return NOTHING
    if len(parts) == 1:
        return Branches(*parts[0], (), ())
    return _of_impedance(reciprocal(sum((voigt_compliance(k, c) for k, c in parts), start=spectrum(0.0))))


def in_parallel(spring: float, damper: float, arms: Sequence[tuple[float, float]]) -> Branches:
    """Maxwell arms of moduli [Pa] and viscosities [Pa s] beside a spring and a damper; an arm without one of the two bears nothing."""
    pairs = [(k, k / c) for k, c in arms if k > 0.0 and c > 0.0]
    return Branches(spring, damper, tuple(k for k, _ in pairs), tuple(r for _, r in pairs))


def _of_impedance(impedance: Spectrum) -> Branches:
    """Lines that do not relax are one spring."""
    lines = list(zip(impedance.weight.tolist(), impedance.rate.tolist(), strict=True))
    lasting, arms = sum(k for k, r in lines if r == 0.0), [(k, r) for k, r in lines if r > 0.0]
    return Branches(lasting, float(impedance.instant), tuple(k for k, _ in arms), tuple(r for _, r in arms))
