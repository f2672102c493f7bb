"""Facets of cells: the faces of tetrahedra, the edges of triangles; which cells share them, and which form the boundary."""

import numpy as np

from yawara.meshes.rows import Booleans, Floats, Integers, components, grouped

# Facet c lies opposite corner c and points out of a positive cell.
FACETS = {4: [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]], 3: [[1, 2], [2, 0], [0, 1]]}


def all_facets(cells: Integers) -> Integers:
    """Facet c of cell i in row c * cell_count + i, outward for cells of positive size."""
    return np.concatenate([cells[:, corners] for corners in FACETS[cells.shape[1]]])


def boundary_facets(cells: Integers) -> Integers:
    """Facets that belong to one cell only, outward for cells of positive size."""
    facets = all_facets(cells)
    first, _, count = grouped(np.sort(facets, axis=1))
    return facets[np.sort(first[count == 1])]


def facet_neighbours(cells: Integers) -> Integers:
    """Pairs of cells that share a facet, (k, 2); each facet must belong to one or two cells."""
    return shared_pairs(np.sort(all_facets(cells), axis=1)) % len(cells)


def shared_pairs(rows: np.ndarray) -> Integers:
    """Pairs of equal rows, where no more than two are equal, (k, 2)."""
    _, group, count = grouped(rows)
    order = np.argsort(group, kind="stable")
    order = order[(count == 2)[group[order]]]
    return order.reshape(-1, 2)


def facet_components(cells: Integers) -> Integers:
    """For each cell the number of the piece it belongs to; cells of a piece hang together by facets."""
    return components(len(cells), facet_neighbours(cells))


def crowded_facets(cells: Integers, limit: int = 2) -> Integers:
    """Facets, corners ascending, that more than `limit` cells share."""
    facets = np.sort(all_facets(cells), axis=1)
    first, _, count = grouped(facets)
    return facets[np.sort(first[count > limit])]


def edges_of(cells: Integers) -> Integers:
    """The edges of cells of any number of corners, lower point first, each once, ascending."""
    corners = cells.shape[1]
    pairs = [cells[:, [a, b]] for a in range(corners) for b in range(a + 1, corners)]
    edges = np.sort(np.concatenate(pairs), axis=1)
    return edges[grouped(edges)[0]]


def cell_sizes(position: Floats, cells: Integers) -> Floats:
    """Signed volumes of tetrahedra [m^3], or signed areas of triangles in the x-y plane [m^2]."""
    sides = position[cells[:, 1:]] - position[cells[:, :1]]
    if cells.shape[1] == 3:
        return (sides[:, 0, 0] * sides[:, 1, 1] - sides[:, 0, 1] * sides[:, 1, 0]) / 2.0
    (a, b, c), (d, e, f), (g, h, i) = np.moveaxis(sides, 0, -1)
    volumes: Floats = (a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g)) / 6.0
    return volumes


def swapped(cells: Integers, chosen: Booleans) -> Integers:
    """The chosen cells with the other orientation: their last two corners change places."""
    turned = np.concatenate([cells[:, :-2], cells[:, :-3:-1]], axis=1)
    return np.where(chosen[:, None], turned, cells)
