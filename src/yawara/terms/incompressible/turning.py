"""How the gradients of a volume change as corners move: what a pressure adds to the tangent as sides turn and grow.

dg_1 = (du_2 x e_3 + e_2 x du_3) / 6 of a tetrahedron, cyclically, with its edges e_i from corner 0 and their changes du_i
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner


@inlined
def _edge(values, width, a, b):
    i, j = width * U(a), width * U(b)
    return values[j] - values[i], values[j + U(1)] - values[i + U(1)], values[j + U(2)] - values[i + U(2)]


@inlined
def _both(a, b, da, db):
    """Change of a x b."""
    return (
        da[1] * b[2] - da[2] * b[1] + a[1] * db[2] - a[2] * db[1],
        da[2] * b[0] - da[0] * b[2] + a[2] * db[0] - a[0] * db[2],
        da[0] * b[1] - da[1] * b[0] + a[0] * db[1] - a[1] * db[0],
    )


@inlined
def _add(values, base, p, factor, v):
    at = base + U(4) * U(p)
    values[at] += factor * v[0]
    values[at + U(1)] += factor * v[1]
    values[at + U(2)] += factor * v[2]


@inner
def add_turning(corner, e, thickness, points, u, factor, y, base):
    """y += factor * dg at all corners of an element, for corners that move by u."""
    n = U(4) * e
    p, q, r, s = corner[n], corner[n + U(1)], corner[n + U(2)], corner[n + U(3)]
    a, b, da, db = _edge(points, U(8), p, q), _edge(points, U(8), p, r), _edge(u, U(4), p, q), _edge(u, U(4), p, r)
    if thickness > 0.0:
        half = 0.5 * thickness * factor
        _add(y, base, q, half, (db[1], -db[0], 0.0))
        _add(y, base, r, half, (-da[1], da[0], 0.0))
        _add(y, base, p, half, (da[1] - db[1], db[0] - da[0], 0.0))
        return
    c, dc, sixth = _edge(points, U(8), p, s), _edge(u, U(4), p, s), factor / 6.0
    one, two, three = _both(b, c, db, dc), _both(c, a, dc, da), _both(a, b, da, db)
    _add(y, base, q, sixth, one)
    _add(y, base, r, sixth, two)
    _add(y, base, s, sixth, three)
    _add(y, base, p, -sixth, (one[0] + two[0] + three[0], one[1] + two[1] + three[1], one[2] + two[2] + three[2]))
