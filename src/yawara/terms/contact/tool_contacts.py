"""One contact of a tool with a place of a body's surface: a node, or somewhere between the nodes of an edge or a face."""

import numpy as np
from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.contact.arrays import LOAD, note_active, push
from yawara.terms.contact.augmented import answer, mass_of, pushes_on
from yawara.terms.contact.response import ZONE, release
from yawara.tools.form import FORM, FRICTION
from yawara.tools.load import tool_load
from yawara.tools.pose import surface_velocity


@inner
def touch_tool(me, tool, touch, pose, t, law, forces, base, points, internal, row, dt, keep, note, span,
               gap, share, nx, ny, nz, p0, w0, m0, p1, w1, m1, p2, w2, m2):  # fmt: skip
    """One contact with tool t of up to three points with weights w and inverse masses m; stored energy [J]."""
    a, b, c = U(8) * U(p0), U(8) * U(p1), U(8) * U(p2)
    x = w0 * points[a] + w1 * points[b] + w2 * points[c]
    y = w0 * points[a + U(1)] + w1 * points[b + U(1)] + w2 * points[c + U(1)]
    z = w0 * points[a + U(2)] + w1 * points[b + U(2)] + w2 * points[c + U(2)]
    ux, uy, uz, bx, by, bz = surface_velocity(t, pose, x, y, z, nx, ny, nz)
    vx = w0 * points[a + U(4)] + w1 * points[b + U(4)] + w2 * points[c + U(4)] - ux
    vy = w0 * points[a + U(5)] + w1 * points[b + U(5)] + w2 * points[c + U(5)] - uy
    vz = w0 * points[a + U(6)] + w1 * points[b + U(6)] + w2 * points[c + U(6)] - uz
    mass = mass_of(w0 * w0 * m0 + w1 * w1 * m1 + w2 * w2 * m2)
    if gap > law[ZONE] and not pushes_on(law, mass, share, gap, vx * nx + vy * ny + vz * nz, internal, row):
        if keep:
            release(internal, row)
        return 0.0
    fx, fy, fz, slope, grip, sx, sy, sz, stored = answer(
        me, touch, law, mass, share, tool.form[FORM * t + FRICTION], gap, nx, ny, nz, vx, vy, vz, internal, row, dt, keep,
        note)  # fmt: skip
    push(forces, touch.impulse, base, span, p0, w0, fx, fy, fz)
    if w1 != 0.0:
        push(forces, touch.impulse, base, span, p1, w1, fx, fy, fz)
    if w2 != 0.0:
        push(forces, touch.impulse, base, span, p2, w2, fx, fy, fz)
    tool_load(touch.load, (me * tool.kind.size + t) * LOAD, pose, t, x, y, z, fx, fy, fz, bx, by, bz)
    if note > 0.0:
        note_active(touch.active, me, slope, grip, sx, sy, sz, nx, ny, nz,
                    p0, w0, p1 if w1 != 0.0 else -1, w1, p2 if w2 != 0.0 else -1, w2, np.int64(tool.point[t]), -1.0)  # fmt: skip
    return stored
