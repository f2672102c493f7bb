"""How the gradients of a volume change as corners move: what a pressure adds to the tangent as sides turn and grow.

dg_1 = (du_2 x e_3 + e_2 x du_3) / 6 of a tetrahedron, cyclically, with its edges e_i from corner 0 and their changes du_i
"""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.kernels.space import add_to, change_of_cross, edge


@inner
def add_turning(corner, e, thickness, points, u, factor, y, base):
    """y += factor * dg at all corners of an element, for corners that move by u."""
    n = U(4) * e
    p, q, r, s = corner[n], corner[n + U(1)], corner[n + U(2)], corner[n + U(3)]
    a, b, da, db = edge(points, U(8), p, q), edge(points, U(8), p, r), edge(u, U(4), p, q), edge(u, U(4), p, r)
    if thickness > 0.0:
        half = 0.5 * thickness * factor
        add_to(y, base + U(4) * U(q), half, (db[1], -db[0], 0.0))
        add_to(y, base + U(4) * U(r), half, (-da[1], da[0], 0.0))
        add_to(y, base + U(4) * U(p), half, (da[1] - db[1], db[0] - da[0], 0.0))
        return
    c, dc, sixth = edge(points, U(8), p, s), edge(u, U(4), p, s), factor / 6.0
    one, two, three = change_of_cross(b, c, db, dc), change_of_cross(c, a, dc, da), change_of_cross(a, b, da, db)
    add_to(y, base + U(4) * U(q), sixth, one)
    add_to(y, base + U(4) * U(r), sixth, two)
    add_to(y, base + U(4) * U(s), sixth, three)
    add_to(y, base + U(4) * U(p), -sixth, (one[0] + two[0] + three[0], one[1] + two[1] + three[1], one[2] + two[2] + three[2]))
