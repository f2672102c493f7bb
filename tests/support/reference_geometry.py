"""The slow, clear partner of closest points and distances: exact fractions for single cases, all pairs at once for meshes."""

from fractions import Fraction

import numpy as np


def _exact(point):
    return [Fraction(float(x)) for x in point]


def _minus(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


def _to_segment(p, a, b):
    ab, ap = _minus(b, a), _minus(p, a)
    t = min(max(_dot(ap, ab) / _dot(ab, ab), Fraction(0)), Fraction(1)) if any(ab) else Fraction(0)
    away = [x - t * y for x, y in zip(ap, ab, strict=True)]
    return _dot(away, away)


def _solved(u, v, r):
    """x, y for which x u + y v is nearest to r, by the normal equations; None if u and v are parallel."""
    uu, uv, vv, ur, vr = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, r), _dot(v, r)
    if (det := uu * vv - uv * uv) == 0:
        return None
    x, y = (ur * vv - vr * uv) / det, (vr * uu - ur * uv) / det
    away = [z - x * p - y * q for p, q, z in zip(u, v, r, strict=True)]
    return x, y, _dot(away, away)


def triangle_distance(p, a, b, c):
    """[m], from a point to a triangle; exact but for the last square root."""
    p, a, b, c = map(_exact, (p, a, b, c))
    solved = _solved(_minus(b, a), _minus(c, a), _minus(p, a))
    if solved and min(solved[0], solved[1], 1 - solved[0] - solved[1]) >= 0:
        return float(solved[2]) ** 0.5
    return float(min(_to_segment(p, *edge) for edge in ((a, b), (b, c), (c, a)))) ** 0.5


def segment_distance(p, a, b):
    """[m], from a point to a segment; exact but for the last square root."""
    return float(_to_segment(*map(_exact, (p, a, b)))) ** 0.5


def segments_distance(a, b, c, d):
    """[m], between two segments; exact but for the last square root."""
    a, b, c, d = map(_exact, (a, b, c, d))
    solved = _solved(_minus(b, a), _minus(c, d), _minus(c, a))
    if solved and 0 <= solved[0] <= 1 and 0 <= solved[1] <= 1:
        return float(solved[2]) ** 0.5
    ends = [(a, c, d), (b, c, d), (c, a, b), (d, a, b)]
    return float(min(_to_segment(*end) for end in ends)) ** 0.5


def mesh_distances(position, triangles, points):
    """[m], from each point to the nearest of all triangles, by pseudo-inverses and clamped edges; without sign."""
    corners = position[triangles]
    sides = np.moveaxis(corners[:, 1:] - corners[:, :1], 1, 2)  # columns
    inverse = np.linalg.pinv(sides)
    nearest = np.full(len(points), np.inf)
    for n, point in enumerate(points):
        relative = point - corners[:, 0]
        weights = np.einsum("tij,tj->ti", inverse, relative)
        away = np.linalg.norm(relative - np.einsum("tij,tj->ti", sides, weights), axis=1)
        away[(weights.min(axis=1) < 0.0) | (weights.sum(axis=1) > 1.0)] = np.inf
        nearest[n] = min(away.min(), *(_edge_distances(corners[:, k], corners[:, k - 1], point).min() for k in range(3)))
    return nearest


def _edge_distances(a, b, point):
    along = np.clip(np.einsum("ti,ti->t", point - a, b - a) / np.square(b - a).sum(axis=1), 0.0, 1.0)
    return np.linalg.norm(point - a - along[:, None] * (b - a), axis=1)
