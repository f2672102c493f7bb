"""Contact in implicit steps without a stiffness: multipliers (augmented Lagrangian; Alart and Curnier 1991, Simo and Laursen 1992).

With the gap g at the end of the step, the way s = dt v_t that the two sides slide along each other in it, and a scale K [N/m],

    normal force  N = max(0, lambda - K g),   friction  T = P(tau - K s),   P: onto the disc of radius mu lambda,

are the gradient of a potential, so that each system has a solution and Newton's method a way down. Once it is found, lambda <- N, tau <- T,
and again, until nothing changes: then g = 0 where there is force, s = 0 where friction holds, and |T| = mu N where it slips. K decides how
soon that is, and nothing else: it is a multiple of the stiffest entry of the bodies' own tangent.

Multipliers are kept as internal variables in the places of the penalty law, [N] instead of [m s] and [m], and begin the next step.
"""

import math

import numpy as np
from numba import uint64 as U

from yawara.core.control import FREE
from yawara.kernels.jit import inner
from yawara.terms.contact.arrays import TALLY_STRIDE
from yawara.terms.contact.internal import STRETCH, SUM, VARIABLES
from yawara.terms.contact.response import MULTIPLIERS, NOBODY, coefficients, respond, still_pushes

SCALE, LACK = 0, 1  # places in a thread's row of `touch.multiplier`: K over mass [1/s^2], what lacks [m]
HELD = 1e200  # [kg]: what is so heavy is held
STIFFER = 30.0  # K over the stiffest entry of the tangent


@inner
def begin_evaluation(ctx, mine):
    """How stiff constraints are in this evaluation; without a step, forces are the multipliers themselves."""
    at, dt = ctx.me * TALLY_STRIDE, ctx.ahead
    multiplier = mine.touch.multiplier
    multiplier[at + SCALE] = STIFFER * ctx.rigidity / (dt * dt) if dt > 0.0 else 0.0
    multiplier[at + LACK] = 0.0


@inner
def tell_lack(ctx, mine):
    """How far the thread's contacts are from being met."""
    ctx.lacking = max(ctx.lacking, mine.touch.multiplier[ctx.me * TALLY_STRIDE + LACK])


@inner
def find_free(ctx, mine):
    """Along which axes the thread's nodes can be pushed: what is held is no matter of contacts."""
    free, node = mine.touch.free, mine.surface.node
    if free.size > 0:
        for n in range(mine.touch.node[ctx.me], mine.touch.node[ctx.me + 1]):
            for axis in range(3):
                free[3 * n + axis] = 1.0 if ctx.control.axis_drive[node[n], axis] == FREE else 0.0


@inner
def mobility(contact, touch, n, nx, ny, nz):
    """[1/kg]: inverse mass of node n along a normal; none of what is held there."""
    if touch.free.size == 0:
        return contact.inverse_mass[n]
    free, at = touch.free, 3 * np.int64(n)
    return contact.inverse_mass[n] * (free[at] * nx * nx + free[at + 1] * ny * ny + free[at + 2] * nz * nz)


@inner
def mass_of(inverse):
    """[kg], of what may not move at all, too."""
    return 1.0 / max(inverse, 1e-300)


@inner
def pushes_on(law, mass, share, gap, rate, internal, row):
    """Whether a contact beyond its zone may still push; `row` may be unassigned."""
    if law[MULTIPLIERS] == 0.0:
        return still_pushes(law, mass, share, gap, rate, internal, row)
    return row != NOBODY and internal[U(VARIABLES * row + SUM)] > 0.0


@inner
def answer(me, touch, law, mass, share, friction, gap, nx, ny, nz, vx, vy, vz, internal, row, dt, keep, note):
    """The force [N] of a contact by its law, and for an implicit step of `note` [s] its slopes [N s/m] along the normal and along the
    surface with the direction in which friction lets go; and the energy [J] that its springs hold."""
    if law[MULTIPLIERS] != 0.0:
        return _augmented(
            me, touch, mass, friction, gap, nx, ny, nz, vx, vy, vz, internal, row, dt, keep)  # fmt: skip
    fx, fy, fz, normal, hold, stored = respond(
        law, mass, share, friction, gap, nx, ny, nz, vx, vy, vz, internal, row, dt, keep)  # fmt: skip
    k, c, i = coefficients(law, mass, share)
    slope = k * note + c + i * note * note if normal > 0.0 else 0.0
    return fx, fy, fz, slope, hold * (k * note + c), 0.0, 0.0, 0.0, stored


@inner
def _augmented(me, touch, mass, friction, gap, nx, ny, nz, vx, vy, vz, internal, row, dt, keep):
    at, place = U(VARIABLES * row), me * TALLY_STRIDE
    if mass > HELD:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    k = mass * touch.multiplier[place + SCALE]
    held, tx, ty, tz = 0.0, 0.0, 0.0, 0.0
    if row != NOBODY:
        held = internal[at + U(SUM)]
        tx, ty, tz = internal[at + U(STRETCH)], internal[at + U(STRETCH + 1)], internal[at + U(STRETCH + 2)]
    normal, grip, sx, sy, sz = max(0.0, held - k * gap), 0.0, 0.0, 0.0, 0.0
    lack = (normal - held) ** 2
    ox, oy, oz = tx, ty, tz
    if friction > 0.0:
        rate = vx * nx + vy * ny + vz * nz
        out, way, most = tx * nx + ty * ny + tz * nz, k * dt, friction * held
        tx, ty, tz = (
            tx - out * nx - way * (vx - rate * nx),
            ty - out * ny - way * (vy - rate * ny),
            tz - out * nz - way * (vz - rate * nz),
        )
        size = math.sqrt(tx * tx + ty * ty + tz * tz)
        grip = way if most > 0.0 else 0.0
        if size > most:
            sx, sy, sz = tx / size, ty / size, tz / size
            tx, ty, tz, grip = most * sx, most * sy, most * sz, grip * most / size
        lack += (tx - ox) ** 2 + (ty - oy) ** 2 + (tz - oz) ** 2
    if k > 0.0:
        touch.multiplier[place + LACK] = max(touch.multiplier[place + LACK], math.sqrt(lack) / k)
    if keep and row != NOBODY:
        if normal == 0.0:
            tx, ty, tz = 0.0, 0.0, 0.0
        internal[at + U(SUM)] = normal
        internal[at + U(STRETCH)], internal[at + U(STRETCH + 1)], internal[at + U(STRETCH + 2)] = tx, ty, tz
    slope = k * dt if normal > 0.0 else 0.0
    return tx + normal * nx, ty + normal * ny, tz + normal * nz, slope, grip, sx, sy, sz, 0.0
