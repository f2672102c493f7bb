"""What contacts take from the motion: their impulses times mean velocities.

Whatever the scheme, a step from v to v' changes the kinetic energy by exactly the sum of J . (v + v')/2 over all impulses J that act in
it. In an impact v changes by its own size in one step, so a force times the old velocity, or the new one, would be off by as much as
there is. What contacts take is therefore, per step,

    -sum J . (v + v')/2 over nodes and tools + what belts give,

and what they lose for good is that less what their springs hold. It is booked in two halves: with the velocities before points move, and
with those after.

An implicit step moves a node by dt v', and a tool by its way: in a contact that lasts they are the same, and it takes nothing, however much
both have changed their speeds since the step before. Only what is stopped by its inertia has lost half of J . (v - v') more, and that is no
more than m |v' - v|^2 / 2.
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
def _stopped(impulse, change, mass, square):
    """[J]: half of an impulse times the change of velocity that it made, as far as it was inertia that it had to overcome."""
    return max(0.0, min(0.5 * impulse * change, 0.5 * mass * square))


@inner
def solved_work_on_nodes(me, surface, touch, base, start, points):
    """[J]: what the thread's contacts do to nodes in an implicit step, and what of their motion they have stopped."""
    work, stopped, impulse, node = 0.0, 0.0, touch.impulse, surface.node
    if touch.tally[me * TALLY_STRIDE + ACTED] == 0.0:
        return work, stopped
    for n in range(U(node.size)):
        at, v, kick, square = base + U(4) * U(node[n]), U(8) * U(node[n]) + U(4), 0.0, 0.0
        for axis in range(U(3)):
            change = points[v + axis] - start[v + axis]
            work += impulse[at + axis] * points[v + axis]
            kick, square = kick + impulse[at + axis] * change, square + change * change
        stopped += _stopped(kick, 1.0, 1.0 / max(surface.inverse_mass[n], 1e-300), square)
    return work, stopped


@inner
def solved_work_on_tools(tool, mass, control, touch, start, points, dt):
    """[J]: what contacts do to tools in an implicit step, what drives then give to those that have no mass, and what of the motion of those
    that have was stopped."""
    work, driven, stopped, impulse = 0.0, 0.0, 0.0, touch.tool_impulse
    for t in range(tool.kind.size):
        p, at, inertia = U(8) * U(tool.point[t]), t * LOAD, mass[tool.point[t]]
        for axis in range(U(3)):
            if inertia > 0.0:  # with the velocity with which the scheme books its drive, if it has one
                work += impulse[at + axis] * points[p + U(4) + axis]
                if control.axis_drive[tool.point[t], axis] == FREE:
                    change = points[p + U(4) + axis] - start[p + U(4) + axis]
                    stopped += _stopped(impulse[at + axis], change, inertia, change * change)
            else:
                part = impulse[at + axis] * (points[p + axis] - start[p + axis]) / dt
                work += part
                driven -= part if control.axis_drive[tool.point[t], axis] != FREE else 0.0
        if control.turn_held[t]:
            part = impulse[at + TURN] * (points[p + U(3)] - start[p + U(3)]) / dt
            work, driven = work + part, driven - part
        else:  # the scheme does not book what turns: as in the other schemes, with the mean velocity
            work += 0.5 * impulse[at + TURN] * (start[p + U(7)] + points[p + U(7)])
    return work, driven, stopped


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
    """[J]: half of what contacts do to tools that move like this, and half of what drives then give to those that have no mass."""
    work, driven, impulse = 0.0, 0.0, touch.tool_impulse
    for t in range(tool.kind.size):
        p, at = U(tool.point[t]), t * LOAD
        for axis in range(3):
            part = impulse[at + axis] * points[U(8) * p + U(4) + U(axis)]
            work += part
            if mass[p] == 0.0 and control.axis_drive[p, axis] != FREE:
                driven -= part
        part = impulse[at + TURN] * points[U(8) * p + U(7)]
        work += part
        if control.turn_held[t]:
            driven -= part
    return 0.5 * work, 0.5 * driven


@inner
def work_of_belts(tool, touch):
    """[J] in this step."""
    work = 0.0
    for t in range(tool.kind.size):
        work += touch.tool_impulse[t * LOAD + BELT]
    return work
