"""From what a body's table or material says to the laws of lambda and mu, each with its own time behaviour.

r_lambda(t) = lambda_ela exp(-lambda_ela t/lambda_vis), r_mu(t) alike      Hirai & Tomokuni (abstract in Hirai 2005), eq. (2)
"""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from yawara.terms.linear_elements.branches import Branches, in_parallel, in_series
from yawara.terms.linear_elements.lame import lame_factors
from yawara.terms.linear_elements.table import Arrangement

if TYPE_CHECKING:
    from yawara.materials.material import Material
    from yawara.terms.linear_elements.family import SmallStrain


def of_material(family: "SmallStrain", material: "Material", dimension: int) -> tuple[Branches, ...]:
    """Every modulus follows the same law in time, so that Poisson's ratio stays."""
    first, flow = material.retardation, material.relaxation
    unit = in_series([(1.0, first), *([(0.0, flow - first)] if math.isfinite(flow) else [])])
    return _scaled(family, unit.times(material.youngs), material.poisson, dimension)


def of_table(family: "SmallStrain", dimension: int) -> tuple[Branches, ...]:
    """Moduli and viscosities of the table, each with its own Poisson's ratio."""
    if dimension == 1 or len(set(family.ratios)) == 1:
        return _scaled(family, _law(family, lambda _: 1.0), family.ratios[0], dimension)
    return tuple(_law(family, one) for one in (lambda nu: lame_factors(nu)[0], lambda nu: lame_factors(nu)[1]))


def _scaled(family: "SmallStrain", law: Branches, poisson: float, dimension: int) -> tuple[Branches, ...]:
    """From the law of Young's modulus to those of lambda and mu; one Poisson's ratio holds for all."""
    if dimension == 1:
        return (law,)
    return tuple(law.times(factor) for factor in lame_factors(poisson, plane_stress=family.plane_stress and dimension == 2))


def _law(family: "SmallStrain", factor: Callable[[float], float]) -> Branches:
    """As arranged in the table; a modulus, or a viscosity, counts with the factor of its Poisson's ratio."""
    elastic, viscous, flow = (factor(nu) for nu in family.ratios)
    k, c = elastic * (family.youngs_modulus or 0.0), viscous * (family.viscosity or 0.0)
    if family.youngs_moduli is not None:
        pairs = [(elastic * k, viscous * c) for k, c in zip(family.youngs_moduli, family.viscosities or (), strict=True)]
        return in_parallel(k, c, pairs) if family.arrangement is Arrangement.PARALLEL else in_series(pairs)
    behind = [(0.0, flow * family.flow_viscosity)] if family.flow_viscosity is not None else []
    return in_series([(k, c), *behind])
