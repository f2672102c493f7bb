"""Points of a skin carried by the points of the cells around them, so smoothly that the skin neither folds nor tears.

Barycentric weights of the nearest cell jump from cell to cell where a point lies outside of all of them, as many do on a stair-stepped
filling. Here each point goes where a linear function goes that is fitted to the points around it, the nearer ones with more weight.
"""

import numpy as np
from scipy.sparse import coo_array, csr_array

from yawara.meshes.embed import embed
from yawara.meshes.errors import MeshError, place_of
from yawara.meshes.rows import Floats, Integers

NEIGHBOURS = 6  # points within reach, at least
REACH = 1.1  # of the distance to the last of them: it counts too, and changes smoothly when another one takes its place
WIDER = 1.25  # times the reach where the points around do not span space
WORST = 1e6  # condition number of the fit
ROUNDS = 20  # of widening
BATCH = 50_000  # points that are looked at together: bounds the memory


def carriers(points: Floats, position: Floats, tetrahedra: Integers) -> tuple[Integers, Floats]:
    """For every point [m] its hosts (n, k) among `position` and their weights, which sum to 1 and carry linear fields over exactly.

    Hosts are corners of the cell that contains the point or is nearest to it, and their neighbours there: a point does not hang on what
    lies across a gap. Rows with fewer hosts than k repeat the first one with weight 0.
    """
    cell, _ = embed(points, position, tetrahedra)
    used, row = np.unique(cell, return_inverse=True)
    around = _around(used, len(position), tetrahedra)
    parts = np.array_split(np.arange(len(points)), len(points) // BATCH + 1)
    found = [_fitted(points[part], position, around[row[part]]) for part in parts]
    width = max(host.shape[1] for host, _ in found)
    hosts = [np.concatenate([host, np.repeat(host[:, :1], width - host.shape[1], axis=1)], axis=1) for host, _ in found]
    weights = [np.pad(weight, ((0, 0), (0, width - weight.shape[1]))) for _, weight in found]
    return np.concatenate(hosts), np.concatenate(weights)


def _around(cells: Integers, count: int, tetrahedra: Integers) -> Integers:
    """The corners of each of these cells and all corners of the cells at them, (cell_count, k), ascending, filled up with -1."""
    corner = tetrahedra.ravel()
    cell = np.repeat(np.arange(len(tetrahedra)), 4)
    has: csr_array = coo_array((np.ones(len(corner)), (cell, corner)), shape=(len(tetrahedra), count)).tocsr()
    reached = (has[cells] @ (has.T @ has)).tocsr()
    reached.sort_indices()
    held = np.diff(reached.indptr)
    around = np.full((len(cells), int(held.max())), -1)
    around[np.arange(around.shape[1]) < held[:, None]] = reached.indices
    return around


def _fitted(points: Floats, position: Floats, around: Integers) -> tuple[Integers, Floats]:
    """Hosts and weights, nearest first; the reach grows where the points within it lie almost in a plane."""
    distance = np.where(around >= 0, np.linalg.norm(position[around] - points[:, None], axis=2), np.inf)
    order = np.argsort(distance, axis=1, kind="stable")
    distance, host = np.take_along_axis(distance, order, axis=1), np.take_along_axis(around, order, axis=1)
    last = np.minimum(NEIGHBOURS, np.isfinite(distance).sum(axis=1)) - 1
    reach = REACH * distance[np.arange(len(points)), last]
    weight, left = np.zeros(distance.shape), np.arange(len(points))
    for _ in range(ROUNDS):
        weight[left], condition = _least_squares(points[left], position[host[left]], distance[left], reach[left])
        left = left[condition > WORST]
        reach[left] *= WIDER
    if len(left):
        raise MeshError(
            f"the cells around {place_of(points[left[0]])} lie almost in a plane and carry no skin; give rounder cells"
        )
    width = int(np.flatnonzero((weight != 0.0).any(axis=0))[-1]) + 1
    return np.where(weight != 0.0, host, host[:, :1])[:, :width], weight[:, :width]


def _least_squares(points: Floats, hosts: Floats, distance: Floats, reach: Floats) -> tuple[Floats, Floats]:
    """Weights (n, k) of hosts (n, k, 3) [m], and condition numbers (n,): moving least squares with a linear basis p.

    w_i = W(d_i/r) p_i . M^-1 p(x),  M = sum_i W(d_i/r) p_i p_i^T      Lancaster and Salkauskas 1981
    """
    nearness = _nearness(distance / reach[:, None])
    offset = np.where((nearness > 0.0)[..., None], (hosts - points[:, None]) / reach[:, None, None], 0.0)
    basis = np.concatenate([np.ones((*distance.shape, 1)), offset], axis=2)  # around the point itself, where p = (1, 0, 0, 0)
    moments = np.einsum("nki,nk,nkj->nij", basis, nearness, basis)
    values, vectors = np.linalg.eigh(moments)
    safe = np.maximum(values, values[:, -1:] / (10.0 * WORST))
    first = np.einsum("nij,nj->ni", vectors, vectors[:, 0] / safe)  # the first column of M^-1
    return nearness * np.einsum("nki,ni->nk", basis, first), values[:, -1] / np.maximum(values[:, 0], 1e-300)


def _nearness(ratio: Floats) -> Floats:
    """1 at 0, and 0 from 1 on, where it ends without a kink: (1 - q^2)^2. Kernels that fall more steeply let the skin follow single
    points, and two skins of the same body then differ more."""
    return (1.0 - np.minimum(ratio, 1.0) ** 2) ** 2
