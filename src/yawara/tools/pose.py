"""Where tools are, how they move, and how far points are from them."""

import math

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.tools import form as form_of
from yawara.tools.form import FORM
from yawara.tools.shapes import FAR, PLANE, own_distance

NOWHERE = 1e30  # [m]

# Places in a tool's pose, all in the world's coordinates: rotation (row by row), position [m], velocity [m/s],
# angular velocity [rad/s], velocity of the surface [m/s], axis
ROTATION, POSITION, VELOCITY, TURNING, SLIDE, AXIS, POSE = 0, 9, 12, 15, 18, 21, 24


@inner
def set_poses(tool, points, waits, pose):
    """From the tools' points, whose fourth coordinate is the angle about the axis. Those that wait are nowhere near."""
    for t in range(tool.kind.size):
        p = U(8) * U(tool.point[t])
        one, form = pose[POSE * t : POSE * (t + 1)], tool.form[FORM * t : FORM * (t + 1)]
        start = form[form_of.ROTATION : form_of.ROTATION + 9]
        s, c = math.sin(points[p + U(3)]), math.cos(points[p + U(3)])
        x, y, z = form[form_of.AXIS], form[form_of.AXIS + 1], form[form_of.AXIS + 2]
        turn = (
            c + (1 - c) * x * x, (1 - c) * x * y - s * z, (1 - c) * x * z + s * y,
            (1 - c) * x * y + s * z, c + (1 - c) * y * y, (1 - c) * y * z - s * x,
            (1 - c) * x * z - s * y, (1 - c) * y * z + s * x, c + (1 - c) * z * z,
        )  # fmt: skip
        for i in range(3):
            for j in range(3):
                one[3 * i + j] = start[3 * i] * turn[j] + start[3 * i + 1] * turn[3 + j] + start[3 * i + 2] * turn[6 + j]
            one[POSITION + i] = points[p + U(i)]
            one[VELOCITY + i] = points[p + U(4) + U(i)]
            one[AXIS + i] = start[3 * i] * x + start[3 * i + 1] * y + start[3 * i + 2] * z
            one[TURNING + i] = points[p + U(7)] * one[AXIS + i]
        slide = form[form_of.SLIDE : form_of.SLIDE + 3]
        for i in range(3):  # a belt runs round its tool, and does not turn with it
            one[SLIDE + i] = start[3 * i] * slide[0] + start[3 * i + 1] * slide[1] + start[3 * i + 2] * slide[2]
            if waits[t]:
                one[POSITION + i] = -NOWHERE * one[3 * i + 2]  # below everything, seen from a plane


@inner
def distance(kind, form, grid, t, pose, near, x, y, z):
    """Signed distance [m] of a place from tool t, and the way out; FAR if it is certainly more than `near`."""
    i, at = U(POSE * t), U(FORM * t)
    dx, dy, dz = x - pose[i + U(9)], y - pose[i + U(10)], z - pose[i + U(11)]
    xx, xy, xz, yx, yy, yz, zx, zy, zz = (
        pose[i], pose[i + U(1)], pose[i + U(2)], pose[i + U(3)], pose[i + U(4)], pose[i + U(5)], pose[i + U(6)], pose[i + U(7)],
        pose[i + U(8)],
    )  # fmt: skip
    if kind[t] == PLANE:
        return xz * dx + yz * dy + zz * dz, xz, yz, zz
    if dx * dx + dy * dy + dz * dz > (form[at + U(form_of.BOUND)] + near) ** 2:
        return FAR, 0.0, 0.0, 1.0
    gap, gx, gy, gz = own_distance(
        kind[t], form, at, grid, xx * dx + yx * dy + zx * dz, xy * dx + yy * dy + zy * dz, xz * dx + yz * dy + zz * dz
    )
    return gap, xx * gx + xy * gy + xz * gz, yx * gx + yy * gy + yz * gz, zx * gx + zy * gy + zz * gz


@inner
def to_own(pose, t, x, y, z):
    """A direction of the world in the tool's own coordinates."""
    i = U(POSE * t)
    return (
        pose[i] * x + pose[i + U(3)] * y + pose[i + U(6)] * z, pose[i + U(1)] * x + pose[i + U(4)] * y + pose[i + U(7)] * z,
        pose[i + U(2)] * x + pose[i + U(5)] * y + pose[i + U(8)] * z,
    )  # fmt: skip


@inner
def to_world(pose, t, x, y, z):
    """The way back."""
    i = U(POSE * t)
    return (
        pose[i] * x + pose[i + U(1)] * y + pose[i + U(2)] * z, pose[i + U(3)] * x + pose[i + U(4)] * y + pose[i + U(5)] * z,
        pose[i + U(6)] * x + pose[i + U(7)] * y + pose[i + U(8)] * z,
    )  # fmt: skip


@inner
def surface_velocity(t, pose, x, y, z, nx, ny, nz):
    """[m/s] of the tool's material at a place on its surface, and the part of it that is its belt's."""
    i = U(POSE * t)
    rx, ry, rz = x - pose[i + U(9)], y - pose[i + U(10)], z - pose[i + U(11)]
    wx, wy, wz = pose[i + U(15)], pose[i + U(16)], pose[i + U(17)]
    bx, by, bz = pose[i + U(18)], pose[i + U(19)], pose[i + U(20)]
    along = bx * nx + by * ny + bz * nz  # a belt moves along the surface only
    bx, by, bz = bx - along * nx, by - along * ny, bz - along * nz
    return (
        pose[i + U(12)] + wy * rz - wz * ry + bx, pose[i + U(13)] + wz * rx - wx * rz + by,
        pose[i + U(14)] + wx * ry - wy * rx + bz, bx, by, bz,
    )  # fmt: skip


@inner
def greatest_surface_speed(form, t, pose):
    """[m/s], that no place of the tool's surface exceeds."""
    i = U(POSE * t)
    moving = math.sqrt(pose[i + U(12)] ** 2 + pose[i + U(13)] ** 2 + pose[i + U(14)] ** 2)
    turning = math.sqrt(pose[i + U(15)] ** 2 + pose[i + U(16)] ** 2 + pose[i + U(17)] ** 2)
    sliding = math.sqrt(pose[i + U(18)] ** 2 + pose[i + U(19)] ** 2 + pose[i + U(20)] ** 2)
    return moving + turning * form[FORM * t + form_of.BOUND] + sliding
