"""Backward Euler: the kernel that moves time for stiff bodies.

    M (v' - v) = dt (F(x + dt v', v', memories') + M g),   memories' = memories + dt rate'

is solved for the velocities v' at the end of the step by Newton's method. Each of its linear systems, (M + dt B) d = residual with the
operator B of forces/operator.py, is symmetric and positive definite and is solved by conjugate gradients, without a matrix, with the
diagonal as preconditioner. Threads own points and elements as in `advance.py`.
"""

from typing import NamedTuple

import numpy as np
from numba import uint64 as U

from yawara.contact.operator import apply_contacts, contact_diagonal
from yawara.contact.term import (
    contact_forces,
    contact_scratch,
    hand_to_tools,
    has_travelled,
    note_travel,
    place_turning_tools,
)
from yawara.contact.work import has_contact
from yawara.control import FREE
from yawara.forces.followers import follow, hand_on
from yawara.forces.links.term import scratch
from yawara.forces.operator import Slopes, apply, measure_along
from yawara.forces.terms import has_more, measure_surfaces, more_forces, more_scratch
from yawara.integrators.advance import (
    ACCOUNT_STRIDE,
    ROUND_STRIDE,
    add_point_forces,
    collect,
    lead,
    note_account,
    place_held_points,
    power_of_drives,
    power_of_forces,
    wait,
)
from yawara.integrators.implicit_books import book_contacts, lost_in_motion
from yawara.integrators.implicit_forces import add_diagonal, implicit_link_forces
from yawara.jit import kernel
from yawara.model import Floats
from yawara.stages import EULER, FREEZE

NEWTON_STEPS = 16
HALVINGS = 4  # of a Newton step that leads away, one after another
NEWTON_TOLERANCE = 1e-8  # of the impulses of a step
ROUNDING = 1e-8  # of the momenta: what forces that cancel may leave, if it shrinks no further
NEWTON_FAILURE = 0.03  # of both: guards that come and go may leave a little, a failed step leaves much
SOLVER_STEPS = 2000
SOLVER_TOLERANCE = 1e-3  # of each system's residual: Newton's method asks for no more
PARTED, MOVED, SETTLED = 0, 1, 2
SUMS = 4  # places for sums over threads; in turn, so that nobody overwrites what another still reads


class Solver(NamedTuple):
    """Vectors of the linear systems, four entries per point, and the slopes."""

    residual: Floats  # [N s]
    direction: Floats
    change: Floats  # [m/s]
    inverse: Floats  # [1/kg], of the diagonal; 0 where the velocity is given
    inertia: Floats  # [kg], mass of each entry; 0 where the velocity is given
    free: Floats  # 1 where a velocity is unknown, 0 where it is given
    sums: Floats  # (SUMS * threads * ACCOUNT_STRIDE,)
    slopes: Slopes
    small: Floats  # [m], (1,): a Newton step that moves points by less than this is rounding
    counts: Floats  # Newton steps, conjugate gradient steps, time steps that could not be solved


@kernel
def _sum(me, threads, value, sums, meeting, rounds):
    """The sum over all threads, in their order; NaN if they parted, which ends every loop."""
    if threads == 1:
        return value
    place = (rounds[me * ROUND_STRIDE] % SUMS) * threads
    sums[(place + me) * ACCOUNT_STRIDE] = value
    if not wait(me, threads, meeting, rounds):
        return np.nan
    total = 0.0
    for thread in range(threads):
        total += sums[(place + thread) * ACCOUNT_STRIDE]
    return total


@kernel
def _gather(me, threads, shares, forces, size, meeting, rounds):
    """All threads' contributions to the own points, in the own buffer."""
    if threads == 1:
        return True
    if not wait(me, threads, meeting, rounds):
        return False
    collect(me, shares, forces, size)
    return True


@kernel
def _find_free(begin, end, control, mass, free, inertia):
    for p in range(begin, end):
        for axis in range(U(3)):
            is_free = mass[p] > 0.0 and control.axis_drive[p, axis] == FREE
            free[U(4) * p + axis] = 1.0 if is_free else 0.0
            inertia[U(4) * p + axis] = mass[p] if is_free else 0.0
        free[U(4) * p + U(3)] = inertia[U(4) * p + U(3)] = 0.0


@kernel
def _product(me, threads, arrays, shares, points, slopes, active, u, forces, own, size, partial, buffers, meeting, rounds):
    """B u, added up for the own points in the own buffer; followers and barriers included."""
    if not wait(me, threads, meeting, rounds):
        return False
    follower = arrays.follower
    if not lead(me, threads, follower, shares, u, U(4), U(follower.working[0]), meeting, rounds):
        return False
    if arrays.surface.rest.size > 0:
        measure_along(me, arrays, shares, points, u, partial)
        if not wait(me, threads, meeting, rounds):
            return False
    apply(me, threads, arrays, shares, points, slopes, np.bool_(False), u, forces, own, partial, buffers)
    apply_contacts(me, active, u, forces, own)
    hand_on(follower, forces, own)
    return _gather(me, threads, shares, forces, size, meeting, rounds)


@kernel
def _solve(me, threads, dt, arrays, shares, points, solver, active, forces, own, size, partial, buffers, meeting, rounds):
    """change = (M + dt B)^-1 residual by conjugate gradients, for the own points; returns the steps it took, or -1."""
    residual, direction, change, inverse, inertia, free, sums, slopes, _, _ = solver
    first, last = U(4) * U(shares.point[me]), U(4) * U(shares.point[me + 1])
    rz = 0.0
    for c in range(first, last):
        change[c] = 0.0
        direction[c] = residual[c] * inverse[c]
        rz += residual[c] * direction[c]
    rz = _sum(me, threads, rz, sums, meeting, rounds)
    goal = SOLVER_TOLERANCE * SOLVER_TOLERANCE * rz
    for iteration in range(SOLVER_STEPS):
        if not rz > goal:
            return iteration
        if not _product(
            me, threads, arrays, shares, points, slopes, active, direction, forces, own, size, partial, buffers, meeting, rounds
        ):
            return -1
        curvature = 0.0
        for c in range(first, last):  # the own buffer now holds B p, and takes A p
            product = inertia[c] * direction[c] + free[c] * dt * forces[own + c]
            forces[own + c] = product
            curvature += direction[c] * product
        step = rz / _sum(me, threads, curvature, sums, meeting, rounds)
        fresh = 0.0
        for c in range(first, last):
            change[c] += step * direction[c]
            left = residual[c] - step * forces[own + c]
            residual[c] = left
            forces[own + c] = 0.0
            fresh += left * left * inverse[c]
        fresh = _sum(me, threads, fresh, sums, meeting, rounds)
        turn = fresh / rz
        for c in range(first, last):
            direction[c] = residual[c] * inverse[c] + turn * direction[c]
        rz = fresh
    return SOLVER_STEPS


@kernel
def _move_to_end(begin, end, dt, points, start):
    """x' = x + dt v' for the own points."""
    for p in range(begin, end):
        for axis in range(U(3)):
            points[U(8) * p + axis] = start[U(8) * p + axis] + dt * points[U(8) * p + U(4) + axis]


@kernel
def _step_back(begin, end, points, change):
    """Take half of the last change of velocity back: the residual has grown."""
    for p in range(begin, end):
        for axis in range(U(3)):
            change[U(4) * p + axis] *= 0.5
            points[U(8) * p + U(4) + axis] -= change[U(4) * p + axis]


@kernel
def _set_residual(begin, end, dt, arrays, points, start, forces, own, solver):
    """M (v - v') + dt (F + M g) where velocities are unknown; its norm, that of the impulses, and that of the momenta, squared [J]."""
    mass, gravity = arrays.point.mass, arrays.point.gravity
    norm, impulse, momentum = 0.0, 0.0, 0.0
    for p in range(begin, end):
        for axis in range(U(4)):
            c = U(4) * p + axis
            if solver.free[c] == 0.0:
                solver.residual[c] = 0.0
                continue
            push, v = dt * (forces[own + c] + mass[p] * gravity[axis]), points[U(8) * p + U(4) + axis]
            lost = mass[p] * (start[U(8) * p + U(4) + axis] - v)
            r = lost + push
            solver.residual[c] = r
            norm += r * r / mass[p]
            impulse += (lost * lost + push * push) / mass[p]
            momentum += mass[p] * v * v
    return norm, impulse, momentum


@kernel
def _set_diagonal(me, threads, dt, arrays, shares, points, solver, active, forces, own, size, buffers, meeting, rounds):
    """1 / (M + dt diag(B)) where velocities are unknown."""
    add_diagonal(me, arrays, shares, points, solver.slopes, forces, own, buffers)
    contact_diagonal(me, active, forces, own)
    hand_on(arrays.follower, forces, own)
    if not _gather(me, threads, shares, forces, size, meeting, rounds):
        return False
    for p in range(U(shares.point[me]), U(shares.point[me + 1])):
        for axis in range(U(4)):
            c = U(4) * p + axis
            solver.inverse[c] = 1.0 / (arrays.point.mass[p] + dt * forces[own + c]) if solver.free[c] > 0.0 else 0.0
            forces[own + c] = 0.0
    return True


@kernel
def _go_to_end(me, dt, then, arrays, points, start, anchor, control, shares, enclosed, meeting, rounds):
    """Positions at the end of the step for the velocities as they are, everywhere, and what surfaces then enclose."""
    threads, begin, end = shares.block.size - 1, U(shares.point[me]), U(shares.point[me + 1])
    _move_to_end(begin, end, dt, points, start)
    place_held_points(begin, end, control, anchor, points, then)
    if me == threads - 1:
        place_turning_tools(arrays.tool, control.turn, control.turn_held, points, then)
    if not wait(me, threads, meeting, rounds):
        return False
    if not lead(me, threads, arrays.follower, shares, points, U(8), U(arrays.follower.working[0]), meeting, rounds):
        return False
    if arrays.surface.rest.size > 0:
        measure_surfaces(me, arrays, shares, points, enclosed)
        return wait(me, threads, meeting, rounds)
    return True


@kernel
def _add_end_forces(me, dt, arrays, shares, points, memory, contact, candidates, work, solver, buffers, account, finish):
    """The thread's forces at the end of the step; if `finish`, memories move too. Dissipated power [W], the power that goes into
    springs and dampers, and what guards take.
    """
    threads, own = shares.block.size - 1, U(me) * U(4) * U(arrays.point.mass.size)
    first_block, last_block = U(shares.block[me]), U(shares.block[me + 1])
    power, given = implicit_link_forces(arrays.link, first_block, last_block, points, work.forces, own, memory, buffers[0], dt,
                                    solver.slopes.link, solver.slopes.transverse, finish)  # fmt: skip
    guarded = 0.0
    if has_contact(arrays.tool.kind, arrays.contact.side):
        contact_forces(me, arrays.contact, arrays.tool, work.touch, candidates, work.forces, own, points, contact,
                       dt, dt, finish, dt, dt if finish and account else 0.0, buffers[2])  # fmt: skip
    if has_more(arrays):
        stage = np.int64(EULER if finish else FREEZE)
        _, more_power, more_given, guarded = more_forces(me, threads, arrays, shares, points, work.forces, own, memory, memory, memory,
                                             work.enclosed, buffers[1], stage, dt, dt, account, dt)  # fmt: skip
        power, given = power + more_power, given + more_given
    return power, given, guarded


@kernel
def _imbalance(me, dt, arrays, shares, points, work, solver, meeting):
    """Sets the residual; its norm, that of the impulses and that of the momenta over all threads, squared [J]."""
    threads, own = shares.block.size - 1, U(me) * U(4) * U(arrays.point.mass.size)
    begin, end = U(shares.point[me]), U(shares.point[me + 1])
    norm, impulse, momentum = _set_residual(begin, end, dt, arrays, points, work.point_start, work.forces, own, solver)
    norm = _sum(me, threads, norm, solver.sums, meeting, work.rounds)
    impulse = _sum(me, threads, impulse, solver.sums, meeting, work.rounds)
    momentum = _sum(me, threads, momentum, solver.sums, meeting, work.rounds)
    return norm, impulse, momentum


@kernel
def _correct(me, dt, arrays, shares, points, work, solver, buffers, meeting):
    """One Newton step: v' += (M + dt B)^-1 residual. PARTED, MOVED, or SETTLED if it was no more than rounding."""
    threads, size = shares.block.size - 1, U(4) * U(arrays.point.mass.size)
    own, rounds, more_buffers = U(me) * size, work.rounds, buffers[1]
    active = work.touch.active
    if not _set_diagonal(
        me, threads, dt, arrays, shares, points, solver, active, work.forces, own, size, more_buffers, meeting, rounds
    ):
        return PARTED
    iterations = _solve(me, threads, dt, arrays, shares, points, solver, active, work.forces, own, size, work.enclosed,
                        more_buffers, meeting, rounds)  # fmt: skip
    moved, mass = 0.0, 0.0
    for p in range(U(shares.point[me]), U(shares.point[me + 1])):
        for axis in range(U(3)):
            c = U(4) * p + axis
            points[U(8) * p + U(4) + axis] += solver.change[c]
            moved += solver.inertia[c] * (dt * solver.change[c]) ** 2
            mass += solver.inertia[c]
    moved = _sum(me, threads, moved, solver.sums, meeting, rounds)
    mass = _sum(me, threads, mass, solver.sums, meeting, rounds)
    if me == 0:
        solver.counts[0] += 1.0
        solver.counts[1] += iterations
    if iterations < 0:
        return PARTED
    return SETTLED if moved <= solver.small[0] ** 2 * mass else MOVED


@kernel
def _turn_freely(dt, arrays, control, points, forces, own):
    """Tools that turn freely take their torque's part of the step once its forces are known."""
    tool = arrays.tool
    for t in range(tool.kind.size):
        if not control.turn_held[t]:
            p = U(tool.point[t])
            points[U(8) * p + U(7)] += dt * forces[own + U(4) * p + U(3)] * arrays.point.inverse_mass[p]
            points[U(8) * p + U(3)] += dt * points[U(8) * p + U(7)]


@kernel
def _step(me, dt, then, made, arrays, points, memory, contact, candidates, anchor, control, shares, work, log, solver, buffers, meeting,
          account, energy):  # fmt: skip
    """One time step; adds the thread's energies [J] to `energy`; False if the threads parted."""
    threads, size = shares.block.size - 1, U(4) * U(arrays.point.mass.size)
    own, begin, end, forces = U(me) * size, U(shares.point[me]), U(shares.point[me + 1]), work.forces
    converged, settled, failed, previous, halvings = False, False, False, np.inf, 0
    for newton in range(NEWTON_STEPS + 1):
        if not _go_to_end(
            me, dt, then, arrays, points, work.point_start, anchor, control, shares, work.enclosed, meeting, work.rounds
        ):
            return False
        finish = converged or newton == NEWTON_STEPS
        power, given, guarded = _add_end_forces(
            me, dt, arrays, shares, points, memory, contact, candidates, work, solver, buffers, account, finish
        )
        if not _gather(me, threads, shares, forces, size, meeting, work.rounds):
            return False
        if me == threads - 1 and has_contact(arrays.tool.kind, arrays.contact.side):
            row = made if finish else log.shape[0]
            hand_to_tools(threads, arrays.tool, arrays.point.mass, work.touch, control.turn_held, buffers[2][0], forces, own,
                          log, row, 1.0, dt if finish and account else 0.0)  # fmt: skip
            if finish:
                _turn_freely(dt, arrays, control, points, forces, own)
        add_point_forces(begin, end, control, forces, own, then)
        norm, impulse, momentum = _imbalance(me, dt, arrays, shares, points, work, solver, meeting)
        failed = not norm <= NEWTON_FAILURE**2 * (impulse + momentum)
        if finish:
            energy[0] += dt * power_of_drives(begin, end, control, forces, own, points, arrays.point, then, then, 0.0)
            energy[1] += dt * power_of_forces(begin, end, control, points, then)
            energy[2] += dt * power
            energy[3] += dt * guarded
            energy[5] += dt * (given - power) + lost_in_motion(begin, end, arrays.point.mass, points, work.point_start)
            if account:
                book_contacts(me, arrays, shares, control, work, own, points, energy)
        forces[own + U(4) * begin : own + U(4) * end] = 0.0
        if finish:
            break
        stuck = norm > 0.25 * previous and norm <= ROUNDING**2 * momentum
        converged = norm <= NEWTON_TOLERANCE**2 * impulse or stuck
        if not converged and norm > previous and halvings < HALVINGS:
            _step_back(begin, end, points, solver.change)
            halvings += 1
        elif not converged:
            previous, halvings = norm, 0
            outcome = _correct(me, dt, arrays, shares, points, work, solver, buffers, meeting)
            if outcome == PARTED:
                return False
            converged = settled = outcome == SETTLED
    if me == 0 and failed and not settled:
        solver.counts[2] += 1.0
    return wait(me, threads, meeting, work.rounds)


@kernel
def advance_implicitly(me, first, steps, dt, model, points, memory, contact, candidates, anchor, control, team, log, solver,
                       meeting, account):  # fmt: skip
    """Thread `me`'s part of the steps number first, first + 1, ... of `dt` seconds since the beginning of the control's stretch.

    Returns the number of steps made: fewer if the candidates for contact must be looked for again. Arguments as those of `advance`.
    """
    arrays, (shares, work), solver = model.content, team.content, solver.content
    threads, begin, end = shares.block.size - 1, U(shares.point[me]), U(shares.point[me + 1])
    follower, energy, made = arrays.follower, np.zeros(6), np.int64(0)
    buffers = (scratch(arrays.link), more_scratch(), contact_scratch(me, arrays.contact, arrays.tool, work.touch, contact))
    _find_free(begin, end, control, arrays.point.mass, solver.free, solver.inertia)
    if not lead(me, threads, follower, shares, points, U(8), U(follower.point.size), meeting, work.rounds):
        return made
    for n in range(first, first + steps):
        work.point_start[U(8) * begin : U(8) * end] = points[U(8) * begin : U(8) * end]
        then = (n + 1.0) * dt
        if not _step(me, dt, then, made, arrays, points, memory, contact, candidates, anchor, control, shares, work, log, solver, buffers,
                     meeting, account, energy):  # fmt: skip
            return made
        made += 1
        if candidates.reference.size > 0:
            note_travel(me, arrays.contact, work.touch, candidates, points)
            if not wait(me, threads, meeting, work.rounds):
                return made
            if has_travelled(threads, work.touch.tally):
                break
    follow(follower, max(U(follower.working[0]), U(shares.follower[me])), U(shares.follower[me + 1]), points, U(8))
    note_account(me, work.account, energy[0], energy[1], energy[2], energy[3], energy[4], energy[5])
    return made
