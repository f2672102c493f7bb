"""B of one element: from values at its corners to strains, and from stresses to forces at its corners.

Strains are those of the volume, then xx yy (zz yz zx) xy, shears as whole angles: with them sigma = r_lambda I_lambda e + r_mu I_mu e and
I_mu = diag(2, 2, 1), Hirai & Tomokuni (abstract in Hirai 2005), eq. (2), and f = -V B^T sigma. In a row of points there is one, along the
bar. All is linear: a product of the tangent takes the same way as a displacement.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner


@inlined
def _edge(values, corner, at, a, stride, lane):
    """From the first corner."""
    p, q = stride * U(corner[at]) + lane, stride * U(corner[at + U(a)]) + lane
    return values[q] - values[p], values[q + U(1)] - values[p + U(1)], values[q + U(2)] - values[p + U(2)]


@inlined
def bar_strain(corner, at, values, stride, lane, gradient, s, found):
    x, y, z = _edge(values, corner, at, 1, stride, lane)
    found[0] = x * gradient[s] + y * gradient[s + U(1)] + z * gradient[s + U(2)]


@inlined
def triangle_strains(corner, at, values, stride, lane, gradient, s, found):
    """From the slopes du_i/dx_j, sums over the edges' differences times gradients."""
    (ax, ay, _), (bx, by, _) = _edge(values, corner, at, 1, stride, lane), _edge(values, corner, at, 2, stride, lane)
    px, py, qx, qy = gradient[s], gradient[s + U(1)], gradient[s + U(2)], gradient[s + U(3)]
    xx, yy = ax * px + bx * qx, ay * py + by * qy
    found[0], found[1], found[2] = xx + yy, xx, yy
    found[3] = ax * py + bx * qy + ay * px + by * qx


@inlined
def tetrahedron_strains(corner, at, values, stride, lane, gradient, s, found):
    ax, ay, az = _edge(values, corner, at, 1, stride, lane)
    bx, by, bz = _edge(values, corner, at, 2, stride, lane)
    cx, cy, cz = _edge(values, corner, at, 3, stride, lane)
    px, py, pz = gradient[s], gradient[s + U(1)], gradient[s + U(2)]
    qx, qy, qz = gradient[s + U(3)], gradient[s + U(4)], gradient[s + U(5)]
    rx, ry, rz = gradient[s + U(6)], gradient[s + U(7)], gradient[s + U(8)]
    xx, yy, zz = ax * px + bx * qx + cx * rx, ay * py + by * qy + cy * ry, az * pz + bz * qz + cz * rz
    found[0], found[1], found[2], found[3] = xx + yy + zz, xx, yy, zz
    found[4] = ay * pz + by * qz + cy * rz + az * py + bz * qy + cz * ry
    found[5] = az * px + bz * qx + cz * rx + ax * pz + bx * qz + cx * rz
    found[6] = ax * py + bx * qy + cx * ry + ay * px + by * qx + cy * rx


@inner
def strains(corners, corner, at, values, stride, lane, gradient, s, found):
    """Of values of `stride` numbers per point, from `lane` on; places give those of the shape at rest as well: 1 along the diagonal."""
    if corners == U(2):
        bar_strain(corner, at, values, stride, lane, gradient, s, found)
    elif corners == U(3):
        triangle_strains(corner, at, values, stride, lane, gradient, s, found)
    else:
        tetrahedron_strains(corner, at, values, stride, lane, gradient, s, found)


@inlined
def from_rest(corners, found):
    """What is more than at rest."""
    if corners == U(2):
        found[0] -= 1.0
    else:
        for axis in range(corners - U(1)):
            found[axis + U(1)] -= 1.0
        found[0] -= corners - 1.0


@inlined
def _add(forces, own, corner, at, a, axis, value):
    """At a corner, and against it at the first."""
    forces[own + U(4) * U(corner[at + a]) + axis] += value
    forces[own + U(4) * U(corner[at]) + axis] -= value


@inner
def spread(corners, corner, at, gradient, s, factor, stress, forces, own):
    """Add factor B^T stress: factor [m^3] times sigma times the gradients of the corners."""
    if corners == U(2):
        for axis in range(U(3)):
            _add(forces, own, corner, at, U(1), axis, factor * stress[0] * gradient[s + axis])
    elif corners == U(3):
        xx, yy, xy = stress[0] + 2.0 * stress[1], stress[0] + 2.0 * stress[2], stress[3]
        for a in range(U(2)):
            gx, gy = factor * gradient[s + U(2) * a], factor * gradient[s + U(2) * a + U(1)]
            _add(forces, own, corner, at, a + U(1), U(0), xx * gx + xy * gy)
            _add(forces, own, corner, at, a + U(1), U(1), xy * gx + yy * gy)
    else:
        xx, yy, zz = stress[0] + 2.0 * stress[1], stress[0] + 2.0 * stress[2], stress[0] + 2.0 * stress[3]
        yz, zx, xy = stress[4], stress[5], stress[6]
        for a in range(U(3)):
            g = s + U(3) * a
            gx, gy, gz = factor * gradient[g], factor * gradient[g + U(1)], factor * gradient[g + U(2)]
            _add(forces, own, corner, at, a + U(1), U(0), xx * gx + xy * gy + zx * gz)
            _add(forces, own, corner, at, a + U(1), U(1), xy * gx + yy * gy + yz * gz)
            _add(forces, own, corner, at, a + U(1), U(2), zx * gx + yz * gy + zz * gz)


@inner
def spread_diagonal(corners, corner, at, gradient, s, of_volume, of_shape, forces, own):
    """Add the diagonal of B^T (lambda I_lambda + mu I_mu) B, with V lambda and V mu; in a row `of_volume` is that of Young's modulus."""
    dimension = U(3) if corners == U(2) else corners - U(1)
    for a in range(corners):
        length2 = 0.0
        for axis in range(dimension):
            length2 += _gradient(corners, gradient, s, a, axis, dimension) ** 2
        for axis in range(dimension):
            g = _gradient(corners, gradient, s, a, axis, dimension)
            forces[own + U(4) * U(corner[at + a]) + axis] += of_volume * g * g + of_shape * (length2 + g * g)


@inlined
def _gradient(corners, gradient, s, a, axis, dimension):
    """Of the shape function of any corner; those of all add up to nothing."""
    if a > U(0):
        return gradient[s + dimension * (a - U(1)) + axis]
    found = 0.0
    for b in range(corners - U(1)):
        found -= gradient[s + dimension * b + axis]
    return found
