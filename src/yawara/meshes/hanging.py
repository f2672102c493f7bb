"""Points that hang on an edge or a face of a coarser cell, where a fine region meets a coarse one.

Such an edge or face lies on the boundary of both regions, so only boundary facets are looked at. Cells must have a size: a point in
the middle of an edge then belongs to no cell of that edge.
"""

import numpy as np
from numpy.typing import NDArray

from yawara.meshes.facets import boundary_facets, edges_of
from yawara.meshes.rows import Floats, Integers

TOLERANCE = 1e-6  # of an edge's length: how far off the edge, or the face of that longest edge, a point may be
END = 1e-3  # of an edge's length: nearer to its end a point does not hang on it


def hanging_points(position: Floats, cells: Integers) -> tuple[Integers, Integers, Floats]:
    """Points (k,) inside edges (k, 2) of tetrahedra (m, 4) or triangles (m, 3), and where: (1 - ratio) edge[0] + ratio edge[1].

    Points ascend; one that lies inside several edges is given with the shortest.
    """
    facets = boundary_facets(cells)
    boundary = np.unique(facets)
    edges = edges_of(facets)
    start, side = position[edges[:, 0]], position[edges[:, 1]] - position[edges[:, 0]]
    length = np.linalg.norm(side, axis=1)
    edge, point = _near(position[boundary], start + 0.5 * side, (0.5 - END) * length)
    from_start = position[boundary[point]] - start[edge]
    ratio = np.einsum("ij,ij->i", from_start, side[edge]) / length[edge] ** 2
    off = np.linalg.norm(from_start - ratio[:, None] * side[edge], axis=1)
    on = (off <= TOLERANCE * length[edge]) & (ratio > END) & (ratio < 1.0 - END)
    point, edge, ratio = _smallest(boundary[point[on]], edge[on], ratio[on], length)
    return point, edges[edge], ratio


def hanging_face_points(position: Floats, tetrahedra: Integers) -> tuple[Integers, Integers, Floats]:
    """Points (k,) inside faces (k, 3) of tetrahedra but on no edge, and their weights (k, 3) there, of sum 1.

    Points ascend; one that lies inside several faces is given with the smallest.
    """
    faces = boundary_facets(tetrahedra)
    candidates = np.setdiff1d(np.unique(faces), hanging_points(position, tetrahedra)[0])
    corners = position[faces]
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    centre = corners.mean(axis=1)
    face, point = _near(position[candidates], centre, np.linalg.norm(corners - centre[:, None], axis=2).max(axis=1))
    other = np.all(faces[face] != candidates[point][:, None], axis=1)
    face, point = face[other], candidates[point[other]]
    weights, height = _in_plane(position[point], corners[face])
    on = (height <= TOLERANCE * longest[face]) & np.all(weights > TOLERANCE, axis=1)
    point, face, weights = _smallest(point[on], face[on], weights[on], longest)
    return point, faces[face], weights


def inner_facets(position: Floats, tetrahedra: Integers) -> NDArray[np.bool_]:
    """Which of the boundary facets lie inside the body all the same: where a fine region meets a coarse one, facet against facet."""
    faces = boundary_facets(tetrahedra)
    corners = position[faces]
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    longest = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    centre = corners.mean(axis=1)
    host, facet = _near(centre, centre, np.linalg.norm(corners - centre[:, None], axis=2).max(axis=1))
    facing = np.einsum("ij,ij->i", normal[host], normal[facet]) < -0.99
    host, facet = host[facing], facet[facing]
    weights, height = _in_plane(centre[facet], corners[host])
    on = (height <= TOLERANCE * longest[host]) & np.all(weights > -TOLERANCE, axis=1)
    inner = np.zeros(len(faces), np.bool_)
    inner[host[on]] = inner[facet[on]] = True
    return inner


def _near(points: Floats, centre: Floats, radius: Floats) -> tuple[Integers, Integers]:
    """Pairs of ball and point inside it."""
    from scipy.spatial import cKDTree

    if len(points) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    tree = cKDTree(points)
    count = tree.query_ball_point(centre, radius, return_length=True)
    filled = np.flatnonzero(count)
    lists = tree.query_ball_point(centre[filled], radius[filled])
    point = np.concatenate([np.zeros(0, np.int64), *(np.array(found, np.int64) for found in lists)])
    return np.repeat(filled, count[filled]), point


def _smallest(point: Integers, host: Integers, where: Floats, size: Floats) -> tuple[Integers, Integers, Floats]:
    """Of every point the entry with the smallest host, points ascending."""
    order = np.lexsort([host, size[host], point])
    point, first = np.unique(point[order], return_index=True)
    return point, host[order[first]], where[order[first]]


def _in_plane(points: Floats, corners: Floats) -> tuple[Floats, Floats]:
    """Barycentric weights of the points' feet on triangles, and their heights above them [m]."""
    u, v, w = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0], points - corners[:, 0]
    normal = np.cross(u, v)
    scale = np.einsum("ij,ij->i", normal, normal)
    second = np.einsum("ij,ij->i", np.cross(w, v), normal) / scale
    third = np.einsum("ij,ij->i", np.cross(u, w), normal) / scale
    height = np.abs(np.einsum("ij,ij->i", w, normal)) / np.sqrt(scale)
    return np.stack([1.0 - second - third, second, third], axis=1), height
