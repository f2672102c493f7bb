"""From a material as it is measured, with an energy, a Prony series and a yield stress, to the numbers that the kernels of its law read."""

from typing import TYPE_CHECKING

import numpy as np

from yawara.core.lines import SIX
from yawara.kernels.kinds import Floats
from yawara.materials.energy import Hencky, NeoHookean, Ogden, Yeoh
from yawara.terms.continuum import hyperelastic
from yawara.terms.continuum.constants import FIRST_SHARE, INVARIANT, LOGARITHMIC, MOST_NUMBERS, POWERS
from yawara.terms.continuum.law_table import Law, common_parameters, corotated_law, stabiliser

if TYPE_CHECKING:
    from yawara.materials import Material


def law_of(material: "Material", plane: int, beta: float = 0.0, beside: float = 0.0) -> Law:
    """`beta` of nodal elements; `beside` [Pa], moduli of pressures that act beside them."""
    if material.energy is None and material.yield_stress is None:
        return corotated_law(material, plane, beta, beside)
    return hyperelastic_law(material, plane, beta, beside)


def hyperelastic_law(material: "Material", plane: int, beta: float = 0.0, beside: float = 0.0) -> Law:
    """Of an energy; without one, of logarithms."""
    energy = material.energy if material.energy is not None else Hencky(mu=material.shear)
    flows = material.yield_viscosity is not None
    fluidity = 1.0 / material.yield_viscosity if material.yield_viscosity is not None else 0.0
    kind, numbers = _numbers(energy)
    padded = [*numbers, *[0.0] * (1 + MOST_NUMBERS - len(numbers))]
    pairs = [number for term in material.prony for number in (term.share, 1.0 / term.time)]
    own = [0.0, 0.0, material.bulk, float(kind), material.yield_stress or 0.0, fluidity, *padded, *pairs]
    parameter = np.array([*common_parameters(material, plane, beta, beside), *own])
    assert len(parameter) == FIRST_SHARE + len(pairs)
    fastest = max((1.0 / term.time for term in material.prony), default=0.0)
    # e_p' = (3 mu e - Y)/eta flows into e with 3 mu/eta; what relaxes has half the stress over mu for a strain
    remaining = np.array([0.5 * term.share for term in material.prony])
    fastest = max(fastest, 3.0 * energy.shear * fluidity)
    return Law(hyperelastic, parameter, len(material.prony), stabiliser(material, beta), remaining, fastest, True, flows)


def _numbers(energy: NeoHookean | Yeoh | Ogden | Hencky) -> tuple[int, list[float]]:
    """Kind of the energy and its numbers, as constants.py lists them."""
    if isinstance(energy, NeoHookean):
        return INVARIANT, [0.5 * energy.mu]
    if isinstance(energy, Yeoh):
        return INVARIANT, [energy.C1, energy.C2, energy.C3]
    if isinstance(energy, Hencky):
        return LOGARITHMIC, [energy.mu]
    pairs = zip(energy.mu, energy.alpha, strict=True)
    return POWERS, [float(len(energy.mu)), *(number for mu, a in pairs for number in (2.0 * mu / a, a))]


def set_strain(values: Floats) -> Floats:
    """(n, 6), logarithmic strain that stays, -1/2 ln C_p^-1, from C_p^-1 - 1."""
    matrix = np.zeros((len(values), 3, 3))
    matrix[:, SIX[0], SIX[1]] = matrix[:, SIX[1], SIX[0]] = values
    size, axes = np.linalg.eigh(matrix + np.eye(3))
    found = np.einsum("nia,na,nja->nij", axes, -0.5 * np.log(np.maximum(size, 1e-300)), axes)
    return np.asarray(found[:, SIX[0], SIX[1]])
