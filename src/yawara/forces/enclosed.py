"""The volume effect: one pressure for a whole body, by what its surface encloses (area and outline of a 2-D body).

    p = -k_vol (V - V0) - c_vol Vdot,  force on a point = p dV/dx          Tomokuni et al., eqs. (13)-(15), sign of c_vol as in (1.13)

dV/dx of a closed surface of flat triangles is a third of each adjacent triangle's area vector: the papers' force, without sum and torque.
"""

from numba import uint64 as U

from yawara.jit import kernel


@kernel
def _gradient(dimension, points, a, b, centre, s, out):
    """Gradient of the part of V that belongs to a face, at the corner before the corners a, b (3-D) or before a (2-D, sign out of it)."""
    ax, ay = points[a] - centre[s], points[a + U(1)] - centre[s + U(1)]
    if dimension == 2:
        out[0], out[1], out[2] = 0.5 * ay, -0.5 * ax, 0.0
        return
    az = points[a + U(2)] - centre[s + U(2)]
    bx, by, bz = points[b] - centre[s], points[b + U(1)] - centre[s + U(1)], points[b + U(2)] - centre[s + U(2)]
    out[0], out[1], out[2] = (ay * bz - az * by) / 6.0, (az * bx - ax * bz) / 6.0, (ax * by - ay * bx) / 6.0


@kernel
def _dot(g, values, place):
    return g[0] * values[place] + g[1] * values[place + U(1)] + g[2] * values[place + U(2)]


@kernel
def _corners_of(corner, dimension, face, k):
    """Points of a face: corner k, and the two after it; on an outline k is 0 or 1, and the other end comes next."""
    if dimension == 2:
        return U(corner[U(3) * face + k]), U(corner[U(3) * face + U(1) - k]), U(0)
    return (U(corner[U(3) * face + k]), U(corner[U(3) * face + (k + U(1)) % U(3)]), U(corner[U(3) * face + (k + U(2)) % U(3)]))


@kernel
def _rate(surface, n, first_face, last_face, points, values, width, offset, g):
    """Sum of dV/dx . values over the faces first..last of surface n; a point's values begin at width * point + offset."""
    dimension, rate = surface.dimension[n], 0.0
    for face in range(max(U(surface.face[n]), first_face), min(U(surface.face[n + U(1)]), last_face)):
        for k in range(U(dimension)):
            p, a, b = _corners_of(surface.corner, dimension, face, k)
            _gradient(dimension, points, U(8) * a, U(8) * b, surface.centre, U(3) * n, g)
            sign = -1.0 if dimension == 2 and k == U(1) else 1.0
            rate += sign * _dot(g, values, width * p + offset)
    return rate


@kernel
def measure_faces(surface, first_face, last_face, points, partial, place, g):
    """Content and rate of every surface, as far as the faces first..last go: partial[place + 2 n], partial[place + 2 n + 1]."""
    for n in range(U(surface.rest.size)):
        dimension, s, content = surface.dimension[n], U(3) * n, 0.0
        for face in range(max(U(surface.face[n]), first_face), min(U(surface.face[n + U(1)]), last_face)):
            p, a, b = _corners_of(surface.corner, dimension, face, U(0))
            _gradient(dimension, points, U(8) * a, U(8) * b, surface.centre, s, g)
            for axis in range(U(3)):
                content += g[axis] * (points[U(8) * p + axis] - surface.centre[s + axis])
        partial[place + U(2) * n] = content
        partial[place + U(2) * n + U(1)] = _rate(surface, n, first_face, last_face, points, points, U(8), U(4), g)


@kernel
def faces_along(surface, first_face, last_face, points, u, partial, place, g):
    """Rate of every surface's content under the velocities u, four entries per point: partial[place + n]."""
    for n in range(U(surface.rest.size)):
        partial[place + n] = _rate(surface, n, first_face, last_face, points, u, U(4), U(0), g)


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
def add_along_faces(surface, n, first_face, last_face, points, factor, forces, base, g):
    """forces += factor dV/dx, over the faces first..last of surface n."""
    dimension, s = surface.dimension[n], U(3) * n
    for face in range(max(U(surface.face[n]), first_face), min(U(surface.face[n + U(1)]), last_face)):
        for k in range(U(dimension)):
            p, a, b = _corners_of(surface.corner, dimension, face, k)
            _gradient(dimension, points, U(8) * a, U(8) * b, surface.centre, s, g)
            sign = -1.0 if dimension == 2 and k == U(1) else 1.0
            place = base + U(4) * p
            for axis in range(U(3)):
                forces[place + axis] += sign * factor * g[axis]


@kernel
def surface_forces(surface, first_face, last_face, points, forces, base, partial, threads, g):
    """Add the pressure forces [N] of the faces, after `measure_faces` of all threads; stored energy [J] and dissipated power [W]."""
    stored, power = 0.0, 0.0
    for n in range(U(surface.rest.size)):
        content, rate = total(partial, n, U(surface.rest.size), threads)
        excess = content - surface.rest[n]
        pressure = -surface.stiffness[n] * excess - surface.damping[n] * rate
        add_along_faces(surface, n, first_face, last_face, points, pressure, forces, base, g)
        stored += 0.5 * surface.stiffness[n] * excess * excess
        power += surface.damping[n] * rate * rate
    return stored, power
