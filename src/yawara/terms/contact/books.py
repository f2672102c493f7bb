"""What contacts take from the motion: their impulses times mean velocities.

Whatever the scheme, a step from v to v' changes the kinetic energy by exactly the sum of J . (v + v')/2 over all impulses J that act in
it. In an impact v changes by its own size in one step, so a force times the old velocity, or the new one, would be off by as much as
there is. What contacts take is therefore, per step,

    -sum J . (v + v')/2 over nodes and tools + what belts give,

and what they lose for good is that less what their springs hold. It is booked in two halves: with the velocities before points move, and
with those after.
"""

from numba import uint64 as U

from yawara.core.control import FREE
from yawara.kernels.jit import inner
from yawara.terms.contact.arrays import ACTED, LOAD, TALLY_STRIDE

TURN, BELT = 3, 6  # places in a tool's impulse: about its own axis [N m s], work of its belt [J]


@inner
def work_on_nodes(me, node, touch, base, points):
    """[J]: half of what the thread's contacts do to nodes that move like this."""
    work, impulse = 0.0, touch.impulse
    if touch.tally[me * TALLY_STRIDE + ACTED] == 0.0:
        return work
    for n in range(U(node.size)):
        at, v = base + U(4) * U(node[n]), U(8) * U(node[n]) + U(4)
        work += impulse[at] * points[v] + impulse[at + U(1)] * points[v + U(1)] + impulse[at + U(2)] * points[v + U(2)]
    return 0.5 * work


@inner
def clear_nodes(me, node, touch, base):
    """The thread's impulses are booked."""
    if touch.tally[me * TALLY_STRIDE + ACTED] != 0.0:
        touch.tally[me * TALLY_STRIDE + ACTED] = 0.0
        for n in range(U(node.size)):
            at = base + U(4) * U(node[n])
            touch.impulse[at] = touch.impulse[at + U(1)] = touch.impulse[at + U(2)] = 0.0


@inner
def work_on_tools(tool, mass, control, touch, points):
    """[J]: half of what contacts do to tools that move like this, half of what drives then give to those that have no mass, and half of
    what goes into the motion of those that have."""
    work, driven, carried, impulse = 0.0, 0.0, 0.0, touch.tool_impulse
    for t in range(tool.kind.size):
        p, at = U(tool.point[t]), t * LOAD
        for axis in range(3):
            part = impulse[at + axis] * points[U(8) * p + U(4) + U(axis)]
            work += part
            if mass[p] > 0.0:
                carried += part
            elif control.axis_drive[p, axis] != FREE:
                driven -= part
        part = impulse[at + TURN] * points[U(8) * p + U(7)]
        work += part
        if control.turn_held[t]:
            driven -= part
    return 0.5 * work, 0.5 * driven, 0.5 * carried


@inner
def work_of_belts(tool, touch):
    """[J] in this step."""
    work = 0.0
    for t in range(tool.kind.size):
        work += touch.tool_impulse[t * LOAD + BELT]
    return work
