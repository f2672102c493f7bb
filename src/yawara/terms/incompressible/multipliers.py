"""Volumes that stay in implicit steps: R = 0 at the end of the step, by multipliers (augmented Lagrangian).

    pressure  p = lambda - K R,   force  A^T p

is the gradient of a potential for any scale K, so that each system has a solution and Newton's method a way down. Once it is found,
lambda <- p, and again, until R is small. K decides how soon that is, and nothing else: it is a multiple of the stiffest entry of the
bodies' own tangent. The rate w has no meaning here.
"""

import math

from numba import uint64 as U

from yawara.core.context import TAKEN
from yawara.kernels.jit import inner
from yawara.terms.incompressible.constraints import assemble_row
from yawara.terms.incompressible.turning import add_turning

STIFFER = 30.0  # K over the stiffest entry of the tangent


@inner
def _sizes(mine, c):
    """A M^-1 A^T and A A^T of one constraint."""
    answer, square = 0.0, 0.0
    for entry in range(U(mine.row[c]), U(mine.row[c + U(1)])):
        p = U(4) * U(mine.entry_point[entry])
        for axis in range(U(3)):
            g2 = mine.A[U(3) * entry + axis] ** 2
            answer, square = answer + g2 * mine.mobility[p + axis], square + g2
    return answer, square


@inner
def add_at_end(ctx, mine):
    """Forces of the thread's constraints at the end of a step, their tangents, and by how much they are missed."""
    forces, own, dt, lacking, power = ctx.forces, ctx.own, ctx.ahead, 0.0, 0.0
    for c in range(mine.first, mine.last):
        content, rate, _ = assemble_row(mine, c)
        answer, square = _sizes(mine, c)
        R = content - mine.rest[c]
        K = STIFFER * ctx.rigidity / (dt * dt * answer) if answer > 0.0 else 0.0
        pressure = mine.pressure[c] - K * R
        mine.product[c] = pressure
        mine.slope[c], mine.bears[c] = dt * K, -dt * pressure
        lacking = max(lacking, abs(R) / math.sqrt(square)) if answer > 0.0 else lacking
        power += pressure * rate
        for entry in range(U(mine.row[c]), U(mine.row[c + U(1)])):
            at = own + U(4) * U(mine.entry_point[entry])
            for axis in range(U(3)):
                forces[at + axis] += pressure * mine.A[U(3) * entry + axis]
    ctx.lacking = max(ctx.lacking, lacking)
    if ctx.finish:
        take(mine)
        if ctx.account:
            mine.tally[TAKEN] -= dt * power


@inner
def take(mine):
    """Multipliers take the pressures that were found with them."""
    for c in range(mine.first, mine.last):
        mine.pressure[c] = mine.product[c]


@inner
def add_along(ctx, mine):
    """Tangent times direction."""
    A, u, forces, own = mine.A, ctx.direction, ctx.forces, ctx.own
    for c in range(mine.first, mine.last):
        if mine.slope[c] == 0.0 and mine.bears[c] == 0.0:
            continue
        rate = 0.0
        for entry in range(U(mine.row[c]), U(mine.row[c + U(1)])):
            p, at = U(4) * U(mine.entry_point[entry]), U(3) * entry
            rate += A[at] * u[p] + A[at + U(1)] * u[p + U(1)] + A[at + U(2)] * u[p + U(2)]
        rate *= mine.slope[c]
        for entry in range(U(mine.row[c]), U(mine.row[c + U(1)])):
            p, at = own + U(4) * U(mine.entry_point[entry]), U(3) * entry
            for axis in range(U(3)):
                forces[p + axis] += rate * A[at + axis]
        for m in range(U(mine.member_first[c]), U(mine.member_first[c + U(1)])):
            e = U(mine.member[m])
            add_turning(mine.corner, e, mine.thickness[e], ctx.points, u, mine.bears[c], forces, own)


@inner
def add_squares(ctx, mine):
    """The diagonal; volumes are linear in each coordinate, so that turning adds nothing to it."""
    for c in range(mine.first, mine.last):
        for entry in range(U(mine.row[c]), U(mine.row[c + U(1)])):
            p, at = ctx.own + U(4) * U(mine.entry_point[entry]), U(3) * entry
            for axis in range(U(3)):
                ctx.forces[p + axis] += mine.slope[c] * mine.A[at + axis] ** 2
