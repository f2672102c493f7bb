"""The volume effect: one pressure for a whole body, by what its surface encloses (area and outline of a 2-D body).

    p = -k_vol (V - V0) - c_vol Vdot,  force on a point = p dV/dx          Tomokuni et al., eqs. (13)-(15), sign of c_vol as in (1.13)

With corners a, b, c of its triangles, V = sum a . (b x c) / 6 and dV/da = sum (b x c) / 6, cyclically; an outline of edges a, b in the
plane z = 0 encloses V = sum (a_x b_y - a_y b_x) / 2. dV/dx of a closed surface is a third of each adjacent triangle's area vector: the
papers' force, without sum and torque.
"""

from numba import uint64 as U

from yawara.jit import inlined, kernel


@inlined
def _triangle(points, a, b, c, cx, cy, cz):
    """Gradients at the three corners, and the part of the volume, counted from the centre (cx, cy, cz)."""
    ax, ay, az = points[a] - cx, points[a + U(1)] - cy, points[a + U(2)] - cz
    bx, by, bz = points[b] - cx, points[b + U(1)] - cy, points[b + U(2)] - cz
    dx, dy, dz = points[c] - cx, points[c + U(1)] - cy, points[c + U(2)] - cz
    s = 1.0 / 6.0
    ga = (s * (by * dz - bz * dy), s * (bz * dx - bx * dz), s * (bx * dy - by * dx))
    gb = (s * (dy * az - dz * ay), s * (dz * ax - dx * az), s * (dx * ay - dy * ax))
    gc = (s * (ay * bz - az * by), s * (az * bx - ax * bz), s * (ax * by - ay * bx))
    return ga, gb, gc, ax * ga[0] + ay * ga[1] + az * ga[2]


@inlined
def _edge(points, a, b, cx, cy):
    """The same for an edge of an outline, with the body on its left."""
    ax, ay, bx, by = points[a] - cx, points[a + U(1)] - cy, points[b] - cx, points[b + U(1)] - cy
    ga, gb = (0.5 * by, -0.5 * bx, 0.0), (-0.5 * ay, 0.5 * ax, 0.0)
    return ga, gb, ax * ga[0] + ay * ga[1]


@inlined
def _dot(g, values, place):
    return g[0] * values[place] + g[1] * values[place + U(1)] + g[2] * values[place + U(2)]


@inlined
def _add(g, factor, forces, place):
    forces[place] += factor * g[0]
    forces[place + U(1)] += factor * g[1]
    forces[place + U(2)] += factor * g[2]


@kernel
def _measure(surface, n, first_face, last_face, points, values, width, offset):
    """Content, and the sum of dV/dx . values, over the faces first..last of surface n; values begin at width * point + offset."""
    corner, centre, s = surface.corner, surface.centre, U(3) * n
    cx, cy, cz, flat = centre[s], centre[s + U(1)], centre[s + U(2)], surface.dimension[n] == 2
    content, rate = 0.0, 0.0
    for face in range(max(U(surface.face[n]), first_face), min(U(surface.face[n + U(1)]), last_face)):
        a, b, c = U(corner[U(3) * face]), U(corner[U(3) * face + U(1)]), U(corner[U(3) * face + U(2)])
        if flat:
            ga, gb, part = _edge(points, U(8) * a, U(8) * b, cx, cy)
        else:
            ga, gb, gc, part = _triangle(points, U(8) * a, U(8) * b, U(8) * c, cx, cy, cz)
            rate += _dot(gc, values, width * c + offset)
        content += part
        rate += _dot(ga, values, width * a + offset) + _dot(gb, values, width * b + offset)
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
    corner, centre, s = surface.corner, surface.centre, U(3) * n
    cx, cy, cz, flat = centre[s], centre[s + U(1)], centre[s + U(2)], surface.dimension[n] == 2
    for face in range(max(U(surface.face[n]), first_face), min(U(surface.face[n + U(1)]), last_face)):
        a, b, c = U(corner[U(3) * face]), U(corner[U(3) * face + U(1)]), U(corner[U(3) * face + U(2)])
        if flat:
            ga, gb, _ = _edge(points, U(8) * a, U(8) * b, cx, cy)
        else:
            ga, gb, gc, _ = _triangle(points, U(8) * a, U(8) * b, U(8) * c, cx, cy, cz)
            _add(gc, factor, forces, base + U(4) * c)
        _add(ga, factor, forces, base + U(4) * a)
        _add(gb, factor, forces, base + U(4) * b)


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
    """Add the pressure forces [N] of the faces, after `measure_faces` of all threads; stored energy [J] and dissipated power [W]."""
    stored, power = 0.0, 0.0
    for n in range(U(surface.rest.size)):
        content, rate = total(partial, n, U(surface.rest.size), threads)
        excess = content - surface.rest[n]
        pressure = -surface.stiffness[n] * excess - surface.damping[n] * rate
        add_along_faces(surface, n, first_face, last_face, points, pressure, forces, base)
        stored += 0.5 * surface.stiffness[n] * excess * excess
        power += surface.damping[n] * rate * rate
    return stored, power
