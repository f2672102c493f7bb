"""Nodes, edges and faces of bodies against tools.

A tool is known by its distance, which is convex for convex tools. So an edge touches between its ends only if the distance falls from
both of them inwards, and a face between its edges only if it falls from there: nodes and their directions tell most edges and faces to
be out of the question. (A plate's corner that pokes a face, a blade across an edge: no node need be near.)
"""

import math

import numpy as np
from numba import uint64 as U

from yawara.contact.response import HOLD, NOBODY, ZONE, coefficients, forget, release, respond, slot_of, still_pushes
from yawara.contact.tools.deepest import TOWARDS_MIDDLE, deepest_of_edge, deepest_of_face
from yawara.contact.tools.field import CLOSE, SAME_WAY
from yawara.contact.tools.form import FORM, FRICTION, THIN
from yawara.contact.tools.load import tool_load
from yawara.contact.tools.pose import greatest_surface_speed, surface_velocity
from yawara.contact.tools.shapes import FAR
from yawara.contact.work import LOAD, TALLY_STRIDE, note_active, push, tally_gap, tally_speed
from yawara.jit import inner
from yawara.state import SLOTS_OF_EDGE, SLOTS_OF_FACE, SLOTS_OF_NODE

UNBOUNDED = 1e8  # [m]: half-spaces have no other side
MIDDLE = 0.8  # of half the thickness: deeper nodes are nearly through
ON_EDGE = 0.01  # share of a corner in a place of a face below which the place belongs to an edge


@inner
def touch_tool(me, tool, touch, pose, t, law, forces, base, points, memory, row, dt, keep, note, span,
               gap, share, nx, ny, nz, p0, w0, m0, p1, w1, m1, p2, w2, m2):  # fmt: skip
    """One contact with tool t of up to three points with weights w and inverse masses m; stored energy [J]."""
    a, b, c = U(8) * U(p0), U(8) * U(p1), U(8) * U(p2)
    x = w0 * points[a] + w1 * points[b] + w2 * points[c]
    y = w0 * points[a + U(1)] + w1 * points[b + U(1)] + w2 * points[c + U(1)]
    z = w0 * points[a + U(2)] + w1 * points[b + U(2)] + w2 * points[c + U(2)]
    ux, uy, uz, bx, by, bz = surface_velocity(t, pose, x, y, z, nx, ny, nz)
    vx = w0 * points[a + U(4)] + w1 * points[b + U(4)] + w2 * points[c + U(4)] - ux
    vy = w0 * points[a + U(5)] + w1 * points[b + U(5)] + w2 * points[c + U(5)] - uy
    vz = w0 * points[a + U(6)] + w1 * points[b + U(6)] + w2 * points[c + U(6)] - uz
    mass = 1.0 / (w0 * w0 * m0 + w1 * w1 * m1 + w2 * w2 * m2)
    if gap > law[ZONE] and not still_pushes(law, mass, share, gap, vx * nx + vy * ny + vz * nz, memory, row):
        if keep:
            release(memory, row)
        return 0.0
    fx, fy, fz, normal, hold, stored = respond(
        law, mass, share, tool.form[FORM * t + FRICTION], gap, nx, ny, nz, vx, vy, vz, memory, row, dt, keep)  # fmt: skip
    push(forces, touch.impulse, base, span, p0, w0, fx, fy, fz)
    if w1 != 0.0:
        push(forces, touch.impulse, base, span, p1, w1, fx, fy, fz)
    if w2 != 0.0:
        push(forces, touch.impulse, base, span, p2, w2, fx, fy, fz)
    tool_load(touch.load, (me * tool.kind.size + t) * LOAD, pose, t, x, y, z, fx, fy, fz, bx, by, bz)
    if note > 0.0:
        k, c_, i = coefficients(law, mass, share)
        grip = hold * (k * note + c_)
        note_active(touch.active, me, k * note + c_ + i * note * note if normal > 0.0 else 0.0, grip, nx, ny, nz,
                    p0, w0, p1 if w1 != 0.0 else -1, w1, p2 if w2 != 0.0 else -1, w2, np.int64(tool.point[t]), -1.0)  # fmt: skip
    return stored


@inner
def _watch_speed(pose, t, thin, gap, field, at, points, i, step, tally, place, who):
    """Notice a node that is about to come out on the other side: nearly half way already, or so fast that it would not be seen inside."""
    if gap < -MIDDLE * thin:
        tally_speed(tally, place, 0.5 * step, who, t)
    nx, ny, nz = field[at + U(1)], field[at + U(2)], field[at + U(3)]
    ux, uy, uz, _, _, _ = surface_velocity(t, pose, points[i], points[i + U(1)], points[i + U(2)], nx, ny, nz)
    inward = (ux - points[i + U(4)]) * nx + (uy - points[i + U(5)]) * ny + (uz - points[i + U(6)]) * nz
    if inward * step > thin and gap < 2.0 * inward * step:
        tally_speed(tally, place, 0.25 * thin / inward, who, t)


@inner
def node_contacts(
    me, contact, tool, touch, pose, field, away, law, forces, base, points, memory, dt, step, keep, note, span, seen
):
    """The thread's nodes; `seen[node]` has a bit for every slot in use, for those who look at the nodes after this."""
    tally, place = touch.tally, me * TALLY_STRIDE
    begin, count, own = touch.field[me, 0], touch.field[me, 1] - touch.field[me, 0], touch.node[me]
    stored, zone, impulse = 0.0, law[ZONE], touch.impulse
    load, inverse_mass, node, tools = touch.load, contact.inverse_mass, contact.node, tool.kind.size
    seen[:] = 0
    for t in range(tool.kind.size):
        if away[t]:
            continue
        thin, friction = tool.form[FORM * t + THIN], tool.form[FORM * t + FRICTION]
        watched = keep and thin < UNBOUNDED and step > 0.0
        slow = max(thin / step - greatest_surface_speed(tool.form, t, pose), 0.0) if watched else 0.0  # slower nodes are caught
        for n in range(own, touch.node[me + 1]):
            at = U(4 * (t * count + n - begin))
            gap = field[at]
            if watched and gap < FAR:
                i = U(8) * U(node[U(n)]) + U(4)
                square = points[i] * points[i] + points[i + U(1)] * points[i + U(1)] + points[i + U(2)] * points[i + U(2)]
                if square > slow * slow or gap < -MIDDLE * thin:
                    _watch_speed(pose, t, thin, gap, field, at, points, i - U(4), step, tally, place, node[U(n)])
            if gap > zone + law[HOLD]:
                continue
            p = np.int64(node[U(n)])
            row = slot_of(memory, SLOTS_OF_NODE * n, SLOTS_OF_NODE, 1.0 + t, keep and gap <= zone)
            if gap > zone and row == NOBODY:
                continue
            if row != NOBODY:
                seen[n - own] |= 1 << (row - SLOTS_OF_NODE * n)
            tally_gap(tally, place, gap)
            # As in touch_tool, for the commonest contact.
            nx, ny, nz, mass = field[at + U(1)], field[at + U(2)], field[at + U(3)], 1.0 / inverse_mass[U(n)]
            i = U(8) * U(p)
            x, y, z = points[i], points[i + U(1)], points[i + U(2)]
            ux, uy, uz, bx, by, bz = surface_velocity(t, pose, x, y, z, nx, ny, nz)
            ux, uy, uz = points[i + U(4)] - ux, points[i + U(5)] - uy, points[i + U(6)] - uz
            if gap > zone and not still_pushes(law, mass, 1.0, gap, ux * nx + uy * ny + uz * nz, memory, row):
                if keep:
                    release(memory, row)
                continue
            fx, fy, fz, normal, hold, kept = respond(
                law, mass, 1.0, friction, gap, nx, ny, nz, ux, uy, uz, memory, row, dt, keep)  # fmt: skip
            push(forces, impulse, base, span, p, 1.0, fx, fy, fz)
            tool_load(load, (me * tools + t) * LOAD, pose, t, x, y, z, fx, fy, fz, bx, by, bz)
            if note > 0.0:
                k, c, i_ = coefficients(law, mass, 1.0)
                note_active(touch.active, me, k * note + c + i_ * note * note if normal > 0.0 else 0.0, hold * (k * note + c),
                            nx, ny, nz, p, 1.0, -1, 0.0, -1, 0.0, np.int64(tool.point[t]), -1.0)  # fmt: skip
            stored += kept
    return stored


@inner
def edge_contacts(me, contact, tool, touch, pose, field, close, remembers, rough, first_row, law, forces, base, points, memory, dt, keep,
                  note, span):  # fmt: skip
    """The thread's edges, between their ends; their memory begins at `first_row`."""
    tally, place, edge, node = touch.tally, me * TALLY_STRIDE, contact.edge, contact.node
    begin, count = touch.field[me, 0], touch.field[me, 1] - touch.field[me, 0]
    stored, zone, own = 0.0, law[ZONE], touch.edge[me]
    near, kind, form, grid = 2.0 * contact.longest[0], tool.kind, tool.form, tool.grid
    for e in range(own, touch.edge[me + 1]):
        a, b = np.int64(edge[U(e), U(0)]), np.int64(edge[U(e), U(1)])
        if not (close[U(a - begin)] or close[U(b - begin)] or remembers[U(e - own)]):
            continue
        first, seen = first_row + SLOTS_OF_EDGE * e, 0
        for t in rough:
            one, two = U(4 * (t * count + a - begin)), U(4 * (t * count + b - begin))
            sum_of_gaps = field[one] + field[two]
            if sum_of_gaps > near + 2.0 * (zone + law[HOLD]):
                continue
            p, q = np.int64(node[U(a)]), np.int64(node[U(b)])
            i, j = U(8) * U(p), U(8) * U(q)
            dx, dy, dz = points[j] - points[i], points[j + U(1)] - points[i + U(1)], points[j + U(2)] - points[i + U(2)]
            if field[one + U(1)] * dx + field[one + U(2)] * dy + field[one + U(3)] * dz >= 0.0:
                continue  # nearest at this end, or
            if field[two + U(1)] * dx + field[two + U(2)] * dy + field[two + U(3)] * dz <= 0.0:
                continue  # at that one
            if sum_of_gaps - math.sqrt(dx * dx + dy * dy + dz * dz) > 2.0 * (zone + law[HOLD]):
                continue
            x, y, z = points[i], points[i + U(1)], points[i + U(2)]
            s, gap, gx, gy, gz = deepest_of_edge(kind, form, grid, t, pose, near, x, y, z, dx, dy, dz)
            if not ON_EDGE < s < 1.0 - ON_EDGE:
                continue
            if gap > zone + law[HOLD]:
                continue
            row = slot_of(memory, first, SLOTS_OF_EDGE, 1.0 + t, keep and gap <= zone)
            if gap > zone and row == NOBODY:
                continue
            if row != NOBODY:
                seen |= 1 << (row - first)
            tally_gap(tally, place, gap)
            m, k = contact.inverse_mass[a], contact.inverse_mass[b]
            stored += touch_tool(
                me, tool, touch, pose, t, law, forces, base, points, memory, row, dt, keep, note, span,
                gap, 2.0 * s * (1.0 - s), gx, gy, gz, p, 1.0 - s, m, q, s, k, q, 0.0, k)  # fmt: skip
        if keep and remembers[U(e - own)]:
            forget(memory, first, SLOTS_OF_EDGE, seen)
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
def face_contacts(me, contact, tool, touch, pose, field, close, remembers, rough, first_row, law, forces, base, points, memory, dt, keep,
                  note, span):  # fmt: skip
    """The thread's faces, between their edges; their memory begins at `first_row`."""
    tally, place, face, node = touch.tally, me * TALLY_STRIDE, contact.face, contact.node
    begin, count = touch.field[me, 0], touch.field[me, 1] - touch.field[me, 0]
    stored, zone, own = 0.0, law[ZONE], touch.face[me]
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
            if least > CLOSE * near + zone + law[HOLD] or field[one] + field[two] + field[three] >= FAR:
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
            if least - 0.6 * math.sqrt(longest) > zone + law[HOLD]:  # no place of a face is further from all corners
                continue
            if _is_out_of_the_question(field, one, two, three, x, y, z, zone + law[HOLD]):
                continue
            u, v, w, gap, gx, gy, gz = deepest_of_face(kind, form, grid, t, pose, near, x, y, z)
            if min(u, v, w) < ON_EDGE:
                continue
            if gap > zone + law[HOLD]:
                continue
            row = slot_of(memory, first, SLOTS_OF_FACE, 1.0 + t, keep and gap <= zone)
            if gap > zone and row == NOBODY:
                continue
            if row != NOBODY:
                seen |= 1 << (row - first)
            tally_gap(tally, place, gap)
            p, q, r = np.int64(node[U(a)]), np.int64(node[U(b)]), np.int64(node[U(c)])
            stored += touch_tool(
                me, tool, touch, pose, t, law, forces, base, points, memory, row, dt, keep, note, span, gap, 9.0 * u * v * w,
                gx, gy, gz, p, u, contact.inverse_mass[a], q, v, contact.inverse_mass[b], r, w, contact.inverse_mass[c])  # fmt: skip
        if keep and remembers[U(f - own)]:
            forget(memory, first, SLOTS_OF_FACE, seen)
        if keep:
            remembers[U(f - own)] = seen != 0
    return stored
