"""Spring and damper in series: springs back at once by what the spring holds, flows as long as it is loaded."""

from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.forces.links.constants import FLOW
from yawara.laws.base import PositiveStiffness, PositiveViscosity
from yawara.laws.linear import LinearLaw, Spectrum, spectrum
from yawara.laws.network import Damper, Network, Series, Spring
from yawara.model import Floats


class Maxwell(LinearLaw):
    """f = k e, de/dt = ddot - (k/c) e for the extension e of the spring."""

    title: ClassVar[str] = "Maxwell"
    family: ClassVar[int] = FLOW

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

    def link_coefficients(self, rest_length: Floats, weight: Floats) -> Floats:
        # a = k, b = 0, phi = 1/c      Hirai, particle-based modelling, eqs. (2.6)-(2.7)
        return np.stack(np.broadcast_arrays(rest_length, self.k * weight, 0.0 * weight, 1.0 / (self.c * weight)))


def maxwell_impedance(k: float, c: float) -> Spectrum:
    """Force over speed."""
    # k/(s + k/c)      report, English ch. 5, eq. (5.1): r(t) = E exp(-E t/c)
    return spectrum(0.0, (k, k / c))
