"""Contacts of bodies with tools, as rows."""

from numba import uint64 as U

from yawara.core.stages import SEMI_IMPLICIT
from yawara.kernels.jit import inner
from yawara.terms.contact.arrays import TALLY_STRIDE
from yawara.terms.contact.internal import SLOTS_OF_NODE
from yawara.terms.contact.passing import caught_below, watch_node
from yawara.terms.contact.response import slot_of
from yawara.terms.contact.rows import (
    ARM,
    BELT,
    FIRST,
    FOUND,
    KIND,
    LAST,
    MARGIN,
    MEMORY,
    NOBODY,
    PLACE,
    ROW,
    SHARED,
    STEP,
    STRIDE,
    WANTED,
    WHO,
    is_far,
    note_row,
    set_masses,
)
from yawara.tools.form import FORM, FRICTION, THIN
from yawara.tools.pose import AXIS, POSE, POSITION, TURNING, VELOCITY, surface_velocity


@inner
def set_ways(tool, rows, points, pose):
    """Velocities of tools in their poses as this step moves them: semi-implicit Euler moves nodes by h v', and tools by their way over h.

    A tool that jumps, as hands and tables with steps do, has the speed of its drive: a jump is no speed.
    """
    h, start = rows.setting[STEP], rows.tool_start
    if rows.setting[KIND] != SEMI_IMPLICIT:
        return
    for t in range(tool.kind.size):
        p, s, one = U(8) * U(tool.point[t]), U(8 * t), U(POSE * t)
        turn = _way(points[p + U(3)] - start[s + U(3)], start[s + U(7)], points[p + U(7)], h)
        for axis in range(U(3)):
            pose[one + U(VELOCITY) + axis] = _way(
                points[p + axis] - start[s + axis], start[s + U(4) + axis], points[p + U(4) + axis], h)  # fmt: skip
            pose[one + U(TURNING) + axis] = turn * pose[one + U(AXIS) + axis]


@inner
def _way(moved, before, after, h):
    """Mean velocity of a step, from how far it went; or from its speeds before and after, if it jumped."""
    mean = 0.5 * (before + after)
    return moved / h if abs(moved - h * mean) <= h * abs(after - before) else mean


@inner
def note_tool(me, rows, contact, points, pose, t, gap, friction, nx, ny, nz, n0, w0, n1, w1, n2, w2):
    """A contact with tool t; what others share in is noted, too. Returns its number; -1 if there is none."""
    x, y, z, vx, vy, vz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        n, w = (n0, w0) if k == 0 else (n1, w1) if k == 1 else (n2, w2)
        if n == NOBODY:
            break
        p = U(8) * U(contact.node[n])
        x, y, z = x + w * points[p], y + w * points[p + U(1)], z + w * points[p + U(2)]
        vx, vy, vz = vx + w * points[p + U(4)], vy + w * points[p + U(5)], vz + w * points[p + U(6)]
    ux, uy, uz, bx, by, bz = surface_velocity(t, pose, x, y, z, nx, ny, nz)
    if is_far(rows.setting, gap, (vx - ux) * nx + (vy - uy) * ny + (vz - uz) * nz):
        return NOBODY
    number = note_row(
        me, rows, contact, points, gap, friction, nx, ny, nz, n0, w0, n1, w1, n2, w2, NOBODY, 0.0, t, ux, uy, uz, NOBODY
    )
    if number == NOBODY:
        return NOBODY
    at, row = U(ROW * number), rows.row
    row[at + U(BELT)], row[at + U(BELT + 1)], row[at + U(BELT + 2)] = bx, by, bz
    inverse, moves = U(4 * t), False
    for axis in range(U(4)):
        moves = moves or rows.tool_inverse[inverse + axis] > 0.0
    if rows.setting[KIND] == SEMI_IMPLICIT:
        for axis in range(U(3)):  # the place from where the tool was
            row[at + U(PLACE) + axis] += pose[U(POSE * t + POSITION) + axis] - rows.tool_start[U(8 * t) + axis]
    if moves:
        one, place = U(POSE * t), at + U(PLACE)
        ax, ay, az = pose[one + U(AXIS)], pose[one + U(AXIS + 1)], pose[one + U(AXIS + 2)]
        rx, ry = row[place] - pose[one + U(POSITION)], row[place + U(1)] - pose[one + U(POSITION + 1)]
        rz = row[place + U(2)] - pose[one + U(POSITION + 2)]
        row[at + U(ARM)], row[at + U(ARM + 1)], row[at + U(ARM + 2)] = ay * rz - az * ry, az * rx - ax * rz, ax * ry - ay * rx
    set_masses(rows, number)
    shares = moves or rows.who[U(WHO * number + LAST)] - rows.who[U(WHO * number + FIRST)] > 1
    if shares:
        rows.used[me * STRIDE + SHARED] = 1
    if shares or contact.side.shape[0] > 0:  # bodies may touch the same nodes
        row[at + U(MEMORY)] = WANTED
    return number


@inner
def remember_row(rows, number, internal, first, slots, t):
    """Let a contact with tool t that may share what it moves remember its forces in one of the slots from `first` on; the slot's bit."""
    if number == NOBODY or rows.row[U(ROW * number + MEMORY)] != WANTED:
        return 0
    slot = slot_of(internal, first, slots, 1.0 + t, True)
    rows.row[U(ROW * number + MEMORY)] = slot
    return 1 << (slot - first) if slot != NOBODY else 0


@inner
def find_node_rows(me, contact, tool, touch, pose, field, away, points, internal, step, seen):
    """The thread's nodes that are inside a tool, or nearly so; `seen[node]` has a bit for every slot in use."""
    tally, place, rows = touch.tally, me * TALLY_STRIDE, touch.rows
    begin, count, own = touch.field[me, 0], touch.field[me, 1] - touch.field[me, 0], touch.node[me]
    node, margin = contact.node, rows.setting[MARGIN]
    slots = SLOTS_OF_NODE - 1 if contact.side.shape[0] > 0 else SLOTS_OF_NODE  # bodies need one to be known
    seen[:] = 0
    for t in range(tool.kind.size):
        if away[t]:
            continue
        thin, friction = tool.form[FORM * t + THIN], tool.form[FORM * t + FRICTION]
        slow = caught_below(tool.form, t, pose, step)
        for n in range(own, touch.node[me + 1]):
            at = U(4 * (t * count + n - begin))
            gap = field[at]
            watch_node(pose, t, thin, slow, gap, field, at, points, node[U(n)], step, tally, place)
            if gap > margin:
                continue
            nx, ny, nz = field[at + U(1)], field[at + U(2)], field[at + U(3)]
            number = note_tool(me, rows, contact, points, pose, t, gap, friction, nx, ny, nz, n, 1.0, NOBODY, 0.0, NOBODY, 0.0)
            seen[n - own] |= remember_row(rows, number, internal, SLOTS_OF_NODE * n, slots, t)


@inner
def clear_rows(me, rows):
    for n in range(STRIDE):
        rows.used[me * STRIDE + n] = 0


@inner
def end_kind(me, rows, kind):
    """All rows of a kind are noted."""
    rows.used[me * STRIDE + kind] = rows.used[me * STRIDE + FOUND]
