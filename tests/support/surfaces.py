"""Closed surfaces from formulas, for examples and tests."""

import numpy as np

from yawara.meshes.facets import edges_of
from yawara.meshes.rows import Floats, Integers

GOLDEN = (1.0 + 5.0**0.5) / 2.0
ICOSAHEDRON = np.array([
    (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8),
    (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1),
])  # fmt: skip


def torus_knot(
    p: int = 2, q: int = 3, segments: int = 250, sides: int = 20, radius: float = 0.05, tube: float = 0.012
) -> tuple[Floats, Integers]:
    """A tube of radius `tube` [m] along the (p, q) knot on a torus of radii `radius` and radius / 2 [m]; p = 1, q = 0: a ring.

    Points (segments * sides, 3) and outward triangles, 2 * segments * sides of them.
    """
    angle = np.linspace(0.0, 2.0 * np.pi, segments, endpoint=False)
    centre, tangent, normal = _on_torus(p * angle, q * angle, p, q, radius)
    across = np.cross(tangent, normal)
    turn = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    ring = np.cos(turn)[:, None] * normal[:, None] + np.sin(turn)[:, None] * across[:, None]
    i, j = np.meshgrid(np.arange(segments), np.arange(sides), indexing="ij")
    right, up = (i + 1) % segments, (j + 1) % sides
    a, b, c, d = (row * sides + column for row, column in ((i, j), (right, j), (right, up), (i, up)))
    triangles = np.stack([np.stack([a, c, b], -1), np.stack([a, d, c], -1)], axis=2)
    return (centre[:, None] + tube * ring).reshape(-1, 3), triangles.reshape(-1, 3).astype(np.int64)


def _on_torus(around: Floats, across: Floats, p: int, q: int, radius: float) -> tuple[Floats, Floats, Floats]:
    """Points of the knot, its tangent, and the torus's normal there, which is perpendicular to it and closes on itself."""
    minor = 0.5 * radius
    outward = np.stack([np.cos(around), np.sin(around), np.zeros_like(around)], axis=1)
    forward = np.stack([-np.sin(around), np.cos(around), np.zeros_like(around)], axis=1)
    up = np.array([0.0, 0.0, 1.0])
    cosine, sine = np.cos(across)[:, None], np.sin(across)[:, None]
    normal = cosine * outward + sine * up
    centre = radius * outward + minor * normal
    tangent = p * (radius + minor * cosine) * forward + q * minor * (cosine * up - sine * outward)
    return centre, tangent / np.linalg.norm(tangent, axis=1, keepdims=True), normal


def icosphere(subdivisions: int = 3, radius: float = 1.0) -> tuple[Floats, Integers]:
    """A sphere around the origin of 20 * 4^subdivisions outward triangles, with all points at `radius` [m]."""
    signs = [(0.0, a, b * GOLDEN) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    (mm, mp, pm, pp) = (np.array(sign) for sign in signs)
    position = np.stack([
        np.roll(corner, shift) for shift, four in ((2, (mp, pp, mm, pm)), (0, (mp, pp, mm, pm)), (1, (mp, pp, mm, pm))) for corner in four
    ])  # fmt: skip
    triangles = ICOSAHEDRON.astype(np.int64)
    for _ in range(subdivisions):
        position, triangles = _quartered(position, triangles)
    return radius * position / np.linalg.norm(position, axis=1, keepdims=True), triangles


def _quartered(position: Floats, triangles: Integers) -> tuple[Floats, Integers]:
    """Every triangle in four, its new corners at the middles of its edges, pushed out to the unit sphere."""
    position = position / np.linalg.norm(position, axis=1, keepdims=True)
    edges, count = edges_of(triangles), len(position)
    key = edges[:, 0] * count + edges[:, 1]
    ends = [np.sort(triangles[:, pair], axis=1) for pair in ([0, 1], [1, 2], [2, 0])]
    ab, bc, ca = (count + np.searchsorted(key, end[:, 0] * count + end[:, 1]) for end in ends)
    a, b, c = triangles.T
    four = [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
    return np.concatenate([position, position[edges].mean(axis=1)]), np.stack([np.stack(t, -1) for t in four], 1).reshape(-1, 3)
