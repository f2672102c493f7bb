"""The volume effect: one pressure for a whole body, by what its surface encloses (area and outline of a 2-D body).

    p = -k_vol (V - V0) - c_vol Vdot,  force on a point = p dV/dx          Tomokuni et al., eqs. (13)-(15), sign of c_vol as in (1.13)

dV/dx of a closed surface is a third of each adjacent triangle's area vector n = (b - a) x (c - a) / 2: the papers' force, without sum
and torque. So V = sum a . n / 3 and Vdot = sum (a' + b' + c') . n / 3, whichever corner a is. An outline in the plane z = 0 has edges
for triangles, halves for thirds.
"""

from numba import uint64 as U

from yawara.jit import inlined, kernel


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


@kernel
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


@kernel
def measure_faces(surface, first_face, last_face, points, partial, place):
    """Content and rate of every surface, as far as the faces first..last go: partial[place + 2 n], partial[place + 2 n + 1]."""
    for n in range(U(surface.rest.size)):
        content, rate = _measure(surface, n, first_face, last_face, points, points, U(8), U(4))
        partial[place + U(2) * n], partial[place + U(2) * n + U(1)] = content, rate


@kernel
def faces_along(surface, first_face, last_face, points, u, partial, place):
    """Rate of every surface's content under the velocities u, four entries per point: partial[place + n]."""
    for n in range(U(surface.rest.size)):
        _, rate = _measure(surface, n, first_face, last_face, points, u, U(4), U(0))
        partial[place + n] = rate


@kernel
def add_along_faces(surface, n, first_face, last_face, points, factor, forces, base):
    """forces += factor dV/dx, over the faces first..last of surface n."""
    corner, flat = surface.corner, surface.dimension[n] == 2
    for face in range(max(U(surface.face[n]), first_face), min(U(surface.face[n + U(1)]), last_face)):
        a, b, c = U(corner[U(3) * face]), U(corner[U(3) * face + U(1)]), U(corner[U(3) * face + U(2)])
        gx, gy, gz = _side(points, flat, U(8) * a, U(8) * b, U(8) * c)
        gx, gy, gz = factor * gx, factor * gy, factor * gz
        _add(gx, gy, gz, forces, base + U(4) * a)
        _add(gx, gy, gz, forces, base + U(4) * b)
        if not flat:
            _add(gx, gy, gz, forces, base + U(4) * c)


@kernel
def total(partial, n, surfaces, threads):
    """Content and rate of surface n: what the threads found, in their order."""
    content, rate = 0.0, 0.0
    for thread in range(U(threads)):
        place = U(2) * (thread * surfaces + n)
        content += partial[place]
        rate += partial[place + U(1)]
    return content, rate


@kernel
def surface_forces(surface, first_face, last_face, points, forces, base, partial, threads):
    """Add the pressure forces [N] of the faces, after `measure_faces` of all threads; stored energy [J], dissipated power [W],

    and the power that goes in.
    """
    stored, power, given = 0.0, 0.0, 0.0
    for n in range(U(surface.rest.size)):
        content, rate = total(partial, n, U(surface.rest.size), threads)
        excess = content - surface.rest[n]
        pressure = -surface.stiffness[n] * excess - surface.damping[n] * rate
        add_along_faces(surface, n, first_face, last_face, points, pressure, forces, base)
        stored += 0.5 * surface.stiffness[n] * excess * excess
        power += surface.damping[n] * rate * rate
        given -= pressure * rate
    return stored, power, given
