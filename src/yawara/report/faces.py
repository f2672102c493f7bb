"""Surfaces as the eye sees them: squares instead of pairs of triangles, and no back sides of solid bodies."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def polygons(position: Floats, triangles: Integers) -> Integers:
    """Corners (polygon_count, 4) in order; a triangle repeats its last corner.

    Two triangles become one square where they are right-angled, share their longest side and lie in one plane.
    """
    apex, start, end, right = _longest_side(position, triangles)
    key = np.minimum(start, end) * (len(position) + 1) + np.maximum(start, end)
    order = np.argsort(key, kind="stable")
    one, two = order[:-1], order[1:]
    normal = face_normals(position, np.stack([apex, start, end, end], axis=1))
    pair = (key[one] == key[two]) & (start[one] == end[two]) & right[one] & right[two]
    pair &= np.einsum("ij,ij->i", normal[one], normal[two]) > 0.8
    pair[1:] &= ~pair[:-1]  # three on one side: only the first two pair up
    one, two = one[pair], two[pair]
    alone = np.setdiff1d(np.arange(len(triangles)), np.concatenate([one, two]))
    squares = np.stack([apex[one], start[one], apex[two], end[one]], axis=1)
    return np.concatenate([squares, triangles[alone][:, [0, 1, 2, 2]]])


def _longest_side(position: Floats, triangles: Integers) -> tuple[Integers, Integers, Integers, NDArray[np.bool_]]:
    """Of each triangle: the corner opposite to the longest side, that side's start and end, and whether that corner is square."""
    corner = position[triangles]
    side = np.linalg.norm(corner[:, [1, 2, 0]] - corner[:, [2, 0, 1]], axis=2)  # side i is opposite to corner i
    rows, far = np.arange(len(triangles)), side.argmax(axis=1)
    a, b, c = side[rows, far], side[rows, (far + 1) % 3], side[rows, (far + 2) % 3]
    cosine = (b**2 + c**2 - a**2) / np.maximum(2 * b * c, 1e-300)  # law of cosines
    return triangles[rows, far], triangles[rows, (far + 1) % 3], triangles[rows, (far + 2) % 3], np.abs(cosine) < 0.5


def face_normals(position: Floats, corners: Integers) -> Floats:
    """Unit normals (polygon_count, 3): the cross product of the diagonals, which serves triangles too."""
    a, b, c, d = (position[corners[:, i]] for i in range(4))
    normal = np.cross(c - a, d - b)
    return np.asarray(normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300))


def is_closed(triangles: Integers) -> bool:
    """Whether each side of each triangle is met by a neighbour, running the other way."""
    if not len(triangles):
        return False
    sides = triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    key = sides[:, 0] * (int(triangles.max()) + 1) + sides[:, 1]
    back = sides[:, 1] * (int(triangles.max()) + 1) + sides[:, 0]
    return bool((np.sort(key) == np.sort(back)).all())


def volume(position: Floats, triangles: Integers) -> float:
    """Of a closed surface [m^3], negative if its normals point inward."""
    a, b, c = (position[triangles[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def outline(triangles: Integers, normal: Floats) -> Integers:
    """Lines (line_count, 2) where these triangles end, and where they meet at an angle above 30 degrees."""
    sides = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    owner = np.repeat(np.arange(len(triangles)), 3)
    order = np.lexsort((sides[:, 1], sides[:, 0]))
    sides, owner = sides[order], owner[order]
    same = np.zeros(len(sides) + 1, bool)
    same[1:-1] = (sides[1:] == sides[:-1]).all(axis=1)
    alone = ~same[1:] & ~same[:-1]
    pair = np.flatnonzero(same[1:-1])
    sharp = np.einsum("ij,ij->i", normal[owner[pair]], normal[owner[pair + 1]]) < np.cos(np.pi / 6.0)
    return np.concatenate([sides[alone], sides[pair[sharp]]])
