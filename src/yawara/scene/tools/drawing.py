"""Surfaces of tools as triangles, for pictures and exports."""

import numpy as np

from yawara.kernels.kinds import Floats

Surface = tuple[Floats, np.ndarray]
AROUND, RINGS = 32, 16


def rectangle(half_x: float, half_y: float) -> Surface:
    """In the plane z = 0, seen from above."""
    points = np.array([[-half_x, -half_y, 0.0], [half_x, -half_y, 0.0], [half_x, half_y, 0.0], [-half_x, half_y, 0.0]])
    return points, np.array([[0, 1, 2], [0, 2, 3]])


def cuboid(size: tuple[float, float, float], offset: float) -> Surface:
    """Its centre at (0, 0, offset)."""
    corners = np.array([[x, y, z] for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)]) * size
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = np.array([[(a, b, c), (a, c, d)] for a, b, c, d in quads]).reshape(-1, 3)
    return corners + np.array([0.0, 0.0, offset]), triangles


def _rings(radius: Floats, height: Floats) -> Surface:
    """A surface of revolution about x: rings of these radii at these heights, closed at both ends."""
    angle = np.linspace(0.0, 2.0 * np.pi, AROUND, endpoint=False)
    circle = np.stack([np.zeros(AROUND), np.cos(angle), np.sin(angle)], axis=1)
    rings = [r * circle + np.array([h, 0.0, 0.0]) for r, h in zip(radius, height, strict=True)]
    points = np.concatenate([*rings, [[height[0], 0.0, 0.0], [height[-1], 0.0, 0.0]]])
    here, beside = np.arange(AROUND), (np.arange(AROUND) + 1) % AROUND
    triangles = []
    for n in range(len(rings) - 1):
        a, b, c, d = n * AROUND + here, n * AROUND + beside, (n + 1) * AROUND + here, (n + 1) * AROUND + beside
        triangles += [np.stack([a, b, d], axis=1), np.stack([a, d, c], axis=1)]
    first, last = len(points) - 2, len(points) - 1
    triangles.append(np.stack([np.full(AROUND, first), beside, here], axis=1))
    base = (len(rings) - 1) * AROUND
    triangles.append(np.stack([np.full(AROUND, last), base + here, base + beside], axis=1))
    return points, np.concatenate(triangles)


def ball(radius: float) -> Surface:
    angle = np.linspace(0.02, np.pi - 0.02, RINGS)
    return _rings(radius * np.sin(angle), -radius * np.cos(angle))


def cylinder(radius: float, length: float) -> Surface:
    return _rings(np.full(2, radius), np.array([-length / 2, length / 2]))
