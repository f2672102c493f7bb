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
from yawara.terms.continuum.constants import GUARD_LIMIT, GUARD_WIDTH, LANES, MILD_NODES
from yawara.terms.continuum.volumes import lacking_of_tetrahedra

L = U(LANES)
CORNERS = U(4)  # entries of a cell; a triangle does not use the last
LIMIT, WIDTH = GUARD_LIMIT, GUARD_WIDTH  # zeta and w
NODAL = 2.0  # about the highest mode of cells with one stress point each over that of nodal ones


@inlined
def _edge(values, width, p, q, place=0):
    a, b = width * U(p) + U(place), width * U(q) + U(place)
    return values[b] - values[a], values[b + U(1)] - values[a + U(1)], values[b + U(2)] - values[a + U(2)]


@inlined
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inner
def _lacking_of_triangles(content, corner, n, limit, slot, points):
    total = 0.0
    for t in range(L):
        at = n + CORNERS * t
        a, b = _edge(points, U(8), corner[at], corner[at + U(1)]), _edge(points, U(8), corner[at], corner[at + U(2)])
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
    a, b = _edge(values, width, corner[at], corner[at + U(1)]), _edge(values, width, corner[at], corner[at + U(2)])
    if mine.guard_flat[n]:
        return (b[1], -b[0], 0.0), (-a[1], a[0], 0.0), (0.0, 0.0, 0.0)
    c = _edge(values, width, corner[at], corner[at + U(3)])
    return _cross(b, c), _cross(c, a), _cross(a, b)


@inlined
def _push(forces, own, p, size, g):
    at = own + U(4) * U(p)
    forces[at] += size * g[0]
    forces[at + U(1)] += size * g[1]
    forces[at + U(2)] += size * g[2]


@inlined
def _spread(mine, n, t, forces, own, size, g):
    """size dc/dx to all corners."""
    at, corner = CORNERS * (L * U(n) + t), mine.guard_corner
    one, two, three = g
    _push(forces, own, corner[at], -size, (one[0] + two[0] + three[0], one[1] + two[1] + three[1], one[2] + two[2] + three[2]))
    _push(forces, own, corner[at + U(1)], size, one)
    _push(forces, own, corner[at + U(2)], size, two)
    if not mine.guard_flat[n]:
        _push(forces, own, corner[at + U(3)], size, three)


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
    return _dot(one, one) + _dot(two, two) + _dot(three, three) + sum0 * sum0 + sum1 * sum1 + sum2 * sum2


@inlined
def _along(mine, n, t, g, u, width, place):
    """dc as corners move by what begins at width * point + place of u."""
    at, corner = CORNERS * (L * U(n) + t), mine.guard_corner
    p = corner[at]
    found = _dot(g[0], _edge(u, width, p, corner[at + U(1)], place)) + _dot(g[1], _edge(u, width, p, corner[at + U(2)], place))
    return found if mine.guard_flat[n] else found + _dot(g[2], _edge(u, width, p, corner[at + U(3)], place))


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
    a, b, da, db = _edge(points, U(8), p, q), _edge(points, U(8), p, r), _edge(u, U(4), p, q), _edge(u, U(4), p, r)
    if mine.guard_flat[n]:
        return (db[1], -db[0], 0.0), (-da[1], da[0], 0.0), (0.0, 0.0, 0.0)
    s = corner[at + U(3)]
    c, dc = _edge(points, U(8), p, s), _edge(u, U(4), p, s)
    return _both(b, c, db, dc), _both(c, a, dc, da), _both(a, b, da, db)


@inlined
def _both(a, b, da, db):
    """Change of a x b."""
    one, two = _cross(da, b), _cross(a, db)
    return one[0] + two[0], one[1] + two[1], one[2] + two[2]


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
