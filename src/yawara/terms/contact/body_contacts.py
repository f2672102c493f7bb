"""Bodies against each other and themselves: nodes against faces (edges of an outline in 2-D), edges against edges.

(Tomokuni et al. 2003, eqs. (18)-(20); Sugiyama et al. 2002, eq. (9).) A node touches the nearest side of a body, so a node that came in
through one side of an acute corner leaves through it again. It must have come from outside: a node deep inside its own body is no
contact, however near the body's other side is. Forces act along the line between the two places that touch, and friction
gets a couple that makes up for their distance: linear and angular momentum are kept.
"""

import math

import numpy as np
from numba import uint64 as U

from yawara.core.context import Context
from yawara.kernels.closest import closest_between_segments, closest_on_segment, closest_on_triangle
from yawara.kernels.entries import Kernel
from yawara.kernels.jit import inlined, inner
from yawara.kernels.records import record_type
from yawara.terms.contact.arrays import TALLY_STRIDE, Arrays, note_active, push, tally_gap, tally_speed
from yawara.terms.contact.augmented import answer, mass_of, mobility, pushes_on
from yawara.terms.contact.couple import couple
from yawara.terms.contact.internal import SLOTS_OF_EDGE, SLOTS_OF_FACE, SLOTS_OF_NODE
from yawara.terms.contact.response import FRICTION, HOLD, NOBODY, ZONE, forget, release, slot_of
from yawara.terms.contact.rows import BY_IMPULSE, MARGIN, SHARED, SIDES, STRIDE, is_far, note_row, set_masses
from yawara.terms.contact.rows import NOBODY as NO_NODE
from yawara.terms.contact.rows import NOBODY as NO_ROW
from yawara.terms.contact.rows import NOBODY as NO_TOOL
from yawara.terms.contact.tool_rows import end_kind

SAME = 1e-9  # of a squared distance: sides that share the nearest place
ENTRY = 0.02  # of the reach: penetration that may be there without having been seen to come
CONE = 0.05  # of an edge's length: how far the faces beside an edge may stand over the plane between two edges
INSIDE_EDGE = 1e-3  # edges that meet closer to their ends than this leave it to nodes


@inlined
def _at(points, p):
    i = U(8) * U(p)
    return points[i], points[i + U(1)], points[i + U(2)]


@inlined
def _speed(points, p):
    i = U(8) * U(p) + U(4)
    return points[i], points[i + U(1)], points[i + U(2)]


@inner
def _add_couple(points, forces, impulse, base, span, p0, p1, p2, p3, count, tx, ty, tz):
    """Forces on `count` points whose sum is zero and whose torque is t [N m]."""
    x0, y0, z0 = _at(points, p0)
    x1, y1, z1 = _at(points, p1)
    x2, y2, z2 = _at(points, p2)
    x3, y3, z3 = _at(points, p3)
    cx, cy, cz, ax, ay, az = couple(x0, y0, z0, x1, y1, z1, x2, y2, z2, x3, y3, z3, count, tx, ty, tz)
    for n in range(count):
        p = p0 if n == 0 else p1 if n == 1 else p2 if n == 2 else p3
        x, y, z = _at(points, p)
        x, y, z = x - cx, y - cy, z - cz
        push(forces, impulse, base, span, p, 1.0, ay * z - az * y, az * x - ax * z, ax * y - ay * x)


@inner
def _touch(me, touch, law, forces, base, points, internal, row, dt, keep, note, span, gap, nx, ny, nz, mass,
           p0, w0, p1, w1, p2, w2, p3, w3, first, count):  # fmt: skip
    """One contact between bodies: the four points' weights sum to 1 on one side and to -1 on the other.

    The couple of friction goes to `count` points from number `first` on. Returns stored energy [J].
    """
    ax, ay, az = _at(points, p0)
    bx, by, bz = _at(points, p1)
    cx, cy, cz = _at(points, p2)
    dx, dy, dz = _at(points, p3)
    rx, ry, rz = (
        w0 * ax + w1 * bx + w2 * cx + w3 * dx,
        w0 * ay + w1 * by + w2 * cy + w3 * dy,
        w0 * az + w1 * bz + w2 * cz + w3 * dz,
    )
    ax, ay, az = _speed(points, p0)
    bx, by, bz = _speed(points, p1)
    cx, cy, cz = _speed(points, p2)
    dx, dy, dz = _speed(points, p3)
    vx, vy, vz = (
        w0 * ax + w1 * bx + w2 * cx + w3 * dx,
        w0 * ay + w1 * by + w2 * cy + w3 * dy,
        w0 * az + w1 * bz + w2 * cz + w3 * dz,
    )
    if gap > law[ZONE] and not pushes_on(law, mass, 1.0, gap, vx * nx + vy * ny + vz * nz, internal, row):
        if keep:
            release(internal, row)
        return 0.0
    fx, fy, fz, slope, grip, sx, sy, sz, stored = answer(
        me, touch, law, mass, 1.0, law[FRICTION], gap, nx, ny, nz, vx, vy, vz, internal, row, dt, keep, note)  # fmt: skip
    push(forces, touch.impulse, base, span, p0, w0, fx, fy, fz)
    push(forces, touch.impulse, base, span, p1, w1, fx, fy, fz)
    push(forces, touch.impulse, base, span, p2, w2, fx, fy, fz)
    if w3 != 0.0:
        push(forces, touch.impulse, base, span, p3, w3, fx, fy, fz)
    if law[FRICTION] > 0.0:
        tx, ty, tz = rz * fy - ry * fz, rx * fz - rz * fx, ry * fx - rx * fy  # against r x f, what friction leaves over
        if first == 0:
            _add_couple(points, forces, touch.impulse, base, span, p0, p1, p2, p3, count, tx, ty, tz)
        else:
            _add_couple(points, forces, touch.impulse, base, span, p1, p2, p3, p3, count, tx, ty, tz)
    if note > 0.0:
        note_active(touch.active, me, slope, grip, sx, sy, sz, nx, ny, nz, p0, w0, p1, w1, p2, w2, p3, w3)  # fmt: skip
    return stored


@inlined
def _note_pair(
    me, contact, touch, step, law, points, internal, gap, nx, ny, nz, n0, w0, n1, w1, n2, w2, n3, w3, memory, who, whom
):
    """A contact between bodies as a row; `memory` is its slot. More than there is room for are a heap that this step cannot follow."""
    rows = touch.rows
    number = note_row(me, rows, contact, points, gap, law[FRICTION], nx, ny, nz, n0, w0, n1, w1, n2, w2, n3, w3, NO_TOOL, 0.0, 0.0, 0.0,
                      memory)  # fmt: skip
    if number == NO_ROW:
        release(internal, memory)
        tally_speed(touch.tally, me * TALLY_STRIDE, 0.5 * step, who, whom)
    else:
        set_masses(rows, number)
        rows.used[me * STRIDE + SHARED] = 1


@inner
def _nearest_side(contact, points, px, py, pz, first, last, candidates, planar):
    """Of the candidates first..last, all of one body: side, gap [m], way out, and weights of its corners at the nearest place."""
    best, side, steep = np.inf, np.int64(-1), 0.0
    gap, nx, ny, nz, u, v, w = 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0
    for c in range(first, last):
        s = np.int64(candidates.side[c])
        ax, ay, az = _at(points, contact.node[contact.side[s, 0]])
        bx, by, bz = _at(points, contact.node[contact.side[s, 1]])
        cx, cy, cz = _at(points, contact.node[contact.side[s, 2]])
        # No place of it is nearer than its box.
        ox = max(min(ax, bx, cx) - px, px - max(ax, bx, cx), 0.0)
        oy = max(min(ay, by, cy) - py, py - max(ay, by, cy), 0.0)
        oz = max(min(az, bz, cz) - pz, pz - max(az, bz, cz), 0.0)
        if ox * ox + oy * oy + oz * oz > best * (1.0 + SAME):
            continue
        if planar:
            t = closest_on_segment(px, py, pz, ax, ay, az, bx, by, bz)
            i, j, k, on_face = 1.0 - t, t, 0.0, 0.0 < t < 1.0
            qx, qy, qz = ax + t * (bx - ax), ay + t * (by - ay), az + t * (bz - az)
            mx, my, mz = by - ay, ax - bx, 0.0  # the body is on the left of its outline
        else:
            i, j, k, region = closest_on_triangle(px, py, pz, ax, ay, az, bx, by, bz, cx, cy, cz)
            on_face = region == 0
            qx, qy, qz = i * ax + j * bx + k * cx, i * ay + j * by + k * cy, i * az + j * bz + k * cz
            ex, ey, ez, fx, fy, fz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
            mx, my, mz = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
        size = math.sqrt(mx * mx + my * my + mz * mz)
        if size == 0.0:
            continue
        dx, dy, dz = px - qx, py - qy, pz - qz
        square = dx * dx + dy * dy + dz * dz
        height = (dx * mx + dy * my + dz * mz) / size
        # Sides that share the nearest place, an edge or a corner, disagree about in and out: the one seen most squarely is right.
        closer = square < best * (1.0 - SAME)
        if closer or (square <= best * (1.0 + SAME) and abs(height) > steep):
            best, side, steep = min(best, square), s, abs(height)
            length = math.sqrt(square)
            if on_face or length < 1e-12 * size:
                gap, nx, ny, nz = height, mx / size, my / size, mz / size
            else:
                sign = 1.0 if height >= 0.0 else -1.0
                gap, nx, ny, nz = sign * length, sign * dx / length, sign * dy / length, sign * dz / length
            u, v, w = i, j, k
    return side, gap, nx, ny, nz, u, v, w


@inner
def node_side_contacts(
    me, contact, tools, touch, candidates, law, forces, base, points, internal, dt, step, keep, note, span, seen
):
    """The thread's nodes against sides; adds to `seen` which of their slots are in use."""
    tally, place, own = touch.tally, me * TALLY_STRIDE, touch.node[me]
    stored, rows = 0.0, touch.rows
    by_impulse = rows.setting[BY_IMPULSE] != 0.0
    zone, hold = (rows.setting[MARGIN], 0.0) if by_impulse else (law[ZONE], law[HOLD])
    counts = keep or note == 0.0  # not what Newton's method tries on its way
    for number in range(touch.pair_node[me], touch.pair_node[me + 1]):
        n, end = np.int64(contact.pair_node[number]), candidates.first_side[number + 1]
        p = np.int64(contact.node[n])
        first = candidates.first_side[number]
        while first < end:
            body = contact.side_body[candidates.side[first]]
            last = first + 1
            while last < end and contact.side_body[candidates.side[last]] == body:
                last += 1
            px, py, pz = _at(points, p)
            planar = contact.dimension[body] == 2
            side, gap, nx, ny, nz, u, v, w = _nearest_side(contact, points, px, py, pz, first, last, candidates, planar)
            first = last
            if side < 0 or gap > zone + hold:
                continue
            a, b, c = contact.side[side, 0], contact.side[side, 1], contact.side[side, 2]
            p1, p2, p3 = np.int64(contact.node[a]), np.int64(contact.node[b]), np.int64(contact.node[c])
            vx, vy, vz = _speed(points, p)
            x1, y1, z1 = _speed(points, p1)
            x2, y2, z2 = _speed(points, p2)
            x3, y3, z3 = _speed(points, p3)
            rate = ((vx - u * x1 - v * x2 - w * x3) * nx + (vy - u * y1 - v * y2 - w * y3) * ny
                    + (vz - u * z1 - v * z2 - w * z3) * nz)  # fmt: skip
            if by_impulse and is_far(rows.setting, gap, rate):
                continue
            key, reach = 1.0 + tools + body, contact.reach[body]
            row = slot_of(internal, SLOTS_OF_NODE * n, SLOTS_OF_NODE, key, False)
            held = by_impulse and row != NOBODY  # where it would go without contact is not where it goes
            if row == NOBODY and (gap > zone or gap - min(rate, 0.0) * step < -ENTRY * reach):
                continue  # not there yet; or it was inside before: the far side of its own body, or a body it was never outside of
            if row == NOBODY and keep:
                row = slot_of(internal, SLOTS_OF_NODE * n, SLOTS_OF_NODE, key, True)
            if row != NOBODY:
                seen[n - own] |= 1 << (row - SLOTS_OF_NODE * n)
            if not by_impulse:
                tally_gap(tally, place, gap)
            if counts and not held and -rate * step > 0.5 * reach:
                tally_speed(tally, place, 0.5 * reach / -rate, p, p1)
            if counts and gap < -reach:
                tally_speed(tally, place, 0.5 * step, p, p1)
            if by_impulse:
                _note_pair(me, contact, touch, step, law, points, internal, gap, nx, ny, nz, n, 1.0, np.int64(a), -u, np.int64(b), -v,
                           NO_NODE if planar else np.int64(c), -w, row, p, p1)  # fmt: skip
                continue
            mass = mass_of(mobility(contact, touch, n, nx, ny, nz) + u * u * mobility(contact, touch, a, nx, ny, nz)
                           + v * v * mobility(contact, touch, b, nx, ny, nz) + w * w * mobility(contact, touch, c, nx, ny, nz))  # fmt: skip
            stored += _touch(me, touch, law, forces, base, points, internal, row, dt, keep, note, span, gap, nx, ny, nz, mass,
                             p, 1.0, p1, -u, p2, -v, p3, -w, 1, 2 if planar else 3)  # fmt: skip
    return stored


@inner
def _stands_over(points, contact, edge, nx, ny, nz, ax, ay, az, length):
    """By how much of the edge's length the faces beside it stand over the plane through it with this normal, at most."""
    most = 0.0
    for side in range(2):
        x, y, z = _at(points, contact.node[contact.pair_apex[edge, side]])
        most = max(most, ((x - ax) * nx + (y - ay) * ny + (z - az) * nz) / length)
    return most


@inner
def _outwards(points, contact, edge, nx, ny, nz, ax, ay, az):
    """How much the faces beside an edge fall away from it against the normal [m]."""
    total = 0.0
    for side in range(2):
        x, y, z = _at(points, contact.node[contact.pair_apex[edge, side]])
        total -= (x - ax) * nx + (y - ay) * ny + (z - az) * nz
    return total


@inner
def edge_edge_contacts(
    me, contact, tools, touch, candidates, first_row, law, forces, base, points, internal, dt, step, keep, note, span
):
    """The thread's edges against later ones; their internal variables begin at `first_row`."""
    tally, place = touch.tally, me * TALLY_STRIDE
    stored, rows = 0.0, touch.rows
    by_impulse = rows.setting[BY_IMPULSE] != 0.0
    zone, hold = (rows.setting[MARGIN], 0.0) if by_impulse else (law[ZONE], law[HOLD])
    counts = keep or note == 0.0
    for e in range(touch.pair_edge[me], touch.pair_edge[me + 1]):
        first, seen = first_row + SLOTS_OF_EDGE * e, 0
        i, j = contact.pair_edge[e, 0], contact.pair_edge[e, 1]
        p0, p1 = np.int64(contact.node[i]), np.int64(contact.node[j])
        for number in range(candidates.first_edge[e], candidates.first_edge[e + 1]):
            o = np.int64(candidates.edge[number])
            k, h = contact.pair_edge[o, 0], contact.pair_edge[o, 1]
            p2, p3 = np.int64(contact.node[k]), np.int64(contact.node[h])
            ax, ay, az = _at(points, p0)
            bx, by, bz = _at(points, p1)
            cx, cy, cz = _at(points, p2)
            dx, dy, dz = _at(points, p3)
            s, t, parallel = closest_between_segments(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)
            if parallel or min(s, t) < INSIDE_EDGE or max(s, t) > 1.0 - INSIDE_EDGE:
                continue
            ex, ey, ez, fx, fy, fz = bx - ax, by - ay, bz - az, dx - cx, dy - cy, dz - cz
            nx, ny, nz = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
            size = math.sqrt(nx * nx + ny * ny + nz * nz)
            nx, ny, nz = nx / size, ny / size, nz / size
            # from the other edge's body to this one's
            out = _outwards(points, contact, o, nx, ny, nz, cx, cy, cz) - _outwards(points, contact, e, nx, ny, nz, ax, ay, az)
            if out < 0.0:
                nx, ny, nz = -nx, -ny, -nz
            gap = (ax + s * ex - cx - t * fx) * nx + (ay + s * ey - cy - t * fy) * ny + (az + s * ez - cz - t * fz) * nz
            if gap > zone + hold:
                continue
            reach = min(contact.reach[contact.pair_edge_body[e]], contact.reach[contact.pair_edge_body[o]])
            length, other = math.sqrt(ex * ex + ey * ey + ez * ez), math.sqrt(fx * fx + fy * fy + fz * fz)
            if _stands_over(points, contact, o, nx, ny, nz, cx, cy, cz, other) > CONE:
                continue
            if _stands_over(points, contact, e, -nx, -ny, -nz, ax, ay, az, length) > CONE:
                continue
            x0, y0, z0 = _speed(points, p0)
            x1, y1, z1 = _speed(points, p1)
            x2, y2, z2 = _speed(points, p2)
            x3, y3, z3 = _speed(points, p3)
            rate = (((1 - s) * x0 + s * x1 - (1 - t) * x2 - t * x3) * nx + ((1 - s) * y0 + s * y1 - (1 - t) * y2 - t * y3) * ny
                    + ((1 - s) * z0 + s * z1 - (1 - t) * z2 - t * z3) * nz)  # fmt: skip
            if by_impulse and is_far(rows.setting, gap, rate):
                continue
            key = 1.0 + tools + o
            row = slot_of(internal, first, SLOTS_OF_EDGE, key, False)
            held = by_impulse and row != NOBODY  # where it would go without contact is not where it goes
            if row == NOBODY and (gap > zone or gap - min(rate, 0.0) * step < -ENTRY * reach):
                continue  # not there yet; or edges deep inside each other's bodies: nodes have to get them out
            if row == NOBODY and keep:
                row = slot_of(internal, first, SLOTS_OF_EDGE, key, True)
            if row != NOBODY:
                seen |= 1 << (row - first)
            if not by_impulse:
                tally_gap(tally, place, gap)
            if counts and not held and -rate * step > 0.5 * reach:
                tally_speed(tally, place, 0.5 * reach / -rate, p0, p2)
            if counts and gap < -reach:
                tally_speed(tally, place, 0.5 * step, p0, p2)
            if by_impulse:
                _note_pair(me, contact, touch, step, law, points, internal, gap, nx, ny, nz, np.int64(i), 1.0 - s, np.int64(j), s,
                           np.int64(k), t - 1.0, np.int64(h), -t, row, p0, p2)  # fmt: skip
                continue
            mass = mass_of((1 - s) ** 2 * mobility(contact, touch, i, nx, ny, nz) + s * s * mobility(contact, touch, j, nx, ny, nz)
                           + (1 - t) ** 2 * mobility(contact, touch, k, nx, ny, nz)
                           + t * t * mobility(contact, touch, h, nx, ny, nz))  # fmt: skip
            stored += _touch(me, touch, law, forces, base, points, internal, row, dt, keep, note, span, gap, nx, ny, nz, mass,
                                p0, 1.0 - s, p1, s, p2, t - 1.0, p3, -t, 0, 4)  # fmt: skip
        if keep:
            forget(internal, first, SLOTS_OF_EDGE, seen)
    return stored


def touch_bodies(ctx, mine):
    me, contact, touch, scratch, asked, tools = (
        ctx.me,
        mine.surface,
        mine.touch,
        mine.scratch,
        mine.asked,
        mine.tool.kind.size,
    )
    law, internal, keep = contact.law, mine.internal, asked.keep != 0
    asked.stored += node_side_contacts(
        me, contact, tools, touch, mine.candidates, law, ctx.forces, ctx.own, ctx.points, internal, asked.dt, asked.step, keep,
        asked.note, asked.span, scratch.seen)  # fmt: skip
    end_kind(me, touch.rows, SIDES)
    row = SLOTS_OF_NODE * contact.node.size + SLOTS_OF_EDGE * contact.edge.shape[0] + SLOTS_OF_FACE * contact.face.shape[0]
    asked.stored += edge_edge_contacts(
        me, contact, tools, touch, mine.candidates, row, law, ctx.forces, ctx.own, ctx.points, internal, asked.dt, asked.step, keep,
        asked.note, asked.span)  # fmt: skip


BODIES = Kernel(touch_bodies, (record_type(Context), record_type(Arrays)), by_address=True)
