"""Bounce: points that are found inside a tool after a step are sent back at once (Miyazaki et al. 1999, appendix 1).

With the collision point as origin and the normal along y, the source reflects speed and depth by the restitution e and slows the slide by
the friction mu; its sign of friction is corrected here, and the way along the surface counts from the instant of the collision:

    V'_n = -e V_n,  P'_n = -e P_n,  V'_t = V_t max(0, 1 - mu (1 + e) |V_n| / |V_t|),  P'_t = V'_t tau,  tau = P_n / V_n

Gravity went on acting below the surface, and the source's rule would give what it added there back on the way up: energy would grow. So
speeds are taken at the surface: V_s^2 = V_n^2 - 2 g d at depth d.

Energies are booked as for all contacts (books.py): the impulse j of a bounce times the mean velocity of the step. A step that moves a
point by h w, with the velocity w that its scheme moves points with, is what the other accounts reckon with; by what a bounce puts the point
elsewhere, d = x' - x - h w, the forces on it do work as well: d . (f + f')/2, half of which is known only in the next step.
"""

import math

from numba import uint64 as U

from yawara.core.stages import EULER, SEMI_IMPLICIT
from yawara.kernels.jit import inner
from yawara.terms.contact.arrays import LOAD, START, TALLY_STRIDE, tally_gap
from yawara.terms.contact.internal import SLOTS_OF_EDGE, SLOTS_OF_FACE, SLOTS_OF_NODE, STRETCH, VARIABLES
from yawara.tools.form import FORM, FRICTION
from yawara.tools.load import tool_load
from yawara.tools.pose import distance, set_poses, surface_velocity


@inner
def _shift_of(contact, n):
    """Where node n remembers by what it was put elsewhere [m]."""
    edges, faces = contact.edge.shape[0] + contact.pair_edge.shape[0], contact.face.shape[0]
    row = SLOTS_OF_NODE * contact.node.size + SLOTS_OF_EDGE * edges + SLOTS_OF_FACE * faces + n
    return U(VARIABLES * row + STRETCH)


@inner
def begin_bounces(me, contact, touch, forces, base, points, internal):
    """Note where the thread's nodes are before a step, and what acts on them.

    Returns the work [J] of these forces where nodes were put elsewhere after the last step: half of them, by the trapezoidal rule.
    """
    work = 0.0
    for n in range(touch.node[me], touch.node[me + 1]):
        p, at, shift = U(contact.node[n]), U(START * n), _shift_of(contact, n)
        for axis in range(U(3)):
            f = forces[base + U(4) * p + axis]
            touch.start[at + axis], touch.start[at + U(3) + axis] = points[U(8) * p + axis], points[U(8) * p + U(4) + axis]
            touch.start[at + U(6) + axis], touch.start[at + U(9) + axis] = f, 0.0
            work += 0.5 * f * internal[shift + axis]
            internal[shift + axis] = 0.0
    return work


@inner
def bounce_off_tools(me, contact, tool, waits, mass_of, gravity, touch, pose, points, internal, stage, dt):
    """The thread's nodes; impulses go to the tools' loads. Energy [J] that contacts take, and work [J] of what moves the tools."""
    taken, work = 0.0, 0.0
    set_poses(tool, points, waits, pose)
    for n in range(touch.node[me], touch.node[me + 1]):
        mass = mass_of[U(contact.node[n])]
        if mass > 0.0:
            bounced, worked = _bounce_node(me, n, contact, tool, mass, gravity, touch, pose, points, dt)
            if bounced:
                taken += worked + _book(n, contact, mass, gravity, touch, points, internal, stage, dt)
                work += worked
    return taken, work


@inner
def _book(n, contact, mass, gravity, touch, points, internal, stage, dt):
    """[J]: what the bounces of this step take from node n, but for what they give to tools."""
    at, i, shift, taken = U(START * n), U(8) * U(contact.node[n]), _shift_of(contact, n), 0.0
    for axis in range(U(3)):
        x, v, f = touch.start[at + axis], touch.start[at + U(3) + axis], touch.start[at + U(6) + axis]
        mean = 0.5 * (v + points[i + U(4) + axis])
        way = points[i + U(4) + axis] if stage == SEMI_IMPLICIT else v if stage == EULER else mean
        d = points[i + axis] - x - dt * way
        taken += (0.5 * f + mass * gravity[axis]) * d - touch.start[at + U(9) + axis] * mean
        internal[shift + axis] = d
    return taken


@inner
def _bounce_node(me, n, contact, tool, mass, gravity, touch, pose, points, dt):
    """Whether node n was sent back, and the work [J] of what moves the tools; its impulse is left in `touch.start`."""
    restitution, i, work, bounced = contact.bounce[0], U(8) * U(contact.node[n]), 0.0, False
    for t in range(tool.kind.size):
        gap, nx, ny, nz = distance(tool.kind, tool.form, tool.grid, t, pose, 0.0, points[i], points[i + U(1)], points[i + U(2)])
        if gap >= 0.0:
            continue
        ux, uy, uz, _, _, _ = surface_velocity(t, pose, points[i], points[i + U(1)], points[i + U(2)], nx, ny, nz)
        vx, vy, vz = points[i + U(4)] - ux, points[i + U(5)] - uy, points[i + U(6)] - uz
        inward = vx * nx + vy * ny + vz * nz
        if inward >= 0.0:
            continue
        tally_gap(touch.tally, me * TALLY_STRIDE, gap)
        weight = -(gravity[0] * nx + gravity[1] * ny + gravity[2] * nz)  # [m/s^2], towards the surface
        left = min(gap / inward, dt)
        at_surface = math.sqrt(max(inward * inward + 2.0 * weight * gap, 0.0))
        height = -restitution * gap
        outward = math.sqrt(max((restitution * at_surface) ** 2 - 2.0 * weight * height, 0.0))
        tx, ty, tz = vx - inward * nx, vy - inward * ny, vz - inward * nz
        slide = math.sqrt(tx * tx + ty * ty + tz * tz)
        slower = max(0.0, 1.0 - tool.form[FORM * t + FRICTION] * (1.0 + restitution) * at_surface / slide) if slide > 0.0 else 0.0
        wx, wy, wz = slower * tx + outward * nx, slower * ty + outward * ny, slower * tz + outward * nz
        jx, jy, jz = mass * (wx - vx), mass * (wy - vy), mass * (wz - vz)
        bounced, at = True, U(START * n + 9)
        touch.start[at], touch.start[at + U(1)], touch.start[at + U(2)] = (
            touch.start[at] + jx, touch.start[at + U(1)] + jy, touch.start[at + U(2)] + jz)  # fmt: skip
        work += jx * ux + jy * uy + jz * uz
        back = (slower - 1.0) * left
        points[i] += (height - gap) * nx + back * tx
        points[i + U(1)] += (height - gap) * ny + back * ty
        points[i + U(2)] += (height - gap) * nz + back * tz
        points[i + U(4)], points[i + U(5)], points[i + U(6)] = ux + wx, uy + wy, uz + wz
        tool_load(touch.load, (me * tool.kind.size + t) * LOAD, pose, t, points[i], points[i + U(1)], points[i + U(2)],
                  jx / dt, jy / dt, jz / dt, 0.0, 0.0, 0.0)  # fmt: skip
    return bounced, work
