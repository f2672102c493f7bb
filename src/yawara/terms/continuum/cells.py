"""Hexahedra and quadrilaterals with one stress point each: the mean gradient, and modes that it does not see.

Mean gradients b are those of Flanagan and Belytschko (1981): the gradient of the volume over the volume, so that any mesh passes the patch
test. A mode is what the nodal values have of a sign pattern h beyond every even deformation,

    g = (h - sum_j (h . X_j) b_j) / corners,        y = sum_I g_I x_I,

and resists as a spring between its corners in the world's axes: |y| does not change where the body turns, so no rotation is needed and
no torque arises. Their stiffness is that of bending: u = Y xi eta stores (4/3) V E / h^2 Y^2 / 2, with h of the longer side across; the
last of a hexahedron's, u = Y xi eta zeta, (4/9) V (E + 2 G) / h^2. A factor below 1 makes up for what the mean over an element leaves out:
with 0.85, less where Poisson's ratio is above 0.3 (law_table.py), a cantilever bends within 2 % of what it should at two cells across. The
roots of these factors are part of the weights.
"""

from itertools import combinations, product

import numpy as np

from yawara.kernels.kinds import Floats, Words
from yawara.terms.continuum.constants import FRAME
from yawara.terms.continuum.points import StressPoints, of_cells

MODE_FACTOR = 0.85

# Corners in meshio's order, as signs along the cell's own axes
QUADRILATERAL = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
HEXAHEDRON = np.array([[*corner, z] for z in (-1, 1) for corner in QUADRILATERAL], float)
GAUSS = 1.0 / np.sqrt(3.0)


def of_boxes(position: Floats, cells: Words, thickness: float) -> StressPoints:
    """(cell_count, 8) or, in the plane, (cell_count, 4)."""
    signs = HEXAHEDRON if cells.shape[1] == 8 else QUADRILATERAL
    dimension = signs.shape[1]
    corner = position[cells][:, :, :dimension]
    gradient, volume = mean_gradients(corner, signs)
    weight = np.zeros((*cells.shape, 3 + (4 if dimension == 3 else 1)))
    weight[:, :, :dimension] = gradient
    modes = _modes(corner, signs, volume * thickness)
    for n, (pattern, factor) in enumerate(modes):
        even = np.einsum("i,cij,ckj->ck", pattern, corner, gradient)
        weight[:, :, 3 + n] = (pattern - even) / len(signs) * np.sqrt(factor)[:, None]
    frame = np.zeros((len(cells), FRAME))
    axes = np.zeros((len(cells), 3, 3)) + np.diag([0.0, 0.0, 1.0])
    axes[:, :dimension, :dimension] = own_axes(corner, signs)
    frame[:, :9] = axes.reshape(-1, 9)
    frame[:, 9 : 9 + len(modes)] = np.stack([1.0 / np.sqrt(factor) for _, factor in modes], axis=1)
    signs_of_columns = np.concatenate([signs, np.stack([pattern for pattern, _ in modes], axis=1)], axis=1)
    return of_cells(cells, weight, volume * thickness, signs_of_columns if dimension == 3 else None, frame)


def mean_gradients(corner: Floats, signs: Floats) -> tuple[Floats, Floats]:
    """b [1/m], (cell_count, corners, dimension), and volumes.

    Integrals of cof(dX/dxi) dN/dxi, for which two Gauss points along each axis are exact.
    """
    count, dimension = signs.shape
    total, volume = np.zeros((len(corner), count, dimension)), np.zeros(len(corner))
    for place in product((-GAUSS, GAUSS), repeat=dimension):
        factors = 1.0 + signs * np.array(place)
        slope = np.stack(
            [signs[:, j] * np.prod(np.delete(factors, j, axis=1), axis=1) / count for j in range(dimension)], axis=1
        )  # dN/dxi
        jacobian = np.einsum("cij,ik->cjk", corner, slope)
        size = np.linalg.det(jacobian)
        total += size[:, None, None] * np.einsum("ik,ckj->cij", slope, np.linalg.inv(jacobian))
        volume += size
    return total / volume[:, None, None], volume


def own_axes(corner: Floats, signs: Floats) -> Floats:
    """dX/dxi [m], (cell_count, dimension, dimension): the mean over the cell, half of each edge."""
    return np.asarray(np.einsum("cij,ik->cjk", corner, signs)) / len(signs)


def _modes(corner: Floats, signs: Floats, volume: Floats) -> list[tuple[Floats, Floats]]:
    """(sign pattern, stiffness over the modulus [m]) of each mode: those of two axes, then that of three."""
    dimension = signs.shape[1]
    edge = 2.0 * np.linalg.norm(own_axes(corner, signs), axis=1)  # (cell_count, dimension)
    pairs = [(1, 2), (0, 2), (0, 1)] if dimension == 3 else list(combinations(range(2), 2))
    found = [
        (signs[:, j] * signs[:, k], 4.0 / 3.0 * MODE_FACTOR * volume / np.maximum(edge[:, j], edge[:, k]) ** 2) for j, k in pairs
    ]
    if dimension == 3:
        found.append((signs.prod(axis=1), 4.0 / 9.0 * MODE_FACTOR * volume / edge.max(axis=1) ** 2))
    return found
