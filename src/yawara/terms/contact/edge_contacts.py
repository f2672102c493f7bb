"""Edges and faces of bodies against tools, between their nodes.

A tool is known by its distance, which is convex for convex tools. So an edge touches between its ends only if the distance falls from
both of them inwards, and a face between its edges only if it falls from there: nodes and their directions tell most edges and faces to
be out of the question. (A plate's corner that pokes a face, a blade across an edge: no node need be near.)
"""

import math

import numpy as np
from numba import uint64 as U

from yawara.core.context import Context
from yawara.kernels.entries import Kernel
from yawara.kernels.jit import inlined, inner
from yawara.kernels.records import record_type
from yawara.terms.contact.arrays import TALLY_STRIDE, WAS_ROUGH, Arrays, tally_gap
from yawara.terms.contact.augmented import mobility
from yawara.terms.contact.internal import SLOTS_OF_EDGE, SLOTS_OF_FACE, SLOTS_OF_NODE
from yawara.terms.contact.response import HOLD, MULTIPLIERS, NOBODY, ZONE, forget, slot_of
from yawara.terms.contact.rows import BY_IMPULSE, EDGES, MARGIN
from yawara.terms.contact.rows import NOBODY as NO_NODE
from yawara.terms.contact.tool_contacts import touch_tool
from yawara.terms.contact.tool_rows import end_kind, note_tool, remember_row
from yawara.tools.deepest import TOWARDS_MIDDLE, deepest_of_edge, deepest_of_face
from yawara.tools.field import CLOSE, SAME_WAY, mark_close
from yawara.tools.form import FORM, FRICTION
from yawara.tools.shapes import FAR

ON_EDGE = 0.01  # share of a corner in a place of a face below which the place belongs to an edge


@inlined
def _sag(field, one, two, share, dx, dy, dz):
    """[m]: by how much the distance from a round tool falls below what its nodes say, at a place of an edge (dx, dy, dz) [m] from node
    `one` to `two`; `share` is the product of the two nodes' weights. And the squared angle [rad^2] between the directions at the nodes.

    A distance g with slopes n_i at nodes x_i is, to second order, sum u_i g_i - 1/2 sum_(i<j) u_i u_j (n_j - n_i) . (x_j - x_i).
    """
    x, y, z = field[two + U(1)] - field[one + U(1)], field[two + U(2)] - field[one + U(2)], field[two + U(3)] - field[one + U(3)]
    return 0.5 * share * (x * dx + y * dy + z * dz), x * x + y * y + z * z


@inlined
def _followed(sag, square):
    """[m]: how far flat parts of a surface may stay in a round tool: the surface of which they are the mesh follows the tool, and only its
    nodes are where it is. A tool whose radius is no larger than an edge (an angle of 1 rad) pokes between them: it is kept out."""
    return max(sag, 0.0) * max(1.0 - square, 0.0)


@inner
def edge_contacts(me, contact, tool, touch, pose, field, close, remembers, rough, first_row, law, forces, base, points, internal, dt, keep,
                  note, span):  # fmt: skip
    """The thread's edges, between their ends; their internal variables begin at `first_row`."""
    tally, place, edge, node = touch.tally, me * TALLY_STRIDE, contact.edge, contact.node
    begin, count = touch.field[me, 0], touch.field[me, 1] - touch.field[me, 0]
    stored, own, rows = 0.0, touch.edge[me], touch.rows
    by_impulse = rows.setting[BY_IMPULSE] != 0.0
    rigid = by_impulse or law[MULTIPLIERS] != 0.0  # else springs give way
    zone, hold = (rows.setting[MARGIN], 0.0) if by_impulse else (law[ZONE], law[HOLD])
    near, kind, form, grid = 2.0 * contact.longest[0], tool.kind, tool.form, tool.grid
    for e in range(own, touch.edge[me + 1]):
        a, b = np.int64(edge[U(e), U(0)]), np.int64(edge[U(e), U(1)])
        if not (close[U(a - begin)] or close[U(b - begin)] or remembers[U(e - own)]):
            continue
        first, seen = first_row + SLOTS_OF_EDGE * e, 0
        for t in rough:
            one, two = U(4 * (t * count + a - begin)), U(4 * (t * count + b - begin))
            sum_of_gaps = field[one] + field[two]
            if sum_of_gaps > near + 2.0 * (zone + hold):
                continue
            same = (field[one + U(1)] * field[two + U(1)] + field[one + U(2)] * field[two + U(2)]
                    + field[one + U(3)] * field[two + U(3)])  # fmt: skip
            if law[MULTIPLIERS] != 0.0 and same > SAME_WAY:
                continue  # over one flat side: its ends are enough, and it would come and go with their rounding
            p, q = np.int64(node[U(a)]), np.int64(node[U(b)])
            i, j = U(8) * U(p), U(8) * U(q)
            dx, dy, dz = points[j] - points[i], points[j + U(1)] - points[i + U(1)], points[j + U(2)] - points[i + U(2)]
            if field[one + U(1)] * dx + field[one + U(2)] * dy + field[one + U(3)] * dz >= 0.0:
                continue  # nearest at this end, or
            if field[two + U(1)] * dx + field[two + U(2)] * dy + field[two + U(3)] * dz <= 0.0:
                continue  # at that one
            if sum_of_gaps - math.sqrt(dx * dx + dy * dy + dz * dz) > 2.0 * (zone + hold):
                continue
            x, y, z = points[i], points[i + U(1)], points[i + U(2)]
            s, gap, gx, gy, gz = deepest_of_edge(kind, form, grid, t, pose, near, x, y, z, dx, dy, dz)
            if not ON_EDGE < s < 1.0 - ON_EDGE:
                continue
            if rigid:
                low, narrow = _sag(field, one, two, s * (1.0 - s), dx, dy, dz)
                gap += _followed(low, narrow)
            if gap > zone + hold:
                continue
            if by_impulse:
                number = note_tool(
                    me, rows, contact, points, pose, t, gap, form[FORM * t + FRICTION], gx, gy, gz, a, 1.0 - s, b, s, NO_NODE, 0.0
                )
                seen |= remember_row(rows, number, internal, first, SLOTS_OF_EDGE, t)
                continue
            row = slot_of(internal, first, SLOTS_OF_EDGE, 1.0 + t, keep and gap <= zone)
            if gap > zone and row == NOBODY:
                continue
            if row != NOBODY:
                seen |= 1 << (row - first)
            tally_gap(tally, place, gap)
            m, k = mobility(contact, touch, a, gx, gy, gz), mobility(contact, touch, b, gx, gy, gz)
            stored += touch_tool(
                me, tool, touch, pose, t, law, forces, base, points, internal, row, dt, keep, note, span,
                gap, 2.0 * s * (1.0 - s), gx, gy, gz, p, 1.0 - s, m, q, s, k, q, 0.0, k)  # fmt: skip
        if keep and remembers[U(e - own)]:
            forget(internal, first, SLOTS_OF_EDGE, seen)
        if keep:
            remembers[U(e - own)] = seen != 0
    return stored


@inner
def _is_out_of_the_question(field, one, two, three, x, y, z, reach):
    """Whether the distances and slopes at its corners tell that a face touches nowhere nearer than `reach`, or at a corner only.

    The distance is convex: nowhere is it below its tangents, and a corner from where it rises along both sides is the nearest place.
    """
    bound = -np.inf
    for n in range(3):
        at = one if n == 0 else (two if n == 1 else three)
        low, level = 0.0, True
        for other in range(3):
            if other != n:
                dx, dy, dz = x[other] - x[n], y[other] - y[n], z[other] - z[n]
                slope = field[at + U(1)] * dx + field[at + U(2)] * dy + field[at + U(3)] * dz
                low = min(low, slope)
                level = level and slope >= 0.0 and slope * slope >= TOWARDS_MIDDLE**2 * (dx * dx + dy * dy + dz * dz)
        if level:
            return True
        bound = max(bound, field[at] + low)
    return bound > reach


@inner
def face_contacts(me, contact, tool, touch, pose, field, close, remembers, rough, first_row, law, forces, base, points, internal, dt, keep,
                  note, span):  # fmt: skip
    """The thread's faces, between their edges; their internal variables begin at `first_row`."""
    tally, place, face, node = touch.tally, me * TALLY_STRIDE, contact.face, contact.node
    begin, count = touch.field[me, 0], touch.field[me, 1] - touch.field[me, 0]
    stored, own, rows = 0.0, touch.face[me], touch.rows
    by_impulse = rows.setting[BY_IMPULSE] != 0.0
    rigid = by_impulse or law[MULTIPLIERS] != 0.0  # else springs give way
    zone, hold = (rows.setting[MARGIN], 0.0) if by_impulse else (law[ZONE], law[HOLD])
    near, kind, form, grid = 2.0 * contact.longest[0], tool.kind, tool.form, tool.grid
    x, y, z = np.empty(3), np.empty(3), np.empty(3)
    for f in range(own, touch.face[me + 1]):
        a, b, c = np.int64(face[U(f), U(0)]), np.int64(face[U(f), U(1)]), np.int64(face[U(f), U(2)])
        if not (close[U(a - begin)] or close[U(b - begin)] or close[U(c - begin)] or remembers[U(f - own)]):
            continue
        first, seen = first_row + SLOTS_OF_FACE * f, 0
        for t in rough:
            one, two, three = (U(4 * (t * count + a - begin)), U(4 * (t * count + b - begin)), U(4 * (t * count + c - begin)))
            least = min(field[one], field[two], field[three])
            if least > CLOSE * near + zone + hold or field[one] + field[two] + field[three] >= FAR:
                continue
            hx, hy, hz = field[one + U(1)], field[one + U(2)], field[one + U(3)]
            if (hx * field[two + U(1)] + hy * field[two + U(2)] + hz * field[two + U(3)] > SAME_WAY
                    and hx * field[three + U(1)] + hy * field[three + U(2)] + hz * field[three + U(3)] > SAME_WAY):  # fmt: skip
                continue  # over one flat side
            # The farthest corner last: the search begins on the opposite side, where most of them end.
            if field[one] >= max(field[two], field[three]):
                a, b, c, one, two, three = b, c, a, two, three, one
            elif field[two] >= field[three]:
                a, b, c, one, two, three = c, a, b, three, one, two
            longest = 0.0
            for n, corner in enumerate((a, b, c)):
                at = U(8) * U(node[U(corner)])
                x[n], y[n], z[n] = points[at], points[at + U(1)], points[at + U(2)]
            for n in range(3):
                m = (n + 1) % 3
                longest = max(longest, (x[n] - x[m]) ** 2 + (y[n] - y[m]) ** 2 + (z[n] - z[m]) ** 2)
            if least - 0.6 * math.sqrt(longest) > zone + hold:  # no place of a face is further from all corners
                continue
            if _is_out_of_the_question(field, one, two, three, x, y, z, zone + hold):
                continue
            u, v, w, gap, gx, gy, gz = deepest_of_face(kind, form, grid, t, pose, near, x, y, z)
            if min(u, v, w) < ON_EDGE:
                continue
            if rigid:
                low, narrow = _sag(field, one, two, u * v, x[1] - x[0], y[1] - y[0], z[1] - z[0])
                more, wide = _sag(field, two, three, v * w, x[2] - x[1], y[2] - y[1], z[2] - z[1])
                most, wider = _sag(field, three, one, w * u, x[0] - x[2], y[0] - y[2], z[0] - z[2])
                gap += _followed(low + more + most, max(narrow, wide, wider))
            if gap > zone + hold:
                continue
            if by_impulse:
                number = note_tool(
                    me, rows, contact, points, pose, t, gap, form[FORM * t + FRICTION], gx, gy, gz, a, u, b, v, c, w
                )
                seen |= remember_row(rows, number, internal, first, SLOTS_OF_FACE, t)
                continue
            row = slot_of(internal, first, SLOTS_OF_FACE, 1.0 + t, keep and gap <= zone)
            if gap > zone and row == NOBODY:
                continue
            if row != NOBODY:
                seen |= 1 << (row - first)
            tally_gap(tally, place, gap)
            p, q, r = np.int64(node[U(a)]), np.int64(node[U(b)]), np.int64(node[U(c)])
            stored += touch_tool(
                me, tool, touch, pose, t, law, forces, base, points, internal, row, dt, keep, note, span, gap, 9.0 * u * v * w,
                gx, gy, gz, p, u, mobility(contact, touch, a, gx, gy, gz), q, v, mobility(contact, touch, b, gx, gy, gz),
                r, w, mobility(contact, touch, c, gx, gy, gz))  # fmt: skip
        if keep and remembers[U(f - own)]:
            forget(internal, first, SLOTS_OF_FACE, seen)
        if keep:
            remembers[U(f - own)] = seen != 0
    return stored


def touch_edges_and_faces(ctx, mine):
    """Where nodes are not enough; their distances are known."""
    me, contact, tool, touch, scratch, asked = ctx.me, mine.surface, mine.tool, mine.touch, mine.scratch, mine.asked
    law, internal, forces, own, points = contact.law, mine.internal, ctx.forces, ctx.own, ctx.points
    rough, was_rough, keep = scratch.rough, me * TALLY_STRIDE + WAS_ROUGH, asked.keep != 0
    is_rough, rough_tools = rough.any(), np.flatnonzero(rough)
    if not is_rough and touch.tally[was_rough] == 0.0:
        end_kind(me, touch.rows, EDGES)
        return
    if keep:  # who keeps nothing forgets nothing
        touch.tally[was_rough] = 1.0 if is_rough else 0.0
    by_impulse = touch.rows.setting[BY_IMPULSE] != 0.0
    reach = touch.rows.setting[MARGIN] if by_impulse else law[ZONE] + law[HOLD]
    mark_close(scratch.field, rough_tools, CLOSE * 2.0 * contact.longest[0] + reach, scratch.close)
    row = SLOTS_OF_NODE * contact.node.size
    asked.stored += edge_contacts(
        me, contact, tool, touch, scratch.pose, scratch.field, scratch.close, scratch.edge_remembers, rough_tools, row, law, forces, own,
        points, internal, asked.dt, keep, asked.note, asked.span)  # fmt: skip
    end_kind(me, touch.rows, EDGES)
    row += SLOTS_OF_EDGE * contact.edge.shape[0]
    asked.stored += face_contacts(
        me, contact, tool, touch, scratch.pose, scratch.field, scratch.close, scratch.face_remembers, rough_tools, row, law, forces, own,
        points, internal, asked.dt, keep, asked.note, asked.span)  # fmt: skip


EDGES_AND_FACES = Kernel(touch_edges_and_faces, (record_type(Context), record_type(Arrays)), by_address=True)
