"""The shapes of tools as signed distances: negative inside, with the unit vector that leads out.

All in the tool's own coordinates [m]. The distance to a convex shape is a convex function; the search for the deepest place of an edge
or a face relies on it.
"""

import math

import numpy as np
from numba import types
from numba import uint64 as U

from yawara.kernels.entries import kernel
from yawara.kernels.jit import inner
from yawara.kernels.kinds import INT, REALS
from yawara.tools.form import GRID_COUNT, GRID_FIRST, GRID_ORIGIN, GRID_SPACING

PLANE = 0  # all below z = 0
BOX = 1  # half sizes along x, y, z; height of its centre over its point
SPHERE = 2  # radius
CYLINDER = 3  # radius, half length; along x
GRID = 4  # samples of the distance, between which it is interpolated
FAR = 1e30  # [m], where the distance does not matter
PLACES = types.Array(types.float64, 2, "C")


@inner
def box_distance(hx, hy, hz, x, y, z):
    qx, qy, qz = abs(x) - hx, abs(y) - hy, abs(z) - hz
    sx, sy, sz = 1.0 if x >= 0.0 else -1.0, 1.0 if y >= 0.0 else -1.0, 1.0 if z >= 0.0 else -1.0
    if qx <= 0.0 and qy <= 0.0 and qz <= 0.0:  # inside: the nearest side
        if qz >= qx and qz >= qy:
            return qz, 0.0, 0.0, sz
        if qx >= qy:
            return qx, sx, 0.0, 0.0
        return qy, 0.0, sy, 0.0
    ox, oy, oz = max(qx, 0.0), max(qy, 0.0), max(qz, 0.0)
    d = math.sqrt(ox * ox + oy * oy + oz * oz)
    return d, sx * ox / d, sy * oy / d, sz * oz / d


@inner
def _sphere(radius, x, y, z):
    d = math.sqrt(x * x + y * y + z * z)
    if d == 0.0:
        return -radius, 0.0, 0.0, 1.0
    return d - radius, x / d, y / d, z / d


@inner
def cylinder_distance(radius, half_length, x, y, z):
    r = math.sqrt(y * y + z * z)
    ny, nz = (y / r, z / r) if r > 0.0 else (0.0, 1.0)
    side, cap = r - radius, abs(x) - half_length
    sx = 1.0 if x >= 0.0 else -1.0
    if cap <= 0.0 or side <= 0.0:
        if side >= cap:
            return side, 0.0, ny, nz
        return cap, sx, 0.0, 0.0
    d = math.sqrt(side * side + cap * cap)
    return d, sx * cap / d, ny * side / d, nz * side / d


@inner
def _grid(form, at, value, x, y, z):
    """Trilinear between samples."""
    spacing = form[at + U(GRID_SPACING)]
    u = (x - form[at + U(GRID_ORIGIN)]) / spacing
    v = (y - form[at + U(GRID_ORIGIN + 1)]) / spacing
    w = (z - form[at + U(GRID_ORIGIN + 2)]) / spacing
    nx, ny, nz = int(form[at + U(GRID_COUNT)]), int(form[at + U(GRID_COUNT + 1)]), int(form[at + U(GRID_COUNT + 2)])
    # Beyond the samples, the distance from the nearest of them, and of that one.
    cu, cv, cw = min(max(u, 0.0), nx - 1.0), min(max(v, 0.0), ny - 1.0), min(max(w, 0.0), nz - 1.0)
    ox, oy, oz = spacing * (u - cu), spacing * (v - cv), spacing * (w - cw)
    beyond = math.sqrt(ox * ox + oy * oy + oz * oz)
    u, v, w = cu, cv, cw
    i, j, k = min(math.floor(u), nx - 2), min(math.floor(v), ny - 2), min(math.floor(w), nz - 2)
    u, v, w = u - i, v - j, w - k
    first, row, layer = int(form[at + U(GRID_FIRST)]) + (k * ny + j) * nx + i, nx, nx * ny
    c000, c100, c010, c110 = value[first], value[first + 1], value[first + row], value[first + row + 1]
    first += layer
    c001, c101, c011, c111 = value[first], value[first + 1], value[first + row], value[first + row + 1]
    gx = (1 - w) * ((1 - v) * (c100 - c000) + v * (c110 - c010)) + w * ((1 - v) * (c101 - c001) + v * (c111 - c011))
    gy = (1 - w) * ((1 - u) * (c010 - c000) + u * (c110 - c100)) + w * ((1 - u) * (c011 - c001) + u * (c111 - c101))
    low = (1 - v) * ((1 - u) * c000 + u * c100) + v * ((1 - u) * c010 + u * c110)
    high = (1 - v) * ((1 - u) * c001 + u * c101) + v * ((1 - u) * c011 + u * c111)
    gz = high - low
    if beyond > 0.0:
        return (1 - w) * low + w * high + beyond, ox / beyond, oy / beyond, oz / beyond
    d = math.sqrt(gx * gx + gy * gy + gz * gz)
    if d == 0.0:
        return (1 - w) * low + w * high, 0.0, 0.0, 1.0
    return (1 - w) * low + w * high, gx / d, gy / d, gz / d


@inner
def own_distance(kind, form, at, grid, x, y, z):
    """Signed distance [m] of a place in the tool's own coordinates, and the way out; its numbers begin at form[at]."""
    if kind == PLANE:
        return z, 0.0, 0.0, 1.0
    if kind == BOX:
        return box_distance(form[at], form[at + U(1)], form[at + U(2)], x, y, z - form[at + U(3)])
    if kind == SPHERE:
        return _sphere(form[at], x, y, z)
    if kind == CYLINDER:
        return cylinder_distance(form[at], form[at + U(1)], x, y, z)
    return _grid(form, at, grid, x, y, z)


@kernel(INT, REALS, REALS, PLACES)
def distances(kind, form, grid, place):
    """Signed distances [m] of places in a tool's own coordinates, (count, 3); for checks and pictures."""
    result = np.empty(len(place))
    for n in range(len(place)):
        result[n] = own_distance(kind, form, U(0), grid, place[n, 0], place[n, 1], place[n, 2])[0]
    return result
