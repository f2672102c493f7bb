"""Stiffness and damping of each element, from its body's table or from the material.

A strain e of the whole element displaces its corners by e Ro and stores k/2 sum |e Ro|^2; the material with Young's modulus E and without
Poisson's ratio has E/2 |e|^2 V. With the mean over all directions, sum |e Ro|^2 = |e|^2 sum |Ro|^2 / d in d dimensions, both are the same for

    k = d E V / sum |Ro|^2

which is E L/2 for a cube with the edge L and E times the thickness for a square. It is exact where sum Ro Ro^T is the same along all axes, as
in cubes, squares and the regular shapes, and in bodies whose elements point evenly into all directions; an element that is longer along one
axis is stiffer along it. Dampers have the material's retardation time: D = k tau.
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
    squares = np.concatenate([_squares(geometry.position[one]) for one in cells.values()])
    per_modulus = geometry.dimension * volume / squares
    modulus, time = _materials(piece)
    return modulus * per_modulus, modulus * per_modulus * time, volume


def _squares(corners: Floats) -> Floats:
    """[m^2], sum |Ro|^2 of each element, (element_count, corners, 3)."""
    squares: Floats = ((corners - corners.mean(axis=1, keepdims=True)) ** 2).sum(axis=(1, 2))
    return squares


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
