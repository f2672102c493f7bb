"""Tetrahedra and triangles: with one stress point each, and with one at each of their points.

Linear simplices alone are too stiff: they lock where volume is kept, and bend badly. Nodal ones (after Dohrmann et al. 2000) have their
stress at the points instead, from the gradient that is the mean over the cells around by their volumes, and a little of the cells' own
stiffness that sees what this mean does not:

    V_a = sum_e V_e/n,    B_ab = sum_e (V_e/n) grad N_b / V_a,    F_a = sum_b (x_b - x_a) (x) B_ab,
    W = sum_a V_a W(F_a) + beta G sum_e (V_e/n) sum_a |F_e - F_a|^2,

n corners of a cell. The second part is linear, zero in every even deformation, and does not change where the body turns. With
L_ab = sum_e V_e grad N_a . grad N_b it is beta G (sum_ab L_ab x_a . x_b - sum_a V_a |F_a|^2), so a force s sum_b L_ab (x_b - x_a) on each
point, s = 2 beta G, and a stress - s F_a.

Its dampers act along the lines to the points around, with c max(-L_ab, 0) (d . d') d / |X_b - X_a|^2: they brake nothing that turns. Such
lines have, on average over all directions, the shear viscosity c/5 in a solid and c/4 in the plane, by which that of the stress points is
smaller.
"""

import numpy as np
from scipy.sparse import csr_array

from yawara.kernels.kinds import Floats, Words
from yawara.terms.continuum.points import NO_FRAME, StressPoints, of_cells

# beta by Poisson's ratio: cantilevers of tetrahedra then bend as they should at two to eight cells across
BETA = {0.3: 0.165, 0.45: 0.15, 0.49: 0.118}


def beta_of(nu: float) -> float:
    return float(np.interp(nu, list(BETA), list(BETA.values())))


def gradients(position: Floats, cells: Words) -> tuple[Floats, Floats]:
    """grad N [1/m], (cell_count, corners, 3), and volumes; in the plane the last column is 0."""
    dimension = cells.shape[1] - 1
    corner = position[cells][:, :, :dimension]
    edges = np.swapaxes(corner[:, 1:] - corner[:, :1], 1, 2)
    volume = np.abs(np.linalg.det(edges)) / (2.0 if dimension == 2 else 6.0)
    inner = np.linalg.inv(edges)
    found = np.zeros((*cells.shape, 3))
    found[:, 1:, :dimension] = inner
    found[:, 0, :dimension] = -inner.sum(axis=1)
    return found, volume


def of_simplices(position: Floats, cells: Words, thickness: float) -> StressPoints:
    gradient, volume = gradients(position, cells)
    return of_cells(cells, gradient, volume * thickness)


def of_nodes(position: Floats, cells: Words, thickness: float) -> StressPoints:
    """One at each point that the cells have."""
    gradient, volume = gradients(position, cells)
    volume = volume * thickness
    number, corners, points = *cells.shape, len(position)
    row, column = np.repeat(cells, corners, axis=1).ravel(), np.tile(cells, (1, corners)).ravel()

    def sums(values: Floats) -> csr_array:
        return csr_array(csr_array((values.ravel(), (row, column)), shape=(points, points)))

    mean = [
        np.broadcast_to((gradient[:, :, j] * volume[:, None] / corners)[:, None, :], (number, corners, corners)) for j in range(3)
    ]
    laplacian = np.einsum("eik,ejk,e->eij", gradient, gradient, volume)
    around = np.bincount(cells.ravel(), np.repeat(volume / corners, corners), minlength=points).astype(float)
    pattern = sums(np.ones((number, corners, corners)))
    pattern.sort_indices()
    a, b = np.repeat(np.arange(points), np.diff(pattern.indptr)), pattern.indices.astype(np.int64)
    weight = np.stack([np.asarray(sums(one)[a, b]).ravel() for one in (*mean, laplacian)], axis=1)
    weight[:, :3] /= np.maximum(around, 1e-300)[a][:, None]
    distance2 = ((position[b] - position[a]) ** 2).sum(axis=1)
    dampers = np.divide(np.maximum(-weight[:, 3], 0.0), distance2, out=np.zeros_like(distance2), where=distance2 > 0.0)
    weight = np.column_stack([weight, dampers])
    order = np.lexsort((b, a != b, a))  # a point itself first
    own = np.flatnonzero(around > 0.0)
    count = np.diff(pattern.indptr)[own]
    return StressPoints(b[order], count, weight[order], np.append(0, np.cumsum(count))[:-1], around[own], NO_FRAME, lone=True)
