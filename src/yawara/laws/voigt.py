"""Spring and damper in parallel: springs back in full, with delay."""

from types import ModuleType
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.kernels.kinds import Floats
from yawara.laws.base import Stiffness, Viscosity
from yawara.laws.families import flow
from yawara.laws.linear import LinearLaw, Spectrum, voigt_compliance, voigt_impedance
from yawara.laws.network import Network, voigt_part


class Voigt(LinearLaw):
    """f = k d + c ddot. With c = 0 a spring, with k = 0 a damper."""

    title: ClassVar[str] = "Voigt"
    family: ClassVar[ModuleType] = flow
    example: ClassVar[dict[str, Any]] = {"k": 1, "c": 1}

    type: Literal["voigt"] = "voigt"
    k: Stiffness = Field(description="stiffness of the spring [N/m]")
    c: Viscosity = Field(description="viscosity of the damper [N s/m]")

    @model_validator(mode="after")
    def _bears_load(self) -> Self:
        check_part(self.k, self.c, "k", "c")
        return self

    def network(self) -> Network:
        return voigt_part(self.k, self.c)

    def compliance(self) -> Spectrum:
        return voigt_compliance(self.k, self.c)

    def impedance(self) -> Spectrum:
        return voigt_impedance(self.k, self.c)

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        # a = k, b = c, phi = 0      Hirai 2005 (particle-based modelling), eq. (2.1)
        return {"rest_length": rest_length, "a": self.k * weight, "b": self.c * weight, "phi": 0.0 * weight}


def check_part(k: float, c: float, spring: str, damper: str) -> None:
    """Refuse a Voigt part that has neither spring nor damper."""
    if k == 0.0 and c == 0.0:
        raise fail(
            f"{spring} and {damper} must not both be 0 (got {spring} = 0 N/m, {damper} = 0 N s/m); give one of them a value > 0"
        )
