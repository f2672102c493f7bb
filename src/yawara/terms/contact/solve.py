"""The impulses of all contacts of a step: none pulls, none lets anything end inside, and friction stays within Coulomb's cone.

Each row in turn gets the impulse that it needs, given those of all others, and again until nothing changes: projected Gauss-Seidel on a
symmetric, positive semidefinite system (Cottle et al. 1992, The linear complementarity problem, sec. 5.3; Moreau 1999, Numerical
aspects of the sweeping process). With the mass m that moves along the normal n,

    N' = max(0, N + m (need - n . dv)),   T' = T - m s, shortened to mu N',

where dv [m/s] is what all impulses so far have changed of the relative velocity, and s its part along the surface. A row that shares
what it moves with nobody is exact at once.
"""

import math

from numba import uint64 as U

from yawara.core.stages import SEMI_IMPLICIT
from yawara.kernels.jit import inner
from yawara.terms.contact.couple import couple
from yawara.terms.contact.rows import (
    ALONE,
    ARM,
    FACES,
    FOUND,
    FRICTION,
    GAP,
    KIND,
    KINDS,
    MASS,
    NEED,
    NOBODY,
    NORMAL,
    PUSH,
    ROW,
    RUB,
    RUBBED_MASS,
    SLIP,
    STEP,
    STRIDE,
    TOOL,
    WEIGHT,
    WHO,
    rows_of,
)

SWEEPS = 200  # at most
# Where bodies lie on bodies, all rows hang together. Large crowds get fewer sweeps; what is left is made good in the next steps.
FEWEST_SWEEPS, VISITS = 20, 10_000  # of all rows together
NEAR_ENOUGH = 1e-9  # of the largest change of velocity that contacts ask for


@inner
def solve(rows, contact, first, last, points):
    """Impulses of the rows of the threads first..last."""
    scale = _prepare(rows, contact, first, last)
    if scale < 0.0:
        return
    for _ in range(_sweeps(rows, first, last)):
        change = 0.0
        for kind in range(KINDS):
            for thread in range(first, last):
                begin, end = rows_of(rows, thread, kind)
                for number in range(begin, end):
                    if rows.row[U(ROW * number + ALONE)] == 0.0:
                        change = max(change, _relax(rows, contact, number))
        if change <= NEAR_ENOUGH * scale:
            break
    for thread in range(first, last):
        for number in range(rows_of(rows, thread, FACES)[1], rows.first[thread] + rows.used[thread * STRIDE + FOUND]):
            _balance_torque(rows, contact, number, points)


@inner
def _sweeps(rows, first, last):
    """How many at most."""
    count, meet = 0, False
    for thread in range(first, last):
        used = thread * STRIDE
        count += rows.used[used + FOUND]
        meet = meet or rows.used[used + FOUND] > rows.used[used + FACES]
    return max(FEWEST_SWEEPS, min(SWEEPS, VISITS // count)) if meet else SWEEPS


@inner
def _prepare(rows, contact, first, last):
    """Rows that share what they move with nobody are solved; of the others, masses. Returns the largest change of velocity [m/s] that these
    ask for; negative if there are none."""
    scale = -1.0
    for thread in range(first, last):
        for number in range(rows.first[thread], rows.first[thread] + rows.used[thread * STRIDE + FOUND]):
            _count_reached(rows, contact, number)
    for thread in range(first, last):
        for number in range(rows.first[thread], rows.first[thread] + rows.used[thread * STRIDE + FOUND]):
            if _is_alone(rows, contact, number):
                _solve_alone(rows, contact, number)
            else:
                _set_masses(rows, contact, number)
                scale = max(scale, abs(rows.row[U(ROW * number + NEED)]))
    return scale


@inner
def _count_reached(rows, contact, number):
    who, one, host, first_host = rows.who, U(WHO * number), contact.host, contact.first_host
    for k in range(U(4)):
        n = who[one + k]
        if n == NOBODY:
            break
        for h in range(first_host[n], first_host[n + 1]):
            rows.reached[U(host[h])] += 1


@inner
def _is_alone(rows, contact, number):
    """Whether it is one node with mass, which nothing else touches, against a tool that is driven."""
    who, one = rows.who, U(WHO * number)
    n, tool = who[one], who[one + U(TOOL)]
    if who[one + U(1)] != NOBODY or tool == NOBODY or contact.first_host[n + 1] - contact.first_host[n] != 1:
        return False
    t, moves = U(4 * tool), rows.tool_inverse
    if moves[t] > 0.0 or moves[t + U(1)] > 0.0 or moves[t + U(2)] > 0.0 or moves[t + U(3)] > 0.0:
        return False
    return rows.reached[U(contact.host[contact.first_host[n]])] == 1


@inner
def _solve_alone(rows, contact, number):
    """As `_relax` and `_rub`, for the commonest row: exact at once."""
    row, impulse, inverse, at = rows.row, rows.impulse, rows.inverse, U(ROW * number)
    c = U(3) * U(contact.host[contact.first_host[rows.who[U(WHO * number)]]])
    nx, ny, nz = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)]
    ix, iy, iz = inverse[c], inverse[c + U(1)], inverse[c + U(2)]
    along, need, friction = ix * nx * nx + iy * ny * ny + iz * nz * nz, row[at + U(NEED)], row[at + U(FRICTION)]
    row[at + U(ALONE)], row[at + U(MASS)] = 1.0, 1.0 / along if along > 0.0 else 0.0
    if need <= 0.0 or along == 0.0:
        return
    push, tx, ty, tz = need / along, 0.0, 0.0, 0.0
    if friction > 0.0:
        x, y, z = (
            row[at + U(SLIP)] + push * ix * nx,
            row[at + U(SLIP + 1)] + push * iy * ny,
            row[at + U(SLIP + 2)] + push * iz * nz,
        )
        out, mass = x * nx + y * ny + z * nz, 1.0 / max(ix, iy, iz)
        tx, ty, tz = -mass * (x - out * nx), -mass * (y - out * ny), -mass * (z - out * nz)
        size, most = math.sqrt(tx * tx + ty * ty + tz * tz), friction * push
        if size > most:
            tx, ty, tz = tx * most / size, ty * most / size, tz * most / size
        row[at + U(RUB)], row[at + U(RUB + 1)], row[at + U(RUB + 2)] = tx, ty, tz
    row[at + U(PUSH)] = push
    impulse[c], impulse[c + U(1)], impulse[c + U(2)] = push * nx + tx, push * ny + ty, push * nz + tz


@inner
def _set_masses(rows, contact, number):
    """[kg]: what a unit impulse at the row's place moves. Nodes may share hosts: so it is tried out."""
    row, who, impulse, inverse = rows.row, rows.who, rows.impulse, rows.inverse
    at, one = U(ROW * number), U(WHO * number)
    nx, ny, nz = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)]
    row[at + U(ALONE)] = 0.0
    _push(rows, contact, number, nx, ny, nz)
    x, y, z = _change(rows, contact, number)
    along, across = x * nx + y * ny + z * nz, 0.0
    for k in range(U(4)):
        n = who[one + k]
        if n == NOBODY:
            break
        for h in range(contact.first_host[n], contact.first_host[n + 1]):
            c, s = U(3) * U(contact.host[h]), row[at + U(WEIGHT) + k] * contact.share[h]
            size = impulse[c] * nx + impulse[c + U(1)] * ny + impulse[c + U(2)] * nz  # all that this point gets
            across += s * size * max(inverse[c], inverse[c + U(1)], inverse[c + U(2)])
    _push(rows, contact, number, -nx, -ny, -nz)
    tool = who[one + U(TOOL)]
    if tool != NOBODY:
        ax, ay, az = row[at + U(ARM)], row[at + U(ARM + 1)], row[at + U(ARM + 2)]
        t = U(4 * tool)
        across += max(rows.tool_inverse[t], rows.tool_inverse[t + U(1)], rows.tool_inverse[t + U(2)])
        across += rows.tool_inverse[t + U(3)] * (ax * ax + ay * ay + az * az)
    row[at + U(MASS)] = 1.0 / along if along > 0.0 else 0.0  # what is held on both sides cannot be moved
    row[at + U(RUBBED_MASS)] = 1.0 / across if across > 0.0 else 0.0


@inner
def _push(rows, contact, number, x, y, z):
    """Add an impulse [N s] at the row's place to what carries it, and the opposite to its tool."""
    row, who, impulse, at, one = rows.row, rows.who, rows.impulse, U(ROW * number), U(WHO * number)
    host, share, first_host = contact.host, contact.share, contact.first_host
    for k in range(U(4)):
        n = who[one + k]
        if n == NOBODY:
            break
        for h in range(first_host[n], first_host[n + 1]):
            c, s = U(3) * U(host[h]), row[at + U(WEIGHT) + k] * share[h]
            impulse[c] += s * x
            impulse[c + U(1)] += s * y
            impulse[c + U(2)] += s * z
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
            break
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
    _push(rows, contact, number, more * nx, more * ny, more * nz)
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
    _push(rows, contact, number, x, y, z)
    return math.sqrt(x * x + y * y + z * z) / mass if mass > 0.0 else 0.0


@inner
def _balance_torque(rows, contact, number, points):
    """Two bodies' impulses act at places that differ by the gap and by how far they slide in the step.

    A couple on the side that is touched, or on both edges, keeps the angular momentum.
    """
    row, who, at, one = rows.row, rows.who, U(ROW * number), U(WHO * number)
    push = row[at + U(PUSH)]
    if push == 0.0:
        return
    jx, jy, jz = (push * row[at + U(NORMAL)] + row[at + U(RUB)], push * row[at + U(NORMAL + 1)] + row[at + U(RUB + 1)],
                  push * row[at + U(NORMAL + 2)] + row[at + U(RUB + 2)])  # fmt: skip
    rx, ry, rz = row[at + U(ARM)], row[at + U(ARM + 1)], row[at + U(ARM + 2)]
    back = rows.setting[STEP] if rows.setting[KIND] == SEMI_IMPLICIT else 0.0
    begin = 1 if row[at + U(WEIGHT)] == 1.0 else 0  # the nodes of a side, or of two edges
    count = 0
    for k in range(begin, 4):
        count += 1 if who[one + U(k)] != NOBODY else 0
    x0, y0, z0 = _was_at(contact, who[one + U(begin)], points, back)
    x1, y1, z1 = _was_at(contact, who[one + U(begin + 1)], points, back)
    x2, y2, z2 = _was_at(contact, who[one + U(min(begin + 2, 3))], points, back)
    x3, y3, z3 = _was_at(contact, who[one + U(3)], points, back)
    cx, cy, cz, ax, ay, az = couple(x0, y0, z0, x1, y1, z1, x2, y2, z2, x3, y3, z3, count,
                                    rz * jy - ry * jz, rx * jz - rz * jx, ry * jx - rx * jy)  # fmt: skip
    for k in range(count):
        n = who[one + U(begin + k)]
        x, y, z = _was_at(contact, n, points, back)
        x, y, z = x - cx, y - cy, z - cz
        for h in range(contact.first_host[n], contact.first_host[n + 1]):
            c, share = U(3) * U(contact.host[h]), contact.share[h]
            rows.impulse[c] += share * (ay * z - az * y)
            rows.impulse[c + U(1)] += share * (az * x - ax * z)
            rows.impulse[c + U(2)] += share * (ax * y - ay * x)


@inner
def _was_at(contact, n, points, back):
    """[m]: where a node was `back` [s] ago; anywhere for none."""
    if n == NOBODY:
        return 0.0, 0.0, 0.0
    p = U(8) * U(contact.node[n])
    return (
        points[p] - back * points[p + U(4)],
        points[p + U(1)] - back * points[p + U(5)],
        points[p + U(2)] - back * points[p + U(6)],
    )


@inner
def gap_left(rows, contact, number):
    """[m]: where a row's place ends with the impulses that were found."""
    row, at = rows.row, U(ROW * number)
    if rows.setting[KIND] != SEMI_IMPLICIT:
        return row[at + U(GAP)]
    if row[at + U(ALONE)] != 0.0:
        return row[at + U(GAP)] + (rows.setting[STEP] * row[at + U(PUSH)] / row[at + U(MASS)] if row[at + U(MASS)] > 0.0 else 0.0)
    x, y, z = _change(rows, contact, number)
    along = x * row[at + U(NORMAL)] + y * row[at + U(NORMAL + 1)] + z * row[at + U(NORMAL + 2)]
    return row[at + U(GAP)] + rows.setting[STEP] * along
