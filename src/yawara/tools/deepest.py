"""Where on an edge or a face a tool is nearest, and which way leads out there.

The distance from a convex tool is convex: along an edge, its values and slopes at two places bound it from below, and where the bounds
meet is the next place to look (cutting planes). Flat sides are found at once, and the place does not jump when sides change.

A flat side that lies on an edge is as near everywhere; a weak pull towards the middle, which counts as distance, makes the place one:
what is least must be what acts, or moving the place would make energy.
"""

import math

from numba import uint64 as U

from yawara.kernels.closest import closest_on_triangle
from yawara.kernels.jit import inner
from yawara.tools.form import FORM
from yawara.tools.pose import POSE, POSITION, distance, to_own, to_world
from yawara.tools.shapes import BOX, CYLINDER, SPHERE, box_distance, cylinder_distance, own_distance

LOOKS = 40  # at most, in search of the nearest place; flat sides need three or four
NEAR_ENOUGH = 1e-13  # of the edge, between the distance at a place and its lower bound
TOWARDS_MIDDLE = 0.03  # slope of the weak pull at an end
LEVEL, A_CORNER = 1e-10, 1e-3  # slopes next to the nearest place: of a curve at most, of a corner at least
FLATTEST = 0.3  # cosine between a side and the way out at its corner, at least


@inner
def _where_bounds_meet(length, low, low_slope, high, high_slope, curvature):
    """Place [in the unit of `length`] and value of the least that a convex function can have between two ends that fall inwards.

    It is bent by `curvature` at least, so that a parabola touches it from below at each end.
    """
    bend = curvature * length
    narrow = high_slope - low_slope - bend  # 0 if it is a parabola
    place = (low - high + high_slope * length - 0.5 * bend * length) / narrow if narrow > 0.0 else 0.5 * length
    if low_slope + curvature * place > 0.0:  # the low end's parabola turns before
        place = -low_slope / curvature
        return place, low + 0.5 * low_slope * place
    if high_slope + curvature * (place - length) < 0.0:
        back = high_slope / curvature
        return length - back, high - 0.5 * high_slope * back
    return place, low + low_slope * place + 0.5 * curvature * place * place


@inner
def _or_else(look, step, length, low_slope, high_slope):
    """Where to look: where the bounds meet is right for corners; in turn with it, for curves, where the slope should vanish."""
    if look % 5 == 1:
        return 0.5 * length  # something else again for what is not convex
    return -low_slope / (high_slope - low_slope) * length if look % 2 else step


@inner
def _nearest_along(kind, form, at, grid, pull, ax, ay, az, dx, dy, dz, cx, cy, cz):
    """The place on a + s d, 0 <= s <= 1, with the least distance + pull |place - c|^2 / 2: s, that least, and its direction of growth.

    That direction is across d, unless the place is an end. Inside a corner of a tool the sides' directions mix so that it is. All in
    the tool's own coordinates, its numbers beginning at form[at].
    """
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    curvature = pull * length * length
    hx, hy, hz, offset = form[at], form[at + U(1)], form[at + U(2)], form[at + U(3)]
    low_s, high_s, s = 0.0, 1.0, 0.0
    low_f = low_slope = low_x = low_y = low_z = high_f = high_slope = high_x = high_y = high_z = bound = 0.0
    for look in range(LOOKS):
        if look == 1:
            s = 1.0
        elif look > 1:
            step, bound = _where_bounds_meet(high_s - low_s, low_f, low_slope, high_f, high_slope, curvature)
            step = _or_else(look, step, high_s - low_s, low_slope, high_slope)
            s = low_s + min(max(step, 0.0), high_s - low_s)
        x, y, z = ax + s * dx, ay + s * dy, az + s * dz
        if kind == BOX:  # without a call that takes arrays along
            f, gx, gy, gz = box_distance(hx, hy, hz, x, y, z - offset)
        elif kind == CYLINDER:
            f, gx, gy, gz = cylinder_distance(hx, hy, x, y, z)
        else:
            f, gx, gy, gz = own_distance(kind, form, at, grid, x, y, z)
        x, y, z = x - cx, y - cy, z - cz
        f, gx, gy, gz = f + 0.5 * pull * (x * x + y * y + z * z), gx + pull * x, gy + pull * y, gz + pull * z
        slope = gx * dx + gy * dy + gz * dz
        if (look == 0 and slope >= 0.0) or (look == 1 and slope <= 0.0) or slope == 0.0:
            return s, f, gx, gy, gz
        if slope < 0.0:
            low_s, low_f, low_slope, low_x, low_y, low_z = s, f, slope, gx, gy, gz
        else:
            high_s, high_f, high_slope, high_x, high_y, high_z = s, f, slope, gx, gy, gz
        if look > 1 and f - bound <= NEAR_ENOUGH * length:
            steep = min(-low_slope, high_slope) / length
            if steep <= LEVEL or steep > A_CORNER:
                break
    # The mix of both ends' directions that is across d, each as it is at the place.
    down, up = low_slope + curvature * (s - low_s), high_slope + curvature * (s - high_s)
    share = 1.0 if down >= 0.0 else (0.0 if up <= 0.0 else up / (up - down))
    far = pull * (s - share * low_s - (1.0 - share) * high_s)
    gx = share * low_x + (1.0 - share) * high_x + far * dx
    gy = share * low_y + (1.0 - share) * high_y + far * dy
    gz = share * low_z + (1.0 - share) * high_z + far * dz
    return s, f, gx, gy, gz


@inner
def deepest_of_edge(kind, form, grid, t, pose, near, ax, ay, az, dx, dy, dz):
    """Where on the edge from a along d the tool is nearest, as a share of d, how near, and the way out there.

    Inside a corner of a tool the way out is across the edge, and the distance counts along it: that of two edges.
    """
    if kind[t] == SPHERE:
        one = U(POSE * t + POSITION)
        x, y, z = pose[one] - ax, pose[one + U(1)] - ay, pose[one + U(2)] - az
        s = (x * dx + y * dy + z * dz) / (dx * dx + dy * dy + dz * dz)
        gap, gx, gy, gz = distance(kind, form, grid, t, pose, near, ax + s * dx, ay + s * dy, az + s * dz)
        return s, gap, gx, gy, gz
    pull = TOWARDS_MIDDLE / math.sqrt(dx * dx + dy * dy + dz * dz)
    i = U(POSE * t + POSITION)
    ax, ay, az = to_own(pose, t, ax - pose[i], ay - pose[i + U(1)], az - pose[i + U(2)])
    dx, dy, dz = to_own(pose, t, dx, dy, dz)
    s, gap, gx, gy, gz = _nearest_along(
        kind[t], form, U(FORM * t), grid, pull, ax, ay, az, dx, dy, dz, ax + 0.5 * dx, ay + 0.5 * dy, az + 0.5 * dz
    )
    gx, gy, gz = to_world(pose, t, gx, gy, gz)
    size = max(math.sqrt(gx * gx + gy * gy + gz * gz), FLATTEST)
    return s, gap / size, gx / size, gy / size, gz / size


@inner
def deepest_of_face(kind, form, grid, t, pose, near, x, y, z):
    """Weights of the corners (x, y, z of each) where the tool is nearest, how near, and the way out there: across the face."""
    if kind[t] == SPHERE:
        one = U(POSE * t + POSITION)
        u, v, w, _ = closest_on_triangle(pose[one], pose[one + U(1)], pose[one + U(2)],
                                         x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])  # fmt: skip
        gap, gx, gy, gz = distance(kind, form, grid, t, pose, near, u * x[0] + v * x[1] + w * x[2], u * y[0] + v * y[1] + w * y[2],
                                   u * z[0] + v * z[1] + w * z[2])  # fmt: skip
        return u, v, w, gap, gx, gy, gz
    i, own, at = U(POSE * t + POSITION), kind[t], U(FORM * t)
    ax, ay, az = to_own(pose, t, x[0] - pose[i], y[0] - pose[i + U(1)], z[0] - pose[i + U(2)])
    dx, dy, dz = to_own(pose, t, x[1] - x[0], y[1] - y[0], z[1] - z[0])
    ex, ey, ez = to_own(pose, t, x[2] - x[0], y[2] - y[0], z[2] - z[0])
    mx, my, mz = (dx + ex) / 3.0, (dy + ey) / 3.0, (dz + ez) / 3.0  # the middle, from corner 0
    pull = TOWARDS_MIDDLE / math.sqrt(mx * mx + my * my + mz * mz + 1e-300)
    cx, cy, cz = ax + mx, ay + my, az + mz
    # Lines along the side from corner 0 to corner 1, nearer and nearer to corner 2: the least on a line is convex from line to line.
    along = (dx * ex + dy * ey + dz * ez) / (dx * dx + dy * dy + dz * dz)
    height = (ex - along * dx) ** 2 + (ey - along * dy) ** 2 + (ez - along * dz) ** 2
    curvature, enough = pull * height, NEAR_ENOUGH * math.sqrt(height)
    low_r, high_r, r = 0.0, 1.0, 0.0
    low_f = low_slope = low_x = low_y = low_z = high_f = high_slope = high_x = high_y = high_z = bound = 0.0
    for look in range(LOOKS):
        if look == 1:
            r = 1.0
        elif look > 1:
            step, bound = _where_bounds_meet(high_r - low_r, low_f, low_slope, high_f, high_slope, curvature)
            step = _or_else(look, step, high_r - low_r, low_slope, high_slope)
            r = low_r + min(max(step, 0.0), high_r - low_r)
        left = 1.0 - r
        s, f, gx, gy, gz = _nearest_along(own, form, at, grid, pull, ax + r * ex, ay + r * ey, az + r * ez,
                                          left * dx, left * dy, left * dz, cx, cy, cz)  # fmt: skip
        if left == 0.0 and gx * dx + gy * dy + gz * dz < 0.0:
            s = 1.0  # corner 2 is all of its line, and downhill from there may lead along either side
        u, v, w = left * (1.0 - s), left * s, r
        slope = gx * (ex - s * dx) + gy * (ey - s * dy) + gz * (ez - s * dz)  # from line to line, at the same s
        if (look == 0 and slope >= 0.0) or (look == 1 and slope <= 0.0):
            gx, gy, gz = to_world(pose, t, gx, gy, gz)
            return u, v, w, f, gx, gy, gz  # on an edge: theirs
        if look > 1 and (slope == 0.0 or f - bound <= enough):
            break
        if slope < 0.0:
            low_r, low_f, low_slope, low_x, low_y, low_z = r, f, slope, gx, gy, gz
        else:
            high_r, high_f, high_slope, high_x, high_y, high_z = r, f, slope, gx, gy, gz
    down, up = low_slope + curvature * (r - low_r), high_slope + curvature * (r - high_r)
    share = 1.0 if down >= 0.0 else (0.0 if up <= 0.0 else up / (up - down))
    gx, gy, gz = (
        share * low_x + (1.0 - share) * high_x,
        share * low_y + (1.0 - share) * high_y,
        share * low_z + (1.0 - share) * high_z,
    )
    nx, ny, nz = dy * ez - dz * ey, dz * ex - dx * ez, dx * ey - dy * ex
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    across = (nx * gx + ny * gy + nz * gz) / size
    nx, ny, nz = to_world(pose, t, nx, ny, nz)
    size = size if across > 0.0 else -size
    return u, v, w, f / max(abs(across), FLATTEST), nx / size, ny / size, nz / size
