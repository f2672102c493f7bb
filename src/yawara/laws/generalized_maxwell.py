"""Maxwell arms in parallel, beside a spring and a damper: the force relaxes with several time constants."""

from typing import ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.forces.links.constants import PARALLEL
from yawara.laws.base import PositiveStiffness, PositiveViscosity, Stiffness, Viscosity
from yawara.laws.linear import LinearLaw, Spectrum, reciprocal, voigt_impedance
from yawara.laws.maxwell import maxwell_impedance
from yawara.laws.network import Damper, Network, Parallel, Series, Spring, connect, voigt_part
from yawara.model import Floats


class GeneralizedMaxwell(LinearLaw):
    """f = k_inf d + c_inf ddot + sum k_i e_i, de_i/dt = ddot - (k_i/c_i) e_i for the springs' extensions e_i of the arms."""

    title: ClassVar[str] = "generalised Maxwell"
    family: ClassVar[int] = PARALLEL

    type: Literal["generalized_maxwell"] = "generalized_maxwell"
    k: tuple[PositiveStiffness, ...] = Field(description="stiffness of each arm [N/m]")
    c: tuple[PositiveViscosity, ...] = Field(description="viscosity of each arm [N s/m]")
    k_inf: Stiffness = Field(default=0.0, description="stiffness of the spring beside the arms [N/m]")
    c_inf: Viscosity = Field(default=0.0, description="viscosity of the damper beside the arms [N s/m]")

    @model_validator(mode="after")
    def _arms_fit(self) -> Self:
        if len(self.k) != len(self.c) or not self.k:
            raise fail(
                f"k and c must have one value per arm (got {len(self.k)} and {len(self.c)}); give as many to each, at least 1"
            )
        return self

    @property
    def parts(self) -> int:
        return len(self.k)

    def network(self) -> Network:
        beside = [voigt_part(self.k_inf, self.c_inf)] if self.k_inf > 0 or self.c_inf > 0 else []
        return connect(Parallel, *(Series((Spring(), Damper())) for _ in self.k), *beside)

    def compliance(self) -> Spectrum:
        return reciprocal(self.impedance())

    def impedance(self) -> Spectrum:
        arms = (maxwell_impedance(k, c) for k, c in zip(self.k, self.c, strict=True))
        return sum(arms, start=voigt_impedance(self.k_inf, self.c_inf))

    def link_coefficients(self, rest_length: Floats, weight: Floats) -> Floats:
        # k, c, then k_i and r_i = k_i/c_i of each arm      Hirai, particle-based modelling, sec. 2.1.7
        rows = [rest_length, self.k_inf * weight, self.c_inf * weight]
        for k, c in zip(self.k, self.c, strict=True):
            rows += [k * weight, k / c * np.ones_like(weight)]
        return np.stack(np.broadcast_arrays(*rows))
