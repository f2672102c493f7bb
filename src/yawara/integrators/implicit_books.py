"""Energies of a step of backward Euler, once it is solved."""

from numba import uint64 as U

from yawara.contact.books import clear_nodes, work_of_belts, work_on_nodes, work_on_tools
from yawara.jit import kernel


@kernel
def lost_in_motion(begin, end, mass, points, start):
    """[J]: m (v' - v) . v' is by m |v' - v|^2 / 2 more than the change of kinetic energy."""
    lost = 0.0
    for p in range(begin, end):
        for axis in range(U(3)):
            v = U(8) * p + U(4) + axis
            lost += 0.5 * mass[p] * (points[v] - start[v]) ** 2
    return lost


@kernel
def book_contacts(me, arrays, shares, control, work, own, points, energy):
    """What contacts take from the step that has just been solved, and what drives give to tools [J].

    Contacts are booked with the mean velocity, not with v': what an impact takes is theirs, and not lost by the scheme.
    """
    touch, tool, node, mass = work.touch, arrays.tool, arrays.contact.node, arrays.point.mass
    owns_tools, sign = me == shares.block.size - 2, -1.0
    for velocities in (work.point_start, points):
        done = work_on_nodes(me, node, touch, own, velocities)
        energy[4] -= done
        energy[5] -= sign * done
        if owns_tools:
            done, driven, carried = work_on_tools(tool, mass, control, touch, velocities)
            energy[4] -= done
            energy[0] += driven
            energy[5] -= sign * carried
        sign = 1.0
    clear_nodes(me, node, touch, own)
    if owns_tools:
        belts = work_of_belts(tool, touch)
        energy[4] += belts
        energy[0] += belts
        touch.tool_impulse[:] = 0.0
