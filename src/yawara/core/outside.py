"""What the outside does to points: forces, and drives that hold or move them."""

from numba import uint64 as U

from yawara.core.control import FREE
from yawara.kernels.jit import inner


@inner
def _value(polynomial, channel, axis, t):
    p = polynomial[channel, axis]
    return p[0] + t * (p[1] + t * (p[2] + t * p[3]))


@inner
def _rate(polynomial, channel, axis, t):
    p = polynomial[channel, axis]
    return p[1] + t * (2.0 * p[2] + t * 3.0 * p[3])


@inner
def _curvature(polynomial, channel, axis, t):
    p = polynomial[channel, axis]
    return 2.0 * p[2] + t * 6.0 * p[3]


@inner
def acts_from_outside(ctx):
    """Whether there are forces that no term has."""
    return ctx.control.force_point.size > 0 or ctx.push.size > 0


@inner
def add_pushes(ctx):
    """Add what methods beside the force terms put on the own points; nothing if there are none."""
    if ctx.push.size > 0:
        push, forces, own, per_step = ctx.push, ctx.forces, ctx.own, 1.0 / ctx.dt
        for p in range(ctx.begin, ctx.end):
            for axis in range(U(3)):
                forces[own + U(4) * p + axis] += per_step * push[U(3) * p + axis]


@inner
def add_point_forces(ctx, now):
    """Add the outer forces [N] on the own points."""
    control, forces = ctx.control, ctx.forces
    for entry in range(control.force_point.size):
        p = U(control.force_point[entry])
        if ctx.begin <= p < ctx.end:
            for axis in range(3):
                f = control.force_weight[entry] * _value(control.force, control.force_channel[entry], axis, now)
                forces[ctx.own + U(4) * p + U(axis)] += f


@inner
def power_of_forces(ctx, now):
    """[W], of the outer forces on the own points as they move; those on tools without mass are for whoever pushes to book."""
    control, points, power = ctx.control, ctx.points, 0.0
    if ctx.push.size > 0:
        push, mass, per_step = ctx.push, ctx.mass, 1.0 / ctx.dt
        for p in range(ctx.begin, ctx.end):
            if mass[p] > 0.0:
                for axis in range(U(3)):
                    power += per_step * push[U(3) * p + axis] * points[U(8) * p + U(4) + axis]
    for entry in range(control.force_point.size):
        p = U(control.force_point[entry])
        if ctx.begin <= p < ctx.end:
            for axis in range(3):
                f = control.force_weight[entry] * _value(control.force, control.force_channel[entry], axis, now)
                power += f * points[U(8) * p + U(4) + U(axis)]
    return power


@inner
def given_acceleration(control, drive, axis, speed, now, then, step):
    """[m/s^2], of what a drive holds; with a `step` [s], of a scheme with one stage, the one that this step has."""
    if step > 0.0:
        return (_rate(control.drive, drive, axis, then) - speed) / step
    return _curvature(control.drive, drive, axis, now)


@inner
def power_of_drives(ctx, now, then, step):
    """What holds a point gives the force that its acceleration needs beyond the others; returns its power [W].

    With a `step` [s], of a scheme with one stage, the acceleration is the one that this step has, and the velocity its mean: as the kinetic
    energy has it. What moves a tool without mass is booked with its contacts.
    """
    control, points, forces, mass, gravity, power = ctx.control, ctx.points, ctx.forces, ctx.mass, ctx.gravity, 0.0
    for entry in range(control.held.size):
        p = U(control.held[entry])
        if ctx.begin <= p < ctx.end and mass[p] > 0.0:
            for axis in range(3):
                drive = control.axis_drive[p, axis]
                if drive != FREE:
                    speed = points[U(8) * p + U(4) + U(axis)]
                    acceleration = given_acceleration(control, drive, axis, speed, now, then, step)
                    speed += 0.5 * step * acceleration
                    force = mass[p] * (acceleration - gravity[axis]) - forces[ctx.own + U(4) * p + U(axis)]
                    power += force * speed
    return power


@inner
def place_held_points(ctx, then):
    control, points, anchor = ctx.control, ctx.points, ctx.anchor
    for entry in range(control.held.size):
        p = U(control.held[entry])
        if ctx.begin <= p < ctx.end:
            for axis in range(3):
                drive = control.axis_drive[p, axis]
                if drive != FREE:
                    points[U(8) * p + U(axis)] = anchor[p, axis] + _value(control.drive, drive, axis, then)
                    points[U(8) * p + U(4) + U(axis)] = _rate(control.drive, drive, axis, then)
