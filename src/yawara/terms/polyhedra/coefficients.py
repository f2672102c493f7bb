"""Stiffness and damping of each element, from its body's table or from the material.

A strain e of a whole element displaces its corners by e Ro. With the principal values q of sum Ro Ro^T, and e along their axes, what its
rotation cannot take away stores

    W = k/2 (sum q_i e_ii^2 + sum 4 q_i q_j / (q_i + q_j) e_ij^2),   i < j

and the material, with Young's modulus E and without Poisson's ratio, E/2 |e|^2 V. In cubes, squares and regular shapes all q are the same,
and both agree for k = E V / q: E L/2 for a cube with the edge L, E times the thickness for a square. Others are longer along some axis and
stiffer along it: they have the k with which stretches along all directions store as much on average,

    k = E V / (sum q_i / 5 + 4/15 sum q_i q_j / (q_i + q_j)),  in a plane  k = E V / (3/8 sum q_i + q_1 q_2 / (2 (q_1 + q_2)))

Dampers have the material's retardation time: D = k tau.
"""

import numpy as np
from scipy.sparse import csr_array, diags_array, vstack

from yawara.core.geometry import Geometry, Integers
from yawara.core.piece import Piece
from yawara.kernels.kinds import Floats
from yawara.terms.polyhedra.shapes import cells_of, sizes


def coefficients(piece: Piece) -> tuple[Floats, Floats, Floats]:
    """k [N/m], D [N s/m] and volume at rest [m^3] of each element, kind after kind."""
    geometry, family = piece.geometry, piece.body.family
    cells = cells_of(geometry)
    volume = np.concatenate([geometry.thickness * sizes(geometry.position, kind, one) for kind, one in cells.items()])
    own: float | None = vars(family)["k"]
    if own is not None:
        return np.full(len(volume), own), np.full(len(volume), vars(family)["D"] or 0.0), volume
    per_modulus = volume / np.concatenate([_mean_square(geometry.position[one], geometry.dimension) for one in cells.values()])
    modulus, time = _materials(piece)
    return modulus * per_modulus, modulus * per_modulus * time, volume


def _mean_square(corners: Floats, dimension: int) -> Floats:
    """[m^2], what k is divided by, of each element, (element_count, corners, 3)."""
    shape = (corners - corners.mean(axis=1, keepdims=True))[:, :, :dimension]
    q = np.linalg.eigvalsh(np.swapaxes(shape, 1, 2) @ shape)
    i, j = np.triu_indices(dimension, 1)
    across = (q[:, i] * q[:, j] / (q[:, i] + q[:, j])).sum(axis=1)
    along, both = (1.0 / 5.0, 4.0 / 15.0) if dimension == 3 else (3.0 / 8.0, 1.0 / 2.0)
    mean: Floats = along * q.sum(axis=1) + both * across
    return mean


def _materials(piece: Piece) -> tuple[Floats, Floats]:
    """Young's modulus [Pa] and retardation time [s] of each element; one that a region's border cuts has means over its simplices."""
    modulus, viscosity = np.empty((2, len(piece.geometry.elements)))
    for part in piece.parts:
        assert part.body.material is not None
        modulus[part.cells] = part.body.material.youngs
        viscosity[part.cells] = part.body.material.youngs * part.body.material.retardation
    to_elements = _from_simplices(piece.geometry)
    mean = to_elements @ modulus
    return mean, to_elements @ viscosity / mean


def _from_simplices(geometry: Geometry) -> csr_array:
    """(element_count, simplex_count): a mean over the simplices all of whose corners an element has."""
    points = len(geometry.position)
    members = vstack([_members(cells, points) for cells in cells_of(geometry).values()])
    shared = csr_array(members @ _members(geometry.elements, points).T)
    shared.data = (shared.data == geometry.elements.shape[1]).astype(float)
    return csr_array(diags_array(1.0 / np.asarray(shared.sum(axis=1)).ravel()) @ shared)


def _members(cells: Integers, points: int) -> csr_array:
    rows = np.repeat(np.arange(len(cells)), cells.shape[1])
    return csr_array((np.ones(cells.size), (rows, cells.ravel())), shape=(len(cells), points))
