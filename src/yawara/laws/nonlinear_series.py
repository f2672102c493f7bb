"""A spring that stiffens, with a damper beside it and Voigt parts in series: what the linear laws are, for real materials."""

from collections.abc import Hashable
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.kernels.kinds import Floats
from yawara.laws.base import Law, PositiveViscosity, Stiffness, Viscosity
from yawara.laws.block import Column
from yawara.laws.families import nonlinear_series
from yawara.laws.springs import AnySpring, spring_values


class NonlinearSeries(Law):
    """f = s(e) + c e', in series with Voigt parts f = k_i e_i + c_i e_i'; one with k_i = 0 is a damper that flows.

    Without parts it is a Voigt element; with c = 0 and one part (0, c2) Maxwell's, with c > 0 three-element.
    """

    title: ClassVar[str] = "nonlinear series"
    family: ClassVar[ModuleType] = nonlinear_series
    example: ClassVar[dict[str, Any]] = {
        "spring": {"type": "exponential", "k": 1, "hardening": 5},
        "c": 1,
        "parts_k": (0,),
        "parts_c": (1,),
    }

    type: Literal["nonlinear_series"] = "nonlinear_series"
    spring: AnySpring = Field(description="the spring: exponential, polynomial or table")
    c: Viscosity = Field(0.0, description="viscosity beside the spring [N s/m]")
    parts_k: tuple[Stiffness, ...] = Field((), description="stiffness of each further part in series [N/m]; 0 lets it flow")
    parts_c: tuple[PositiveViscosity, ...] = Field((), description="viscosity of each further part in series [N s/m]")

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        if len(self.parts_k) != len(self.parts_c):
            got = f"{len(self.parts_k)} and {len(self.parts_c)}"
            raise fail(f"parts_k and parts_c must have one value per part (got {got}); give as many to each")
        return self

    @property
    def parts(self) -> int:
        return len(self.parts_k)

    @property
    def kind(self) -> Hashable:
        return self.spring.type

    @property
    def columns(self) -> tuple[Column, ...]:
        return nonlinear_series.columns(self.parts, len(self.spring.entries))

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        column = {"rest_length": rest_length, "k": self.spring.k * weight, "c": self.c * weight}
        for i, (k, c) in enumerate(zip(self.parts_k, self.parts_c, strict=True), 1):
            column |= {f"phi_{i}": 1.0 / (c * weight), f"kappa_{i}": k / c * np.ones_like(weight)}
        return column | spring_values(self.spring, weight)
