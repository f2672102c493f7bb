"""How far nodes are from every tool."""

import math

import numpy as np
from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.tools.form import BOUND, FORM
from yawara.tools.pose import POSE, POSITION, distance
from yawara.tools.shapes import BOX, FAR, PLANE, SPHERE, box_distance

SAME_WAY = 0.99999  # cosine: directions of a flat side
CLOSE = 0.6  # of an edge: no place of a face is further from all its corners (more than half: nor is one of an edge from both its ends)


@inner
def _measure_plane(node, pose, t, begin, end, points, field):
    """As `measure_field`, for the tool that is commonest and simplest."""
    i = U(POSE * t)
    nx, ny, nz = pose[i + U(2)], pose[i + U(5)], pose[i + U(8)]
    height = nx * pose[i + U(9)] + ny * pose[i + U(10)] + nz * pose[i + U(11)]
    for n in range(begin, end):
        p, at = U(8) * U(node[U(n)]), U(4 * (t * (end - begin) + n - begin))
        field[at] = nx * points[p] + ny * points[p + U(1)] + nz * points[p + U(2)] - height
        field[at + U(1)], field[at + U(2)], field[at + U(3)] = nx, ny, nz


@inner
def _measure_box(node, pose, form, t, near, begin, end, points, field):
    """As `measure_field`, for plates: nodes over the same side have only its direction in common, and need no more."""
    i, f = U(POSE * t), U(FORM * t)
    xx, xy, xz = pose[i], pose[i + U(1)], pose[i + U(2)]
    yx, yy, yz = pose[i + U(3)], pose[i + U(4)], pose[i + U(5)]
    zx, zy, zz = pose[i + U(6)], pose[i + U(7)], pose[i + U(8)]
    px, py, pz = pose[i + U(9)], pose[i + U(10)], pose[i + U(11)]
    hx, hy, hz, offset = form[f], form[f + U(1)], form[f + U(2)], form[f + U(3)]
    above, below, beside, least = False, False, False, FAR
    for n in range(begin, end):
        p, at = U(8) * U(node[U(n)]), U(4 * (t * (end - begin) + n - begin))
        dx, dy, dz = points[p] - px, points[p + U(1)] - py, points[p + U(2)] - pz
        x, y, z = xx * dx + yx * dy + zx * dz, xy * dx + yy * dy + zy * dz, xz * dx + yz * dy + zz * dz - offset
        if abs(x) <= hx and abs(y) <= hy and abs(z) > hz:
            sign = 1.0 if z >= 0.0 else -1.0
            gap, gx, gy, gz = abs(z) - hz, sign * xz, sign * yz, sign * zz
            above, below = above or (z >= 0.0 and gap <= near), below or (z < 0.0 and gap <= near)
        else:
            gap, ox, oy, oz = box_distance(hx, hy, hz, x, y, z)
            gx, gy, gz = xx * ox + xy * oy + xz * oz, yx * ox + yy * oy + yz * oz, zx * ox + zy * oy + zz * oz
            if gap <= near:
                if oz > SAME_WAY:
                    above = True
                elif oz < -SAME_WAY:
                    below = True
                else:
                    beside = True
        least = min(least, gap)
        field[at], field[at + U(1)], field[at + U(2)], field[at + U(3)] = gap, gx, gy, gz
    return least <= CLOSE * near and (beside or (above and below))


@inner
def _measure_sphere(node, pose, form, t, near, begin, end, points, field):
    """As `measure_field`, for balls and finger tips, which need not be turned."""
    i, f = U(POSE * t), U(FORM * t)
    px, py, pz, radius = pose[i + U(9)], pose[i + U(10)], pose[i + U(11)], form[f]
    reach2, least = (form[f + U(BOUND)] + near) ** 2, FAR
    for n in range(begin, end):
        p, at = U(8) * U(node[U(n)]), U(4 * (t * (end - begin) + n - begin))
        dx, dy, dz = points[p] - px, points[p + U(1)] - py, points[p + U(2)] - pz
        square = dx * dx + dy * dy + dz * dz
        gap, gx, gy, gz = FAR, 0.0, 0.0, 1.0
        if square <= reach2:
            d = math.sqrt(square)
            gap = d - radius
            if d > 0.0:
                inverse = 1.0 / d
                gx, gy, gz = inverse * dx, inverse * dy, inverse * dz
        least = min(least, gap)
        field[at], field[at + U(1)], field[at + U(2)], field[at + U(3)] = gap, gx, gy, gz
    return least <= CLOSE * near


@inner
def mark_close(field, tools, limit, close):
    """Which nodes are within `limit` [m] of one of the tools: of all others, no edge and no face can touch them."""
    count = close.size
    close[:] = False
    for t in tools:
        for n in range(count):
            if field[U(4 * (t * count + n))] <= limit:
                close[U(n)] = True


@inner
def _ball_around(node, begin, end, points):
    """Middle and radius of a ball that holds the nodes from begin to end."""
    low_x = low_y = low_z = np.inf
    high_x = high_y = high_z = -np.inf
    for n in range(begin, end):
        p = U(8) * U(node[U(n)])
        low_x, high_x = min(low_x, points[p]), max(high_x, points[p])
        low_y, high_y = min(low_y, points[p + U(1)]), max(high_y, points[p + U(1)])
        low_z, high_z = min(low_z, points[p + U(2)]), max(high_z, points[p + U(2)])
    x, y, z = high_x - low_x, high_y - low_y, high_z - low_z
    return 0.5 * (low_x + high_x), 0.5 * (low_y + high_y), 0.5 * (low_z + high_z), 0.5 * math.sqrt(x * x + y * y + z * z)


@inner
def measure_field(tool, node, pose, near, begin, end, points, field, rough, away):
    """Distance and way out of the nodes from begin to end, for every tool: 4 numbers at field[4 (tool (end - begin) + node - begin)].

    `rough[tool]` says whether edges and faces can touch it between their ends: not if all that is near looks the same way.
    `away[tool]` that all nodes are further away than `near`: then nothing is measured.
    """
    kind, form, grid = tool.kind, tool.form, tool.grid
    x, y, z, radius = _ball_around(node, begin, end, points)
    for t in range(kind.size):
        i = U(POSE * t + POSITION)
        square = (pose[i] - x) ** 2 + (pose[i + U(1)] - y) ** 2 + (pose[i + U(2)] - z) ** 2
        away[t] = kind[t] != PLANE and square > (radius + form[FORM * t + BOUND] + near) ** 2
        if away[t]:
            rough[t] = False
            continue
        if kind[t] == PLANE:
            _measure_plane(node, pose, t, begin, end, points, field)
            continue
        if kind[t] == BOX:
            rough[t] = _measure_box(node, pose, form, t, near, begin, end, points, field)
            continue
        if kind[t] == SPHERE:
            rough[t] = _measure_sphere(node, pose, form, t, near, begin, end, points, field)
            continue
        rough[t] = False
        for n in range(begin, end):
            p = U(8) * U(node[U(n)])
            gap, gx, gy, gz = distance(kind, form, grid, t, pose, near, points[p], points[p + U(1)], points[p + U(2)])
            at = U(4 * (t * (end - begin) + n - begin))
            field[at], field[at + U(1)], field[at + U(2)], field[at + U(3)] = gap, gx, gy, gz
            rough[t] = rough[t] or gap <= CLOSE * near
