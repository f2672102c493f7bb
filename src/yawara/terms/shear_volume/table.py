"""What a body's table says of its shear and volume elements, and what a series of Voigt elements makes of it."""

import math
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np

from yawara.checks import Quantity
from yawara.kernels.kinds import Floats, Words

if TYPE_CHECKING:
    from yawara.materials.material import Material

BulkModulus = Annotated[float, Quantity("Pa", ge=0, remedy="10 to 100 times the shear modulus keeps volume well")]


class Series(NamedTuple):
    """Voigt elements in series, stress by strain: see kernels.py."""

    a: float  # [Pa]
    b: float  # [Pa s]
    phi: tuple[float, ...]  # [1/(Pa s)]
    kappa: tuple[float, ...]  # [1/s]

    @property
    def acts(self) -> bool:
        return self.a > 0.0 or self.b > 0.0


def series(*parts: tuple[float, float]) -> Series:
    """Of moduli [Pa] and viscosities [Pa s]; only the first may be without a damper, and one may be infinitely viscous."""
    (k, c), rest = parts[0], [(k, c) for k, c in parts[1:] if math.isfinite(c)]
    phi = tuple(1.0 / c for _, c in rest)
    widening = 1.0 + c * sum(phi)
    return Series(k / widening, c / widening, phi, tuple(k / c for k, c in rest))


def of_material(material: "Material", dimension: int) -> tuple[Series, Series]:
    """Shear and bulk; the pressure flows like the shear stress, so that Poisson's ratio stays. A sheet is under plane stress."""
    mu, nu, first, flow = material.shear, material.poisson, material.retardation, material.relaxation
    bulk = mu * (1.0 + nu) / (1.0 - nu) if dimension == 2 else material.bulk
    return tuple(series((k, k * first), (0.0, k * (flow - first))) for k in (mu, bulk))  # type: ignore[return-value]


def columns(number: Words, laws: list[Series], parts: int) -> tuple[Floats, Floats, Floats, Floats]:
    """a, b, phi, kappa of elements that follow laws by number; parts that a law has not do nothing."""
    table = np.zeros((len(laws), 2 + 2 * parts))
    for row, law in zip(table, laws, strict=True):
        row[0], row[1] = law.a, law.b
        row[2 : 2 + len(law.phi)] = law.phi
        row[2 + parts : 2 + parts + len(law.kappa)] = law.kappa
    found = table[number]
    return found[:, 0].copy(), found[:, 1].copy(), found[:, 2 : 2 + parts].ravel(), found[:, 2 + parts :].ravel()
