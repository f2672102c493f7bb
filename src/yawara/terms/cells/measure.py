"""Content of cells and its gradients: volume of a tetrahedron, area of a triangle in the plane z = 0.

With the edges e_i from corner 0, a tetrahedron has V = e_1 . (e_2 x e_3) / 6 and dV/dx_1 = (e_2 x e_3) / 6, cyclically; a triangle has
S = e_1 x e_2 / 2. Corner 0 has what makes the sum of the gradients zero: content does not change when a cell is only moved.
The gradient at a corner is normal to the opposite side, with |g| = content / height, also when the cell is flat or inside out.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.cells.constants import BLOCK_CELLS, CORNERS_3D
from yawara.terms.cells.vector import add_along_four, measure_four, measure_four_in_motion, rate_of_four

SIZE = U(BLOCK_CELLS)


@inlined
def _set_edge(edge, i, t, values, p, x, y, z):
    """edge[(3 i + axis) * SIZE + t] from (x, y, z), corner 0's, to the values at p, corner i + 1's."""
    at = U(3 * i) * SIZE + t
    edge[at], edge[at + SIZE], edge[at + U(2) * SIZE] = values[p] - x, values[p + U(1)] - y, values[p + U(2)] - z


@inlined
def _edges(corner, corners, first, begin, count, values, width, place, edge):
    """From corner 0 to the others, of the cells from number `begin` on, of values that begin at width * point + place."""
    for t in range(begin, count):
        n = corners * (first + t)
        origin = width * U(corner[n]) + place
        x, y, z = values[origin], values[origin + U(1)], values[origin + U(2)]
        _set_edge(edge, 0, t, values, width * U(corner[n + U(1)]) + place, x, y, z)
        _set_edge(edge, 1, t, values, width * U(corner[n + U(2)]) + place, x, y, z)
        if corners == U(CORNERS_3D):
            _set_edge(edge, 2, t, values, width * U(corner[n + U(3)]) + place, x, y, z)


@inner
def _tetrahedra(begin, count, e, g, content):
    x, y, z, w = U(0), SIZE, U(2) * SIZE, U(3) * SIZE
    for t in range(begin, count):
        ax, ay, az = e[x + t], e[y + t], e[z + t]
        bx, by, bz = e[w + x + t], e[w + y + t], e[w + z + t]
        cx, cy, cz = e[U(2) * w + x + t], e[U(2) * w + y + t], e[U(2) * w + z + t]
        s = 1.0 / 6.0
        g1x, g1y, g1z = s * (by * cz - bz * cy), s * (bz * cx - bx * cz), s * (bx * cy - by * cx)
        g2x, g2y, g2z = s * (cy * az - cz * ay), s * (cz * ax - cx * az), s * (cx * ay - cy * ax)
        g3x, g3y, g3z = s * (ay * bz - az * by), s * (az * bx - ax * bz), s * (ax * by - ay * bx)
        content[t] = ax * g1x + ay * g1y + az * g1z
        g[w + x + t], g[w + y + t], g[w + z + t] = g1x, g1y, g1z
        g[U(2) * w + x + t], g[U(2) * w + y + t], g[U(2) * w + z + t] = g2x, g2y, g2z
        g[U(3) * w + x + t], g[U(3) * w + y + t], g[U(3) * w + z + t] = g3x, g3y, g3z
        g[x + t], g[y + t], g[z + t] = -(g1x + g2x + g3x), -(g1y + g2y + g3y), -(g1z + g2z + g3z)


@inner
def _triangles(begin, count, e, g, content):
    x, y, z, w = U(0), SIZE, U(2) * SIZE, U(3) * SIZE
    for t in range(begin, count):
        ax, ay, bx, by = e[x + t], e[y + t], e[w + x + t], e[w + y + t]
        content[t] = 0.5 * (ax * by - ay * bx)
        g[w + x + t], g[w + y + t], g[w + z + t] = 0.5 * by, -0.5 * bx, 0.0
        g[U(2) * w + x + t], g[U(2) * w + y + t], g[U(2) * w + z + t] = -0.5 * ay, 0.5 * ax, 0.0
        g[x + t], g[y + t], g[z + t] = 0.5 * (ay - by), 0.5 * (bx - ax), 0.0


@inlined
def _by_four(corners, count):
    """How many cells of a block go through the vectors; the others are done one by one."""
    return U(4) * (count // U(4)) if corners == U(CORNERS_3D) else U(0)


@inner
def measure(corner, corners, first, count, points, edge, gradient, content):
    """Content and gradients, gradient[(3 i + axis) * SIZE + t] at corner i, of the cells first, first + 1, ..."""
    fours = _by_four(corners, count)
    for quarter in range(fours // U(4)):
        t = U(4) * quarter
        measure_four(gradient, content, t, corner, U(CORNERS_3D) * (first + t), points)
    measure_one_by_one(corner, corners, first, fours, count, points, edge, gradient, content)


@inner
def measure_in_motion(corner, corners, first, count, points, edge, gradient, content, rate):
    """`measure`, and `measure_rate` by the points' own velocities."""
    fours = _by_four(corners, count)
    for quarter in range(fours // U(4)):
        t = U(4) * quarter
        measure_four_in_motion(gradient, content, rate, t, corner, U(CORNERS_3D) * (first + t), points)
    measure_one_by_one(corner, corners, first, fours, count, points, edge, gradient, content)
    rate_one_by_one(corner, corners, first, fours, count, points, U(8), U(4), edge, gradient, rate)


@inner
def measure_one_by_one(corner, corners, first, begin, count, points, edge, gradient, content):
    """The same from cell number `begin` of the block on, in plain words: also the partner in tests."""
    _edges(corner, corners, first, begin, count, points, U(8), U(0), edge)
    if corners == U(CORNERS_3D):
        _tetrahedra(begin, count, edge, gradient, content)
    else:
        _triangles(begin, count, edge, gradient, content)


@inner
def measure_rate(corner, corners, first, count, values, width, place, edge, gradient, rate):
    """Rate of the content, exactly: sum of gradient . velocity, after `measure`; velocities begin at width * point + place."""
    fours = _by_four(corners, count)
    for quarter in range(fours // U(4)):
        t = U(4) * quarter
        rate_of_four(rate, t, gradient, corner, U(CORNERS_3D) * (first + t), values, width, place)
    rate_one_by_one(corner, corners, first, fours, count, values, width, place, edge, gradient, rate)


@inner
def rate_one_by_one(corner, corners, first, begin, count, values, width, place, edge, gradient, rate):
    _edges(corner, corners, first, begin, count, values, width, place, edge)
    for t in range(begin, count):
        rate[t] = 0.0
    for k in range(U(3) * (corners - U(1))):
        for t in range(begin, count):
            rate[t] += gradient[(k + U(3)) * SIZE + t] * edge[k * SIZE + t]


@inlined
def _add(gradient, i, t, factor, values, p):
    at = U(3 * i) * SIZE + t
    values[p] += factor * gradient[at]
    values[p + U(1)] += factor * gradient[at + SIZE]
    values[p + U(2)] += factor * gradient[at + U(2) * SIZE]


@inner
def add_along_gradients(corner, corners, first, count, gradient, factor, values, base):
    """values[base + 4 point + axis] += factor[t] gradient, at all corners of the cells first, first + 1, ..."""
    fours = _by_four(corners, count)
    for quarter in range(fours // U(4)):
        t = U(4) * quarter
        add_along_four(values, base, corner, U(CORNERS_3D) * (first + t), gradient, factor, t)
    add_one_by_one(corner, corners, first, fours, count, gradient, factor, values, base)


@inner
def add_one_by_one(corner, corners, first, begin, count, gradient, factor, values, base):
    for t in range(begin, count):
        n, f = corners * (first + t), factor[t]
        _add(gradient, 0, t, f, values, base + U(4) * U(corner[n]))
        _add(gradient, 1, t, f, values, base + U(4) * U(corner[n + U(1)]))
        _add(gradient, 2, t, f, values, base + U(4) * U(corner[n + U(2)]))
        if corners == U(CORNERS_3D):
            _add(gradient, 3, t, f, values, base + U(4) * U(corner[n + U(3)]))
