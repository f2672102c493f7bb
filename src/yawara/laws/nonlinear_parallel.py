"""A spring that stiffens, beside a damper and Maxwell arms: generalised Maxwell for real materials."""

from collections.abc import Hashable
from types import ModuleType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.kernels.kinds import Floats
from yawara.laws.base import Law, PositiveStiffness, PositiveViscosity, Viscosity
from yawara.laws.block import Column
from yawara.laws.families import nonlinear_parallel
from yawara.laws.springs import AnySpring, spring_values


class NonlinearParallel(Law):
    """f = s(d) + c d' + sum of arms, each a spring k_i and a damper c_i in series."""

    title: ClassVar[str] = "nonlinear parallel"
    family: ClassVar[ModuleType] = nonlinear_parallel
    example: ClassVar[dict[str, Any]] = {
        "spring": {"type": "exponential", "k": 1, "hardening": 5},
        "c": 1,
        "arms_k": (1,),
        "arms_c": (1,),
    }

    type: Literal["nonlinear_parallel"] = "nonlinear_parallel"
    spring: AnySpring = Field(description="the spring that stays: exponential, polynomial or table")
    c: Viscosity = Field(0.0, description="viscosity beside it [N s/m]")
    arms_k: tuple[PositiveStiffness, ...] = Field((), description="stiffness of each Maxwell arm [N/m]")
    arms_c: tuple[PositiveViscosity, ...] = Field((), description="viscosity of each Maxwell arm [N s/m]")

    @model_validator(mode="after")
    def _arms_fit(self) -> Self:
        if len(self.arms_k) != len(self.arms_c):
            got = f"{len(self.arms_k)} and {len(self.arms_c)}"
            raise fail(f"arms_k and arms_c must have one value per arm (got {got}); give as many to each")
        return self

    @property
    def parts(self) -> int:
        return len(self.arms_k)

    @property
    def kind(self) -> Hashable:
        return self.spring.type

    @property
    def columns(self) -> tuple[Column, ...]:
        return nonlinear_parallel.columns(self.parts, len(self.spring.entries))

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        column = {"rest_length": rest_length, "k": self.spring.k * weight, "c": self.c * weight}
        for i, (k, c) in enumerate(zip(self.arms_k, self.arms_c, strict=True), 1):
            column |= {f"k_{i}": k * weight, f"r_{i}": k / c * np.ones_like(weight)}
        return column | spring_values(self.spring, weight)
