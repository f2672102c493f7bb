"""Contacts as rows of numbers, whose impulses are looked for together at the end of a step.

A row is a place of a surface, a weighted mean of up to four nodes, against a tool or another body: there the weights of the other side
are negative. What has mass there are its carriers, each with a part in it. `NEED` [m/s] is the change of velocity along the normal
that the contact asks for at least, so that the step ends well.
"""

import numpy as np
from numba import uint64 as U

from yawara.core.stages import SEMI_IMPLICIT
from yawara.kernels.jit import inlined, inner

# Places in a row
WEIGHT = 0  # 4, of the nodes
NORMAL = 4  # 3, out of what is touched
GAP = 7  # [m], where the step ended without contact
NEED = 8  # [m/s]
MASS = 9  # [kg], that moves along the normal
RUBBED_MASS = 10  # [kg], that moves along the surface, at least
FRICTION = 11
PUSH = 12  # [N s], along the normal
RUB = 13  # [N s], 3, along the surface
SLIP = 16  # [m/s], 3: velocity relative to what is touched, without contact
ARM = 19  # [m], 3: velocity of the tool's surface there, for a turn of 1 rad/s about its own axis; of two bodies, way between their places
BELT = 22  # [m/s], 3: of its belt
PLACE = 25  # [m], 3: where impulses act; angular momentum changes by x cross J, with x where the last velocities have led from
ALONE = 28  # whether it is one node that nothing else touches, and was solved at once
MEMORY = 29  # where in the internal variables of contacts its forces are remembered; -1 where they are not, WANTED before that is known
ROW = 30

TOOL, FIRST, LAST, WHO = 4, 5, 6, 7  # places in `who`, after the nodes: -1 where there is none; and its carriers, LAST exclusive
NOBODY, WANTED = -1, -2

# Places in a thread's part of `used`, a cache line: its contacts of nodes with tools come first, then those of edges and of faces, of nodes
# with sides, and of edges with edges. All threads' are solved kind by kind, so that their number does not matter.
NODES, EDGES, FACES, SIDES, FOUND, SHARED, CARRIERS, STRIDE = 0, 1, 2, 3, 4, 5, 6, 8
KINDS = 5

# Places in the setting: within MARGIN [m] contacts are looked at, and noted if they would come NEAR [m]; a place moves out at SLOWLY
# [m/s] at most, and does not rebound below SLOW [m/s]
BY_IMPULSE, STEP, KIND, MARGIN, NEAR, RESTITUTION, SLOWLY, SLOW, SETTINGS = 0, 1, 2, 3, 4, 5, 6, 7, 8
RECOVERY = 0.2  # of the depth of what was inside already, in a step


@inner
def needed_change(setting, gap, rate):
    """[m/s], along the normal, so that a place at this `gap` [m] and `rate` [m/s] does not end inside.

    Semi-implicit Euler moves points with their new velocity, so the gap ends at g* + h dv. Other schemes move them in the next step, and
    must look one step ahead. What was inside before must not become speed: it comes out by and by.
    """
    h = setting[STEP]
    if setting[KIND] == SEMI_IMPLICIT:
        inside = min(gap - h * rate, 0.0)
        need = (inside - gap) / h
    else:
        inside = min(gap, 0.0)
        need = (inside - gap) / h - rate
    need += min(-RECOVERY * inside / h, setting[SLOWLY])
    bounce = -setting[RESTITUTION] * rate
    if bounce > setting[SLOW] and need > 0.0 and inside == 0.0:
        need = max(need, bounce - rate)
    return need


@inner
def is_far(setting, gap, rate):
    """Whether a place stays away though others may push it a little."""
    return needed_change(setting, gap, rate) * setting[STEP] < -setting[NEAR]


@inlined
def _node(contact, points, back, n, w):
    """A node's share of a place [m] as it was `back` [s] ago, and of its velocity [m/s]; nothing for none."""
    if n == NOBODY:
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    p = U(8) * U(contact.node[U(n)])
    vx, vy, vz = points[p + U(4)], points[p + U(5)], points[p + U(6)]
    return (
        w * (points[p] - back * vx),
        w * (points[p + U(1)] - back * vy),
        w * (points[p + U(2)] - back * vz),
        w * vx,
        w * vy,
        w * vz,
    )


@inner
def note_row(me, rows, contact, points, gap, friction, nx, ny, nz, n0, w0, n1, w1, n2, w2, n3, w3, tool, ux, uy, uz, memory):
    """A contact of the nodes n, with weights w, that meets a surface with velocity u [m/s]. Returns its number; -1 if there is no room.

    Its masses are not set yet, see `set_masses`.
    """
    used = me * STRIDE
    number = rows.first[me] + rows.used[used + FOUND]
    if number >= rows.first[me + 1]:
        return NOBODY
    rows.used[used + FOUND] += 1
    row, who, at, one = rows.row, rows.who, U(ROW * number), U(WHO * number)
    back = rows.setting[STEP] if rows.setting[KIND] == SEMI_IMPLICIT else 0.0
    who[one], who[one + U(1)], who[one + U(2)], who[one + U(3)], who[one + U(TOOL)] = n0, n1, n2, n3, tool
    row[at], row[at + U(1)], row[at + U(2)], row[at + U(3)] = w0, w1, w2, w3
    x0, y0, z0, vx0, vy0, vz0 = _node(contact, points, back, n0, w0)
    x1, y1, z1, vx1, vy1, vz1 = _node(contact, points, back, n1, w1)
    x2, y2, z2, vx2, vy2, vz2 = _node(contact, points, back, n2, w2)
    x3, y3, z3, vx3, vy3, vz3 = _node(contact, points, back, n3, w3)
    vx, vy, vz = vx0 + vx1 + vx2 + vx3 - ux, vy0 + vy1 + vy2 + vy3 - uy, vz0 + vz1 + vz2 + vz3 - uz
    dx, dy, dz = x0 + x1 + x2 + x3, y0 + y1 + y2 + y3, z0 + z1 + z2 + z3
    row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)] = nx, ny, nz
    row[at + U(GAP)], row[at + U(FRICTION)], row[at + U(MEMORY)], row[at + U(ALONE)] = gap, friction, memory, 0.0
    row[at + U(NEED)] = needed_change(rows.setting, gap, vx * nx + vy * ny + vz * nz)
    row[at + U(SLIP)], row[at + U(SLIP + 1)], row[at + U(SLIP + 2)] = vx, vy, vz
    row[at + U(PUSH)] = row[at + U(RUB)] = row[at + U(RUB + 1)] = row[at + U(RUB + 2)] = 0.0
    if tool == NOBODY:
        row[at + U(ARM)], row[at + U(ARM + 1)], row[at + U(ARM + 2)] = dx, dy, dz
    else:  # impulses act there
        row[at + U(PLACE)], row[at + U(PLACE + 1)], row[at + U(PLACE + 2)] = dx, dy, dz
        row[at + U(ARM)] = row[at + U(ARM + 1)] = row[at + U(ARM + 2)] = 0.0
    _note_carriers(me, rows, contact, number)
    return number


@inner
def _note_carriers(me, rows, contact, number):
    """Who carries a row's place: its nodes, or their hosts; none twice."""
    row, who, at, one = rows.row, rows.who, U(ROW * number), U(WHO * number)
    moved, part, host, first_host = rows.moved, rows.part, contact.host, contact.first_host
    first = U(rows.first[me] * rows.most[0] + rows.used[me * STRIDE + CARRIERS])
    last = first
    for k in range(U(4)):
        n = who[one + k]
        if n == NOBODY:
            break
        begin, end = first_host[U(n)], first_host[U(n) + U(1)]
        for h in range(U(begin), U(end)):
            c, a = np.int64(host[h]), first if end - begin > 1 else last
            while a < last and moved[a] != c:
                a += U(1)
            if a == last:
                moved[a], part[a] = c, 0.0
                last += U(1)
            part[a] += row[at + U(WEIGHT) + k] * contact.share[h]
    who[one + U(FIRST)], who[one + U(LAST)] = first, last
    rows.used[me * STRIDE + CARRIERS] += np.int64(last - first)


@inner
def set_masses(rows, number):
    """[kg]: what an impulse at the row's place has to move."""
    row, who, inverse = rows.row, rows.who, rows.inverse
    at, one = U(ROW * number), U(WHO * number)
    nx, ny, nz = row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)]
    along, across = 0.0, 0.0
    for a in range(U(who[one + U(FIRST)]), U(who[one + U(LAST)])):
        c, square = U(3) * U(rows.moved[a]), rows.part[a] * rows.part[a]
        ix, iy, iz = inverse[c], inverse[c + U(1)], inverse[c + U(2)]
        along += square * (ix * nx * nx + iy * ny * ny + iz * nz * nz)
        across += square * max(ix, iy, iz)
    tool = who[one + U(TOOL)]
    if tool != NOBODY:
        ax, ay, az = row[at + U(ARM)], row[at + U(ARM + 1)], row[at + U(ARM + 2)]
        t, moves = U(4 * tool), rows.tool_inverse
        ix, iy, iz, turns = moves[t], moves[t + U(1)], moves[t + U(2)], moves[t + U(3)]
        along += ix * nx * nx + iy * ny * ny + iz * nz * nz + turns * (ax * nx + ay * ny + az * nz) ** 2
        across += max(ix, iy, iz) + turns * (ax * ax + ay * ay + az * az)
    row[at + U(MASS)] = 1.0 / along if along > 0.0 else 0.0  # what is held on both sides cannot be moved
    row[at + U(RUBBED_MASS)] = 1.0 / across if across > 0.0 else 0.0


@inner
def rows_of(rows, thread, kind):
    """First and last (exclusive) of a thread's rows of a kind."""
    first, used = rows.first[thread], thread * STRIDE
    return first + (rows.used[used + kind - 1] if kind > 0 else 0), first + rows.used[used + kind]
