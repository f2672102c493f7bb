"""The one kernel that moves time: many steps of any explicit scheme, through all force terms, in one call.

Each thread owns a range of points, the links that begin there, and its share of cells and faces; it adds forces to a buffer of its own.
Buffers are all zero between force phases: whoever consumes an entry resets it. Sums run in a fixed order, so a thread count fixes the
result bit for bit.
"""

from typing import NamedTuple

import numpy as np
from numba import uint64 as U
from numpy.typing import NDArray

from yawara.contact.books import clear_nodes, work_of_belts, work_on_nodes, work_on_tools
from yawara.contact.bounce import begin_bounces, bounce_off_tools
from yawara.contact.term import (
    contact_forces,
    contact_scratch,
    hand_to_tools,
    has_travelled,
    note_travel,
    place_turning_tools,
)
from yawara.contact.work import LOAD, Touch, has_contact
from yawara.control import FREE
from yawara.forces.followers import follow
from yawara.forces.links.term import last_by_mean_rate, link_forces, scratch
from yawara.forces.terms import has_more, measure_surfaces, more_forces, more_scratch
from yawara.integrators.barrier import meet
from yawara.jit import kernel
from yawara.model import Floats, Indices, KernelArrays
from yawara.stages import FREEZE, move_points
from yawara.state import DISSIPATED, INTO_SPRINGS, TAKEN_BY_CONTACT, TAKEN_BY_GUARDS, WORK_OF_DRIVES, WORK_OF_FORCES

ACCOUNT_STRIDE = ROUND_STRIDE = 8  # a cache line per thread


class Shares(NamedTuple):
    """Who does what: entry t belongs to thread t."""

    block: Indices  # first link block, (threads + 1,)
    point: Indices  # first own point, (threads + 1,)
    touched_begin: Indices  # points that the thread's elements can reach, (threads,)
    touched_end: Indices
    tetrahedron: Indices  # first block, (threads + 1,)
    triangle: Indices  # first block, (threads + 1,)
    face: Indices  # first face of closed surfaces, (threads + 1,)
    follower: Indices  # first follower to set, (threads + 1,)


def whole(arrays: KernelArrays) -> Shares:
    """The shares of a thread that does everything."""
    counts = (
        len(arrays.link.block_family), len(arrays.point.mass), 0, len(arrays.point.mass), len(arrays.tetrahedron.block_kind),
        len(arrays.triangle.block_kind), int(arrays.surface.face[-1]), len(arrays.follower.point),
    )  # fmt: skip
    return Shares(*(np.array([0, count], np.uint32) for count in counts))


class Workspace(NamedTuple):
    """Scratch of a run that outlives one call."""

    forces: Floats  # [N], (threads * 4 * point_count,), zero between force phases
    point_start: Floats  # points at the beginning of a step, flat; empty if the scheme needs none
    point_total: Floats
    memory_start: Floats
    memory_total: Floats
    account: Floats  # [J], (threads * ACCOUNT_STRIDE,)
    enclosed: Floats  # content and rate of each surface, as far as each thread's faces go, (threads * surface_count * 2,)
    rates: Floats  # (2 * slot_count,): see forces/links/mean_rate.py; empty if nobody needs it
    rounds: NDArray[np.int64]  # meetings of each thread in this call, (threads * ROUND_STRIDE,)
    touch: Touch


@kernel
def _value(polynomial, channel, axis, t):
    p = polynomial[channel, axis]
    return p[0] + t * (p[1] + t * (p[2] + t * p[3]))


@kernel
def _rate(polynomial, channel, axis, t):
    p = polynomial[channel, axis]
    return p[1] + t * (2.0 * p[2] + t * 3.0 * p[3])


@kernel
def _curvature(polynomial, channel, axis, t):
    p = polynomial[channel, axis]
    return 2.0 * p[2] + t * 6.0 * p[3]


@kernel
def collect(me, shares, forces, size):
    """Add what other threads left for the own points to the own buffer, thread by thread."""
    own = U(me) * size
    for other in range(shares.block.size - 1):
        if other != me:
            begin = max(U(shares.point[me]), U(shares.touched_begin[other]))
            end = min(U(shares.point[me + 1]), U(shares.touched_end[other]))
            base = U(other) * size
            for c in range(U(4) * begin, U(4) * end):
                forces[own + c] += forces[base + c]
                forces[base + c] = 0.0


@kernel
def add_point_forces(begin, end, control, forces, own, now):
    """Add the outer forces [N] on the own points."""
    for entry in range(control.force_point.size):
        p = U(control.force_point[entry])
        if begin <= p < end:
            for axis in range(3):
                f = control.force_weight[entry] * _value(control.force, control.force_channel[entry], axis, now)
                forces[own + U(4) * p + U(axis)] += f


@kernel
def power_of_forces(begin, end, control, points, now):
    """[W], of the outer forces on the own points as they move."""
    power = 0.0
    for entry in range(control.force_point.size):
        p = U(control.force_point[entry])
        if begin <= p < end:
            for axis in range(3):
                f = control.force_weight[entry] * _value(control.force, control.force_channel[entry], axis, now)
                power += f * points[U(8) * p + U(4) + U(axis)]
    return power


@kernel
def power_of_drives(begin, end, control, forces, own, points, point, now, then, step):
    """What holds a point gives the force that its acceleration needs beyond the others; returns its power [W].

    With a `step` [s], of a scheme with one stage, the acceleration is the one that this step has, and the velocity its mean: as the kinetic
    energy has it. What moves a tool without mass is booked with its contacts.
    """
    power = 0.0
    for entry in range(control.held.size):
        p = U(control.held[entry])
        if begin <= p < end and point.mass[p] > 0.0:
            for axis in range(3):
                drive = control.axis_drive[p, axis]
                if drive != FREE:
                    speed, acceleration = points[U(8) * p + U(4) + U(axis)], _curvature(control.drive, drive, axis, now)
                    if step > 0.0:
                        change = _rate(control.drive, drive, axis, then) - speed
                        speed, acceleration = speed + 0.5 * change, change / step
                    force = point.mass[p] * (acceleration - point.gravity[axis]) - forces[own + U(4) * p + U(axis)]
                    power += force * speed
    return power


@kernel
def place_held_points(begin, end, control, anchor, points, then):
    for entry in range(control.held.size):
        p = U(control.held[entry])
        if begin <= p < end:
            for axis in range(3):
                drive = control.axis_drive[p, axis]
                if drive != FREE:
                    points[U(8) * p + U(axis)] = anchor[p, axis] + _value(control.drive, drive, axis, then)
                    points[U(8) * p + U(4) + U(axis)] = _rate(control.drive, drive, axis, then)


@kernel
def wait(me, threads, meeting, rounds):
    """Meet the other threads; False if one of them called it off. `rounds[me]` counts the meetings."""
    if threads == 1:
        return True
    rounds[me * ROUND_STRIDE] += 1
    return meet(meeting, threads, rounds[me * ROUND_STRIDE])


@kernel
def lead(me, threads, follower, shares, points, width, count, meeting, rounds):
    """Once all leaders have moved, set the followers up to number `count`, everywhere; False if the threads parted."""
    if count == U(0):
        return True
    if not wait(me, threads, meeting, rounds):
        return False
    follow(follower, U(shares.follower[me]), min(U(shares.follower[me + 1]), count), points, width)
    return wait(me, threads, meeting, rounds)


@kernel
def advance(me, first, steps, dt, stages, model, points, memory, contact, candidates, anchor, control, team, log, meeting,
            account):  # fmt: skip
    """Thread `me`'s part of the steps number first, first + 1, ... of `dt` seconds since the beginning of the control's stretch.

    `points`, `memory` and `contact` are moved in place; energies are added to `work.account` if `account`. Returns the number of steps
    made: fewer if bodies have moved so far that the candidates for contact must be looked for again.
    `model` and `team` hold the arrays of the model, and the threads' shares and workspace. `log` gets a row for every step.
    """
    arrays, (shares, work) = model.content, team.content
    threads = shares.block.size - 1
    size = U(4) * U(arrays.point.mass.size)
    own = U(me) * size
    first_block, last_block = U(shares.block[me]), U(shares.block[me + 1])
    begin, end = U(shares.point[me]), U(shares.point[me + 1])
    # Taken out of their tuples once: it costs two atomic reference counts each time.
    forces, point_start, point_total, memory_start, memory_total, sums, enclosed, rates, rounds, touch = work
    links, buffers, inverse_mass, gravity = arrays.link, scratch(arrays.link), arrays.point.inverse_mass, arrays.point.gravity
    any_forces, any_held, any_surfaces = control.force_point.size > 0, control.held.size > 0, arrays.surface.rest.size > 0
    any_more, more_buffers = has_more(arrays), more_scratch()
    tool, surface = arrays.tool, arrays.contact
    any_contact, contact_buffers = has_contact(tool.kind, surface.side), contact_scratch(me, surface, tool, touch, contact)
    pose, tally = contact_buffers[0], touch.tally
    bounces, searches = surface.bounce.size > 0, candidates.reference.size > 0
    follower, working = arrays.follower, U(arrays.follower.working[0])
    drive_work = force_work = dissipated = taken = touched = 0.0
    one_stage = stages.shape[0] == 1  # then work is that of the mean velocity: half is booked before points move, half after
    early, at_start = 0.5 if one_stage else 1.0, points if one_stage else point_start
    made, last_stage, owns_tools = np.int64(0), stages.shape[0] - 1, me == threads - 1  # tools are the last points
    if not lead(
        me, threads, follower, shares, points, U(8), U(follower.point.size), meeting, rounds
    ):  # somebody moved their leaders
        return made
    for n in range(first, first + steps):
        for s in range(stages.shape[0]):
            stage, now, then = int(stages[s, 0]), (n + stages[s, 1]) * dt, (n + stages[s, 2]) * dt
            step, weight = stages[s, 3] * dt, stages[s, 4] * dt
            if any_surfaces:
                measure_surfaces(me, arrays, shares, points, enclosed)
                if not wait(me, threads, meeting, rounds):
                    return made
            _, power = link_forces(links, first_block, last_block, points, forces, own, memory, memory_start, memory_total,
                                   buffers, stage, step, weight, account, rates, n > first)  # fmt: skip
            dissipated += weight * power
            if any_contact:  # its memories move once per step, as the source has it
                contact_forces(me, surface, tool, touch, candidates, forces, own, points, contact,
                               dt if s == 0 else 0.0, dt, s == 0, 0.0, weight if account else 0.0, contact_buffers)  # fmt: skip
                if account and s == last_stage:
                    touched -= work_on_nodes(me, surface.node, touch, own, at_start)
            if any_more:
                _, power, _, guarded = more_forces(
                    me, threads, arrays, shares, points, forces, own, memory, memory_start, memory_total, enclosed, more_buffers,
                    stage, step, weight, account, 0.0)  # fmt: skip
                dissipated, taken = dissipated + weight * power, taken + weight * guarded
            if threads > 1:
                if not wait(me, threads, meeting, rounds):
                    return made
                collect(me, shares, forces, size)
            if any_contact and owns_tools:
                hand_to_tools(threads, tool, arrays.point.mass, touch, control.turn_held, pose, forces, own, log, made,
                              weight / dt, weight if account else 0.0)  # fmt: skip
                if account and s == last_stage:
                    work, driven, _ = work_on_tools(tool, arrays.point.mass, control, touch, at_start)
                    belts = work_of_belts(tool, touch)
                    touched, drive_work = touched - work + belts, drive_work + driven + belts
            if bounces and s == 0:
                touched += begin_bounces(me, surface, touch, forces, own, points, contact)
            if any_forces:
                add_point_forces(begin, end, control, forces, own, now)
                force_work += early * weight * power_of_forces(begin, end, control, points, now)
            if any_held:
                drive_work += weight * power_of_drives(begin, end, control, forces, own, points, arrays.point, now, then,
                                                       step if one_stage else 0.0)  # fmt: skip
            move_points(stage, points, point_start, point_total, begin, end, forces, own, inverse_mass, gravity, step, weight)
            if any_held:
                place_held_points(begin, end, control, anchor, points, then)
            if any_contact and owns_tools:
                place_turning_tools(tool, control.turn, control.turn_held, points, then)
            if bounces and s == last_stage:
                lost, worked = bounce(me, threads, surface, tool, arrays.point, touch, control.turn_held, pose, forces, own, points,
                                      contact, int(stages[0, 0]), dt, log, made, meeting, rounds)  # fmt: skip
                touched, drive_work = touched + lost, drive_work + worked
            if not lead(me, threads, follower, shares, points, U(8), working, meeting, rounds):
                return made
            if working == U(0) and not wait(me, threads, meeting, rounds):
                return made
        if one_stage and any_forces:
            force_work += 0.5 * weight * power_of_forces(begin, end, control, points, now)
        if any_contact and account:
            touched -= work_on_nodes(me, surface.node, touch, own, points)
            clear_nodes(me, surface.node, touch, own)
            if owns_tools:
                work, driven, _ = work_on_tools(tool, arrays.point.mass, control, touch, points)
                touched, drive_work, touch.tool_impulse[:] = touched - work, drive_work + driven, 0.0
        made += 1
        if searches:
            note_travel(me, surface, touch, candidates, points)
            if not wait(me, threads, meeting, rounds):
                return made
            if has_travelled(threads, tally):
                break
    if account and rates.size > 0 and made > 0:
        dissipated += dt * last_by_mean_rate(links, first_block, last_block, points, buffers, rates)
    follow(follower, max(working, U(shares.follower[me])), U(shares.follower[me + 1]), points, U(8))
    note_account(me, sums, drive_work, force_work, dissipated, taken, touched, 0.0)
    return made


@kernel
def bounce(me, threads, surface, tool, point, touch, turn_held, pose, forces, own, points, contact, stage, dt, log, made, meeting,
           rounds):  # fmt: skip
    """Send back what is inside tools, once they are where they will be; energy lost [J] and work of the tools' drives [J]."""
    if not wait(me, threads, meeting, rounds):
        return 0.0, 0.0
    tools = tool.kind.size * LOAD
    touch.load[me * tools : (me + 1) * tools] = 0.0
    lost, worked = bounce_off_tools(me, surface, tool, point.mass, point.gravity, touch, pose, points, contact, stage, dt)
    if wait(me, threads, meeting, rounds) and me == threads - 1:
        hand_to_tools(threads, tool, point.mass, touch, turn_held, pose, forces, own, log, made, 1.0, 0.0)
        for t in range(tool.kind.size):  # tools that bounce are driven: what they feel moves nothing
            for lane in range(U(4)):
                forces[own + U(4) * U(tool.point[t]) + lane] = 0.0
    return lost, worked


@kernel
def note_account(me, sums, drive_work, force_work, dissipated, taken, touched, into_springs):
    """Leave the thread's energies [J] where the caller finds them."""
    sums[me * ACCOUNT_STRIDE + WORK_OF_DRIVES] = drive_work
    sums[me * ACCOUNT_STRIDE + WORK_OF_FORCES] = force_work
    sums[me * ACCOUNT_STRIDE + DISSIPATED] = dissipated
    sums[me * ACCOUNT_STRIDE + TAKEN_BY_GUARDS] = taken
    sums[me * ACCOUNT_STRIDE + TAKEN_BY_CONTACT] = touched
    sums[me * ACCOUNT_STRIDE + INTO_SPRINGS] = into_springs


@kernel
def evaluate(model, shares, points, memory, contact, candidates, control, now, forces, enclosed, touch):
    """Forces [N] on all points at one instant, all terms and outer forces without gravity, (4 * point_count,); shares of one thread.

    Returns stored energy [J], the part of it that contacts store, dissipated power [W], the power [W] that guards take, and the power with
    which bodies store energy.
    """
    forces[:] = 0.0
    none, arrays = np.empty(0), model.content
    # Cast, because a literal argument would compile every kernel a second time.
    me, threads, stage, account, keep = np.int64(0), np.int64(1), np.int64(FREEZE), np.bool_(True), np.bool_(False)
    made = np.int64(0)
    stored, power = link_forces(arrays.link, U(0), U(arrays.link.block_family.size), points, forces, U(0), memory, none, none,
                                scratch(arrays.link), stage, 0.0, 0.0, account, none, np.bool_(False))  # fmt: skip
    guarded, touching, pushing = 0.0, 0.0, 0.0
    tool, surface = arrays.tool, arrays.contact
    any_contact, contact_buffers = has_contact(tool.kind, surface.side), contact_scratch(me, surface, tool, touch, contact)
    if any_contact:
        touching = contact_forces(me, surface, tool, touch, candidates, forces, U(0), points, contact, 0.0, 0.0, keep, 0.0, 1.0,
                                  contact_buffers)  # fmt: skip
        pushing = 2.0 * work_on_nodes(me, surface.node, touch, U(0), points)  # impulses over 1 s: power [W]
        clear_nodes(me, surface.node, touch, U(0))
        stored += touching
    if has_more(arrays):
        buffers = more_scratch()
        measure_surfaces(me, arrays, shares, points, enclosed)
        more_stored, more_power, _, guarded = more_forces(
            me, threads, arrays, shares, points, forces, U(0), memory, none, none, enclosed, buffers,
            stage, 0.0, 0.0, account, 0.0)  # fmt: skip
        stored, power = stored + more_stored, power + more_power
    given = -pushing  # by the terms of bodies alone: tools' own points have felt nothing yet
    for p in range(U(arrays.point.mass.size)):
        for axis in range(U(3)):
            given += forces[U(4) * p + axis] * points[U(8) * p + U(4) + axis]
    if any_contact:
        hand_to_tools(threads, tool, arrays.point.mass, touch, control.turn_held, contact_buffers[0], forces, U(0),
                      np.empty((0, 0)), made, 0.0, 0.0)  # fmt: skip
    add_point_forces(U(0), U(arrays.point.mass.size), control, forces, U(0), now)
    return stored, touching, power, guarded, -given - power - guarded
