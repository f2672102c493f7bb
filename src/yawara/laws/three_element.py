"""A Voigt part and a damper in series: springs back in part, keeps the rest. The element of the virtual rheological objects."""

from types import ModuleType
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from yawara.kernels.kinds import Floats
from yawara.laws.base import PositiveViscosity, Stiffness, Viscosity
from yawara.laws.families import flow
from yawara.laws.linear import LinearLaw, Spectrum, spectrum, voigt_compliance
from yawara.laws.network import Damper, Network, Series, connect, voigt_part
from yawara.laws.voigt import check_part


class ThreeElement(LinearLaw):
    """f = k1 e + c1 edot = c2 (ddot - edot) for the extension e of the Voigt part. With c1 = 0 Maxwell, with k1 = 0 a damper."""

    title: ClassVar[str] = "three-element"
    family: ClassVar[ModuleType] = flow
    example: ClassVar[dict[str, Any]] = {"k1": 1, "c1": 1, "c2": 1}

    type: Literal["three_element"] = "three_element"
    k1: Stiffness = Field(description="stiffness of the Voigt part [N/m]")
    c1: Viscosity = Field(description="viscosity of the Voigt part [N s/m]")
    c2: PositiveViscosity = Field(description="viscosity of the serial damper [N s/m]")

    @model_validator(mode="after")
    def _bears_load(self) -> Self:
        check_part(self.k1, self.c1, "k1", "c1")
        return self

    def network(self) -> Network:
        return connect(Series, voigt_part(self.k1, self.c1), Damper())

    def compliance(self) -> Spectrum:
        return voigt_compliance(self.k1, self.c1) + spectrum(0.0, (1.0 / self.c2, 0.0))

    def impedance(self) -> Spectrum:
        # f = B (k1 e + c1 v), de/dt = -A e + B v, A = k1/(c1 + c2), B = c2/(c1 + c2)
        #                                       Hirai 2005 (particle-based modelling), eqs. (2.14)-(2.15), B as in sec. 2.2
        A, B = self.k1 / (self.c1 + self.c2), self.c2 / (self.c1 + self.c2)
        return spectrum(B * self.c1, (B * B * self.k1, A))

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        # a = k1/(1 + c1 phi), b = c1/(1 + c1 phi), phi = 1/c2      Tomokuni et al. 2003, eqs. (1)-(4), solved for f
        B = self.c2 / (self.c1 + self.c2)
        return {"rest_length": rest_length, "a": B * self.k1 * weight, "b": B * self.c1 * weight, "phi": 1.0 / (self.c2 * weight)}
