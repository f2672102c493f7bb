"""Newton's method for one implicit step: velocities at its end for which momenta and forces there agree.

The residual is minus the gradient of what a step minimises: the change's kinetic energy, stored energy, what dampers resist with, and the
potentials of contacts. Each Newton step is followed as far as that falls (line_search.py).
"""

import numpy as np
from numba import uint64 as U

from yawara.core.outside import add_point_forces, add_pushes, place_held_points
from yawara.core.stages import EULER, FREEZE
from yawara.core.table import Phase, has, run
from yawara.core.threads import gather, wait
from yawara.kernels.jit import inner
from yawara.methods.line_search import begin_search, is_far_enough, next_part
from yawara.methods.linear_systems import ITERATIONS, NEWTON, ROUNDS, most_of_all, set_diagonal, solve, sum_of_all

MEASURE, HAND_ON, CONSTRAIN, PLACE = int(Phase.MEASURE), int(Phase.HAND_ON), int(Phase.CONSTRAIN), int(Phase.PLACE)
FOLLOW, ADD_END_FORCES, CORRECT = int(Phase.FOLLOW), int(Phase.ADD_END_FORCES), int(Phase.CORRECT)

EVALUATIONS = 200
INEXACT = 0.1  # of what constraints lack, that a Newton step may move before they are met in turn
SLOW = 0.3  # of what constraints lacked before: if more is left after a correction, they are made stiffer
STIFFENING, STIFFEST = 5.0, 1e4  # at once, and at most in a step
CORRECTIONS = 40  # of multipliers in a step
NEWTON_TOLERANCE = 1e-8  # of the impulses of a step
ROUNDING = 1e-8  # of the momenta: what forces that cancel may leave, if it shrinks no further
NEWTON_FAILURE = 0.03  # of both: barriers that come and go may leave a little, a failed step leaves much
PARTED, FAILED, BALANCED = 0, 1, 2


@inner
def imbalance(ctx, solver):
    """Sets the residual M (v - v') + dt (F + M g) where velocities are unknown; without v where every step begins at rest.

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
            lost = mass[p] * (solver.inertia_left * start[U(8) * p + U(4) + axis] - v)
            r = lost + push
            residual[c] = r
            norm += r * r / mass[p]
            impulse += (lost * lost + push * push) / mass[p]
            momentum += mass[p] * v * v
    norm, impulse = sum_of_all(ctx, solver, norm), sum_of_all(ctx, solver, impulse)
    return norm, impulse, sum_of_all(ctx, solver, momentum)


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
def evaluate(ctx, finish):
    """All forces at the end of the step, on the own points; internal variables move if `finish`. False if the threads parted."""
    if not _go_to_end(ctx):
        return False
    ctx.finish, ctx.stage = (1, EULER) if finish else (0, FREEZE)
    ctx.weight, ctx.lacking = (ctx.dt if finish else 0.0), 0.0
    run(ctx, ADD_END_FORCES)
    run(ctx, HAND_ON)
    if not gather(ctx):
        return False
    add_pushes(ctx)
    run(ctx, CONSTRAIN)
    add_point_forces(ctx, ctx.then)
    return True


@inner
def clear(ctx):
    """Forces are used: the own buffer is empty again."""
    ctx.forces[ctx.own + U(4) * ctx.begin : ctx.own + U(4) * ctx.end] = 0.0


@inner
def _move(ctx, solver, part):
    """Change velocities by a part of the last Newton step; returns the mean square of what points move by [m^2]."""
    points, change, inertia, moved, mass = ctx.points, solver.change, solver.inertia, 0.0, 0.0
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(3)):
            c = U(4) * p + axis
            points[U(8) * p + U(4) + axis] += part * change[c]
            moved += inertia[c] * (ctx.dt * part * change[c]) ** 2
            mass += inertia[c]
    moved, mass = sum_of_all(ctx, solver, moved), sum_of_all(ctx, solver, mass)
    return moved / mass if mass > 0.0 else 0.0


@inner
def _slope(ctx, solver):
    """[J]: residual times the last change."""
    residual, change, total = solver.residual, solver.change, 0.0
    for c in range(U(4) * ctx.begin, U(4) * ctx.end):
        total += residual[c] * change[c]
    return sum_of_all(ctx, solver, total)


@inner
def _correct(ctx, solver):
    """One Newton step: v' += (M + dt B)^-1 residual. Returns the mean square of what points move by [m^2]; negative if threads parted."""
    if not set_diagonal(ctx, solver):
        return -1.0
    iterations = solve(ctx, solver)
    if iterations < 0:
        return -1.0
    if ctx.me == 0:
        solver.counts[NEWTON] += 1.0
        solver.counts[ITERATIONS] += iterations
    begin_search(solver.search)
    return _move(ctx, solver, 1.0)


@inner
def _look_elsewhere(ctx, solver):
    """Along the last step."""
    part = next_part(solver.search)
    _move(ctx, solver, part - solver.search.part)
    solver.search.part = part


@inner
def _meet_constraints(ctx, solver, slow):
    """Multipliers take what was found with them, and forces are found anew, with stiffer constraints where that goes too `slow`ly.

    False if the threads parted.
    """
    run(ctx, CORRECT)
    if slow:
        ctx.rigidity *= STIFFENING
    if ctx.me == 0:
        solver.counts[ROUNDS] += 1.0
    return wait(ctx) and evaluate(ctx, False)


@inner
def balance(ctx, solver):
    """Newton's method, and as soon as it comes near, constraints in turn with it. PARTED, FAILED or BALANCED.

    The last evaluation is that of the state that is left.
    """
    previous, moved, failed, corrections = np.inf, np.inf, True, 0
    lacked, stiffest = np.inf, STIFFEST * ctx.rigidity
    for _ in range(EVALUATIONS):
        if not evaluate(ctx, False):
            return PARTED
        norm, impulse, momentum = imbalance(ctx, solver)
        clear(ctx)
        lacking = most_of_all(ctx, solver, ctx.lacking)
        failed = not norm <= NEWTON_FAILURE**2 * (impulse + momentum) or lacking > solver.tolerance
        stuck = norm > 0.25 * previous and norm <= ROUNDING**2 * momentum
        settled = norm <= NEWTON_TOLERANCE**2 * impulse or stuck or moved <= solver.small**2
        if settled and lacking <= solver.tolerance:
            return BALANCED
        if moved < np.inf and not is_far_enough(solver.search, _slope(ctx, solver)):
            _look_elsewhere(ctx, solver)
            continue
        previous = norm
        if lacking > solver.tolerance and (settled or moved <= (INEXACT * lacking) ** 2) and corrections < CORRECTIONS:
            corrections, previous = corrections + 1, np.inf
            if not _meet_constraints(ctx, solver, lacking > SLOW * lacked and ctx.rigidity < stiffest):
                return PARTED
            lacked = lacking
            imbalance(ctx, solver)
            clear(ctx)
        moved = _correct(ctx, solver)
        if moved < 0.0:
            return PARTED
    return FAILED if failed else BALANCED
