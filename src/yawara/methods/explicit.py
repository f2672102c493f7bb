"""The one kernel that moves time explicitly: many steps of any explicit scheme, through all force terms, in one call."""

from yawara.core.context import WORK_OF_DRIVES, WORK_OF_FORCES, open_context
from yawara.core.outside import (
    acts_from_outside,
    add_point_forces,
    add_pushes,
    place_held_points,
    power_of_drives,
    power_of_forces,
)
from yawara.core.stages import move_points
from yawara.core.table import Phase, has, run
from yawara.core.threads import asks_to_stop, gather, wait
from yawara.kernels.entries import kernel
from yawara.kernels.jit import inner
from yawara.kernels.kinds import INT, REAL
from yawara.methods.after_move import follow, project

BEGIN, MEASURE, ADD_FORCES, HAND_ON = int(Phase.BEGIN), int(Phase.MEASURE), int(Phase.ADD_FORCES), int(Phase.HAND_ON)
CONSTRAIN, SOLVE, PLACE, FOLLOW = int(Phase.CONSTRAIN), int(Phase.SOLVE), int(Phase.PLACE), int(Phase.FOLLOW)
END_STEP, LOOK_AROUND, END = int(Phase.END_STEP), int(Phase.LOOK_AROUND), int(Phase.END)


@inner
def _begin_stage(ctx, n, s, dt):
    stages = ctx.stages
    ctx.number, ctx.stage = s, int(stages[s, 0])
    ctx.now, ctx.then = (n + stages[s, 1]) * dt, (n + stages[s, 2]) * dt
    ctx.step, ctx.weight = stages[s, 3] * dt, stages[s, 4] * dt


@inner
def _add_all_forces(ctx):
    """Forces of all terms on the own points; False if the threads parted."""
    if has(ctx, MEASURE):
        run(ctx, MEASURE)
        if not wait(ctx):
            return False
    run(ctx, ADD_FORCES)
    run(ctx, HAND_ON)
    if not gather(ctx):
        return False
    add_pushes(ctx)
    return True


@inner
def _act_from_outside(ctx, one_stage):
    """Outer forces. With one stage, work is that of the mean velocity: half is booked before points move."""
    if acts_from_outside(ctx):
        add_point_forces(ctx, ctx.now)
        ctx.energy[WORK_OF_FORCES] += (0.5 if one_stage else 1.0) * ctx.weight * power_of_forces(ctx, ctx.now)


@inner
def _book_drives(ctx, one_stage):
    """What holding points costs, once all forces are known."""
    if ctx.control.held.size > 0:
        power = power_of_drives(ctx, ctx.now, ctx.then, ctx.step if one_stage else 0.0)
        ctx.energy[WORK_OF_DRIVES] += ctx.weight * power


@inner
def _move(ctx):
    move_points(ctx.stage, ctx.points, ctx.start, ctx.total, ctx.begin, ctx.end, ctx.forces, ctx.own, ctx.inverse_mass, ctx.gravity,
                ctx.step, ctx.weight)  # fmt: skip
    if ctx.control.held.size > 0:
        place_held_points(ctx, ctx.then)
    run(ctx, PLACE)


@inner
def _stage(ctx):
    """One stage: measure, add forces, collect, constrain, solve, move, project. False if the threads parted."""
    one_stage, is_last = ctx.last == 0, ctx.number == ctx.last
    if not _add_all_forces(ctx):
        return False
    run(ctx, CONSTRAIN)
    _act_from_outside(ctx, one_stage)
    run(ctx, SOLVE)
    _book_drives(ctx, one_stage)
    _move(ctx)
    if is_last and not project(ctx):
        return False
    return follow(ctx)


@inner
def _end_step(ctx):
    if ctx.last == 0 and acts_from_outside(ctx):
        ctx.energy[WORK_OF_FORCES] += 0.5 * ctx.weight * power_of_forces(ctx, ctx.now)
    run(ctx, END_STEP)
    ctx.made += 1


@kernel(INT, INT, INT, REAL)
def advance(context, first, steps, dt):
    """A thread's part of the steps number first, first + 1, ... of `dt` seconds since the beginning of the control's stretch.

    Returns the number of steps made: fewer if a term asked to end the call.
    """
    ctx = open_context(context)
    ctx.dt, ctx.made, ctx.ahead = dt, 0, 0.0
    ctx.last = ctx.stages.shape[0] - 1
    run(ctx, BEGIN)
    if has(ctx, FOLLOW) and not wait(ctx):
        return ctx.made
    for n in range(first, first + steps):
        for s in range(ctx.stages.shape[0]):
            _begin_stage(ctx, n, s, dt)
            if not _stage(ctx):
                return ctx.made
        _end_step(ctx)
        if has(ctx, LOOK_AROUND):  # whoever asked to stop before had the call ended
            run(ctx, LOOK_AROUND)
            if not wait(ctx) or asks_to_stop(ctx):
                break
    run(ctx, END)
    return ctx.made
