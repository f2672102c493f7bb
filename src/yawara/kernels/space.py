"""Vectors of three numbers in kernels."""

from numba import uint64 as U

from yawara.kernels.jit import inlined


@inlined
def difference(values, a, b):
    """Of what begins at values[b] and at values[a]."""
    return values[b] - values[a], values[b + U(1)] - values[a + U(1)], values[b + U(2)] - values[a + U(2)]


@inlined
def edge(values, width, p, q, place=0):
    """From point p to point q; each has `width` numbers, of which those from `place` on count."""
    return difference(values, width * U(p) + U(place), width * U(q) + U(place))


@inlined
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def change_of_cross(a, b, da, db):
    """da x b + a x db"""
    one, two = cross(da, b), cross(a, db)
    return one[0] + two[0], one[1] + two[1], one[2] + two[2]


@inlined
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def add_to(values, at, factor, v):
    values[at] += factor * v[0]
    values[at + U(1)] += factor * v[1]
    values[at + U(2)] += factor * v[2]
