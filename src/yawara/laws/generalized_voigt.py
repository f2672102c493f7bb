"""Voigt parts in series: recovers with several time constants; a part without spring is a serial damper and flows."""

from types import ModuleType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.kernels.kinds import Floats
from yawara.laws.base import Stiffness, Viscosity
from yawara.laws.families import series
from yawara.laws.linear import LinearLaw, Spectrum, ramp_and_hold, reciprocal, spectrum, voigt_compliance
from yawara.laws.network import Network, Series, connect, voigt_part


class GeneralizedVoigt(LinearLaw):
    """f = k_i e_i + c_i de_i/dt for each part i, d = sum e_i. One part at most may be a spring without damper."""

    title: ClassVar[str] = "generalised Voigt"
    family: ClassVar[ModuleType] = series
    example: ClassVar[dict[str, Any]] = {"k": (1, 1), "c": (1, 1)}

    type: Literal["generalized_voigt"] = "generalized_voigt"
    k: tuple[Stiffness, ...] = Field(description="stiffness of each part [N/m]")
    c: tuple[Viscosity, ...] = Field(description="viscosity of each part [N s/m]")

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if len(self.k) != len(self.c) or not self.k:
            raise fail(
                f"k and c must have one value per part (got {len(self.k)} and {len(self.c)}); give as many to each, at least 1"
            )
        empty = [i + 1 for i, (k, c) in enumerate(zip(self.k, self.c, strict=True)) if k == 0.0 and c == 0.0]
        if empty:
            raise fail(
                f"k and c of a part must not both be 0 (got 0 and 0 in part {empty[0]}); give one a value > 0 or leave it out"
            )
        bare = [i + 1 for i, c in enumerate(self.c) if c == 0.0]
        if len(bare) > 1:
            stiffness = 1.0 / sum(1.0 / self.k[i - 1] for i in bare)
            raise fail(
                f"c may be 0 in one part only (got 0 in parts {bare}); put these springs together as one of {stiffness:g} N/m"
            )
        return self

    @property
    def order(self) -> tuple[int, ...]:
        """The parts as the kernel has them: first the one without an internal variable, whose extension is what the others leave.

        It is the spring without damper if there is one, as only the first part may be that; else the least viscous part with a
        spring, which keeps rounding errors of the energy small.
        """
        first = min(range(len(self.k)), key=lambda i: (self.k[i] == 0.0, self.c[i]))
        return (first, *(i for i in range(len(self.k)) if i != first))

    @property
    def parts(self) -> int:
        return len(self.k) - 1

    def network(self) -> Network:
        return connect(Series, *(voigt_part(k, c) for k, c in zip(self.k, self.c, strict=True)))

    def compliance(self) -> Spectrum:
        return sum((voigt_compliance(k, c) for k, c in zip(self.k, self.c, strict=True)), start=spectrum(0.0))

    def impedance(self) -> Spectrum:
        return reciprocal(self.compliance())

    def part_extensions(self, time: Any, stretch: float, ramp_time: float) -> Floats:
        """Extension [m] of each part, (part_count, *time.shape), in the motion of `relaxation`."""
        impedance, parts = self.impedance(), zip(self.k, self.c, strict=True)
        return np.stack([ramp_and_hold(self, _part_response(impedance, k, c), time, stretch, ramp_time) for k, c in parts])

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        # phi_i = 1/c_i, kappa_i = k_i/c_i, a = k_1/(1 + c_1 sum phi), b = c_1/(1 + c_1 sum phi)      Hirai 2005, eqs. (2.8)-(2.9)
        first, *rest = self.order
        widening = 1.0 + self.c[first] * sum(1.0 / self.c[i] for i in rest)
        column = {"rest_length": rest_length, "a": self.k[first] / widening * weight, "b": self.c[first] / widening * weight}
        for number, i in enumerate(rest, 2):
            column |= {
                f"phi_{number}": 1.0 / (self.c[i] * weight),
                f"kappa_{number}": self.k[i] / self.c[i] * np.ones_like(weight),
            }
        return column


def _part_response(impedance: Spectrum, k: float, c: float) -> Spectrum:
    """Extension of one part over the speed of the whole."""
    if c == 0.0:
        # e = f/k
        return Spectrum(impedance.instant / k, impedance.weight / k, impedance.rate)
    if k == 0.0:
        # Z(s)/(c s), in partial fractions
        flowing = impedance.weight / (c * impedance.rate)
        return spectrum(0.0, ((impedance.instant / c + flowing.sum()), 0.0)) + Spectrum(0.0, -flowing, impedance.rate)
    # Z(s)/(k + c s), in partial fractions; that of its own rate is zero, as there the compliance is infinite
    gap = k - c * impedance.rate
    return Spectrum(0.0, np.divide(impedance.weight, gap, out=np.zeros_like(gap), where=gap != 0.0), impedance.rate)
