"""What keeps tetrahedra and triangles from turning inside out where no stress point sees a single one of them: in nodal elements.

With J = det F of one cell, its volume over that at rest V, it costs

    W = kappa w^2 V o^3 (10 - 15 o + 6 o^2),    o = (zeta - J)_+ / w,

which is the same course as that of the corners of boxes (guard.py): zero as long as more than a part zeta of the volume is left, it begins
without stiffness, and beyond o = 1 it stays as it is. What is in order stays so with kappa w^2 of more than half of the modulus of a
pressure wave; what began thrown anywhere finds its way back with less than a tenth of it, and has no more (order.py).

With c = 6 times the volume now (in the plane, twice the area) dc/dx_1 = e_2 x e_3, cyclically, with the edges e_i from corner 0: forces
have no sum and no torque.

Most of the time nothing is near: only c is found then, four cells per vector instruction.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.kernels.space import add_to, change_of_cross, cross, dot, edge
from yawara.terms.continuum.constants import GUARD_LIMIT, GUARD_WIDTH, LANES, MILD_NODES
from yawara.terms.continuum.volumes import lacking_of_tetrahedra

L = U(LANES)
CORNERS = U(4)  # entries of a cell; a triangle does not use the last
LIMIT, WIDTH = GUARD_LIMIT, GUARD_WIDTH  # zeta and w
NODAL = 2.0  # about the highest mode of cells with one stress point each over that of nodal ones


@inner
def _lacking_of_triangles(content, corner, n, limit, slot, points):
    total = 0.0
    for t in range(L):
        at = n + CORNERS * t
        a, b = edge(points, U(8), corner[at], corner[at + U(1)]), edge(points, U(8), corner[at], corner[at + U(2)])
        content[t] = a[0] * b[1] - a[1] * b[0]
        total += max(limit[slot + t] - content[t], 0.0)
    return total


@inner
def _lacking(mine, n, points):
    """By how much the cells of a block are beyond their limits, together; their volumes are in `content` then."""
    if mine.guard_flat[n]:
        return _lacking_of_triangles(mine.content, mine.guard_corner, CORNERS * L * U(n), mine.guard_limit, L * U(n), points)
    return lacking_of_tetrahedra(mine.content, mine.guard_corner, CORNERS * L * U(n), mine.guard_limit, L * U(n), points)


@inlined
def _gradients(mine, n, t, values, width):
    """dc/dx of the corners 1, 2, 3."""
    at, corner = CORNERS * (L * U(n) + t), mine.guard_corner
    a, b = edge(values, width, corner[at], corner[at + U(1)]), edge(values, width, corner[at], corner[at + U(2)])
    if mine.guard_flat[n]:
        return (b[1], -b[0], 0.0), (-a[1], a[0], 0.0), (0.0, 0.0, 0.0)
    c = edge(values, width, corner[at], corner[at + U(3)])
    return cross(b, c), cross(c, a), cross(a, b)


@inlined
def _spread(mine, n, t, forces, own, size, g):
    """size dc/dx to all corners."""
    at, corner = CORNERS * (L * U(n) + t), mine.guard_corner
    one, two, three = g
    add_to(
        forces,
        own + U(4) * U(corner[at]),
        -size,
        (one[0] + two[0] + three[0], one[1] + two[1] + three[1], one[2] + two[2] + three[2]),
    )
    add_to(forces, own + U(4) * U(corner[at + U(1)]), size, one)
    add_to(forces, own + U(4) * U(corner[at + U(2)]), size, two)
    if not mine.guard_flat[n]:
        add_to(forces, own + U(4) * U(corner[at + U(3)]), size, three)


@inlined
def _beyond(mine, n, t):
    """o"""
    limit = mine.guard_limit[L * U(n) + t]
    return LIMIT / WIDTH * (limit - mine.content[t]) / limit


@inlined
def _squares(g):
    """sum |dc/dx|^2 over the corners."""
    one, two, three = g
    sum0, sum1, sum2 = one[0] + two[0] + three[0], one[1] + two[1] + three[1], one[2] + two[2] + three[2]
    return dot(one, one) + dot(two, two) + dot(three, three) + sum0 * sum0 + sum1 * sum1 + sum2 * sum2


@inlined
def _along(mine, n, t, g, u, width, place):
    """dc as corners move by what begins at width * point + place of u."""
    at, corner = CORNERS * (L * U(n) + t), mine.guard_corner
    p = corner[at]
    found = dot(g[0], edge(u, width, p, corner[at + U(1)], place)) + dot(g[1], edge(u, width, p, corner[at + U(2)], place))
    return found if mine.guard_flat[n] else found + dot(g[2], edge(u, width, p, corner[at + U(3)], place))


@inlined
def _strength(mine, n):
    """kappa V over the limit, and the share of it that acts."""
    guarding = MILD_NODES if mine.crushed[mine.guard_body[n]] > 0.0 else 1.0
    return guarding * mine.guard_strength[n], guarding


@inner
def add_guards(mine, points, forces, own):
    """Adds the forces [N] of the thread's cells; (what they store [J], what goes in [W], stiffness over that at rest, about)."""
    stored, power, stiffest = 0.0, 0.0, 0.0
    for n in range(mine.first_guard, mine.last_guard):
        if not _lacking(mine, n, points) > 0.0:
            continue
        strength, guarding = _strength(mine, n)
        for t in range(U(mine.guard_live[n])):
            limit, o = mine.guard_limit[L * U(n) + t], _beyond(mine, n, t)
            if o > 0.0:
                near = min(o, 1.0)
                stored += strength * limit * WIDTH * WIDTH * near * near * near * (10.0 - 15.0 * near + 6.0 * near * near)
            if 0.0 < o < 1.0:
                g, left = _gradients(mine, n, t, points, U(8)), 1.0 - o
                slope = 30.0 * o * o * left * left  # of W/(kappa w^2 V), by o
                push = strength * WIDTH * LIMIT * slope
                _spread(mine, n, t, forces, own, push, g)
                power -= push * _along(mine, n, t, g, points, U(8), 4)
                turned = max(60.0 * o * left * (1.0 - 2.0 * o), 0.0)
                stiffest = max(stiffest, (turned + WIDTH * slope) * _squares(g) * guarding * mine.guard_softness[L * U(n) + t])
    return stored, power, 1.0 + NODAL * stiffest


@inlined
def _turning(mine, n, t, points, u):
    """Change of dc/dx as corners move by u."""
    at, corner = CORNERS * (L * U(n) + t), mine.guard_corner
    p, q, r = corner[at], corner[at + U(1)], corner[at + U(2)]
    a, b, da, db = edge(points, U(8), p, q), edge(points, U(8), p, r), edge(u, U(4), p, q), edge(u, U(4), p, r)
    if mine.guard_flat[n]:
        return (db[1], -db[0], 0.0), (-da[1], da[0], 0.0), (0.0, 0.0, 0.0)
    s = corner[at + U(3)]
    c, dc = edge(points, U(8), p, s), edge(u, U(4), p, s)
    return change_of_cross(b, c, db, dc), change_of_cross(c, a, dc, da), change_of_cross(a, b, da, db)


@inner
def add_guard_products(mine, points, u, ahead, exact, forces, own):
    """Tangent times u; what takes stiffness away only if it is to be exact."""
    for n in range(mine.first_guard, mine.last_guard):
        if not _lacking(mine, n, points) > 0.0:
            continue
        size = ahead * _strength(mine, n)[0] * LIMIT * mine.acting[0]
        for t in range(U(mine.guard_live[n])):
            o = _beyond(mine, n, t)
            if 0.0 < o < 1.0:
                g, left = _gradients(mine, n, t, points, U(8)), 1.0 - o
                turned = 60.0 * o * left * (1.0 - 2.0 * o)
                if exact:
                    _spread(mine, n, t, forces, own, -size * WIDTH * 30.0 * o * o * left * left, _turning(mine, n, t, points, u))
                else:
                    turned = max(turned, 0.0)
                stiff = size * turned * LIMIT / mine.guard_limit[L * U(n) + t]
                _spread(mine, n, t, forces, own, stiff * _along(mine, n, t, g, u, U(4), 0), g)
