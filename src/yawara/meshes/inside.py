"""Which points lie inside a closed surface: a ray from each along z, and the faces it leaves through less those it enters through.

The count (the winding number) is 1 inside a shell and 0 in a cavity of it, as parity would have it, and 2 where two shells overlap,
which parity would take for outside.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from yawara.kernels.entries import kernel
from yawara.kernels.jit import OPTIONS, WITHOUT_WRAPPERS
from yawara.kernels.kinds import PLACES, REALS, TRIPLES, WORDS
from yawara.meshes.rows import Booleans, Floats, Integers, diagonal

# The points are moved by this part of the surface's diagonal: points and surfaces both like round coordinates, and a ray
# in the plane of a vertical face meets it anywhere. Points nearer to the surface than this may come out on either side.
SHIFT = 1e-9 * np.array([0.7548776662, 0.5698402910, 0.4301597090])


def exact(function: Callable[..., Any]) -> Any:
    """Without liberties in arithmetic: two faces must get the same answer from the edge they share."""
    return numba.njit(**{**OPTIONS, **WITHOUT_WRAPPERS, "fastmath": False})(function)


def inside(surface_position: Floats, triangles: Integers, points: Floats) -> Booleans:
    """Whether each point [m] lies inside the closed surface, whose faces must be wound consistently."""
    result = np.zeros(len(points), np.bool_)
    if len(triangles) == 0 or len(points) == 0:
        return result
    used = surface_position[np.unique(triangles)]
    lower, upper, reach = used.min(axis=0), used.max(axis=0), diagonal(used)
    near = np.flatnonzero(np.all((points >= lower) & (points <= upper), axis=1))
    middle = (lower + upper) / 2.0  # where numbers are small, their rounding is
    vertex, query = np.ascontiguousarray(surface_position - middle), np.ascontiguousarray(points[near] - middle + SHIFT * reach)
    origin = (lower - middle)[:2] - 1e-6 * reach
    shape, size = _bins(vertex[:, :2], triangles, (upper - lower)[:2] + 2e-6 * reach)
    triangles = np.ascontiguousarray(triangles, np.int64)
    start, members = _binned(vertex, triangles, origin, size, shape)
    result[near] = _windings(vertex, triangles, start, members, origin, size, shape, query) != 0
    return result


def _bins(vertex: Floats, triangles: Integers, extent: Floats) -> tuple[Integers, Floats]:
    """Numbers and size [m] of the bins in x and y: as many as faces, fewer where wide faces would fall into too many."""
    corners = vertex[triangles]
    width = np.ptp(corners, axis=1)
    count = len(triangles)
    edge = np.sqrt(extent[0] * extent[1] / count)
    while True:
        shape = np.clip(extent / edge, 1, 4096).astype(np.int64)
        size = extent / shape
        if np.prod(width / size + 1.0, axis=1).sum() <= 16 * count + 1000 or shape.max() == 1:
            return shape, size
        edge *= 1.5


@exact
def _bin_range(vertex: Floats, triangle: Integers, origin: Floats, size: Floats, shape: Integers, axis: int) -> tuple[int, int]:
    a, b, c = vertex[triangle[0], axis], vertex[triangle[1], axis], vertex[triangle[2], axis]
    last = shape[axis] - 1
    lower = min(max(int((min(a, b, c) - origin[axis]) / size[axis]), 0), last)
    return lower, min(max(int((max(a, b, c) - origin[axis]) / size[axis]), 0), last)


@kernel(PLACES, TRIPLES, REALS, REALS, WORDS, exact=True)
def _binned(vertex: Floats, triangles: Integers, origin: Floats, size: Floats, shape: Integers) -> tuple[Integers, Integers]:
    """Faces above each bin: those of bin b are members[start[b] : start[b + 1]]."""
    start = np.zeros(shape[0] * shape[1] + 1, np.int64)
    for pass_number in range(2):
        if pass_number == 1:  # every bin's count is known: from here on start[b + 1] is where the next face of bin b goes
            total = 0
            for b in range(len(start) - 1):
                held = start[b + 1]
                start[b + 1] = total
                total += held
            members = np.empty(total, np.int64)
        for t in range(len(triangles)):
            x0, x1 = _bin_range(vertex, triangles[t], origin, size, shape, 0)
            y0, y1 = _bin_range(vertex, triangles[t], origin, size, shape, 1)
            for y in range(y0, y1 + 1):
                for x in range(x0, x1 + 1):
                    b = y * shape[0] + x + 1
                    if pass_number == 1:
                        members[start[b]] = t
                    start[b] += 1
    return start, members


@kernel(PLACES, TRIPLES, WORDS, WORDS, REALS, REALS, WORDS, PLACES, exact=True)
def _windings(
    vertex: Floats,
    triangles: Integers,
    start: Integers,
    members: Integers,
    origin: Floats,
    size: Floats,
    shape: Integers,
    query: Floats,
) -> Integers:
    winding = np.zeros(len(query), np.int64)
    for n in range(len(query)):
        point = query[n]
        x = min(max(int((point[0] - origin[0]) / size[0]), 0), shape[0] - 1)
        y = min(max(int((point[1] - origin[1]) / size[1]), 0), shape[1] - 1)
        b = y * shape[0] + x
        for m in range(start[b], start[b + 1]):
            winding[n] += _crossing(vertex, triangles[members[m]], point)
    return winding


@exact
def _crossing(vertex: Floats, triangle: Integers, point: Floats) -> int:
    """1 where the ray from the point along +z leaves through the face, -1 where it enters, 0 where it misses."""
    i, j, k = triangle
    top = max(vertex[i, 2], vertex[j, 2], vertex[k, 2])
    if top <= point[2]:
        return 0
    sign = _side(vertex, i, j, point) + _side(vertex, j, k, point) + _side(vertex, k, i, point)
    if sign == 0 or min(vertex[i, 2], vertex[j, 2], vertex[k, 2]) > point[2]:
        return sign
    ux, uy, uz = vertex[j, 0] - vertex[i, 0], vertex[j, 1] - vertex[i, 1], vertex[j, 2] - vertex[i, 2]
    vx, vy, vz = vertex[k, 0] - vertex[i, 0], vertex[k, 1] - vertex[i, 1], vertex[k, 2] - vertex[i, 2]
    area = ux * vy - uy * vx
    if area == 0.0:
        return sign
    x, y = point[0] - vertex[i, 0], point[1] - vertex[i, 1]
    height = vertex[i, 2] + ((x * vy - y * vx) * uz + (ux * y - uy * x) * vz) / area
    return sign if height > point[2] else 0


@exact
def _side(vertex: Floats, i: int, j: int, point: Floats) -> int:
    """Does the edge, seen along z, pass the point's +x side: 1 going up in y, -1 going down. An edge's two faces get opposite answers."""
    if (vertex[i, 1] > point[1]) == (vertex[j, 1] > point[1]):
        return 0
    low, high, sign = (i, j, 1) if vertex[j, 1] > vertex[i, 1] else (j, i, -1)
    along = (point[1] - vertex[low, 1]) / (vertex[high, 1] - vertex[low, 1])
    x = vertex[low, 0] + along * (vertex[high, 0] - vertex[low, 0])
    return sign if x > point[0] else 0
