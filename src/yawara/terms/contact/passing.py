"""Nodes that could come out on the other side of a tool."""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.contact.arrays import tally_speed
from yawara.tools.pose import surface_velocity

UNBOUNDED = 1e8  # [m]: half-spaces have no other side
MIDDLE = 0.8  # of half the thickness: deeper nodes are nearly through


@inner
def watch_speed(pose, t, thin, gap, field, at, points, i, step, tally, place, who):
    """Notice a node that is about to come out on the other side: nearly half way already, or so fast that it would not be seen inside."""
    if gap < -MIDDLE * thin:
        tally_speed(tally, place, 0.5 * step, who, t)
    nx, ny, nz = field[at + U(1)], field[at + U(2)], field[at + U(3)]
    ux, uy, uz, _, _, _ = surface_velocity(t, pose, points[i], points[i + U(1)], points[i + U(2)], nx, ny, nz)
    inward = (ux - points[i + U(4)]) * nx + (uy - points[i + U(5)]) * ny + (uz - points[i + U(6)]) * nz
    if inward * step > thin and gap < 2.0 * inward * step:
        tally_speed(tally, place, 0.25 * thin / inward, who, t)
