"""From what elements know, strain by strain, to tensors."""

import numpy as np

from yawara.core.lines import SIX
from yawara.kernels.kinds import Floats
from yawara.terms.linear_elements.constants import BARS, TETRAHEDRA, TRIANGLES, Kind

PAIRS = {TRIANGLES: ((0, 0), (1, 1), (0, 1)), TETRAHEDRA: ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))}


def directions(gradient: Floats) -> Floats:
    """Of bars."""
    return np.asarray(gradient / np.linalg.norm(gradient, axis=1)[:, None])


def sigma(kind: Kind, stress: Floats, gradient: Floats, *, keeps_thickness: np.ndarray) -> Floats:
    """[Pa], (element_count, 6): xx yy zz yz zx xy from the stresses of all strains; sigma = s_lambda I + 2 s_mu, shears as whole angles."""
    found = np.zeros((len(stress), 6))
    if kind == BARS:
        way = directions(gradient)
        return np.asarray(stress * way[:, SIX[0]] * way[:, SIX[1]])
    flat = kind == TRIANGLES
    normal = 2 if flat else 3
    found[:, :normal] = stress[:, :1] + 2.0 * stress[:, 1 : 1 + normal]
    if flat:
        found[:, 2], found[:, 5] = np.where(keeps_thickness, stress[:, 0], 0.0), stress[:, 3]
    else:
        found[:, 3:] = stress[:, 4:]
    return found


def at_rest(kind: Kind, modulus: Floats, eased: Floats, gradient: Floats) -> Floats:
    """(element_count, 3, 3): strain at which an element is without stress, if its springs have `eased` [Pa], k_i q_i of every strain.

    2 mu e + lambda tr(e) 1 = p_lambda 1 + 2 p_mu, with moduli (element_count, laws) of all springs together.
    """
    found = np.zeros((len(eased), 3, 3))
    if kind == BARS:
        way = directions(gradient)
        return np.asarray(_over(eased[:, 0], modulus[:, 0])[:, None, None] * way[:, :, None] * way[:, None, :])
    axes = kind.corners - 1
    of_volume, of_shape = modulus.T
    trace = _over(axes * eased[:, 0] + 2.0 * eased[:, 1 : 1 + axes].sum(axis=1), axes * of_volume + 2.0 * of_shape)
    for m, (i, j) in enumerate(PAIRS[kind], 1):
        if i == j:
            found[:, i, i] = _over(eased[:, 0] - of_volume * trace + 2.0 * eased[:, m], 2.0 * of_shape)
        else:
            found[:, i, j] = found[:, j, i] = 0.5 * _over(eased[:, m], of_shape)  # half the angle
    return found


def _over(value: Floats, by: Floats) -> Floats:
    return np.divide(value, by, out=np.zeros_like(value), where=by > 0.0)
