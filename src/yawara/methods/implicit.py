"""Backward Euler: the kernel that moves time for stiff bodies.

    M (v' - v) = dt (F(x + dt v', v', q') + M g),   internal variables q' = q + dt rate'

is solved for the velocities v' at the end of the step by Newton's method (newton.py). Constraints, such as contacts, are met by multipliers
that are moved in turn with it, until both agree. In quasi-static steps the left side is M v': each begins at rest.
"""

from numba import uint64 as U

from yawara.core.context import LOST_IN_MOTION, WORK_OF_DRIVES, WORK_OF_FORCES, open_context
from yawara.core.outside import power_of_drives, power_of_forces
from yawara.core.stages import FREEZE
from yawara.core.table import Phase, has, run
from yawara.core.threads import asks_to_stop, wait
from yawara.kernels.entries import kernel
from yawara.kernels.jit import inner
from yawara.kernels.kinds import INT, REAL
from yawara.methods.after_move import follow, project
from yawara.methods.linear_systems import CHANGE, UNSOLVED, find_free, measure_rigidity, most_of_all, open_solver, tangent_product
from yawara.methods.newton import BALANCED, PARTED, balance, clear, evaluate

BEGIN, MEASURE, LOOK_AROUND, END = int(Phase.BEGIN), int(Phase.MEASURE), int(Phase.LOOK_AROUND), int(Phase.END)
FOLLOW, PROJECT, CORRECT = int(Phase.FOLLOW), int(Phase.PROJECT), int(Phase.CORRECT)
ADD_END_FORCES, END_SOLVED_STEP = int(Phase.ADD_END_FORCES), int(Phase.END_SOLVED_STEP)


@inner
def _book(ctx, solver):
    """Energies of a step that is solved."""
    energy, mass, points, start, lost, bent = ctx.energy, ctx.mass, ctx.points, ctx.start, 0.0, 0.0
    energy[WORK_OF_DRIVES] += ctx.dt * power_of_drives(ctx, ctx.then, ctx.then, 0.0)
    energy[WORK_OF_FORCES] += ctx.dt * power_of_forces(ctx, ctx.then)
    for p in range(ctx.begin, ctx.end):  # m (v' - v) . v' is by m |v' - v|^2 / 2 more than the change of kinetic energy
        for axis in range(U(3)):
            v, c = U(8) * p + U(4) + axis, U(4) * p + axis
            kept = solver.inertia_left if solver.free[c] > 0.0 else 1.0
            lost += 0.5 * mass[p] * (points[v] ** 2 + start[v] ** 2 - 2.0 * kept * points[v] * start[v])
            if solver.free[c] > 0.0:
                bent = max(bent, 0.5 * ctx.dt * abs(points[v] - start[v]))
    energy[LOST_IN_MOTION] += lost
    bent = most_of_all(ctx, solver, bent)
    if ctx.me == 0:
        solver.counts[CHANGE] = max(solver.counts[CHANGE], bent)
    run(ctx, END_SOLVED_STEP)


@inner
def _scale_constraints(ctx, solver):
    """By the tangent of the bodies where the step begins; False if the threads parted."""
    if not has(ctx, CORRECT):
        return True
    if not evaluate(ctx, False):
        return False
    clear(ctx)
    return wait(ctx) and measure_rigidity(ctx, solver)


@inner
def _step(ctx, solver):
    """One time step; False if the threads parted."""
    if not _scale_constraints(ctx, solver):
        return False
    found = balance(ctx, solver)
    if found == PARTED or not evaluate(ctx, True):
        return False
    _book(ctx, solver)
    clear(ctx)
    if ctx.me == 0 and found != BALANCED:
        solver.counts[UNSOLVED] += 1.0
    return wait(ctx)


@kernel(INT, INT, INT, INT, REAL)
def advance_implicitly(context, solver_at, first, steps, dt):
    """A thread's part of the steps number first, first + 1, ... of `dt` seconds since the beginning of the control's stretch.

    Returns the number of steps made: fewer if a term asked to end the call.
    """
    ctx, solver = open_context(context), open_solver(solver_at)
    ctx.dt = ctx.step = ctx.ahead = dt
    ctx.made, ctx.number, ctx.last, ctx.exact = 0, 0, 0, 1
    ctx.steady = 0 if solver.inertia_left > 0.0 else 1
    find_free(ctx, solver)
    run(ctx, BEGIN)
    if has(ctx, FOLLOW) and not wait(ctx):
        return ctx.made
    for n in range(first, first + steps):
        ctx.start[U(8) * ctx.begin : U(8) * ctx.end] = ctx.points[U(8) * ctx.begin : U(8) * ctx.end]
        ctx.then = (n + 1.0) * dt
        ctx.now = ctx.then
        if not _step(ctx, solver):
            return ctx.made
        if has(ctx, PROJECT) and not (project(ctx) and follow(ctx)):
            return ctx.made
        ctx.made += 1
        if has(ctx, LOOK_AROUND):
            run(ctx, LOOK_AROUND)
            if not wait(ctx) or asks_to_stop(ctx):
                break
    run(ctx, END)
    return ctx.made


@kernel(INT)
def multiply(context):
    """Tangent times the context's direction, for one thread: all points' products are then in its buffer."""
    ctx = open_context(context)
    ctx.forces[:] = 0.0
    tangent_product(ctx)


@kernel(INT)
def linearise(context):
    """Tangents of all terms, `ahead` of the present state, for one thread; forces are thrown away."""
    ctx = open_context(context)
    ctx.finish, ctx.stage, ctx.weight, ctx.exact, ctx.steady = 0, FREEZE, 0.0, 0, 0
    run(ctx, BEGIN)
    if has(ctx, MEASURE):
        run(ctx, MEASURE)
    run(ctx, ADD_END_FORCES)
    ctx.forces[:] = 0.0
