"""The forces of elements that keep their shapes, polyhedra with any number of corners, polygons in flat bodies.

    F_i = -k (r_i - R_i) - D v_i                                                    Miyazaki et al. 1999, eq. (4)

r_i is where a corner is, from the mean of all; R_i where it would be if the element had its shape at rest, turned as it is now
(kernels/rotation.py). The sum of the forces is zero, as both have the same mean, and so is their moment, by eq. (5). As the rotation is the
nearest one, they are the gradient of the stored energy k/2 sum |r_i - R_i|^2.

v_i is printed as the velocity from that of the mean. It brakes an element that turns, whose angular momentum then falls as exp(-D t/m);
so what turns it as a whole is taken off first, unless a body asks for the printed form.
"""

from typing import NamedTuple

from numba import uint64 as U

from yawara.core.context import DISSIPATED, GIVEN, STORED
from yawara.core.stages import FREEZE
from yawara.kernels.jit import inlined, inner
from yawara.kernels.kinds import Floats, Indices, Natural, Words
from yawara.kernels.rotation import PLANE, SINGULAR, matrix_of, times, turn
from yawara.terms.polyhedra.constants import PRINTED
from yawara.terms.polyhedra.spin import inertia_of, inverse_of, of_both


class Arrays(NamedTuple):
    """Elements in the order of their lowest points; columns have one entry per element."""

    corner: Indices  # points, those of an element together
    first: Indices  # first corner of each element, (element_count + 1,)
    shape: Floats  # [m], Ro: three per corner, from the mean of the element's
    shape2: Floats  # [m^2], sum Ro Ro^T: six per element, xx yy zz yz zx xy
    k: Floats  # [N/m]
    D: Floats  # [N s/m]
    volume: Floats  # [m^3], at rest
    way: Words  # to find the rotation: ATAN, LINEAR, POLAR, PLANE
    passes: Words
    damping: Words  # DEFORMING or PRINTED
    begin: Natural  # the thread's own elements
    end: Natural
    turned: Floats  # internal variable: rotation as a quaternion, four per element; less (1, 0, 0, 0), so that it is 0 at rest
    place: Floats  # [m], scratch: r of one element's corners
    speed: Floats  # [m/s], and their velocities from that of the mean
    work: Floats
    spring: Floats  # [N s/m], tangent: k times the step
    damper: Floats  # [N s/m]
    rotation: Floats  # four per element, at the end of the step
    spin: Floats  # [1/m^2], six per element: how it turns its rest shape with its corners
    wheel: Floats  # [1/m^2], six per element: how it turns as a whole
    noted: Floats  # [Pa], six per element, for stresses; empty if nobody asks
    tally: Floats


@inlined
def _mean(values, width, offset, corner, a, b):
    x, y, z = 0.0, 0.0, 0.0
    for n in range(a, b):
        at = width * U(corner[n]) + offset
        x, y, z = x + values[at], y + values[at + U(1)], z + values[at + U(2)]
    part = 1.0 / float(b - a)
    return part * x, part * y, part * z


@inlined
def _keep(values, width, offset, corner, a, b, flat, kept):
    """What corners have beyond their mean; in the plane, if they are those of a flat body."""
    x, y, z = _mean(values, width, offset, corner, a, b)
    for n in range(a, b):
        at, to = width * U(corner[n]) + offset, U(3) * (n - a)
        kept[to], kept[to + U(1)] = values[at] - x, values[at + U(1)] - y
        kept[to + U(2)] = 0.0 if flat else values[at + U(2)] - z


@inlined
def _moment(shape, a, place, count):
    """S = sum Ro r^T, row by row."""
    s0, s1, s2, s3, s4, s5, s6, s7, s8 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(count):
        i, j = U(3) * (a + n), U(3) * n
        X, Y, Z, x, y, z = shape[i], shape[i + U(1)], shape[i + U(2)], place[j], place[j + U(1)], place[j + U(2)]
        s0, s1, s2 = s0 + X * x, s1 + X * y, s2 + X * z
        s3, s4, s5 = s3 + Y * x, s4 + Y * y, s5 + Y * z
        s6, s7, s8 = s6 + Z * x, s7 + Z * y, s8 + Z * z
    return s0, s1, s2, s3, s4, s5, s6, s7, s8


@inlined
def _wheel(place, count):
    """J^-1 of the corners where they are."""
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(count):
        x, y, z = place[U(3) * n], place[U(3) * n + U(1)], place[U(3) * n + U(2)]
        a, b, c, d, e, f = a + x * x, b + y * y, c + z * z, d + y * z, e + z * x, f + x * y
    return inverse_of(inertia_of((a, b, c, d, e, f)))


@inlined
def _turning(place, speed, count):
    """sum r x v"""
    x, y, z = 0.0, 0.0, 0.0
    for n in range(count):
        i, j, k = U(3) * n, U(3) * n + U(1), U(3) * n + U(2)
        x += place[j] * speed[k] - place[k] * speed[j]
        y += place[k] * speed[i] - place[i] * speed[k]
        z += place[i] * speed[j] - place[j] * speed[i]
    return x, y, z


@inlined
def _rotated(m, shape, at):
    """M Ro"""
    X, Y, Z = shape[at], shape[at + U(1)], shape[at + U(2)]
    return m[0] * X + m[1] * Y + m[2] * Z, m[3] * X + m[4] * Y + m[5] * Z, m[6] * X + m[7] * Y + m[8] * Z


@inlined
def _measured(mine, e, points, place, speed):
    """Places and velocities of an element's corners, from their means, into scratch; and its rotation."""
    first, way, turned, shape2, t = mine.first, mine.way[e], mine.turned, mine.shape2, U(6) * e
    a, b = U(first[e]), U(first[e + U(1)])
    _keep(points, U(8), U(0), mine.corner, a, b, way == PLANE, place)
    _keep(points, U(8), U(4), mine.corner, a, b, way == PLANE, speed)
    s = _moment(mine.shape, a, place, b - a)
    q = 1.0 + turned[U(4) * e], turned[U(4) * e + U(1)], turned[U(4) * e + U(2)], turned[U(4) * e + U(3)]
    return s, turn(way, mine.passes[e], s, q, shape2[t] + shape2[t + U(1)] + shape2[t + U(2)], mine.work)


@inlined
def _omega(is_free, place, speed, count):
    """[1/s]: what dampers do not feel."""
    if not is_free:
        return 0.0, 0.0, 0.0
    x, y, z = _turning(place, speed, count)
    return of_both(_wheel(place, count), x, y, z)


@inlined
def _force(place, speed, i, R, k, D, w):
    """(force on the corner whose entries begin at i, squares of its displacement d = r - R and of the velocity that dampers feel)"""
    x, y, z = place[i], place[i + U(1)], place[i + U(2)]
    dx, dy, dz = x - R[0], y - R[1], z - R[2]
    vx = speed[i] - (w[1] * z - w[2] * y)
    vy = speed[i + U(1)] - (w[2] * x - w[0] * z)
    vz = speed[i + U(2)] - (w[0] * y - w[1] * x)
    return -k * dx - D * vx, -k * dy - D * vy, -k * dz - D * vz, dx * dx + dy * dy + dz * dz, vx * vx + vy * vy + vz * vz


@inner
def _push(mine, e, m, place, speed, forces, own):
    """Adds an element's forces [N]; its energies: stored [J], dissipated [W], given [W]."""
    first, corner, shape, k, D = U(mine.first[e]), mine.corner, mine.shape, mine.k[e], mine.D[e]
    count = U(mine.first[e + U(1)]) - first
    w, d2, v2, given = _omega(D > 0.0 and mine.damping[e] != PRINTED, place, speed, count), 0.0, 0.0, 0.0
    for n in range(count):
        i = U(3) * n
        fx, fy, fz, one, two = _force(place, speed, i, _rotated(m, shape, U(3) * first + i), k, D, w)
        d2, v2 = d2 + one, v2 + two
        given -= fx * speed[i] + fy * speed[i + U(1)] + fz * speed[i + U(2)]
        at = own + U(4) * U(corner[first + n])
        forces[at] += fx
        forces[at + U(1)] += fy
        forces[at + U(2)] += fz
    return 0.5 * k * d2, D * v2, given


@inlined
def _keep_rotation(values, e, q, less):
    values[U(4) * e], values[U(4) * e + U(1)], values[U(4) * e + U(2)], values[U(4) * e + U(3)] = q[0] - less, q[1], q[2], q[3]


@inlined
def _keep_six(values, e, six):
    at = U(6) * e
    values[at], values[at + U(1)], values[at + U(2)] = six[0], six[1], six[2]
    values[at + U(3)], values[at + U(4)], values[at + U(5)] = six[3], six[4], six[5]


@inner
def _book(ctx, tally, stored, power, given):
    tally[STORED] = stored
    tally[DISSIPATED] += ctx.weight * power
    tally[GIVEN] += ctx.weight * given


def add_forces(ctx, mine):
    points, forces, own, place, speed = ctx.points, ctx.forces, ctx.own, mine.place, mine.speed
    stored, power, given = 0.0, 0.0, 0.0
    for e in range(mine.begin, mine.end):
        _, q = _measured(mine, e, points, place, speed)
        one, two, three = _push(mine, e, matrix_of(q[0], q[1], q[2], q[3]), place, speed, forces, own)
        stored, power, given = stored + one, power + two, given + three
        if ctx.stage != FREEZE:
            _keep_rotation(mine.turned, e, q, 1.0)
    if ctx.account:
        _book(ctx, mine.tally, stored, power, given)


def add_end_forces(ctx, mine):
    """The same at the end of a step, and the tangent."""
    stored, power, given = 0.0, 0.0, 0.0
    for e in range(mine.begin, mine.end):
        s, q = _measured(mine, e, ctx.points, mine.place, mine.speed)
        m = matrix_of(q[0], q[1], q[2], q[3])
        one, two, three = _push(mine, e, m, mine.place, mine.speed, ctx.forces, ctx.own)
        stored, power, given = stored + one, power + two, given + three
        _linearise(mine, e, m, times(m, s), ctx.ahead, ctx.exact)
        _keep_rotation(mine.rotation, e, q, 0.0)
        if ctx.finish:
            _keep_rotation(mine.turned, e, q, 1.0)
    if ctx.finish:
        _book(ctx, mine.tally, stored, power, given)


@inner
def _linearise(mine, e, m, s, ahead, exact):
    """Of (4): k (u - omega x R) + D (u - omega' x r), where u is how corners move from their mean.

    The rest shape turns with its corners by (tr S I - S) omega = sum R x u, the derivative of (6), which takes stiffness away under
    pressure. With the value at rest in its place the product is k times the part of u that is no rigid motion: its eigenvalues are k and 0.
    """
    mine.spring[e], mine.damper[e] = ahead * mine.k[e], mine.D[e]
    count = U(mine.first[e + U(1)]) - U(mine.first[e])
    _keep_six(mine.wheel, e, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0) if mine.damping[e] == PRINTED else _wheel(mine.place, count))
    shape2, t, spin = mine.shape2, U(6) * e, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    trace = s[0] + s[4] + s[8]
    now = trace - s[0], trace - s[4], trace - s[8], -0.5 * (s[5] + s[7]), -0.5 * (s[6] + s[2]), -0.5 * (s[1] + s[3])
    rest2 = shape2[t] + shape2[t + U(1)] + shape2[t + U(2)]
    if exact and _is_positive(now, SINGULAR * rest2):
        spin = inverse_of(now)
    else:
        a, b, c, d, e_, f = shape2[t], shape2[t + U(1)], shape2[t + U(2)], shape2[t + U(3)], shape2[t + U(4)], shape2[t + U(5)]
        r = times(times(m, (a, f, e_, f, b, d, e_, d, c)), (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]))
        spin = inverse_of(inertia_of((r[0], r[4], r[8], r[5], r[2], r[1])))
    _keep_six(mine.spin, e, spin)


@inlined
def _is_positive(j, least):
    """Whether all eigenvalues are clearly positive, by the minors."""
    two = j[0] * j[1] - j[5] * j[5]
    det = j[0] * (j[1] * j[2] - j[3] * j[3]) + j[5] * (j[4] * j[3] - j[5] * j[2]) + j[4] * (j[5] * j[3] - j[1] * j[4])
    return j[0] > least and two > least * least and det > least * least * least


@inlined
def _six(values, e):
    at = U(6) * e
    return values[at], values[at + U(1)], values[at + U(2)], values[at + U(3)], values[at + U(4)], values[at + U(5)]


@inlined
def _matrix(rotation, e):
    at = U(4) * e
    return matrix_of(rotation[at], rotation[at + U(1)], rotation[at + U(2)], rotation[at + U(3)])


def add_product(ctx, mine):
    first, corner, shape, place, speed = mine.first, mine.corner, mine.shape, mine.place, mine.speed
    forces, own = ctx.forces, ctx.own
    for e in range(mine.begin, mine.end):
        spring, damper = mine.spring[e], mine.damper[e]
        a, b, flat, m = U(first[e]), U(first[e + U(1)]), mine.way[e] == PLANE, _matrix(mine.rotation, e)
        _keep(ctx.points, U(8), U(0), corner, a, b, flat, place)
        _keep(ctx.direction, U(4), U(0), corner, a, b, flat, speed)
        x, y, z = _turning(place, speed, b - a)
        wheel = of_both(_six(mine.wheel, e), x, y, z)
        x, y, z = 0.0, 0.0, 0.0
        for n in range(b - a):
            X, Y, Z = _rotated(m, shape, U(3) * (a + n))
            u, v, w = speed[U(3) * n], speed[U(3) * n + U(1)], speed[U(3) * n + U(2)]
            x, y, z = x + Y * w - Z * v, y + Z * u - X * w, z + X * v - Y * u
        spin = of_both(_six(mine.spin, e), x, y, z)
        for n in range(b - a):
            X, Y, Z = _rotated(m, shape, U(3) * (a + n))
            x, y, z = place[U(3) * n], place[U(3) * n + U(1)], place[U(3) * n + U(2)]
            at, both = own + U(4) * U(corner[a + n]), spring + damper
            forces[at] += both * speed[U(3) * n] - spring * (spin[1] * Z - spin[2] * Y) - damper * (wheel[1] * z - wheel[2] * y)
            forces[at + U(1)] += (
                both * speed[U(3) * n + U(1)] - spring * (spin[2] * X - spin[0] * Z) - damper * (wheel[2] * x - wheel[0] * z)
            )
            forces[at + U(2)] += (
                both * speed[U(3) * n + U(2)] - spring * (spin[0] * Y - spin[1] * X) - damper * (wheel[0] * y - wheel[1] * x)
            )


@inlined
def _along(six, x, y, z):
    """(e x r) . K (e x r) of each axis e: what turning takes off the diagonal."""
    return (
        six[1] * z * z + six[2] * y * y - 2.0 * six[3] * y * z,
        six[2] * x * x + six[0] * z * z - 2.0 * six[4] * z * x,
        six[0] * y * y + six[1] * x * x - 2.0 * six[5] * x * y,
    )


def add_diagonal(ctx, mine):
    first, corner, place, forces, own = mine.first, mine.corner, mine.place, ctx.forces, ctx.own
    for e in range(mine.begin, mine.end):
        a, b, flat, m = U(first[e]), U(first[e + U(1)]), mine.way[e] == PLANE, _matrix(mine.rotation, e)
        _keep(ctx.points, U(8), U(0), corner, a, b, flat, place)
        spring, damper = mine.spring[e], mine.damper[e]
        both = (spring + damper) * (1.0 - 1.0 / float(b - a))
        for n in range(b - a):
            X, Y, Z = _rotated(m, mine.shape, U(3) * (a + n))
            one = _along(_six(mine.spin, e), X, Y, Z)
            two = _along(_six(mine.wheel, e), place[U(3) * n], place[U(3) * n + U(1)], place[U(3) * n + U(2)])
            at = own + U(4) * U(corner[a + n])
            forces[at] += both - spring * one[0] - damper * two[0]
            forces[at + U(1)] += both - spring * one[1] - damper * two[1]
            if not flat:
                forces[at + U(2)] += both - spring * one[2] - damper * two[2]


def note(ctx, mine):
    """Kirchhoff's stress of each element: -sum f r^T over its volume at rest."""
    place, speed = mine.place, mine.speed
    for e in range(mine.begin, mine.end):
        _, q = _measured(mine, e, ctx.points, place, speed)
        first, k, D = U(mine.first[e]), mine.k[e], mine.D[e]
        m, count = matrix_of(q[0], q[1], q[2], q[3]), U(mine.first[e + U(1)]) - first
        w = _omega(D > 0.0 and mine.damping[e] != PRINTED, place, speed, count)
        xx, yy, zz, yz, zx, xy = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for n in range(count):
            i = U(3) * n
            fx, fy, fz, _, _ = _force(place, speed, i, _rotated(m, mine.shape, U(3) * first + i), k, D, w)
            x, y, z = place[i], place[i + U(1)], place[i + U(2)]
            xx, yy, zz = xx - fx * x, yy - fy * y, zz - fz * z
            yz, zx, xy = yz - 0.5 * (fy * z + fz * y), zx - 0.5 * (fz * x + fx * z), xy - 0.5 * (fx * y + fy * x)
        part = 1.0 / mine.volume[e]
        _keep_six(mine.noted, e, (part * xx, part * yy, part * zz, part * yz, part * zx, part * xy))
