"""Contacts as rows of numbers, whose impulses are looked for together at the end of a step.

A row is a place of a surface, a weighted mean of up to four nodes, against a tool or another body: there the weights of the other side
are negative. `NEED` [m/s] is the change of velocity along the normal that the contact asks for at least, so that the step ends well.
"""

from numba import uint64 as U

from yawara.core.stages import EULER, SEMI_IMPLICIT
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
ARM = 19  # [m], 3: velocity of the tool's surface there, for a turn of 1 rad/s about its own axis
BELT = 22  # [m/s], 3: of its belt
PLACE = 25  # [m], 3
ALONE = 28  # whether nothing that it moves is moved by another row
ROW = 29

TOOL, IS_PAIR, WHO = 4, 5, 6  # places in `who`, after the nodes; -1 where there is none
NOBODY = -1

FOUND, SHARED, STRIDE = 0, 1, 8  # places in a thread's part of `used`: a cache line

BY_IMPULSE, STEP, KIND, MARGIN, RESTITUTION, LARGEST_SHIFT, SLOW, SETTINGS = 0, 1, 2, 3, 4, 5, 6, 7


@inner
def needed_change(setting, gap, rate):
    """[m/s], along the normal; positions of a scheme decide how a change of velocity moves the gap within the step.

    Semi-implicit Euler: x' = x + h v', so the gap ends at g* + h dv. What was inside before the step must not become speed.
    Runge and Kutta: a constant force moves x by h dv / 2; what is inside must not go on. Euler: x moves in the next step.
    """
    h, kind = setting[STEP], setting[KIND]
    if kind == SEMI_IMPLICIT:
        need = -(gap - min(gap - h * rate, 0.0)) / h
    elif kind == EULER:
        need = -max(gap, 0.0) / h - rate
    else:
        need = -rate if gap < 0.0 else -2.0 * gap / h
    bounce = -setting[RESTITUTION] * rate
    if bounce > setting[SLOW] and gap < 0.0 and gap - h * rate > 0.0:  # it has just come in
        need = max(need, bounce - rate)
    return need


@inner
def moved_by(setting, change):
    """[m]: by what a change of velocity [m/s] at the end of a step moves what it acts on, within that step."""
    kind = setting[KIND]
    return setting[STEP] * change * (1.0 if kind == SEMI_IMPLICIT else 0.0 if kind == EULER else 0.5)


@inner
def note_row(me, rows, node, points, gap, friction, nx, ny, nz, n0, w0, n1, w1, n2, w2, n3, w3, tool, ux, uy, uz):
    """A contact of the nodes n, with weights w, that meets a surface with velocity u [m/s]. Returns its number; -1 if there is no room."""
    used = me * STRIDE
    number = rows.first[me] + rows.used[used + FOUND]
    if number >= rows.first[me + 1]:
        return NOBODY
    rows.used[used + FOUND] += 1
    row, who, at, one = rows.row, rows.who, U(ROW * number), U(WHO * number)
    x, y, z, vx, vy, vz = 0.0, 0.0, 0.0, -ux, -uy, -uz
    for k in range(4):
        n, w = (n0, w0) if k == 0 else (n1, w1) if k == 1 else (n2, w2) if k == 2 else (n3, w3)
        if w == 0.0:
            n = NOBODY
        who[one + U(k)], row[at + U(WEIGHT + k)] = n, w
        if n != NOBODY:
            p = U(8) * U(node[n])
            if w > 0.0:
                x, y, z = x + w * points[p], y + w * points[p + U(1)], z + w * points[p + U(2)]
            vx, vy, vz = vx + w * points[p + U(4)], vy + w * points[p + U(5)], vz + w * points[p + U(6)]
    who[one + U(TOOL)], who[one + U(IS_PAIR)] = tool, 1 if tool == NOBODY else 0
    rate = vx * nx + vy * ny + vz * nz
    row[at + U(NORMAL)], row[at + U(NORMAL + 1)], row[at + U(NORMAL + 2)] = nx, ny, nz
    row[at + U(GAP)], row[at + U(NEED)], row[at + U(FRICTION)] = gap, needed_change(rows.setting, gap, rate), friction
    row[at + U(SLIP)], row[at + U(SLIP + 1)], row[at + U(SLIP + 2)] = vx, vy, vz
    row[at + U(PLACE)], row[at + U(PLACE + 1)], row[at + U(PLACE + 2)] = x, y, z
    for n in range(PUSH, PUSH + 4):
        row[at + U(n)] = 0.0
    for n in range(ARM, ARM + 6):
        row[at + U(n)] = 0.0
    return number
