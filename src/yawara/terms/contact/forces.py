"""All contact forces of a thread's share: tools, other bodies, itself; and what tools feel of them.

Tools and bodies are compiled apart, and called by their addresses: who has only tools need not wait for the other.
"""

from numba import uint64 as U

from yawara.kernels.calls import address_of, call_with_two
from yawara.kernels.jit import inner
from yawara.terms.contact.arrays import ACTED, DEEPEST, LOAD, TALLY_STRIDE, TOUCHING
from yawara.terms.contact.augmented import begin_evaluation
from yawara.terms.contact.books import BELT, TURN
from yawara.terms.contact.forget import forget_nodes
from yawara.terms.contact.rows import EDGES, FACES, NODES, SIDES
from yawara.terms.contact.tool_rows import clear_rows, end_kind, set_ways
from yawara.tools.form import FORM, INVERSE_INERTIA
from yawara.tools.load import turn_load
from yawara.tools.pose import set_poses


@inner
def contact_forces(ctx, mine, dt, step, keep, note, span):
    """Add the thread's contact forces [N], and their impulses over `span` [s]; returns the energy [J] that they store.

    `dt` moves the internal variables ahead, and they stay there if `keep`; `step` [s] tells how far things get before the next look;
    `note` [s] writes the contacts down for an implicit step of that size.
    """
    me, touch, asked = ctx.me, mine.touch, mine.asked
    touch.active.used[me] = 0
    set_poses(mine.tool, ctx.points, ctx.control.waits, mine.scratch.pose)
    begin_evaluation(ctx, mine)
    asked.dt, asked.step, asked.keep, asked.note, asked.span, asked.stored = dt, step, keep, note, span, 0.0
    _meet_everything(ctx, mine)
    if touch.tally[me * TALLY_STRIDE + TOUCHING] > 0.0:
        touch.tally[me * TALLY_STRIDE + ACTED] = 1.0
    return asked.stored


@inner
def find_contacts(ctx, mine):
    """Note the thread's contacts where a step has ended without them, for their impulses (impulse.py)."""
    asked = mine.asked
    clear_rows(ctx.me, mine.touch.rows)
    set_poses(mine.tool, ctx.points, ctx.control.waits, mine.scratch.pose)
    set_ways(mine.tool, mine.touch.rows, ctx.points, mine.scratch.pose)
    asked.dt, asked.step, asked.keep, asked.note, asked.span, asked.stored = 0.0, ctx.dt, 1, 0.0, 0.0, 0.0
    _meet_everything(ctx, mine)


@inner
def _meet_everything(ctx, mine):
    """The thread's nodes, edges and faces with tools, bodies and themselves, as `asked`."""
    me, touch, scratch, tools = ctx.me, mine.touch, mine.scratch, mine.tool.kind.size
    touch.load[me * tools * LOAD : (me + 1) * tools * LOAD] = 0.0
    touch.tally[me * TALLY_STRIDE + DEEPEST] = touch.tally[me * TALLY_STRIDE + TOUCHING] = 0.0
    if mine.with_nodes != 0:
        call_with_two(mine.with_nodes, address_of(ctx), address_of(mine))
    else:
        scratch.seen[:] = 0
    end_kind(me, touch.rows, NODES)
    if mine.with_edges != 0:
        call_with_two(mine.with_edges, address_of(ctx), address_of(mine))
    else:
        end_kind(me, touch.rows, EDGES)
    end_kind(me, touch.rows, FACES)
    end_kind(me, touch.rows, SIDES)
    if mine.with_bodies != 0:
        call_with_two(mine.with_bodies, address_of(ctx), address_of(mine))
    if mine.asked.keep != 0:
        forget_nodes(touch.node[me], touch.node[me + 1], mine.internal, scratch.seen, scratch.node_remembers)


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
def has_travelled(me, contact, touch, candidates, points):
    """Whether one of the thread's nodes has moved so far since the last search that there may be others to run into."""
    limit, reference, node = (0.5 * candidates.skin[0]) ** 2, candidates.reference, contact.node
    for n in range(touch.node[me], touch.node[me + 1]):
        p, square = U(8) * U(node[n]), 0.0
        for axis in range(3):
            square += (points[p + U(axis)] - reference[3 * n + axis]) ** 2
        if square > limit:
            return True
    return False


@inner
def place_turning_tools(tool, turn, turn_held, points, then):
    """Angles that drives prescribe."""
    for t in range(tool.kind.size):
        if turn_held[t]:
            p, a = U(8) * U(tool.point[t]), turn[t]
            points[p + U(3)] = a[0] + then * (a[1] + then * (a[2] + then * a[3]))
            points[p + U(7)] = a[1] + then * (2.0 * a[2] + then * 3.0 * a[3])
