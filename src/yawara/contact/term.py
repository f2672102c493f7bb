"""All contact forces of a thread's share: tools, other bodies, itself."""

import numpy as np
from numba import uint64 as U

from yawara.contact.body_contacts import edge_edge_contacts, forget_nodes, node_side_contacts
from yawara.contact.books import BELT, TURN
from yawara.contact.response import HOLD, ZONE, who_remembers
from yawara.contact.tool_contacts import edge_contacts, face_contacts, node_contacts
from yawara.contact.tools.field import CLOSE, mark_close, measure_field
from yawara.contact.tools.form import FORM, INVERSE_INERTIA
from yawara.contact.tools.load import turn_load
from yawara.contact.tools.pose import new_poses, set_poses
from yawara.contact.work import ACTED, DEEPEST, LOAD, MOVED, TALLY_STRIDE, TOUCHING, WAS_ROUGH
from yawara.jit import inner
from yawara.state import SLOTS_OF_EDGE, SLOTS_OF_FACE, SLOTS_OF_NODE


@inner
def contact_scratch(me, contact, tool, touch, memory):
    """Poses of the tools, distances of nodes from them, slots in use, tools that edges and faces can touch, tools that are far away,
    nodes that are close to a tool, and which nodes, edges and faces remember a contact."""
    nodes = touch.field[me, 1] - touch.field[me, 0]
    own = max(touch.node[me + 1] - touch.node[me], 0)
    rough, away = np.zeros(tool.kind.size, np.bool_), np.zeros(tool.kind.size, np.bool_)
    edge_row = SLOTS_OF_NODE * contact.node.size
    face_row = edge_row + SLOTS_OF_EDGE * contact.edge.shape[0]
    remember = (
        who_remembers(memory, 0, SLOTS_OF_NODE, touch.node[me], touch.node[me + 1]),
        who_remembers(memory, edge_row, SLOTS_OF_EDGE, touch.edge[me], touch.edge[me + 1]),
        who_remembers(memory, face_row, SLOTS_OF_FACE, touch.face[me], touch.face[me + 1]),
    )
    touch.tally[me * TALLY_STRIDE + WAS_ROUGH] = 1.0 if remember[1].any() or remember[2].any() else 0.0
    fields, seen, close = np.empty(4 * tool.kind.size * nodes), np.zeros(own, np.int64), np.zeros(nodes, np.bool_)
    return new_poses(tool), fields, seen, rough, away, close, remember


@inner
def contact_forces(me, contact, tool, touch, candidates, forces, base, points, memory, dt, step, keep, note, span, buffers):
    """Add the thread's contact forces [N], and their impulses over `span` [s]; returns the energy [J] that they store.

    `dt` moves the memories ahead, and they stay there if `keep`; `step` [s] tells how far things get before the next look; `note` [s]
    writes the contacts down for an implicit step of that size.
    """
    pose, field, seen, rough, away, close, (node_remembers, edge_remembers, face_remembers) = buffers
    law, tools, begin = contact.law, tool.kind.size, touch.field[me, 0]
    touch.load[me * tools * LOAD : (me + 1) * tools * LOAD] = 0.0
    touch.tally[me * TALLY_STRIDE + DEEPEST] = touch.tally[me * TALLY_STRIDE + TOUCHING] = 0.0
    touch.active.used[me] = 0
    stored = 0.0
    set_poses(tool, points, pose)
    if contact.bounce.size == 0 and tools > 0:
        near = 2.0 * contact.longest[0]
        measure_field(tool, contact.node, pose, near, begin, touch.field[me, 1], points, field, rough, away)
        stored += node_contacts(
            me, contact, tool, touch, pose, field, away, law, forces, base, points, memory, dt, step, keep, note, span, seen)  # fmt: skip
        is_rough, was_rough, rough_tools = rough.any(), me * TALLY_STRIDE + WAS_ROUGH, np.flatnonzero(rough)
        if is_rough or touch.tally[was_rough] != 0.0:
            if keep:  # who keeps nothing forgets nothing
                touch.tally[was_rough] = 1.0 if is_rough else 0.0
            mark_close(field, rough_tools, CLOSE * near + law[ZONE] + law[HOLD], close)
            row = SLOTS_OF_NODE * contact.node.size
            stored += edge_contacts(
                me, contact, tool, touch, pose, field, close, edge_remembers, rough_tools, row, law, forces, base, points, memory, dt,
                keep, note, span)  # fmt: skip
            row += SLOTS_OF_EDGE * contact.edge.shape[0]
            stored += face_contacts(
                me, contact, tool, touch, pose, field, close, face_remembers, rough_tools, row, law, forces, base, points, memory, dt,
                keep, note, span)  # fmt: skip
    else:
        seen[:] = 0
    if contact.side.size > 0:
        stored += node_side_contacts(
            me, contact, tools, touch, candidates, law, forces, base, points, memory, dt, step, keep, note, span, seen)  # fmt: skip
        row = SLOTS_OF_NODE * contact.node.size + SLOTS_OF_EDGE * contact.edge.shape[0] + SLOTS_OF_FACE * contact.face.shape[0]
        stored += edge_edge_contacts(
            me, contact, tools, touch, candidates, row, law, forces, base, points, memory, dt, step, keep, note, span)  # fmt: skip
    if keep:
        forget_nodes(touch.node[me], touch.node[me + 1], memory, seen, node_remembers)
    if touch.tally[me * TALLY_STRIDE + TOUCHING] > 0.0:
        touch.tally[me * TALLY_STRIDE + ACTED] = 1.0
    return stored


@inner
def hand_to_tools(threads, tool, mass, touch, turn_held, pose, forces, base, log, row, share, span):
    """What all threads' contacts did to the tools, added to the forces on their points; `row` of the log, if there, gets a share of it.

    `touch.tool_impulse` gets the impulses over `span` [s]: along the axes, about the tool's own axis, and the work [J] of its belt.
    """
    load, tools, impulse = touch.load, tool.kind.size, touch.tool_impulse
    for t in range(tools):
        for thread in range(1, threads):  # in the threads' order
            for n in range(LOAD):
                load[t * LOAD + n] += load[(thread * tools + t) * LOAD + n]
        at = t * LOAD
        p = U(tool.point[t])
        for axis in range(3):
            forces[base + U(4) * p + U(axis)] += load[at + axis]
            impulse[at + axis] += span * load[at + axis]
        torque = turn_load(pose, t, load, at)
        impulse[at + TURN] += span * torque
        impulse[at + BELT] += span * load[at + 6]
        if not turn_held[t] and tool.form[FORM * t + INVERSE_INERTIA] > 0.0:
            # a force on the fourth coordinate, which the point's mass will divide
            forces[base + U(4) * p + U(3)] += torque * tool.form[FORM * t + INVERSE_INERTIA] * mass[p]
        if row < log.shape[0]:
            for n in range(6):
                log[row, 6 * t + n] += share * load[at + n]
    if row < log.shape[0]:
        for thread in range(threads):
            place = thread * TALLY_STRIDE
            log[row, 6 * tools] = min(log[row, 6 * tools], touch.tally[place + DEEPEST])
            log[row, 6 * tools + 1] = max(log[row, 6 * tools + 1], touch.tally[place + TOUCHING])


@inner
def note_travel(me, contact, touch, candidates, points):
    """Whether one of the thread's nodes has moved so far since the last search that there may be others to run into."""
    if candidates.reference.size == 0:
        return
    limit = (0.5 * candidates.skin[0]) ** 2
    moved = 0.0
    for n in range(touch.node[me], touch.node[me + 1]):
        p, square = U(8) * U(contact.node[n]), 0.0
        for axis in range(3):
            square += (points[p + U(axis)] - candidates.reference[3 * n + axis]) ** 2
        if square > limit:
            moved = 1.0
    touch.tally[me * TALLY_STRIDE + MOVED] = moved


@inner
def has_travelled(threads, tally):
    moved = 0.0
    for thread in range(threads):
        moved += tally[thread * TALLY_STRIDE + MOVED]
    return moved > 0.0


@inner
def place_turning_tools(tool, turn, turn_held, points, then):
    """Angles that drives prescribe."""
    for t in range(tool.kind.size):
        if turn_held[t]:
            p, a = U(8) * U(tool.point[t]), turn[t]
            points[p + U(3)] = a[0] + then * (a[1] + then * (a[2] + then * a[3]))
            points[p + U(7)] = a[1] + then * (2.0 * a[2] + then * 3.0 * a[3])
