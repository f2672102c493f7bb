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
from yawara.kernels.jit import inlined, inner
from yawara.terms.contact.couple import couple
from yawara.terms.contact.internal import STRETCH, SUM, VARIABLES
from yawara.terms.contact.rows import (
    ALONE,
    ARM,
    CARRIERS,
    FACES,
    FIRST,
    FOUND,
    FRICTION,
    GAP,
    KIND,
    KINDS,
    LAST,
    MASS,
    MEMORY,
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
NEAR_ENOUGH = 1e-9  # of the largest change of velocity that contacts ask for
HANDFUL = 8  # so few rows are solved to that, and keep no trace of how they were solved before
# Where bodies lie on bodies, or a tool that is pushed on a body, all rows hang together. Of nodes, edges and faces that bear the same place
# it is not even determined who bears how much, and their shares drift for hundreds of sweeps that move nothing. Such rows begin
# with the last step's forces, and what is left over is made good in the next steps: it is enough if places end CLOSE to where they
# should, or closer if rows are FEW.
FEW, CLOSE, CLOSER = 100, 1e-5, 1e-6  # of the longest edge
FAIR = 1e-6  # of the largest change that is asked for: in short steps, places say little
FEWEST_SWEEPS, VISITS = 20, 10_000  # at most, of all rows together
WHOLE = 4  # one of so many sweeps looks at rows without push, too


@inner
def solve(rows, contact, internal, first, last, points):
    """Impulses of the rows of the threads first..last."""
    count, scale = _prepare(rows, internal, first, last)
    if count == 0:
        return
    most, enough = _when_to_stop(rows, contact, count, scale)
    settled = False
    for n in range(most):
        whole = settled or n % WHOLE == 0
        settled = _sweep(rows, first, last, whole) <= enough
        if settled and whole:
            break
    for thread in range(first, last):
        begin, end = rows.first[thread], rows.first[thread] + rows.used[thread * STRIDE + FOUND]
        for number in range(begin, end):
            _keep(rows, internal, number)
        for number in range(rows_of(rows, thread, FACES)[1], end):
            _balance_torque(rows, contact, number, points)


@inner
def _sweep(rows, first, last, whole):
    """Every row once, or those that push; the largest change of velocity [m/s]."""
    row, change = rows.row, 0.0
    for kind in range(KINDS):
        for thread in range(first, last):
            begin, end = rows_of(rows, thread, kind)
            for number in range(begin, end):
                at = U(ROW * number)
                if row[at + U(ALONE)] == 0.0 and (whole or row[at + U(PUSH)] > 0.0):
                    change = max(change, _relax(rows, number))
    return change


@inner
def _when_to_stop(rows, contact, count, scale):
    """After how many sweeps at most, and at what change of velocity [m/s]."""
    if count <= HANDFUL:
        return SWEEPS, NEAR_ENOUGH * scale
    speed = contact.longest[0] / rows.setting[STEP]
    if count <= FEW:
        return SWEEPS, max(NEAR_ENOUGH * scale, min(CLOSER * speed, FAIR * scale))
    return max(FEWEST_SWEEPS, min(SWEEPS, VISITS // count)), CLOSE * speed


@inner
def _prepare(rows, internal, first, last):
    """Rows that share what they move with nobody are solved; others begin with what they remember, if they are many. Returns how many these
    are, and the largest change of velocity [m/s] that they ask for."""
    count, scale = 0, 0.0
    for thread in range(first, last):
        begin = U(rows.first[thread] * rows.most[0])
        for a in range(begin, begin + U(rows.used[thread * STRIDE + CARRIERS])):
            rows.reached[U(rows.moved[a])] += 1
    for thread in range(first, last):
        for number in range(rows.first[thread], rows.first[thread] + rows.used[thread * STRIDE + FOUND]):
            if _is_alone(rows, number):
                _solve_alone(rows, number)
            else:
                count, scale = count + 1, max(scale, abs(rows.row[U(ROW * number + NEED)]))
    if count > HANDFUL:
        for thread in range(first, last):
            for number in range(rows.first[thread], rows.first[thread] + rows.used[thread * STRIDE + FOUND]):
                if rows.row[U(ROW * number + ALONE)] == 0.0:
                    _take_up(rows, internal, number)
    return count, scale


@inner
def _is_alone(rows, number):
    """Whether one point alone carries it, which nothing else touches, against a tool that is driven."""
    one = U(WHO * number)
    tool, first = rows.who[one + U(TOOL)], rows.who[one + U(FIRST)]
    if tool == NOBODY or rows.who[one + U(LAST)] - first != 1 or rows.reached[U(rows.moved[U(first)])] != 1:
        return False
    t, moves = U(4 * tool), rows.tool_inverse
    return moves[t] == 0.0 and moves[t + U(1)] == 0.0 and moves[t + U(2)] == 0.0 and moves[t + U(3)] == 0.0


@inner
def _solve_alone(rows, number):
    """As `_relax` and `_rub`, for the commonest row: exact at once."""
    row, impulse, inverse, at = rows.row, rows.impulse, rows.inverse, U(ROW * number)
    c = U(3) * U(rows.moved[U(rows.who[U(WHO * number + FIRST)])])
    nx, ny, nz = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)]
    ix, iy, iz = inverse[c], inverse[c + U(1)], inverse[c + U(2)]
    need, friction, mass = row[at + U(NEED)], row[at + U(FRICTION)], row[at + U(MASS)]
    row[at + U(ALONE)] = 1.0
    if need <= 0.0 or mass == 0.0:
        return
    push, tx, ty, tz = mass * need, 0.0, 0.0, 0.0
    if friction > 0.0:
        x, y, z = (
            row[at + U(SLIP)] + push * ix * nx,
            row[at + U(SLIP + 1)] + push * iy * ny,
            row[at + U(SLIP + 2)] + push * iz * nz,
        )
        out, mass = x * nx + y * ny + z * nz, row[at + U(RUBBED_MASS)]
        tx, ty, tz = -mass * (x - out * nx), -mass * (y - out * ny), -mass * (z - out * nz)
        size, most = math.sqrt(tx * tx + ty * ty + tz * tz), friction * push
        if size > most:
            tx, ty, tz = tx * most / size, ty * most / size, tz * most / size
        row[at + U(RUB)], row[at + U(RUB + 1)], row[at + U(RUB + 2)] = tx, ty, tz
    row[at + U(PUSH)] = push
    impulse[c], impulse[c + U(1)], impulse[c + U(2)] = push * nx + tx, push * ny + ty, push * nz + tz


@inner
def _take_up(rows, internal, number):
    """Begin with the forces of the last step: those of contacts that last change little."""
    row, at, h = rows.row, U(ROW * number), rows.setting[STEP]
    memory = int(row[at + U(MEMORY)])
    if memory < 0 or row[at + U(MASS)] == 0.0:  # what cannot be moved needs no impulse
        return
    one = U(VARIABLES * memory)
    push = h * internal[one + U(SUM)]
    if push <= 0.0:
        return
    nx, ny, nz = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)]
    tx, ty, tz = h * internal[one + U(STRETCH)], h * internal[one + U(STRETCH + 1)], h * internal[one + U(STRETCH + 2)]
    out = tx * nx + ty * ny + tz * nz
    tx, ty, tz = tx - out * nx, ty - out * ny, tz - out * nz
    row[at + U(PUSH)], row[at + U(RUB)], row[at + U(RUB + 1)], row[at + U(RUB + 2)] = push, tx, ty, tz
    _push(rows, number, push * nx + tx, push * ny + ty, push * nz + tz)


@inner
def _keep(rows, internal, number):
    """Remember a row's mean forces [N] of this step."""
    row, at, per_step = rows.row, U(ROW * number), 1.0 / rows.setting[STEP]
    memory = int(row[at + U(MEMORY)])
    if memory < 0:
        return
    one = U(VARIABLES * memory)
    internal[one + U(SUM)] = per_step * row[at + U(PUSH)]
    for n in range(3):
        internal[one + U(STRETCH + n)] = per_step * row[at + U(RUB + n)]


@inner
def _push(rows, number, x, y, z):
    """Add an impulse [N s] at the row's place to what carries it, and the opposite to its tool."""
    row, who, impulse, at, one = rows.row, rows.who, rows.impulse, U(ROW * number), U(WHO * number)
    for a in range(U(who[one + U(FIRST)]), U(who[one + U(LAST)])):
        c, part = U(3) * U(rows.moved[a]), rows.part[a]
        impulse[c] += part * x
        impulse[c + U(1)] += part * y
        impulse[c + U(2)] += part * z
    tool = who[one + U(TOOL)]
    if tool != NOBODY:
        t, change, inverse = U(4 * tool), rows.tool_change, rows.tool_inverse
        change[t] -= inverse[t] * x
        change[t + U(1)] -= inverse[t + U(1)] * y
        change[t + U(2)] -= inverse[t + U(2)] * z
        change[t + U(3)] -= inverse[t + U(3)] * (x * row[at + U(ARM)] + y * row[at + U(ARM + 1)] + z * row[at + U(ARM + 2)])


@inner
def _change(rows, number):
    """[m/s]: what all impulses so far have changed of the velocity of the row's place, relative to what it touches."""
    row, who, impulse, inverse, at, one = rows.row, rows.who, rows.impulse, rows.inverse, U(ROW * number), U(WHO * number)
    x, y, z = 0.0, 0.0, 0.0
    for a in range(U(who[one + U(FIRST)]), U(who[one + U(LAST)])):
        c, part = U(3) * U(rows.moved[a]), rows.part[a]
        x += part * inverse[c] * impulse[c]
        y += part * inverse[c + U(1)] * impulse[c + U(1)]
        z += part * inverse[c + U(2)] * impulse[c + U(2)]
    tool = who[one + U(TOOL)]
    if tool != NOBODY:
        t, change = U(4 * tool), rows.tool_change
        turn = change[t + U(3)]
        x -= change[t] + turn * row[at + U(ARM)]
        y -= change[t + U(1)] + turn * row[at + U(ARM + 1)]
        z -= change[t + U(2)] + turn * row[at + U(ARM + 2)]
    return x, y, z


@inner
def _relax(rows, number):
    """The impulse of one row, given all others; returns by what velocity [m/s] it changed.

    Push and rub are changed at once. Where drives hold some axes of a point they are not independent; two parts of a symmetric,
    positive definite system that are changed at once still converge.
    """
    row, at = rows.row, U(ROW * number)
    nx, ny, nz, mass = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)], row[at + U(MASS)]
    x, y, z = _change(rows, number)
    before = row[at + U(PUSH)]
    push = max(0.0, before + mass * (row[at + U(NEED)] - x * nx - y * ny - z * nz))
    if push == 0.0 and before == 0.0:
        return 0.0
    more = push - before
    row[at + U(PUSH)], changed = push, abs(more) / mass
    jx, jy, jz = more * nx, more * ny, more * nz
    if row[at + U(FRICTION)] > 0.0:
        tx, ty, tz = _rub(row, at, push, x, y, z)
        if row[at + U(RUBBED_MASS)] > 0.0:
            changed = max(changed, math.sqrt(tx * tx + ty * ty + tz * tz) / row[at + U(RUBBED_MASS)])
        jx, jy, jz = jx + tx, jy + ty, jz + tz
    _push(rows, number, jx, jy, jz)
    return changed


@inner
def _rub(row, at, push, x, y, z):
    """By how much friction [N s] of a row changes, whose normal impulse is `push` [N s] and where impulses so far have changed the relative
    velocity by x, y, z [m/s]."""
    nx, ny, nz, mass = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)], row[at + U(RUBBED_MASS)]
    x, y, z = x + row[at + U(SLIP)], y + row[at + U(SLIP + 1)], z + row[at + U(SLIP + 2)]
    out = x * nx + y * ny + z * nz
    tx, ty, tz = row[at + U(RUB)], row[at + U(RUB + 1)], row[at + U(RUB + 2)]
    wx, wy, wz = tx - mass * (x - out * nx), ty - mass * (y - out * ny), tz - mass * (z - out * nz)
    square, most = wx * wx + wy * wy + wz * wz, row[at + U(FRICTION)] * push
    if square > most * most:
        shorter = most / math.sqrt(square)
        wx, wy, wz = wx * shorter, wy * shorter, wz * shorter
    row[at + U(RUB)], row[at + U(RUB + 1)], row[at + U(RUB + 2)] = wx, wy, wz
    return wx - tx, wy - ty, wz - tz


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
    begin = U(1) if row[at + U(WEIGHT)] == 1.0 else U(0)  # the nodes of a side, or of two edges
    n0, n1, n2, n3 = who[one + begin], who[one + begin + U(1)], who[one + U(2)], who[one + U(3)]
    count = 4
    if begin == U(1):
        n2, n3, count = n3, NOBODY, 2 if n3 == NOBODY else 3
    x0, y0, z0 = _was_at(contact, n0, points, back)
    x1, y1, z1 = _was_at(contact, n1, points, back)
    x2, y2, z2 = _was_at(contact, n2, points, back)
    x3, y3, z3 = _was_at(contact, n3, points, back)
    cx, cy, cz, ax, ay, az = couple(x0, y0, z0, x1, y1, z1, x2, y2, z2, x3, y3, z3, count,
                                    rz * jy - ry * jz, rx * jz - rz * jx, ry * jx - rx * jy)  # fmt: skip
    _twist(contact, rows.impulse, n0, ax, ay, az, x0 - cx, y0 - cy, z0 - cz)
    _twist(contact, rows.impulse, n1, ax, ay, az, x1 - cx, y1 - cy, z1 - cz)
    _twist(contact, rows.impulse, n2, ax, ay, az, x2 - cx, y2 - cy, z2 - cz)
    _twist(contact, rows.impulse, n3, ax, ay, az, x3 - cx, y3 - cy, z3 - cz)


@inlined
def _twist(contact, impulse, n, ax, ay, az, x, y, z):
    """A node's part of a couple, a x r, goes to what carries it; nothing for none."""
    if n == NOBODY:
        return
    for h in range(U(contact.first_host[U(n)]), U(contact.first_host[U(n) + U(1)])):
        c, share = U(3) * U(contact.host[h]), contact.share[h]
        impulse[c] += share * (ay * z - az * y)
        impulse[c + U(1)] += share * (az * x - ax * z)
        impulse[c + U(2)] += share * (ax * y - ay * x)


@inlined
def _was_at(contact, n, points, back):
    """[m]: where a node was `back` [s] ago; anywhere for none."""
    if n == NOBODY:
        return 0.0, 0.0, 0.0
    p = U(8) * U(contact.node[U(n)])
    return (
        points[p] - back * points[p + U(4)],
        points[p + U(1)] - back * points[p + U(5)],
        points[p + U(2)] - back * points[p + U(6)],
    )


@inner
def gap_left(rows, number):
    """[m]: where a row's place ends with the impulses that were found."""
    row, at = rows.row, U(ROW * number)
    if rows.setting[KIND] != SEMI_IMPLICIT:
        return row[at + U(GAP)]
    if row[at + U(ALONE)] != 0.0:
        return row[at + U(GAP)] + (rows.setting[STEP] * row[at + U(PUSH)] / row[at + U(MASS)] if row[at + U(MASS)] > 0.0 else 0.0)
    x, y, z = _change(rows, number)
    along = x * row[at + U(NORMAL)] + y * row[at + U(NORMAL + 1)] + z * row[at + U(NORMAL + 2)]
    return row[at + U(GAP)] + rows.setting[STEP] * along
