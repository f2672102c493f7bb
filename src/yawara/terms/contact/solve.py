"""The impulses of all contacts of a step: none pulls, none lets anything end inside, and friction stays within Coulomb's cone.

Each row in turn gets the impulse that it needs, given those of all others, and again until nothing changes: projected Gauss-Seidel on a
symmetric, positive semidefinite system (Cottle et al. 1992, The linear complementarity problem, sec. 5.3; Moreau 1999, Numerical
aspects of the sweeping process). With the mass m that moves along the normal n,

    N' = max(0, N + m (need - n . dv)),   T' = T - m s, shortened to mu N',

where dv [m/s] is what all impulses so far have changed of the relative velocity, and s its part along the surface. A row that shares what it
moves with nobody is exact at once.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.contact.rows import (
    ALONE,
    ARM,
    FOUND,
    FRICTION,
    GAP,
    LARGEST_SHIFT,
    MASS,
    NEED,
    NOBODY,
    NORMAL,
    PUSH,
    ROW,
    RUB,
    RUBBED_MASS,
    SLIP,
    STRIDE,
    TOOL,
    WEIGHT,
    WHO,
    moved_by,
)

SWEEPS = 200  # at most
NEAR_ENOUGH = 1e-9  # of the largest change of velocity that contacts ask for
SHIFT_SWEEPS = 20
INSIDE = 1e-12  # [m] of depth that is rounding


@inner
def solve(rows, contact, first, last):
    """Impulses of the rows of the threads first..last, and how far points are put elsewhere (`shift`)."""
    scale = _prepare(rows, contact, first, last)
    for sweep in range(SWEEPS):
        change = 0.0
        for thread in range(first, last):
            begin = rows.first[thread]
            for number in range(begin, begin + rows.used[thread * STRIDE + FOUND]):
                if sweep == 0 or rows.row[U(ROW * number + ALONE)] == 0.0:
                    change = max(change, _relax(rows, contact, number))
        if change <= NEAR_ENOUGH * scale:
            break


@inner
def _prepare(rows, contact, first, last):
    """Masses of the rows, and who stands alone; returns the largest change of velocity [m/s] that they ask for."""
    scale = 0.0
    for thread in range(first, last):
        begin = rows.first[thread]
        for number in range(begin, begin + rows.used[thread * STRIDE + FOUND]):
            _set_masses(rows, contact, number)
            scale = max(scale, abs(rows.row[U(ROW * number + NEED)]))
    for thread in range(first, last):
        begin = rows.first[thread]
        for number in range(begin, begin + rows.used[thread * STRIDE + FOUND]):
            _set_alone(rows, contact, number)
    return scale


@inner
def _set_masses(rows, contact, number):
    """[kg]: what a unit impulse at the row's place moves. Nodes may share hosts: so it is tried out."""
    row, who, impulse, inverse = rows.row, rows.who, rows.impulse, rows.inverse
    at, one = U(ROW * number), U(WHO * number)
    nx, ny, nz = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)]
    _push(rows, contact, number, nx, ny, nz, 1)
    x, y, z = _change(rows, contact, number)
    along, across = x * nx + y * ny + z * nz, 0.0
    for k in range(U(4)):
        n = who[one + k]
        if n == NOBODY:
            continue
        for h in range(contact.first_host[n], contact.first_host[n + 1]):
            c, s = U(3) * U(contact.host[h]), row[at + U(WEIGHT) + k] * contact.share[h]
            size = impulse[c] * nx + impulse[c + U(1)] * ny + impulse[c + U(2)] * nz  # all that this point gets
            across += s * size * max(inverse[c], inverse[c + U(1)], inverse[c + U(2)])
    _push(rows, contact, number, -nx, -ny, -nz, -1)
    tool = who[one + U(TOOL)]
    if tool != NOBODY:
        ax, ay, az = row[at + U(ARM)], row[at + U(ARM + 1)], row[at + U(ARM + 2)]
        t = U(4 * tool)
        across += max(rows.tool_inverse[t], rows.tool_inverse[t + U(1)], rows.tool_inverse[t + U(2)])
        across += rows.tool_inverse[t + U(3)] * (ax * ax + ay * ay + az * az)
    row[at + U(MASS)] = 1.0 / along if along > 0.0 else 0.0  # what is held on both sides cannot be moved
    row[at + U(RUBBED_MASS)] = 1.0 / across if across > 0.0 else 0.0


@inner
def _set_alone(rows, contact, number):
    row, who, at, one, alone = rows.row, rows.who, U(ROW * number), U(WHO * number), 1.0
    for k in range(U(4)):
        n = who[one + k]
        if n != NOBODY:
            for h in range(contact.first_host[n], contact.first_host[n + 1]):
                if rows.reached[U(contact.host[h])] > 1:
                    alone = 0.0
    tool = who[one + U(TOOL)]
    if tool != NOBODY:
        for axis in range(U(4)):
            if rows.tool_inverse[U(4 * tool) + axis] > 0.0:
                alone = 0.0
    row[at + U(ALONE)] = alone


@inner
def _push(rows, contact, number, x, y, z, count):
    """Add an impulse [N s] at the row's place to what carries it, and the opposite to its tool; `count` is added to who was reached."""
    row, who, impulse, at, one = rows.row, rows.who, rows.impulse, U(ROW * number), U(WHO * number)
    host, share, first_host = contact.host, contact.share, contact.first_host
    for k in range(U(4)):
        n = who[one + k]
        if n == NOBODY:
            continue
        for h in range(first_host[n], first_host[n + 1]):
            p, s = U(host[h]), row[at + U(WEIGHT) + k] * share[h]
            c = U(3) * p
            impulse[c] += s * x
            impulse[c + U(1)] += s * y
            impulse[c + U(2)] += s * z
            rows.reached[p] += max(count, 0)  # a trial counts once
    tool = who[one + U(TOOL)]
    if tool != NOBODY:
        t, change, inverse = U(4 * tool), rows.tool_change, rows.tool_inverse
        change[t] -= inverse[t] * x
        change[t + U(1)] -= inverse[t + U(1)] * y
        change[t + U(2)] -= inverse[t + U(2)] * z
        change[t + U(3)] -= inverse[t + U(3)] * (x * row[at + U(ARM)] + y * row[at + U(ARM + 1)] + z * row[at + U(ARM + 2)])


@inner
def _change(rows, contact, number):
    """[m/s]: what all impulses so far have changed of the velocity of the row's place, relative to what it touches."""
    row, who, impulse, inverse, at, one = rows.row, rows.who, rows.impulse, rows.inverse, U(ROW * number), U(WHO * number)
    host, share, first_host = contact.host, contact.share, contact.first_host
    x, y, z = 0.0, 0.0, 0.0
    for k in range(U(4)):
        n = who[one + k]
        if n == NOBODY:
            continue
        for h in range(first_host[n], first_host[n + 1]):
            c, s = U(3) * U(host[h]), row[at + U(WEIGHT) + k] * share[h]
            x += s * inverse[c] * impulse[c]
            y += s * inverse[c + U(1)] * impulse[c + U(1)]
            z += s * inverse[c + U(2)] * impulse[c + U(2)]
    tool = who[one + U(TOOL)]
    if tool != NOBODY:
        t, change = U(4 * tool), rows.tool_change
        turn = change[t + U(3)]
        x -= change[t] + turn * row[at + U(ARM)]
        y -= change[t + U(1)] + turn * row[at + U(ARM + 1)]
        z -= change[t + U(2)] + turn * row[at + U(ARM + 2)]
    return x, y, z


@inner
def _relax(rows, contact, number):
    """The impulse of one row, given all others; returns by what velocity [m/s] it changed."""
    row, at = rows.row, U(ROW * number)
    nx, ny, nz, mass = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)], row[at + U(MASS)]
    x, y, z = _change(rows, contact, number)
    before = row[at + U(PUSH)]
    push = max(0.0, before + mass * (row[at + U(NEED)] - x * nx - y * ny - z * nz))
    if push == 0.0 and before == 0.0:
        return 0.0
    more = push - before
    row[at + U(PUSH)] = push
    _push(rows, contact, number, more * nx, more * ny, more * nz, 0)
    changed = abs(more) / mass
    if row[at + U(FRICTION)] > 0.0:
        changed = max(changed, _rub(rows, contact, number, push))
    return changed


@inner
def _rub(rows, contact, number, push):
    """Friction of one row whose normal impulse is `push` [N s]; returns by what velocity [m/s] it changed."""
    row, at = rows.row, U(ROW * number)
    nx, ny, nz, mass = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)], row[at + U(RUBBED_MASS)]
    x, y, z = _change(rows, contact, number)
    x, y, z = x + row[at + U(SLIP)], y + row[at + U(SLIP + 1)], z + row[at + U(SLIP + 2)]
    out = x * nx + y * ny + z * nz
    tx, ty, tz = row[at + U(RUB)], row[at + U(RUB + 1)], row[at + U(RUB + 2)]
    wx, wy, wz = tx - mass * (x - out * nx), ty - mass * (y - out * ny), tz - mass * (z - out * nz)
    size, most = math.sqrt(wx * wx + wy * wy + wz * wz), row[at + U(FRICTION)] * push
    if size > most:
        wx, wy, wz = wx * most / size, wy * most / size, wz * most / size
    row[at + U(RUB)], row[at + U(RUB + 1)], row[at + U(RUB + 2)] = wx, wy, wz
    x, y, z = wx - tx, wy - ty, wz - tz
    _push(rows, contact, number, x, y, z, 0)
    return math.sqrt(x * x + y * y + z * z) / mass if mass > 0.0 else 0.0


@inner
def depth_left(rows, contact, number):
    """[m]: how deep a row's place would end with the impulses that were found; negative outside."""
    row, at = rows.row, U(ROW * number)
    x, y, z = _change(rows, contact, number)
    along = x * row[at + U(NORMAL)] + y * row[at + U(NORMAL + 1)] + z * row[at + U(NORMAL + 2)]
    return -row[at + U(GAP)] - moved_by(rows.setting, along)


@inner
def put_outside(rows, contact, shift, first, last):
    """What impulses leave inside is moved out without becoming speed: what was inside before the step, and what a landing left.

    `shift` [m], three numbers for each carrier, by the same Gauss-Seidel sweeps as impulses. Returns whether anything was moved.
    """
    deep = False
    for thread in range(first, last):
        begin = rows.first[thread]
        for number in range(begin, begin + rows.used[thread * STRIDE + FOUND]):
            deep = deep or (rows.row[U(ROW * number + MASS)] > 0.0 and depth_left(rows, contact, number) > INSIDE)
    if not deep:
        return False
    for _ in range(SHIFT_SWEEPS):
        moved = 0.0
        for thread in range(first, last):
            begin = rows.first[thread]
            for number in range(begin, begin + rows.used[thread * STRIDE + FOUND]):
                moved = max(moved, _move_out(rows, contact, shift, number))
        if moved <= INSIDE:
            break
    return True


@inner
def _move_out(rows, contact, shift, number):
    """One row; returns by what it was moved [m]."""
    row, who, inverse, at, one = rows.row, rows.who, rows.inverse, U(ROW * number), U(WHO * number)
    mass = row[at + U(MASS)]
    if mass == 0.0:
        return 0.0
    nx, ny, nz = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)]
    depth = min(depth_left(rows, contact, number), rows.setting[LARGEST_SHIFT])
    out = 0.0
    for k in range(U(4)):
        n = who[one + k]
        if n != NOBODY:
            for h in range(contact.first_host[n], contact.first_host[n + 1]):
                c, s = U(3) * U(contact.host[h]), row[at + U(WEIGHT) + k] * contact.share[h]
                out += s * (nx * shift[c] + ny * shift[c + U(1)] + nz * shift[c + U(2)])
    more = depth - out
    if more <= 0.0:
        return 0.0
    for k in range(U(4)):
        n = who[one + k]
        if n != NOBODY:
            for h in range(contact.first_host[n], contact.first_host[n + 1]):
                c, s = U(3) * U(contact.host[h]), row[at + U(WEIGHT) + k] * contact.share[h]
                shift[c] += s * mass * more * inverse[c] * nx
                shift[c + U(1)] += s * mass * more * inverse[c + U(1)] * ny
                shift[c + U(2)] += s * mass * more * inverse[c + U(2)] * nz
    return more
