"""Equal rows of an array found by sorting, and points that coincide merged."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

Floats: TypeAlias = NDArray[np.float64]
Integers: TypeAlias = NDArray[np.int64]
Booleans: TypeAlias = NDArray[np.bool_]


def grouped(rows: np.ndarray) -> tuple[Integers, Integers, Integers]:
    """Equal rows as groups: the first row of each group, the group of each row, the number of rows in each group."""
    if len(rows) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    starts = np.concatenate([[True], np.any(ordered[1:] != ordered[:-1], axis=1)])
    group = np.empty(len(rows), np.int64)
    group[order] = np.cumsum(starts) - 1
    return order[starts], group, np.bincount(group).astype(np.int64)


def merged_points(position: Floats, tolerance: float) -> Integers:
    """For every point the lowest number among those that coincide with it, directly or in a chain, within `tolerance` [m]."""
    from scipy.spatial import cKDTree

    first, group, _ = grouped(position)  # exact copies first: there are six of every vertex in an STL file
    pairs = cKDTree(position[first]).query_pairs(tolerance, output_type="ndarray")
    cluster = components(len(first), pairs)[group]
    lowest = np.full(int(cluster.max()) + 1, len(position), np.int64)
    np.minimum.at(lowest, cluster, np.arange(len(position)))
    return lowest[cluster]


def components(count: int, pairs: Integers) -> Integers:
    """For each of `count` things the number of its connected component, where `pairs` (k, 2) are the connections."""
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(pairs), np.int8), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    return connected_components(graph, directed=False)[1].astype(np.int64)


def used_points(position: Floats, cells: Integers) -> tuple[Floats, Integers]:
    """Only the points that cells use, in their order, and the cells in the new numbering."""
    used = np.zeros(len(position), bool)
    used[cells] = True
    return position[used], (np.cumsum(used) - 1)[cells]


def diagonal(position: Floats) -> float:
    """Of the box around the points [m]."""
    return float(np.linalg.norm(np.ptp(position, axis=0))) if len(position) else 0.0
