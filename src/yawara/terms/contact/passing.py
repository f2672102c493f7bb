"""Nodes that could come out on the other side of a tool."""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.contact.arrays import tally_speed
from yawara.tools.form import FORM, THIN
from yawara.tools.pose import greatest_surface_speed, surface_velocity
from yawara.tools.shapes import FAR

UNBOUNDED = 1e8  # [m]: half-spaces have no other side
MIDDLE = 0.8  # of half the thickness: deeper nodes are nearly through


@inner
def caught_below(form, t, pose, step):
    """[m/s]: slower nodes cannot pass tool t in a step."""
    thin = form[FORM * t + THIN]
    return max(thin / step - greatest_surface_speed(form, t, pose), 0.0) if thin < UNBOUNDED and step > 0.0 else math.inf


@inlined
def watch_node(pose, t, thin, slow, gap, field, at, points, p, step, tally, place):
    """Look closely at a node (point p, at `gap` [m] from tool t) if it is faster than `slow` [m/s], or nearly half way through."""
    if slow < math.inf and gap < FAR:
        i = U(8) * U(p)
        vx, vy, vz = points[i + U(4)], points[i + U(5)], points[i + U(6)]
        if vx * vx + vy * vy + vz * vz > slow * slow or gap < -MIDDLE * thin:
            _watch_speed(pose, t, thin, gap, field, at, points, i, step, tally, place, p)


@inner
def _watch_speed(pose, t, thin, gap, field, at, points, i, step, tally, place, who):
    """Notice a node that is about to come out on the other side: nearly half way already, or so fast that it would not be seen inside."""
    if gap < -MIDDLE * thin:
        tally_speed(tally, place, 0.5 * step, who, t)
    nx, ny, nz = field[at + U(1)], field[at + U(2)], field[at + U(3)]
    ux, uy, uz, _, _, _ = surface_velocity(t, pose, points[i], points[i + U(1)], points[i + U(2)], nx, ny, nz)
    inward = (ux - points[i + U(4)]) * nx + (uy - points[i + U(5)]) * ny + (uz - points[i + U(6)]) * nz
    if inward * step > thin and gap < 2.0 * inward * step:
        tally_speed(tally, place, 0.25 * thin / inward, who, t)
