"""From a material to the numbers that the kernels of its law read."""

import math
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.terms.continuum import corotated
from yawara.terms.continuum.constants import AT_ONCE, BULK, FIRST_BRANCH, PLANE_STRAIN, SOLID

if TYPE_CHECKING:
    from yawara.materials import Material

KEPT_OF_MODES = 0.02  # of the stiffness of modes, where all of the shear modulus relaxes: cells do not lose their shapes for ever
ROUNDED = 1e-9
# Of the guard, over the stiffness of a pressure wave, and over pressures beside: cells that are pressed to a tenth, folded and pressed
# again stay in order. What was thrown anywhere does not find its way back beyond about 2.5, so bodies that begin so have less (order.py)
GUARD_OF_WAVES, GUARD_OF_PRESSURES = 80.0, 80.0
# Of modes' stiffness, by how far Poisson's ratio is above 0.3: what a mean over an element leaves out is more there
SOFTER_MODES = 0.68
# As the first, of the cells of nodal elements
GUARD_OF_NODES = 40.0
KEPT_OF_NODES = 0.2  # of what relaxes, that the stabiliser of nodal elements keeps, as it cannot relax


@dataclass(frozen=True)
class Law:
    """A law of stress points."""

    kernel: ModuleType
    parameter: Floats
    branches: int
    stabiliser: tuple[
        float, float
    ]  # beta times the shear modulus [Pa] and viscosity [Pa s] that nodal elements are steadied with
    remaining: Floats  # (branches,): strain that would be left without shear stress, over each branch's variable
    fastest: float  # [1/s], at which internal variables go after what moves them
    takes: bool = False  # it may take energy that is neither stored nor dissipated, or give it
    flows: bool = False  # six more variables: C_p^-1 - 1


def young(shear: float, bulk: float) -> float:
    """E = 9 K G / (3 K + G)"""
    return 9.0 * bulk * shear / (3.0 * bulk + shear) if shear > 0.0 else 0.0


def shear_branches(material: "Material") -> tuple[float, float, list[tuple[float, float]]]:
    """G that stays [Pa], viscosity at once [Pa s], and (G [Pa], time [s]) of what relaxes.

    A Voigt part (G, c1) in series with a damper c2 is a damper c1 c2/(c1 + c2) beside a branch of G (c2/(c1 + c2))^2 that relaxes in
    (c1 + c2)/G. Terms of a Prony series are branches of their own.
    """
    G, first, time = material.shear, material.retardation, material.relaxation
    if material.prony:
        kept = max(0.0, 1.0 - sum(term.share for term in material.prony))
        return G * (kept if kept > ROUNDED else 0.0), G * first, [(G * term.share, term.time) for term in material.prony]
    if math.isinf(time):
        return G, G * first, []
    share = (time - first) / time
    return 0.0, G * first * share, [(G * share**2, time)]


def wave_modulus(law: Law) -> float:
    """[Pa], of a pressure wave, at once."""
    return float(law.parameter[BULK] + 4.0 / 3.0 * law.parameter[AT_ONCE])


def corotated_law(material: "Material", plane: int, beta: float = 0.0, beside: float = 0.0) -> Law:
    G, _, branches = shear_branches(material)
    at_once = G + sum(g for g, _ in branches)
    trace = 2.0 / 3.0 * at_once
    pairs = [number for g, t in branches for number in (2.0 * g, 1.0 / t)]
    parameter = np.array([*common_parameters(material, plane, beta, beside), 2.0 * G, trace, material.bulk - trace, *pairs])
    assert len(parameter) == FIRST_BRANCH + len(pairs)
    remaining = np.array([g / at_once for g, _ in branches])
    return Law(
        corotated,
        parameter,
        len(branches),
        stabiliser(material, beta),
        remaining,
        max((1.0 / t for _, t in branches), default=0.0),
    )


def stabiliser(material: "Material", beta: float) -> tuple[float, float]:
    G, viscosity, branches = shear_branches(material)
    return beta * (G + KEPT_OF_NODES * sum(g for g, _ in branches)), beta * viscosity


def share_of_modes(nu: float, plane: int) -> float:
    """Part of the stiffness of modes with which a cantilever of boxes bends within 2 %: at two cells across if long, at four if short."""
    return 1.0 - SOFTER_MODES * max(nu - 0.3, 0.0) if plane == SOLID else 1.0


def common_parameters(material: "Material", plane: int, beta: float, beside: float) -> list[float]:
    """Those that every law has."""
    G, viscosity, branches = shear_branches(material)
    K, nu = material.bulk, material.poisson
    at_once = G + sum(g for g, _ in branches)
    stiff = 1.0 / (1.0 - nu**2) if plane == PLANE_STRAIN else 1.0
    E, E_at_once = young(G, K) * stiff, young(at_once, K) * stiff
    if not G:
        E = KEPT_OF_MODES * E_at_once
    kept = G if not branches else max(G, KEPT_OF_MODES * at_once)
    share = share_of_modes(nu, plane)
    relaxing = share * np.array([E_at_once - E, E_at_once - E + 2.0 * (at_once - kept)])
    modes = share * np.array([E, E + 2.0 * kept])
    slowest = sum(g * t for g, t in branches) / (at_once - G) if branches else math.inf
    return [
        at_once,
        K,
        2.0 * viscosity * (1.0 - 2.0 * beta / (5.0 if plane == SOLID else 4.0)),
        material.bulk_viscosity if material.bulk_viscosity is not None else K * material.retardation,
        viscosity * 2.0 * nu / (1.0 - nu),
        *modes,
        *(viscosity / at_once * (modes + relaxing)),
        *relaxing,
        1.0 / slowest,
        GUARD_OF_WAVES * (K + 4.0 / 3.0 * at_once) + GUARD_OF_PRESSURES * beside,
    ]
