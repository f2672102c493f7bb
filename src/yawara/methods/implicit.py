"""Backward Euler: the kernel that moves time for stiff bodies.

    M (v' - v) = dt (F(x + dt v', v', q') + M g),   internal variables q' = q + dt rate'

is solved for the velocities v' at the end of the step by Newton's method. Each of its linear systems, (M + dt B) d = residual with the
tangent B of all force terms, is symmetric and positive definite and is solved by conjugate gradients, without a matrix, with the
diagonal as preconditioner. Threads own points and elements as in explicit schemes.
"""

from typing import NamedTuple

import numpy as np
from numba import uint64 as U

from yawara.core.context import LOST_IN_MOTION, WORK_OF_DRIVES, WORK_OF_FORCES, open_context
from yawara.core.control import FREE
from yawara.core.outside import add_point_forces, add_pushes, place_held_points, power_of_drives, power_of_forces
from yawara.core.stages import EULER, FREEZE
from yawara.core.table import Phase, has, run
from yawara.core.threads import LINE, asks_to_stop, gather, wait
from yawara.kernels.entries import kernel
from yawara.kernels.jit import inner
from yawara.kernels.kinds import INT, REAL, Floats
from yawara.kernels.records import opener
from yawara.methods.after_move import follow, project

BEGIN, MEASURE, HAND_ON, CONSTRAIN = int(Phase.BEGIN), int(Phase.MEASURE), int(Phase.HAND_ON), int(Phase.CONSTRAIN)
PLACE, FOLLOW, LOOK_AROUND, END = int(Phase.PLACE), int(Phase.FOLLOW), int(Phase.LOOK_AROUND), int(Phase.END)
PROJECT = int(Phase.PROJECT)
ADD_END_FORCES, END_SOLVED_STEP = int(Phase.ADD_END_FORCES), int(Phase.END_SOLVED_STEP)
MEASURE_PRODUCT, ADD_PRODUCT = int(Phase.MEASURE_PRODUCT), int(Phase.ADD_PRODUCT)
ADD_DIAGONAL, LEAD = int(Phase.ADD_DIAGONAL), int(Phase.LEAD)

NEWTON_STEPS = 16
HALVINGS = 4  # of a Newton step that leads away, one after another
NEWTON_TOLERANCE = 1e-8  # of the impulses of a step
ROUNDING = 1e-8  # of the momenta: what forces that cancel may leave, if it shrinks no further
NEWTON_FAILURE = 0.03  # of both: barriers that come and go may leave a little, a failed step leaves much
SOLVER_STEPS = 2000
SOLVER_TOLERANCE = 1e-3  # of each system's residual: Newton's method asks for no more
PARTED, MOVED, SETTLED = 0, 1, 2
SUMS = 4  # places for sums over threads; in turn, so that nobody overwrites what another still reads
NEWTON, ITERATIONS, UNSOLVED = 0, 1, 2  # places in `counts`


class Solver(NamedTuple):
    """Vectors of the linear systems, four entries per point. The direction of search is the context's."""

    residual: Floats  # [N s]
    change: Floats  # [m/s]
    inverse: Floats  # [1/kg], of the diagonal; 0 where the velocity is given
    inertia: Floats  # [kg], mass of each entry; 0 where the velocity is given
    free: Floats  # 1 where a velocity is unknown, 0 where it is given
    sums: Floats  # (SUMS * threads * LINE,)
    small: float  # [m]: a Newton step that moves points by less than this is rounding
    counts: Floats  # Newton steps, conjugate gradient steps, time steps that could not be solved


open_solver = opener(Solver)


@inner
def _sum(ctx, solver, value):
    """The sum over all threads, in their order; NaN if they parted, which ends every loop."""
    if ctx.threads == 1:
        return value
    sums, place = solver.sums, (ctx.rounds[ctx.me * LINE] % SUMS) * ctx.threads
    sums[(place + ctx.me) * LINE] = value
    if not wait(ctx):
        return np.nan
    total = 0.0
    for thread in range(ctx.threads):
        total += sums[(place + thread) * LINE]
    return total


@inner
def _find_free(ctx, solver):
    free, inertia, mass, axis_drive = solver.free, solver.inertia, ctx.mass, ctx.control.axis_drive
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(3)):
            is_free = mass[p] > 0.0 and axis_drive[p, axis] == FREE
            free[U(4) * p + axis] = 1.0 if is_free else 0.0
            inertia[U(4) * p + axis] = mass[p] if is_free else 0.0
        free[U(4) * p + U(3)] = inertia[U(4) * p + U(3)] = 0.0


@inner
def tangent_product(ctx):
    """B times the direction, added up for the own points in the own buffer; False if the threads parted."""
    if not wait(ctx):
        return False
    if has(ctx, LEAD):
        run(ctx, LEAD)
        if not wait(ctx):
            return False
    if has(ctx, MEASURE_PRODUCT):
        run(ctx, MEASURE_PRODUCT)
        if not wait(ctx):
            return False
    run(ctx, ADD_PRODUCT)
    run(ctx, HAND_ON)
    return gather(ctx)


@inner
def _solve(ctx, solver):
    """change = (M + dt B)^-1 residual by conjugate gradients, for the own points; returns the steps it took, or -1."""
    residual, direction, change, inverse = solver.residual, ctx.direction, solver.change, solver.inverse
    inertia, free, forces, own, dt = solver.inertia, solver.free, ctx.forces, ctx.own, ctx.dt
    first, last = U(4) * ctx.begin, U(4) * ctx.end
    rz = 0.0
    for c in range(first, last):
        change[c] = 0.0
        direction[c] = residual[c] * inverse[c]
        rz += residual[c] * direction[c]
    rz = _sum(ctx, solver, rz)
    goal = SOLVER_TOLERANCE * SOLVER_TOLERANCE * rz
    for iteration in range(SOLVER_STEPS):
        if not rz > goal:
            return iteration
        if not tangent_product(ctx):
            return -1
        curvature = 0.0
        for c in range(first, last):  # the own buffer now holds B p, and takes A p
            product = inertia[c] * direction[c] + free[c] * dt * forces[own + c]
            forces[own + c] = product
            curvature += direction[c] * product
        step = rz / _sum(ctx, solver, curvature)
        fresh = 0.0
        for c in range(first, last):
            change[c] += step * direction[c]
            left = residual[c] - step * forces[own + c]
            residual[c] = left
            forces[own + c] = 0.0
            fresh += left * left * inverse[c]
        fresh = _sum(ctx, solver, fresh)
        turn = fresh / rz
        for c in range(first, last):
            direction[c] = residual[c] * inverse[c] + turn * direction[c]
        rz = fresh
    return SOLVER_STEPS


@inner
def _step_back(ctx, solver):
    """Take half of the last change of velocity back: the residual has grown."""
    change, points = solver.change, ctx.points
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(3)):
            change[U(4) * p + axis] *= 0.5
            points[U(8) * p + U(4) + axis] -= change[U(4) * p + axis]


@inner
def _imbalance(ctx, solver):
    """Sets the residual M (v - v') + dt (F + M g) where velocities are unknown.

    Returns its norm, that of the impulses, and that of the momenta over all threads, squared [J].
    """
    mass, gravity, points, start, forces, own, dt = ctx.mass, ctx.gravity, ctx.points, ctx.start, ctx.forces, ctx.own, ctx.dt
    free, residual = solver.free, solver.residual
    norm, impulse, momentum = 0.0, 0.0, 0.0
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(4)):
            c = U(4) * p + axis
            if free[c] == 0.0:
                residual[c] = 0.0
                continue
            push, v = dt * (forces[own + c] + mass[p] * gravity[axis]), points[U(8) * p + U(4) + axis]
            lost = mass[p] * (start[U(8) * p + U(4) + axis] - v)
            r = lost + push
            residual[c] = r
            norm += r * r / mass[p]
            impulse += (lost * lost + push * push) / mass[p]
            momentum += mass[p] * v * v
    norm, impulse = _sum(ctx, solver, norm), _sum(ctx, solver, impulse)
    return norm, impulse, _sum(ctx, solver, momentum)


@inner
def _set_diagonal(ctx, solver):
    """1 / (M + dt diag(B)) where velocities are unknown."""
    run(ctx, ADD_DIAGONAL)
    run(ctx, HAND_ON)
    if not gather(ctx):
        return False
    mass, forces, own, free, inverse, dt = ctx.mass, ctx.forces, ctx.own, solver.free, solver.inverse, ctx.dt
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(4)):
            c = U(4) * p + axis
            inverse[c] = 1.0 / (mass[p] + dt * forces[own + c]) if free[c] > 0.0 else 0.0
            forces[own + c] = 0.0
    return True


@inner
def _go_to_end(ctx):
    """Positions at the end of the step for the velocities as they are, everywhere, and what must be measured there."""
    points, start, dt = ctx.points, ctx.start, ctx.dt
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(3)):
            points[U(8) * p + axis] = start[U(8) * p + axis] + dt * points[U(8) * p + U(4) + axis]
    place_held_points(ctx, ctx.then)
    run(ctx, PLACE)
    if not wait(ctx):
        return False
    if has(ctx, FOLLOW):
        run(ctx, FOLLOW)
        if not wait(ctx):
            return False
    if has(ctx, MEASURE):
        run(ctx, MEASURE)
        return wait(ctx)
    return True


@inner
def _correct(ctx, solver):
    """One Newton step: v' += (M + dt B)^-1 residual. PARTED, MOVED, or SETTLED if it was no more than rounding."""
    if not _set_diagonal(ctx, solver):
        return PARTED
    iterations = _solve(ctx, solver)
    moved, mass, points, change, inertia = 0.0, 0.0, ctx.points, solver.change, solver.inertia
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(3)):
            c = U(4) * p + axis
            points[U(8) * p + U(4) + axis] += change[c]
            moved += inertia[c] * (ctx.dt * change[c]) ** 2
            mass += inertia[c]
    moved, mass = _sum(ctx, solver, moved), _sum(ctx, solver, mass)
    if ctx.me == 0:
        solver.counts[NEWTON] += 1.0
        solver.counts[ITERATIONS] += iterations
    if iterations < 0:
        return PARTED
    return SETTLED if moved <= solver.small**2 * mass else MOVED


@inner
def _book(ctx):
    """Energies of a step that is solved."""
    energy, mass, points, start, lost = ctx.energy, ctx.mass, ctx.points, ctx.start, 0.0
    energy[WORK_OF_DRIVES] += ctx.dt * power_of_drives(ctx, ctx.then, ctx.then, 0.0)
    energy[WORK_OF_FORCES] += ctx.dt * power_of_forces(ctx, ctx.then)
    for p in range(ctx.begin, ctx.end):  # m (v' - v) . v' is by m |v' - v|^2 / 2 more than the change of kinetic energy
        for axis in range(U(3)):
            v = U(8) * p + U(4) + axis
            lost += 0.5 * mass[p] * (points[v] - start[v]) ** 2
    energy[LOST_IN_MOTION] += lost
    run(ctx, END_SOLVED_STEP)


@inner
def _evaluate(ctx, finish):
    """All forces at the end of the step, on the own points; internal variables move if `finish`. False if the threads parted."""
    if not _go_to_end(ctx):
        return False
    ctx.finish, ctx.stage = (1, EULER) if finish else (0, FREEZE)
    ctx.weight = ctx.dt if finish else 0.0
    run(ctx, ADD_END_FORCES)
    run(ctx, HAND_ON)
    if not gather(ctx):
        return False
    add_pushes(ctx)
    run(ctx, CONSTRAIN)
    add_point_forces(ctx, ctx.then)
    return True


@inner
def _step(ctx, solver):
    """One time step; False if the threads parted."""
    converged, settled, failed, previous, halvings = False, False, False, np.inf, 0
    for newton in range(NEWTON_STEPS + 1):
        finish = converged or newton == NEWTON_STEPS
        if not _evaluate(ctx, finish):
            return False
        norm, impulse, momentum = _imbalance(ctx, solver)
        failed = not norm <= NEWTON_FAILURE**2 * (impulse + momentum)
        if finish:
            _book(ctx)
        ctx.forces[ctx.own + U(4) * ctx.begin : ctx.own + U(4) * ctx.end] = 0.0
        if finish:
            break
        stuck = norm > 0.25 * previous and norm <= ROUNDING**2 * momentum
        converged = norm <= NEWTON_TOLERANCE**2 * impulse or stuck
        if not converged and norm > previous and halvings < HALVINGS:
            _step_back(ctx, solver)
            halvings += 1
        elif not converged:
            previous, halvings = norm, 0
            outcome = _correct(ctx, solver)
            if outcome == PARTED:
                return False
            converged = settled = outcome == SETTLED
    if ctx.me == 0 and failed and not settled:
        solver.counts[UNSOLVED] += 1.0
    return wait(ctx)


@kernel(INT, INT, INT, INT, REAL)
def advance_implicitly(context, solver_at, first, steps, dt):
    """A thread's part of the steps number first, first + 1, ... of `dt` seconds since the beginning of the control's stretch.

    Returns the number of steps made: fewer if a term asked to end the call.
    """
    ctx, solver = open_context(context), open_solver(solver_at)
    ctx.dt = ctx.step = ctx.ahead = dt
    ctx.made, ctx.number, ctx.last = 0, 0, 0
    _find_free(ctx, solver)
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
    ctx.finish, ctx.stage, ctx.weight = 0, FREEZE, 0.0
    run(ctx, BEGIN)
    if has(ctx, MEASURE):
        run(ctx, MEASURE)
    run(ctx, ADD_END_FORCES)
    ctx.forces[:] = 0.0
