"""Spring and damper in series: springs back at once by what the spring holds, flows as long as it is loaded."""

from types import ModuleType
from typing import Any, ClassVar, Literal

from pydantic import Field

from yawara.kernels.kinds import Floats
from yawara.laws.base import PositiveStiffness, PositiveViscosity
from yawara.laws.families import flow
from yawara.laws.linear import LinearLaw, Spectrum, spectrum
from yawara.laws.network import Damper, Network, Series, Spring


class Maxwell(LinearLaw):
    """f = k e, de/dt = ddot - (k/c) e for the extension e of the spring."""

    title: ClassVar[str] = "Maxwell"
    family: ClassVar[ModuleType] = flow
    example: ClassVar[dict[str, Any]] = {"k": 1, "c": 1}

    type: Literal["maxwell"] = "maxwell"
    k: PositiveStiffness = Field(description="stiffness of the spring [N/m]")
    c: PositiveViscosity = Field(description="viscosity of the damper [N s/m]")

    def network(self) -> Network:
        return Series((Spring(), Damper()))

    def compliance(self) -> Spectrum:
        # 1/k + 1/(c s)
        return spectrum(1.0 / self.k, (1.0 / self.c, 0.0))

    def impedance(self) -> Spectrum:
        return maxwell_impedance(self.k, self.c)

    def link_columns(self, rest_length: Floats, weight: Floats) -> dict[str, Floats]:
        # a = k, b = 0, phi = 1/c      Hirai 2005 (particle-based modelling), eqs. (2.6)-(2.7)
        return {"rest_length": rest_length, "a": self.k * weight, "b": 0.0 * weight, "phi": 1.0 / (self.c * weight)}


def maxwell_impedance(k: float, c: float) -> Spectrum:
    """Force over speed."""
    # k/(s + k/c)      Hirai 2005 (English ch. 5), eq. (5.1): r(t) = E exp(-E t/c)
    return spectrum(0.0, (k, k / c))
