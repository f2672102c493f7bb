"""B of one element: from values at its corners to strains, and from stresses to forces at its corners.

Strains are those of the volume, then xx yy (zz yz zx) xy, shears as whole angles: with them sigma = r_lambda I_lambda e + r_mu I_mu e and
I_mu = diag(2, 2, 1), Hirai & Tomokuni (abstract in Hirai 2005), eq. (2), and f = -V B^T sigma. In a row of points there is one, along the
bar. All is linear: a product of the tangent takes the same way as a displacement.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner


@inlined
def _edge(values, corner, at, a, stride, lane, axis):
    return values[stride * U(corner[at + a]) + lane + axis] - values[stride * U(corner[at]) + lane + axis]


@inlined
def _slope(values, corner, at, stride, lane, axis, gradient, s, along, dimension):
    """d(value along `axis`)/d(place `along`)."""
    found = 0.0
    for a in range(dimension):
        found += _edge(values, corner, at, a + U(1), stride, lane, axis) * gradient[s + dimension * a + along]
    return found


@inner
def strains(corners, corner, at, values, stride, lane, gradient, s, found):
    """Of values of `stride` numbers per point, from `lane` on; places give those of the shape at rest as well: 1 along the diagonal."""
    x, y, z = U(0), U(1), U(2)
    if corners == U(2):
        found[0] = 0.0
        for axis in range(U(3)):
            found[0] += _edge(values, corner, at, U(1), stride, lane, axis) * gradient[s + axis]
    elif corners == U(3):
        two = U(2)
        found[1] = _slope(values, corner, at, stride, lane, x, gradient, s, x, two)
        found[2] = _slope(values, corner, at, stride, lane, y, gradient, s, y, two)
        found[3] = _slope(values, corner, at, stride, lane, x, gradient, s, y, two) + _slope(
            values, corner, at, stride, lane, y, gradient, s, x, two
        )
        found[0] = found[1] + found[2]
    else:
        three = U(3)
        for axis in range(three):
            found[U(1) + axis] = _slope(values, corner, at, stride, lane, axis, gradient, s, axis, three)
        for axis in range(three):
            p, q = (axis + y) % three, (axis + z) % three
            found[U(4) + axis] = _slope(values, corner, at, stride, lane, p, gradient, s, q, three) + _slope(
                values, corner, at, stride, lane, q, gradient, s, p, three
            )
        found[0] = found[1] + found[2] + found[3]


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
