"""Pressures under which all volumes do what constraints want, by the method of conjugate residuals, without a matrix.

    A M^-1 A^T lambda = -(C + A (M^-1 f + g))                                   Hirai 2005, eq. (4.53), with the forces f that it leaves out

for gradients A (rows are constraints), with M^-1 = 0 where points are held and their given accelerations instead. The force on points is
A^T lambda: lambda is a pressure. The last pressures are the first guess. Where constraints say the same twice, the system is singular; what
pressures may differ by then pushes nobody. Where they contradict each other, no pressures meet all of them: what is left of the residual
falls with every step, unlike in conjugate gradients, and the search ends once no pressure can lessen it.
"""

import numpy as np
from numba import uint64 as U

from yawara.core.control import FREE
from yawara.core.outside import given_acceleration
from yawara.core.threads import largest_of_all, total_of_all
from yawara.kernels.jit import inner
from yawara.terms.incompressible.arrays import ITERATIONS, MISSED, MOST, OFF, SYSTEMS
from yawara.terms.incompressible.constraints import rate_of

TOLERANCE = 1e-8  # of V0, by which R may be off in the mean of all: R'' that is wrong by x for long leaves R off by x / w^2
ROUNDING = 1e-13  # of all that adds up to R''
STEPS = 1000
NOBODY = 1e-7  # of what the diagonal says, that a residual moves points: constraints contradict each other. In a mesh of n cells across the
# slowest pressures still move them by about 1 / n^2.


@inner
def find_mobility(ctx, mine):
    """Of the own points, as long as the same ones are held."""
    mobility, axis_drive, inverse_mass = mine.mobility, ctx.control.axis_drive, ctx.inverse_mass
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(3)):
            mobility[U(4) * p + axis] = inverse_mass[p] if axis_drive[p, axis] == FREE else 0.0


@inner
def _pushed(mine, p, values):
    """(A^T values) at a point."""
    A, column_entry, entry_row, x, y, z = mine.A, mine.column_entry, mine.entry_row, 0.0, 0.0, 0.0
    for n in range(U(mine.column[p]), U(mine.column[p + U(1)])):
        entry = U(column_entry[n])
        at, value = U(3) * entry, values[U(entry_row[entry])]
        x, y, z = x + A[at] * value, y + A[at + U(1)] * value, z + A[at + U(2)] * value
    return x, y, z


@inner
def accelerate(ctx, mine):
    """Accelerations of the own points, with the last pressures."""
    acceleration, mobility, points, forces, drives = (
        mine.acceleration,
        mine.mobility,
        ctx.points,
        ctx.forces,
        ctx.control.axis_drive,
    )
    step = ctx.step if ctx.last == 0 else 0.0
    for p in range(ctx.begin, ctx.end):
        if mine.column[p] == mine.column[p + U(1)]:
            continue
        pushed = _pushed(mine, p, mine.pressure)
        for axis in range(3):
            at, drive = U(4) * p + U(axis), drives[p, axis]
            if drive == FREE:
                acceleration[at] = mobility[at] * (forces[ctx.own + at] + pushed[axis]) + ctx.gravity[axis]
            else:
                speed = points[U(8) * p + U(4) + U(axis)]
                acceleration[at] = given_acceleration(ctx.control, drive, axis, speed, ctx.now, ctx.then, step)


@inner
def _start(mine, c):
    """Residual and diagonal of one constraint; returns the size of what adds up to the residual."""
    A, a, mobility, total, size, diagonal = mine.A, mine.acceleration, mine.mobility, mine.wanted[c], abs(mine.wanted[c]), 0.0
    for entry in range(U(mine.row[c]), U(mine.row[c + U(1)])):
        p = U(4) * U(mine.entry_point[entry])
        for axis in range(U(3)):
            g = A[U(3) * entry + axis]
            part = g * a[p + axis]
            total, size, diagonal = total + part, size + abs(part), diagonal + g * g * mobility[p + axis]
    mine.inverse[c] = 1.0 / diagonal if diagonal > 0.0 else 0.0
    mine.residual[c] = -total
    return size


@inner
def _begin(ctx, mine):
    """(r, z) of the first residual r and z = r / D, and how small it must become."""
    rz, size, allowed = 0.0, 0.0, 0.0
    for c in range(mine.first, mine.last):
        one, w = _start(mine, c), rate_of(mine, c, ctx.dt)
        inverse, r = mine.inverse[c], mine.residual[c]
        mine.z[c], mine.direction[c], mine.product[c] = r * inverse, 0.0, 0.0
        rz += r * r * inverse
        size += one * one * inverse
        allowed += (w * w * mine.rest[c]) ** 2 * inverse
    rz, size, allowed = (
        total_of_all(ctx, mine.sums, rz),
        total_of_all(ctx, mine.sums, size),
        total_of_all(ctx, mine.sums, allowed),
    )
    return rz, max(TOLERANCE * TOLERANCE * allowed, ROUNDING * ROUNDING * size)


@inner
def _answer(ctx, mine):
    """Accelerations of the own points under the pressures z; the part of (z, B z) that is theirs."""
    mobility, acceleration, total = mine.mobility, mine.acceleration, 0.0
    for p in range(ctx.begin, ctx.end):
        if mine.column[p] == mine.column[p + U(1)]:
            continue
        pushed, at = _pushed(mine, p, mine.z), U(4) * p
        x, y, z = mobility[at] * pushed[0], mobility[at + U(1)] * pushed[1], mobility[at + U(2)] * pushed[2]
        acceleration[at], acceleration[at + U(1)], acceleration[at + U(2)] = x, y, z
        total += x * pushed[0] + y * pushed[1] + z * pushed[2]
    return total


@inner
def _turn(mine, turn):
    """The next direction p = z + turn p, and B p; the own part of (B p, B p / D)."""
    A, a, size = mine.A, mine.acceleration, 0.0
    for c in range(mine.first, mine.last):
        product = turn * mine.product[c]
        for entry in range(U(mine.row[c]), U(mine.row[c + U(1)])):
            p, at = U(4) * U(mine.entry_point[entry]), U(3) * entry
            product += A[at] * a[p] + A[at + U(1)] * a[p + U(1)] + A[at + U(2)] * a[p + U(2)]
        mine.direction[c] = mine.z[c] + turn * mine.direction[c]
        mine.product[c] = product
        size += product * product * mine.inverse[c]
    return size


@inner
def _advance(mine, step):
    """Pressures and residuals a step along the direction; the own part of (r, z)."""
    rz = 0.0
    for c in range(mine.first, mine.last):
        mine.pressure[c] += step * mine.direction[c]
        r = mine.residual[c] - step * mine.product[c]
        mine.residual[c], mine.z[c] = r, r * mine.inverse[c]
        rz += r * mine.z[c]
    return rz


@inner
def _note(ctx, mine, iterations, missed):
    """What was done, for whoever looks; if constraints were missed, how far volumes are off by now."""
    worst = 0.0
    if missed:
        for c in range(mine.first, mine.last):
            worst = max(worst, abs(mine.off[c]))
        worst = largest_of_all(ctx, mine.sums, worst)
    if ctx.me == 0:
        counts = mine.counts
        counts[ITERATIONS] += iterations
        counts[SYSTEMS] += 1.0
        counts[MOST] = max(counts[MOST], float(iterations))
        counts[MISSED] += 1.0 if missed else 0.0
        counts[OFF] = max(counts[OFF], worst)


@inner
def find_pressures(ctx, mine):
    """Conjugate residuals, by the diagonal; False if the threads parted, or the state is lost."""
    rz, goal = _begin(ctx, mine)
    before, iteration = np.inf, 0
    while rz > goal and iteration < STEPS:
        answer = total_of_all(ctx, mine.sums, _answer(ctx, mine))
        if not answer > NOBODY * rz:
            break
        size = total_of_all(ctx, mine.sums, _turn(mine, answer / before))
        rz = total_of_all(ctx, mine.sums, _advance(mine, answer / size))
        before, iteration = answer, iteration + 1
    _note(ctx, mine, iteration, rz > goal)
    return rz == rz


@inner
def push(ctx, mine):
    """Forces of the pressures on the own points, held ones as well."""
    forces, own = ctx.forces, ctx.own
    for p in range(ctx.begin, ctx.end):
        pushed, at = _pushed(mine, p, mine.pressure), own + U(4) * p
        forces[at], forces[at + U(1)], forces[at + U(2)] = (
            forces[at] + pushed[0], forces[at + U(1)] + pushed[1], forces[at + U(2)] + pushed[2],
        )  # fmt: skip
