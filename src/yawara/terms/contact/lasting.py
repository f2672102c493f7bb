"""Contacts that last, in schemes of several stages: they act as constant forces in all stages, as in the last step.

Without them a point that rests on a tool would fall freely from stage to stage, and would have to be brought back. Each carrier of nodes,
and then each tool, has a row in the internal variable `lasting`: what acts in this step, and the mean of the last one. Of the last two
steps the smaller counts, so that a landing does not push once more.
"""

from numba import uint64 as U

from yawara.core.context import TAKEN
from yawara.core.stages import RK_FIRST
from yawara.kernels.jit import inner
from yawara.terms.contact.rows import KIND

ACTS, LAST, LASTING = 0, 4, 8  # places in a row: force [N] and, of tools, torque [N m] about their own axis


@inner
def has_stages(rows):
    return rows.setting[KIND] == RK_FIRST


@inner
def add_lasting(ctx, mine):
    """In every stage, with the work that they do."""
    lasting, points, forces, mass, tool, taken = mine.lasting, ctx.points, ctx.forces, ctx.mass, mine.tool, 0.0
    carrier, carriers, rows = mine.surface.carrier, mine.surface.carrier.size, mine.touch.rows
    for c in range(mine.touch.carrier[ctx.me], mine.touch.carrier[ctx.me + 1]):
        p, at = U(carrier[c]), U(LASTING * c)
        for axis in range(U(3)):
            forces[ctx.own + U(4) * p + axis] += lasting[at + axis]
            taken -= lasting[at + axis] * points[U(8) * p + U(4) + axis]
    if mine.owns_tools:
        for t in range(tool.kind.size):
            p, at = U(tool.point[t]), U(LASTING * (carriers + t))
            for n in range(U(4)):
                act = lasting[at + n]
                # the point's mass will divide the torque, too
                forces[ctx.own + U(4) * p + n] += act * (rows.tool_inverse[U(4 * t + 3)] * mass[p] if n == U(3) else 1.0)
                taken -= act * points[U(8) * p + U(4) + n]
    if ctx.account != 0:
        mine.tally[TAKEN] += ctx.weight * taken


@inner
def take_lasting_away(ctx, mine):
    """After the last stage: the impulses of the step are looked for as a whole. `start` gets the velocities with them."""
    rows, lasting, points, h = mine.touch.rows, mine.lasting, ctx.points, ctx.dt
    carrier, carriers, tool = mine.surface.carrier, mine.surface.carrier.size, mine.tool
    for c in range(mine.touch.carrier[ctx.me], mine.touch.carrier[ctx.me + 1]):
        v, at = U(8) * U(carrier[c]) + U(4), U(LASTING * c)
        for axis in range(U(3)):
            rows.start[U(3 * c) + axis] = points[v + axis]
            points[v + axis] -= h * rows.inverse[U(3 * c) + axis] * lasting[at + axis]
    if mine.owns_tools:
        for t in range(tool.kind.size):
            v, at = U(8) * U(tool.point[t]) + U(4), U(LASTING * (carriers + t))
            for n in range(U(4)):
                if rows.tool_inverse[U(4 * t) + n] > 0.0:  # what is driven is where it was at the beginning of the step
                    rows.tool_start[U(8 * t + 4) + n] = points[v + n]
                    points[v + n] -= h * rows.tool_inverse[U(4 * t) + n] * lasting[at + n]


@inner
def finish_carriers(ctx, mine, first, last):
    """Carriers first..last take the impulses that were found. Returns the work [J] of what differs from the lasting forces, and what drives
    take of it."""
    rows, lasting, points, h, work, driven = mine.touch.rows, mine.lasting, ctx.points, ctx.dt, 0.0, 0.0
    for c in range(first, last):
        v = U(8) * U(mine.surface.carrier[c]) + U(4)
        rows.reached[U(c)] = 0
        for axis in range(U(3)):
            at, one = U(3 * c) + axis, U(LASTING * c) + axis
            j, inverse = rows.impulse[at], rows.inverse[at]
            points[v + axis] += inverse * j
            done = 0.5 * (j - h * lasting[one]) * (rows.start[at] + points[v + axis])
            work += done
            driven += done if inverse == 0.0 else 0.0
            if inverse == 0.0:
                rows.impulse[at] = 0.0  # drives bear it
        remember(lasting, U(LASTING * c), rows.impulse, U(3 * c), 3, 1.0 / h)
        for axis in range(U(3)):
            rows.impulse[U(3 * c) + axis] = 0.0
    return work, driven


@inner
def remember(lasting, at, now, first, count, factor):
    """The smaller of the last step's and this one's, which is now[first:] times a factor, acts in the next."""
    size, before = 0.0, 0.0
    for n in range(U(count)):
        size += (factor * now[first + n]) ** 2
        before += lasting[at + U(LAST) + n] ** 2
    for n in range(U(count)):
        value = factor * now[first + n]
        lasting[at + U(ACTS) + n] = value if size <= before else lasting[at + U(LAST) + n]
        lasting[at + U(LAST) + n] = value
