"""How the gradients of a cell's content change as its corners move: what a pressure adds to the tangent as its sides turn and grow.

dg_1 = (du_2 x e_3 + e_2 x du_3) / 6 of a tetrahedron, cyclically, with its edges e_i from corner 0 and their changes du_i
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.cells.constants import CORNERS_3D


@inlined
def _edge(values, width, a, b):
    i, j = width * U(a), width * U(b)
    return values[j] - values[i], values[j + U(1)] - values[i + U(1)], values[j + U(2)] - values[i + U(2)]


@inlined
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def _both(a, b, da, db):
    """Change of a x b."""
    one, two = _cross(da, b), _cross(a, db)
    return one[0] + two[0], one[1] + two[1], one[2] + two[2]


@inlined
def _add(values, base, p, factor, v):
    at = base + U(4) * U(p)
    values[at] += factor * v[0]
    values[at + U(1)] += factor * v[1]
    values[at + U(2)] += factor * v[2]


@inner
def add_turning(corner, corners, cell, points, u, factor, y, base):
    """y += factor * dg at all corners of a cell, for corners that move by u."""
    n = corners * cell
    p, q, r = corner[n], corner[n + U(1)], corner[n + U(2)]
    a, b, da, db = _edge(points, U(8), p, q), _edge(points, U(8), p, r), _edge(u, U(4), p, q), _edge(u, U(4), p, r)
    if corners == U(CORNERS_3D):
        s = corner[n + U(3)]
        c, dc, sixth = _edge(points, U(8), p, s), _edge(u, U(4), p, s), factor / 6.0
        one, two, three = _both(b, c, db, dc), _both(c, a, dc, da), _both(a, b, da, db)
        _add(y, base, q, sixth, one)
        _add(y, base, r, sixth, two)
        _add(y, base, s, sixth, three)
        _add(y, base, p, -sixth, (one[0] + two[0] + three[0], one[1] + two[1] + three[1], one[2] + two[2] + three[2]))
    else:
        _add(y, base, q, 0.5 * factor, (db[1], -db[0], 0.0))
        _add(y, base, r, 0.5 * factor, (-da[1], da[0], 0.0))
        _add(y, base, p, 0.5 * factor, (da[1] - db[1], db[0] - da[0], 0.0))
