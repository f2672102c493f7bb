"""Cavity pressure: one pressure for a whole body, by what its surface encloses (area and outline of a 2-D body).

    p = -k_vol (V - V0) - c_vol Vdot,  force on a point = p dV/dx          Tomokuni et al. 2003, eqs. (13)-(15), sign of c_vol as in (1.13)

dV/dx of a closed surface is a third of each adjacent triangle's area vector n = (b - a) x (c - a) / 2: the papers' force, without sum
and torque. So V = sum a . n / 3 and Vdot = sum (a' + b' + c') . n / 3, whichever corner a is. An outline in the plane z = 0 has edges
for triangles, halves for thirds.
"""

from typing import NamedTuple

from numba import uint64 as U

from yawara.core.context import DISSIPATED, GIVEN, STORED
from yawara.kernels.jit import inlined, inner
from yawara.kernels.kinds import Floats, Indices, Natural, Words


class Arrays(NamedTuple):
    """Closed surfaces (3-D) or outlines (2-D) that are under one pressure each, by what they enclose."""

    corner: Indices  # points, (3 * face_count,); an edge of an outline repeats its second point
    face: Indices  # first face of each surface, (surface_count + 1,)
    dimension: Words  # (surface_count,), 3 or 2
    centre: Floats  # [m], (3 * surface_count,): volumes are counted from here, since far from the origin they lose digits
    rest: Floats  # [m^3] or [m^2], (surface_count,)
    stiffness: Floats  # [Pa/m^3] or [N/m^3]: k_vol
    damping: Floats  # [Pa s/m^3] or [N s/m^3]: c_vol
    first_face: Natural  # the thread's own faces
    last_face: Natural
    partial: Floats  # content and rate of each surface, as far as each thread's faces go, (threads * surface_count * 2,)
    slope: Floats  # (surface_count,): tangent
    bears: Floats  # (surface_count,): minus the pressure times the step; 0 where the tangent must not be negative
    noted: Floats  # (surface_count,): what is noted for stresses
    tally: Floats


@inlined
def _side(points, flat, a, b, c):
    """The gradient of the volume at each corner of a triangle, or of the area at each end of an outline's edge, the body on its left."""
    ux, uy, uz = points[b] - points[a], points[b + U(1)] - points[a + U(1)], points[b + U(2)] - points[a + U(2)]
    if flat:
        return 0.5 * uy, -0.5 * ux, 0.0
    vx, vy, vz = points[c] - points[a], points[c + U(1)] - points[a + U(1)], points[c + U(2)] - points[a + U(2)]
    s = 1.0 / 6.0
    return s * (uy * vz - uz * vy), s * (uz * vx - ux * vz), s * (ux * vy - uy * vx)


@inlined
def _add(gx, gy, gz, forces, place):
    forces[place] += gx
    forces[place + U(1)] += gy
    forces[place + U(2)] += gz


@inner
def _measure(surface, n, first_face, last_face, points, values, width, offset):
    """Content, and the sum of dV/dx . values, over the faces first..last of surface n; values begin at width * point + offset."""
    corner, centre, s = surface.corner, surface.centre, U(3) * n
    cx, cy, cz, flat = centre[s], centre[s + U(1)], centre[s + U(2)], surface.dimension[n] == 2
    content, rate = 0.0, 0.0
    for face in range(max(U(surface.face[n]), first_face), min(U(surface.face[n + U(1)]), last_face)):
        a, b, c = U(corner[U(3) * face]), U(corner[U(3) * face + U(1)]), U(corner[U(3) * face + U(2)])
        p, q, r = width * a + offset, width * b + offset, width * c + offset
        a = U(8) * a
        gx, gy, gz = _side(points, flat, a, U(8) * b, U(8) * c)
        content += (points[a] - cx) * gx + (points[a + U(1)] - cy) * gy + (points[a + U(2)] - cz) * gz
        x, y, z = values[p] + values[q], values[p + U(1)] + values[q + U(1)], values[p + U(2)] + values[q + U(2)]
        if not flat:
            x, y, z = x + values[r], y + values[r + U(1)], z + values[r + U(2)]
        rate += x * gx + y * gy + z * gz
    return content, rate


@inner
def _add_along(surface, n, points, factor, forces, base):
    """forces += factor dV/dx, over the thread's faces of surface n."""
    corner, flat = surface.corner, surface.dimension[n] == 2
    for face in range(max(U(surface.face[n]), surface.first_face), min(U(surface.face[n + U(1)]), surface.last_face)):
        a, b, c = U(corner[U(3) * face]), U(corner[U(3) * face + U(1)]), U(corner[U(3) * face + U(2)])
        gx, gy, gz = _side(points, flat, U(8) * a, U(8) * b, U(8) * c)
        gx, gy, gz = factor * gx, factor * gy, factor * gz
        _add(gx, gy, gz, forces, base + U(4) * a)
        _add(gx, gy, gz, forces, base + U(4) * b)
        if not flat:
            _add(gx, gy, gz, forces, base + U(4) * c)


@inner
def _add_turning(surface, n, points, u, factor, forces, base):
    """forces += factor d(dV/dx) as corners move by u: sides turn and grow."""
    corner, flat, s = surface.corner, surface.dimension[n] == 2, factor / 6.0
    for face in range(max(U(surface.face[n]), surface.first_face), min(U(surface.face[n + U(1)]), surface.last_face)):
        a, b, c = U(corner[U(3) * face]), U(corner[U(3) * face + U(1)]), U(corner[U(3) * face + U(2)])
        if flat:
            dx, dy = u[U(4) * b] - u[U(4) * a], u[U(4) * b + U(1)] - u[U(4) * a + U(1)]
            gx, gy, gz = 0.5 * factor * dy, -0.5 * factor * dx, 0.0
        else:
            ux, uy, uz, vx, vy, vz = _sides(points, U(8), a, b, c)
            dx, dy, dz, ex, ey, ez = _sides(u, U(4), a, b, c)
            gx = s * (dy * vz - dz * vy + uy * ez - uz * ey)
            gy = s * (dz * vx - dx * vz + uz * ex - ux * ez)
            gz = s * (dx * vy - dy * vx + ux * ey - uy * ex)
            _add(gx, gy, gz, forces, base + U(4) * c)
        _add(gx, gy, gz, forces, base + U(4) * a)
        _add(gx, gy, gz, forces, base + U(4) * b)


@inlined
def _sides(values, width, a, b, c):
    i, j, k = width * a, width * b, width * c
    return (
        values[j] - values[i], values[j + U(1)] - values[i + U(1)], values[j + U(2)] - values[i + U(2)],
        values[k] - values[i], values[k + U(1)] - values[i + U(1)], values[k + U(2)] - values[i + U(2)],
    )  # fmt: skip


@inner
def _whole(mine, threads, n, which):
    """What all threads found of surface n: its content (0) or its rate (1)."""
    partial, surfaces, total = mine.partial, U(mine.rest.size), 0.0
    for thread in range(U(threads)):
        total += partial[U(2) * (thread * surfaces + n) + U(which)]
    return total


def measure(ctx, mine):
    """The thread's part of what bodies enclose, and how fast it changes; all threads must have done it before forces are added."""
    partial, surfaces = mine.partial, U(mine.rest.size)
    for n in range(surfaces):
        at = U(2) * (U(ctx.me) * surfaces + n)
        partial[at], partial[at + U(1)] = _measure(mine, n, mine.first_face, mine.last_face, ctx.points, ctx.points, U(8), U(4))


def add_forces(ctx, mine):
    stored, power, given = 0.0, 0.0, 0.0
    for n in range(U(mine.rest.size)):
        change, rate = _whole(mine, ctx.threads, n, 0) - mine.rest[n], _whole(mine, ctx.threads, n, 1)
        pressure = -mine.stiffness[n] * change - mine.damping[n] * rate
        stored += 0.5 * mine.stiffness[n] * change * change
        power += mine.damping[n] * rate * rate
        given -= pressure * rate
        _add_along(mine, n, ctx.points, pressure, ctx.forces, ctx.own)
    if ctx.me == 0:  # every thread knows the whole pressure
        tally = mine.tally
        tally[STORED] = stored
        tally[DISSIPATED] += ctx.weight * power
        tally[GIVEN] += ctx.weight * given


def add_end_forces(ctx, mine):
    """The same at the end of a step, as there are no internal variables; and the tangent."""
    for n in range(U(mine.rest.size)):
        mine.slope[n] = mine.stiffness[n] * ctx.ahead + mine.damping[n]
        change, rate = _whole(mine, ctx.threads, n, 0) - mine.rest[n], _whole(mine, ctx.threads, n, 1)
        mine.bears[n] = ctx.ahead * (mine.stiffness[n] * change + mine.damping[n] * rate) if ctx.exact else 0.0
    add_forces_now(ctx, mine)


def measure_product(ctx, mine):
    """How fast each surface's content changes under `direction`, as far as the thread's faces go."""
    partial, surfaces = mine.partial, U(mine.rest.size)
    for n in range(surfaces):
        _, rate = _measure(mine, n, mine.first_face, mine.last_face, ctx.points, ctx.direction, U(4), U(0))
        partial[U(2) * (U(ctx.me) * surfaces + n) + U(1)] = rate


def add_product(ctx, mine):
    for n in range(U(mine.rest.size)):
        _add_along(mine, n, ctx.points, mine.slope[n] * _whole(mine, ctx.threads, n, 1), ctx.forces, ctx.own)
        if mine.bears[n] != 0.0:
            _add_turning(mine, n, ctx.points, ctx.direction, mine.bears[n], ctx.forces, ctx.own)


def note(ctx, mine):
    """Kirchhoff's stress within every surface: minus the pressure, times the content over that at rest."""
    for n in range(U(mine.rest.size)):
        content, rate = _whole(mine, ctx.threads, n, 0), _whole(mine, ctx.threads, n, 1)
        tension = mine.stiffness[n] * (content - mine.rest[n]) + mine.damping[n] * rate
        mine.noted[n] = tension * content / mine.rest[n]


# The diagonal is left out: a surface reaches many points, each weakly.

add_forces_now = inner(add_forces)
