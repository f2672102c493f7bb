"""Where on an edge or a face a tool is nearest, and which way leads out there."""

import math

import numpy as np
from numba import uint64 as U

from yawara.contact.closest import closest_on_triangle
from yawara.contact.tools.pose import POSE, POSITION, distance
from yawara.contact.tools.shapes import SPHERE
from yawara.jit import inner

HALVINGS = 24  # of an edge, in search of its deepest place
FACE_STEPS, FACE_HALVINGS = 16, 12
TOWARDS_MIDDLE = 0.03  # slope of a weak pull, where a tool is as near in many places
FLATTEST = 0.3  # cosine between a side and the way out at its corner, at least


@inner
def deepest_of_edge(kind, form, grid, t, pose, near, ax, ay, az, dx, dy, dz):
    """Where on the edge from a along d the tool is nearest, as a share of d, how near, and the way out there.

    The distance's slope changes its sign there. Inside a corner of a tool it does so with a jump from one side to the other; the way out
    is then between both, across the edge, and the distance counts along it: that of two edges. A flat side that lies on the edge is as
    near everywhere; a weak pull towards the middle keeps the place from jumping to and fro.
    """
    if kind[t] == SPHERE:
        one = U(POSE * t + POSITION)
        x, y, z = pose[one] - ax, pose[one + U(1)] - ay, pose[one + U(2)] - az
        s = (x * dx + y * dy + z * dz) / (dx * dx + dy * dy + dz * dz)
        gap, gx, gy, gz = distance(kind, form, grid, t, pose, near, ax + s * dx, ay + s * dy, az + s * dz)
        return s, gap, gx, gy, gz
    low, high, pull = 0.0, 1.0, TOWARDS_MIDDLE * math.sqrt(dx * dx + dy * dy + dz * dz)
    for _ in range(HALVINGS):
        s = 0.5 * (low + high)
        _, gx, gy, gz = distance(kind, form, grid, t, pose, near, ax + s * dx, ay + s * dy, az + s * dz)
        if gx * dx + gy * dy + gz * dz + pull * (s - 0.5) < 0.0:
            low = s
        else:
            high = s
    gap, gx, gy, gz = distance(kind, form, grid, t, pose, near, ax + low * dx, ay + low * dy, az + low * dz)
    _, hx, hy, hz = distance(kind, form, grid, t, pose, near, ax + high * dx, ay + high * dy, az + high * dz)
    falls, rises, share = gx * dx + gy * dy + gz * dz, hx * dx + hy * dy + hz * dz, 1.0
    if falls < 0.0 < rises:
        share = rises / (rises - falls)
    gx, gy, gz = share * gx + (1.0 - share) * hx, share * gy + (1.0 - share) * hy, share * gz + (1.0 - share) * hz
    along = (gx * dx + gy * dy + gz * dz) / (dx * dx + dy * dy + dz * dz)
    gx, gy, gz = gx - along * dx, gy - along * dy, gz - along * dz
    size = max(math.sqrt(gx * gx + gy * gy + gz * gz), FLATTEST)
    # The pull counts as distance: what is least must be what acts, or moving the place would make energy.
    return low, gap / size + 0.5 * pull * (low - 0.5) ** 2, gx / size, gy / size, gz / size


@inner
def deepest_of_face(kind, form, grid, t, pose, near, x, y, z):
    """Weights of the corners (x, y, z of each) where the tool is nearest: towards the corner that promises most, again and again.

    Also what the pull towards the middle adds to the distance [m], as on edges.
    """
    if kind[t] == SPHERE:
        one = U(POSE * t + POSITION)
        u, v, w, _ = closest_on_triangle(pose[one], pose[one + U(1)], pose[one + U(2)],
                                         x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])  # fmt: skip
        return u, v, w, 0.0
    u, v, w = 1 / 3, 1 / 3, 1 / 3
    cx, cy, cz = (x[0] + x[1] + x[2]) / 3.0, (y[0] + y[1] + y[2]) / 3.0, (z[0] + z[1] + z[2]) / 3.0
    pull = TOWARDS_MIDDLE / math.sqrt((x[0] - cx) ** 2 + (y[0] - cy) ** 2 + (z[0] - cz) ** 2 + 1e-300)
    for _ in range(FACE_STEPS):
        px, py, pz = u * x[0] + v * x[1] + w * x[2], u * y[0] + v * y[1] + w * y[2], u * z[0] + v * z[1] + w * z[2]
        _, gx, gy, gz = distance(kind, form, grid, t, pose, near, px, py, pz)
        gx, gy, gz = gx + pull * (px - cx), gy + pull * (py - cy), gz + pull * (pz - cz)
        best, slope = 0, np.inf
        for n in range(3):
            s = gx * (x[n] - px) + gy * (y[n] - py) + gz * (z[n] - pz)
            if s < slope:
                best, slope = n, s
        if slope >= -1e-9:
            break
        low, high = 0.0, 1.0
        dx, dy, dz = x[best] - px, y[best] - py, z[best] - pz
        for _ in range(FACE_HALVINGS):
            s = 0.5 * (low + high)
            qx, qy, qz = px + s * dx, py + s * dy, pz + s * dz
            _, gx, gy, gz = distance(kind, form, grid, t, pose, near, qx, qy, qz)
            if (gx + pull * (qx - cx)) * dx + (gy + pull * (qy - cy)) * dy + (gz + pull * (qz - cz)) * dz < 0.0:
                low = s
            else:
                high = s
        s = 0.5 * (low + high)
        u, v, w = (1 - s) * u, (1 - s) * v, (1 - s) * w
        if best == 0:
            u += s
        elif best == 1:
            v += s
        else:
            w += s
    px, py, pz = u * x[0] + v * x[1] + w * x[2], u * y[0] + v * y[1] + w * y[2], u * z[0] + v * z[1] + w * z[2]
    return u, v, w, 0.5 * pull * ((px - cx) ** 2 + (py - cy) ** 2 + (pz - cz) ** 2)


@inner
def across_face(x, y, z, gap, gx, gy, gz):
    """At the deepest place of a face the way out is across it, on whichever side of a tool's corner the search has ended."""
    ex, ey, ez, fx, fy, fz = x[1] - x[0], y[1] - y[0], z[1] - z[0], x[2] - x[0], y[2] - y[0], z[2] - z[0]
    nx, ny, nz = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
    size = math.sqrt(nx * nx + ny * ny + nz * nz)
    along = (nx * gx + ny * gy + nz * gz) / size if size > 0.0 else 0.0
    if abs(along) < FLATTEST:
        return gap, gx, gy, gz
    sign = 1.0 if along > 0.0 else -1.0
    return gap / abs(along), sign * nx / size, sign * ny / size, sign * nz / size
