"""Contacts as rows of numbers, whose impulses are looked for together at the end of a step.

A row is a place of a surface, a weighted mean of up to four nodes, against a tool or another body: there the weights of the other side
are negative. `NEED` [m/s] is the change of velocity along the normal that the contact asks for at least, so that the step ends well.
"""

from numba import uint64 as U

from yawara.core.stages import SEMI_IMPLICIT
from yawara.kernels.jit import inner

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
ROW = 29

TOOL, WHO = 4, 5  # places in `who`, after the nodes; -1 where there is none
NOBODY = -1

# Places in a thread's part of `used`, a cache line: its contacts of nodes with tools come first, then those of edges and of faces, of nodes
# with sides, and of edges with edges. All threads' are solved kind by kind, so that their number does not matter.
NODES, EDGES, FACES, SIDES, FOUND, SHARED, STRIDE = 0, 1, 2, 3, 4, 5, 8
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


@inner
def note_row(me, rows, node, points, gap, friction, nx, ny, nz, n0, w0, n1, w1, n2, w2, n3, w3, tool, ux, uy, uz):
    """A contact of the nodes n, with weights w, that meets a surface with velocity u [m/s]. Returns its number; -1 if there is no room."""
    used = me * STRIDE
    number = rows.first[me] + rows.used[used + FOUND]
    if number >= rows.first[me + 1]:
        return NOBODY
    rows.used[used + FOUND] += 1
    row, who, at, one = rows.row, rows.who, U(ROW * number), U(WHO * number)
    x, y, z, vx, vy, vz, dx, dy, dz = 0.0, 0.0, 0.0, -ux, -uy, -uz, 0.0, 0.0, 0.0
    back = rows.setting[STEP] if rows.setting[KIND] == SEMI_IMPLICIT else 0.0
    who[one + U(1)] = who[one + U(2)] = who[one + U(3)] = NOBODY
    for k in range(4):
        n, w = (n0, w0) if k == 0 else (n1, w1) if k == 1 else (n2, w2) if k == 2 else (n3, w3)
        if n == NOBODY:
            break
        who[one + U(k)], row[at + U(WEIGHT + k)] = n, w
        p = U(8) * U(node[n])
        px, py = points[p] - back * points[p + U(4)], points[p + U(1)] - back * points[p + U(5)]
        pz = points[p + U(2)] - back * points[p + U(6)]
        if w > 0.0:
            x, y, z = x + w * px, y + w * py, z + w * pz
        dx, dy, dz = dx + w * px, dy + w * py, dz + w * pz
        vx, vy, vz = vx + w * points[p + U(4)], vy + w * points[p + U(5)], vz + w * points[p + U(6)]
    who[one + U(TOOL)] = tool
    rate = vx * nx + vy * ny + vz * nz
    row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)] = nx, ny, nz
    row[at + U(GAP)], row[at + U(NEED)], row[at + U(FRICTION)] = gap, needed_change(rows.setting, gap, rate), friction
    row[at + U(SLIP)], row[at + U(SLIP + 1)], row[at + U(SLIP + 2)] = vx, vy, vz
    row[at + U(PLACE)], row[at + U(PLACE + 1)], row[at + U(PLACE + 2)] = x, y, z
    for n in range(PUSH, PUSH + 4):
        row[at + U(n)] = 0.0
    row[at + U(ARM)], row[at + U(ARM + 1)], row[at + U(ARM + 2)] = (dx, dy, dz) if tool == NOBODY else (0.0, 0.0, 0.0)
    row[at + U(BELT)] = row[at + U(BELT + 1)] = row[at + U(BELT + 2)] = 0.0
    return number


@inner
def rows_of(rows, thread, kind):
    """First and last (exclusive) of a thread's rows of a kind."""
    first, used = rows.first[thread], thread * STRIDE
    return first + (rows.used[used + kind - 1] if kind > 0 else 0), first + rows.used[used + kind]
