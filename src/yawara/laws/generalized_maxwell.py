"""Maxwell arms in parallel, beside a spring and a damper: the force relaxes with several time constants."""

from types import ModuleType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.kernels.kinds import Floats
from yawara.laws.base import PositiveStiffness, PositiveViscosity, Stiffness, Viscosity
from yawara.laws.families import parallel
from yawara.laws.linear import LinearLaw, Spectrum, reciprocal, voigt_impedance
from yawara.laws.maxwell import maxwell_impedance
from yawara.laws.network import Damper, Network, Parallel, Series, Spring, connect, voigt_part


class GeneralizedMaxwell(LinearLaw):
    """f = k_inf d + c_inf ddot + sum k_i e_i, de_i/dt = ddot - (k_i/c_i) e_i for the springs' extensions e_i of the arms."""

    title: ClassVar[str] = "generalised Maxwell"
    family: ClassVar[ModuleType] = parallel
    example: ClassVar[dict[str, Any]] = {"k": (1, 1), "c": (1, 1)}

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

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        # k, c, then k_i and r_i = k_i/c_i of each arm      Hirai 2005 (particle-based modelling), sec. 2.1.7
        column = {"rest_length": rest_length, "k": self.k_inf * weight, "c": self.c_inf * weight}
        for i, (k, c) in enumerate(zip(self.k, self.c, strict=True), 1):
            column |= {f"k_{i}": k * weight, f"r_{i}": k / c * np.ones_like(weight)}
        return column
