"""Contact by impulses at the end of a step: no stiffness, no damping, and no limit on the step.

A step is first made as if nothing touched. Where a place of a surface would then end inside a tool or another body, it gets the impulse
that lets it end on the surface, and friction one along it (Moreau 1999; as CD-Lagrange of Fekak et al. 2017, but for the gap at the end of
the step in place of its rate). What a tool feels is the mean force of the step, impulse / h. A contact that lasts does no work on what it
holds, so its force is that of the body at any step.

Schemes of several stages would let points fall freely in between. There contacts act as constant forces in all stages, as large as
they were in the last step, and the impulse at the end makes up for the difference. A landing is no such load: of two steps the
smaller one counts.

**Energies** are booked as for all contacts (books.py): impulses times mean velocities, of points and of tools.
"""

import math

from numba import uint64 as U

from yawara.core.control import FREE
from yawara.core.stages import SEMI_IMPLICIT
from yawara.kernels.jit import inner
from yawara.terms.contact.arrays import DEEPEST, LOAD, TALLY_STRIDE, TOUCHING
from yawara.terms.contact.lasting import LASTING, finish_carriers, has_stages, remember
from yawara.terms.contact.rows import (
    BELT,
    FIRST,
    FOUND,
    KIND,
    LAST,
    NOBODY,
    NORMAL,
    PLACE,
    PUSH,
    ROW,
    RUB,
    SHARED,
    SLOW,
    STEP,
    STRIDE,
    TOOL,
    WHO,
)
from yawara.terms.contact.solve import gap_left, solve
from yawara.tools.form import FORM, INVERSE_INERTIA
from yawara.tools.load import tool_load, turn_load


@inner
def begin_impulses(ctx, mine):
    """What holds points and tools may have changed since the last call."""
    rows, contact, tool, axis_drive = mine.touch.rows, mine.surface, mine.tool, ctx.control.axis_drive
    for c in range(mine.touch.carrier[ctx.me], mine.touch.carrier[ctx.me + 1]):
        p = U(contact.carrier[c])
        for axis in range(3):
            rows.inverse[U(3 * c + axis)] = ctx.inverse_mass[p] if axis_drive[p, axis] == FREE else 0.0
    if mine.owns_tools:
        g = ctx.gravity
        rows.setting[STEP], rows.setting[SLOW] = ctx.dt, 2.0 * ctx.dt * math.sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        for t in range(tool.kind.size):
            p = U(tool.point[t])
            for axis in range(3):
                rows.tool_inverse[U(4 * t + axis)] = ctx.inverse_mass[p] if axis_drive[p, axis] == FREE else 0.0
            rows.tool_inverse[U(4 * t + 3)] = 0.0 if ctx.control.turn_held[t] else tool.form[FORM * t + INVERSE_INERTIA]


@inner
def note_start(ctx, mine):
    """Velocities before a step."""
    rows, carrier, points = mine.touch.rows, mine.surface.carrier, ctx.points
    start = rows.start
    for c in range(mine.touch.carrier[ctx.me], mine.touch.carrier[ctx.me + 1]):
        v, at = U(8) * U(carrier[c]) + U(4), U(3 * c)
        start[at], start[at + U(1)], start[at + U(2)] = points[v], points[v + U(1)], points[v + U(2)]
    if mine.owns_tools:
        for t in range(mine.tool.kind.size):
            p = U(8) * U(mine.tool.point[t])
            for n in range(U(8)):
                rows.tool_start[U(8 * t) + n] = points[p + n]


@inner
def apply_impulses(ctx, mine):
    """Find the impulses of what was noted, and give them to points and tools. Returns the energy [J] that goes from contacts to points, and
    the part of it that drives of points take.

    Rows that share what they move are solved by the thread that owns the tools; else each thread solves its own.
    """
    rows, me = mine.touch.rows, ctx.me
    found, shared = 0, False
    for thread in range(ctx.threads):
        found += rows.used[thread * STRIDE + FOUND]
        shared = shared or rows.used[thread * STRIDE + SHARED] != 0
    if (found == 0 and not has_stages(rows)) or (shared and not mine.owns_tools):
        return 0.0, 0.0
    first, last = (0, ctx.threads) if shared else (me, me + 1)
    solve(rows, mine.surface, mine.internal, first, last, ctx.points)
    work, driven, place = 0.0, 0.0, me * TALLY_STRIDE + DEEPEST
    for thread in range(first, last):
        for number in range(rows.first[thread], rows.first[thread] + rows.used[thread * STRIDE + FOUND]):
            mine.touch.tally[place] = min(mine.touch.tally[place], gap_left(rows, number))
    for thread in range(first, last):
        for number in range(rows.first[thread], rows.first[thread] + rows.used[thread * STRIDE + FOUND]):
            _load_tool(ctx, mine, number)
            if not has_stages(rows):
                done, held = _move_carriers(ctx, mine, number)
                work, driven = work + done, driven + held
    if has_stages(rows):
        work, driven = finish_carriers(ctx, mine, mine.touch.carrier[first], mine.touch.carrier[last])
    if shared:
        _move_tools(ctx, mine)
    return work, driven


@inner
def _load_tool(ctx, mine, number):
    """What a row's tool feels: the mean force of the step [N]; contacts that act are counted."""
    rows, at = mine.touch.rows, U(ROW * number)
    t, row, per_step = rows.who[U(WHO * number + TOOL)], rows.row, 1.0 / rows.setting[STEP]
    push = row[at + U(PUSH)]
    if push > 0.0:
        mine.touch.tally[ctx.me * TALLY_STRIDE + TOUCHING] += 1.0
    if t == NOBODY or push == 0.0:
        return
    fx, fy, fz = (
        per_step * (push * row[at + U(NORMAL)] + row[at + U(RUB)]),
        per_step * (push * row[at + U(NORMAL + 1)] + row[at + U(RUB + 1)]),
        per_step * (push * row[at + U(NORMAL + 2)] + row[at + U(RUB + 2)]),
    )
    tool_load(mine.touch.load, (ctx.me * mine.tool.kind.size + t) * LOAD, mine.scratch.pose, t,
              row[at + U(PLACE)], row[at + U(PLACE + 1)], row[at + U(PLACE + 2)], fx, fy, fz,
              row[at + U(BELT)], row[at + U(BELT + 1)], row[at + U(BELT + 2)])  # fmt: skip


@inner
def _move_carriers(ctx, mine, number):
    """What carries a row takes its impulses, once. Returns the work [J] of contacts on it, and what drives take of that."""
    rows, work, driven, one = mine.touch.rows, 0.0, 0.0, U(WHO * number)
    impulse, inverse, start, points = rows.impulse, rows.inverse, rows.start, ctx.points
    way = rows.setting[STEP] if rows.setting[KIND] == SEMI_IMPLICIT else 0.0
    for a in range(U(rows.who[one + U(FIRST)]), U(rows.who[one + U(LAST)])):
        c = U(rows.moved[a])
        if rows.reached[c] == 0:
            continue  # it has them already
        rows.reached[c] = 0
        x, at = U(8) * U(mine.surface.carrier[c]), U(3) * c
        for axis in range(U(3)):
            j, change = impulse[at + axis], inverse[at + axis] * impulse[at + axis]
            points[x + U(4) + axis] += change
            points[x + axis] += way * change
            done = 0.5 * j * (start[at + axis] + points[x + U(4) + axis])
            work += done
            driven += done if inverse[at + axis] == 0.0 else 0.0
            impulse[at + axis] = 0.0
    return work, driven


@inner
def _move_tools(ctx, mine):
    """Tools that are pushed, or turn freely."""
    rows, points = mine.touch.rows, ctx.points
    way = rows.setting[STEP] if rows.setting[KIND] == SEMI_IMPLICIT else 0.0
    for t in range(mine.tool.kind.size):
        p = U(8) * U(mine.tool.point[t])
        for n in range(U(4)):
            change = rows.tool_change[U(4 * t) + n]
            points[p + U(4) + n] += change
            points[p + n] += way * change
            rows.tool_change[U(4 * t) + n] = 0.0


@inner
def log_loads(ctx, mine):
    """What all threads' contacts did to the tools, in the log of this step."""
    touch, tools, log, row = mine.touch, mine.tool.kind.size, ctx.log, ctx.made
    load = touch.load
    for t in range(tools):
        for thread in range(1, ctx.threads):  # in the threads' order
            for n in range(LOAD):
                load[t * LOAD + n] += load[(thread * tools + t) * LOAD + n]
    if row < log.shape[0]:
        for n in range(tools):
            for k in range(6):
                log[row, 6 * n + k] += load[n * LOAD + k]
        for thread in range(ctx.threads):
            place = thread * TALLY_STRIDE
            log[row, 6 * tools] = min(log[row, 6 * tools], touch.tally[place + DEEPEST])
            log[row, 6 * tools + 1] += touch.tally[place + TOUCHING]


@inner
def work_on_tools(ctx, mine):
    """[J]: what contacts did to tools in this step beyond their lasting forces, what drives gave to those they move, and what belts gave.

    The velocity is the mean of the step in which the nodes' velocities changed: semi-implicit Euler has them half a step before and after
    its beginning, where drives know their speed.
    """
    rows, tool, load, points, h = mine.touch.rows, mine.tool, mine.touch.load, ctx.points, mine.touch.rows.setting[STEP]
    half = rows.setting[KIND] == SEMI_IMPLICIT
    work, driven, belts = 0.0, 0.0, 0.0
    for t in range(tool.kind.size):
        p, at, one = U(8) * U(tool.point[t]), t * LOAD, LASTING * (mine.surface.carrier.size + t)
        load[at + 3] = turn_load(mine.scratch.pose, t, load, at)  # the log has the others
        for n in range(4):
            before, after = rows.tool_start[U(8 * t + 4 + n)], points[p + U(4 + n)]
            is_driven = rows.tool_inverse[U(4 * t + n)] == 0.0
            force = 0.0 if is_driven else load[at + n]
            lasting = mine.lasting[U(one + n)]
            part = h * (load[at + n] - lasting) * (before if is_driven and half else 0.5 * (before + after))
            work += part
            driven -= part if is_driven else 0.0
            load[at + n] = force
        if has_stages(rows):
            remember(mine.lasting, U(one), load, U(at), 4, 1.0)
        belts += h * load[at + 6]
    return work, driven + belts, belts
