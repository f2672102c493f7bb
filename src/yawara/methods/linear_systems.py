"""Linear systems of an implicit step: (M + dt B) d = residual with the tangent B of all force terms, by conjugate gradients.

No matrix is made: products of the tangent with vectors are enough, and the diagonal is the preconditioner. Threads own points and elements
as in explicit schemes.
"""

from typing import NamedTuple

from numba import uint64 as U

from yawara.core.control import FREE
from yawara.core.table import Phase, has, run
from yawara.core.threads import gather, largest_of_all, total_of_all, wait
from yawara.kernels.jit import inner
from yawara.kernels.kinds import Floats
from yawara.kernels.records import opener
from yawara.methods.line_search import Search

HAND_ON, ADD_DIAGONAL, LEAD = int(Phase.HAND_ON), int(Phase.ADD_DIAGONAL), int(Phase.LEAD)
MEASURE_PRODUCT, ADD_PRODUCT = int(Phase.MEASURE_PRODUCT), int(Phase.ADD_PRODUCT)

SOLVER_STEPS = 2000
SOLVER_TOLERANCE = 1e-3  # of each system's residual: Newton's method asks for no more
NEWTON, ITERATIONS, UNSOLVED, ROUNDS, CHANGE, COUNTS = 0, 1, 2, 3, 4, 5  # places in `counts`


class Solver(NamedTuple):
    """Vectors of the linear systems, four entries per point. The direction of search is the context's."""

    residual: Floats  # [N s]
    change: Floats  # [m/s]
    inverse: Floats  # [1/kg], of the diagonal; 0 where the velocity is given
    inertia: Floats  # [kg], mass of each entry; 0 where the velocity is given
    free: Floats  # 1 where a velocity is unknown, 0 where it is given
    sums: Floats  # (SUMS * threads * LINE,)
    small: float  # [m]: a Newton step that moves points by less than this needs no other
    tolerance: float  # [m]: by how much constraints may be missed
    inertia_left: float  # 1, or 0 where every step begins at rest
    search: Search  # along the last Newton step
    counts: Floats  # Newton steps, conjugate gradient steps, time steps that could not be solved, corrections of multipliers;
    # and by how much the path of a point bent in a step [m], at most


open_solver = opener(Solver)


@inner
def sum_of_all(ctx, solver, value):
    return total_of_all(ctx, solver.sums, value)


@inner
def most_of_all(ctx, solver, value):
    return largest_of_all(ctx, solver.sums, value)


@inner
def find_free(ctx, solver):
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
def _give_up(ctx, solver, iteration):
    """The system has a direction along which it does not rise: what was found before it leads down (Dembo and Steihaug 1983)."""
    forces, own, change, direction = ctx.forces, ctx.own, solver.change, ctx.direction
    descent = 0.0
    for c in range(U(4) * ctx.begin, U(4) * ctx.end):
        forces[own + c] = 0.0
        if iteration == 0:
            change[c] = direction[c]
            descent += direction[c] * solver.residual[c]
    if iteration == 0:
        solver.search.descent = sum_of_all(ctx, solver, descent)


@inner
def solve(ctx, solver):
    """change = (M + dt B)^-1 residual by conjugate gradients, for the own points; returns the steps it took, or -1.

    The search's `descent` becomes the residual times the change.
    """
    residual, direction, change, inverse = solver.residual, ctx.direction, solver.change, solver.inverse
    inertia, free, forces, own, dt = solver.inertia, solver.free, ctx.forces, ctx.own, ctx.dt
    first, last = U(4) * ctx.begin, U(4) * ctx.end
    rz, descent = 0.0, 0.0
    for c in range(first, last):
        change[c] = 0.0
        direction[c] = residual[c] * inverse[c]
        rz += residual[c] * direction[c]
    rz = sum_of_all(ctx, solver, rz)
    goal = SOLVER_TOLERANCE * SOLVER_TOLERANCE * rz
    for iteration in range(SOLVER_STEPS):
        solver.search.descent = descent
        if not rz > goal:
            return iteration
        if not tangent_product(ctx):
            return -1
        curvature = 0.0
        for c in range(first, last):  # the own buffer now holds B p, and takes A p
            product = inertia[c] * direction[c] + free[c] * dt * forces[own + c]
            forces[own + c] = product
            curvature += direction[c] * product
        curvature = sum_of_all(ctx, solver, curvature)
        if not curvature > 0.0:
            _give_up(ctx, solver, iteration)
            return iteration
        step = rz / curvature
        descent += step * rz  # the directions are conjugate: each has the residual that it began with
        fresh = 0.0
        for c in range(first, last):
            change[c] += step * direction[c]
            left = residual[c] - step * forces[own + c]
            residual[c] = left
            forces[own + c] = 0.0
            fresh += left * left * inverse[c]
        fresh = sum_of_all(ctx, solver, fresh)
        turn = fresh / rz
        for c in range(first, last):
            direction[c] = residual[c] * inverse[c] + turn * direction[c]
        rz = fresh
    return SOLVER_STEPS


@inner
def set_diagonal(ctx, solver):
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
def measure_rigidity(ctx, solver):
    """Sets the context's `rigidity`, by the tangent of the last evaluation; False if the threads parted."""
    ctx.bodies_only = 1
    run(ctx, ADD_DIAGONAL)
    ctx.bodies_only = 0
    run(ctx, HAND_ON)
    if not gather(ctx):
        return False
    forces, own, dt, inverse_mass, most = ctx.forces, ctx.own, ctx.dt, ctx.inverse_mass, 0.0
    for p in range(ctx.begin, ctx.end):
        for axis in range(U(4)):
            most = max(most, forces[own + U(4) * p + axis] * inverse_mass[p])
            forces[own + U(4) * p + axis] = 0.0
    ctx.rigidity = 1.0 + dt * most_of_all(ctx, solver, most)
    return wait(ctx)
