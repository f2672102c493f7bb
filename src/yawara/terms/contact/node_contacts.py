"""Nodes of bodies against tools."""

import math

import numpy as np
from numba import uint64 as U

from yawara.core.context import Context
from yawara.kernels.entries import Kernel
from yawara.kernels.jit import inner
from yawara.kernels.records import record_type
from yawara.terms.contact.arrays import LOAD, TALLY_STRIDE, Arrays, note_active, push, tally_gap
from yawara.terms.contact.augmented import answer, mass_of, mobility, pushes_on
from yawara.terms.contact.internal import SLOTS_OF_NODE
from yawara.terms.contact.passing import caught_below, watch_node
from yawara.terms.contact.response import HOLD, NOBODY, ZONE, release, slot_of
from yawara.terms.contact.rows import BY_IMPULSE
from yawara.terms.contact.tool_rows import find_node_rows
from yawara.tools.field import measure_field
from yawara.tools.form import FORM, FRICTION, THIN
from yawara.tools.load import tool_load
from yawara.tools.pose import surface_velocity


@inner
def node_contacts(
    me, contact, tool, touch, pose, field, away, law, forces, base, points, internal, dt, step, keep, note, span, seen
):
    """The thread's nodes; `seen[node]` has a bit for every slot in use, for those who look at the nodes after this."""
    tally, place = touch.tally, me * TALLY_STRIDE
    begin, count, own = touch.field[me, 0], touch.field[me, 1] - touch.field[me, 0], touch.node[me]
    stored, zone, impulse = 0.0, law[ZONE], touch.impulse
    load, node, tools = touch.load, contact.node, tool.kind.size
    seen[:] = 0
    for t in range(tool.kind.size):
        if away[t]:
            continue
        thin, friction = tool.form[FORM * t + THIN], tool.form[FORM * t + FRICTION]
        slow = caught_below(tool.form, t, pose, step) if keep else math.inf
        for n in range(own, touch.node[me + 1]):
            at = U(4 * (t * count + n - begin))
            gap = field[at]
            watch_node(pose, t, thin, slow, gap, field, at, points, node[U(n)], step, tally, place)
            if gap > zone + law[HOLD]:
                continue
            p = np.int64(node[U(n)])
            row = slot_of(internal, SLOTS_OF_NODE * n, SLOTS_OF_NODE, 1.0 + t, keep and gap <= zone)
            if gap > zone and row == NOBODY:
                continue
            if row != NOBODY:
                seen[n - own] |= 1 << (row - SLOTS_OF_NODE * n)
            tally_gap(tally, place, gap)
            # As in touch_tool, for the commonest contact.
            nx, ny, nz = field[at + U(1)], field[at + U(2)], field[at + U(3)]
            mass = mass_of(mobility(contact, touch, n, nx, ny, nz))
            i = U(8) * U(p)
            x, y, z = points[i], points[i + U(1)], points[i + U(2)]
            ux, uy, uz, bx, by, bz = surface_velocity(t, pose, x, y, z, nx, ny, nz)
            ux, uy, uz = points[i + U(4)] - ux, points[i + U(5)] - uy, points[i + U(6)] - uz
            if gap > zone and not pushes_on(law, mass, 1.0, gap, ux * nx + uy * ny + uz * nz, internal, row):
                if keep:
                    release(internal, row)
                continue
            fx, fy, fz, slope, grip, sx, sy, sz, kept = answer(
                me, touch, law, mass, 1.0, friction, gap, nx, ny, nz, ux, uy, uz, internal, row, dt, keep, note)  # fmt: skip
            push(forces, impulse, base, span, p, 1.0, fx, fy, fz)
            tool_load(load, (me * tools + t) * LOAD, pose, t, x, y, z, fx, fy, fz, bx, by, bz)
            if note > 0.0:
                note_active(touch.active, me, slope, grip, sx, sy, sz, nx, ny, nz, p, 1.0, -1, 0.0, -1, 0.0,
                            np.int64(tool.point[t]), -1.0)  # fmt: skip
            stored += kept
    return stored


def touch_nodes(ctx, mine):
    """Measures how far nodes are from tools, for edges and faces as well."""
    me, contact, tool, touch, scratch, asked = ctx.me, mine.surface, mine.tool, mine.touch, mine.scratch, mine.asked
    begin, end = touch.field[me, 0], touch.field[me, 1]
    measure_field(tool, contact.node, scratch.pose, 2.0 * contact.longest[0], begin, end, ctx.points, scratch.field, scratch.rough,
                  scratch.away)  # fmt: skip
    if touch.rows.setting[BY_IMPULSE] != 0.0:
        find_node_rows(me, contact, tool, touch, scratch.pose, scratch.field, scratch.away, ctx.points, mine.internal, asked.step,
                       scratch.seen)  # fmt: skip
        return
    asked.stored += node_contacts(
        me, contact, tool, touch, scratch.pose, scratch.field, scratch.away, contact.law, ctx.forces, ctx.own, ctx.points, mine.internal,
        asked.dt, asked.step, asked.keep != 0, asked.note, asked.span, scratch.seen)  # fmt: skip


NODES = Kernel(touch_nodes, (record_type(Context), record_type(Arrays)), by_address=True)
