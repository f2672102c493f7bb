"""From where to look at captured points, and which of them can be seen from there."""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from yawara.report.camera import Camera

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# [degrees]: that of all other pictures first, then around the body and from higher up
VIEWS = tuple((-60.0 + 45.0 * turn, elevation) for elevation in (24.0, 36.0) for turn in range(8))
CLEARLY = 1.02  # times as well as the view before, to be preferred
SLANT = 2.5  # a point below a slanted face is this much deeper at most, seen along the ray, than its distance
CLOSE = 0.01  # of the surface's diagonal: no more than this lies before a point that is seen


def viewpoint(points: Floats, position: Floats, triangles: Integers) -> tuple[float, float]:
    """Azimuth and elevation [degrees] from which the places of the points are seen most squarely."""
    corner = position[triangles]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-300)
    at_points = normal[cKDTree(corner.mean(axis=1)).query(points)[1]]
    best, most = VIEWS[0], 0.0
    for view in VIEWS:
        shown = float(np.maximum(at_points @ _toward(view), 0.0).sum())
        if shown > CLEARLY * most:
            best, most = view, shown
    return best


def _toward(view: tuple[float, float]) -> Floats:
    azimuth, elevation = np.radians(view)
    return np.array([np.cos(elevation) * np.cos(azimuth), np.cos(elevation) * np.sin(azimuth), np.sin(elevation)])


def visible(points: Floats, distance: Floats, position: Floats, triangles: Integers, camera: Camera) -> NDArray[np.bool_]:
    """Whether nothing of the surface is before a point, besides what covers it because it lies a little too deep.

    Points just below the surface count as seen: they were captured on it.
    """
    corners, pixels = camera.place(position)[triangles], camera.place(points)
    depth = camera.nearness(position)[triangles]  # [m], (triangle_count, 3), grows toward the eye
    allowed = SLANT * np.abs(distance) + CLOSE * float(np.linalg.norm(np.ptp(position[triangles].reshape(-1, 3), axis=0)))
    limit = camera.nearness(points) + allowed
    seen = np.ones(len(points), bool)
    for triangle, near in zip(corners, depth, strict=True):
        share = _shares(triangle, pixels)
        if share is not None:
            seen &= ~((share >= 0.0).all(axis=1) & (share @ near > limit))
    return seen


def _shares(triangle: Floats, pixels: Floats) -> Floats | None:
    """Barycentric coordinates (count, 3) of pixels in a triangle (3, 2); None if it is seen from its edge."""
    (ax, ay), (bx, by), (cx, cy) = triangle.tolist()
    area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay)
    if abs(area) < 1e-9:
        return None
    b = ((pixels[:, 0] - ax) * (cy - ay) - (cx - ax) * (pixels[:, 1] - ay)) / area
    c = ((bx - ax) * (pixels[:, 1] - ay) - (pixels[:, 0] - ax) * (by - ay)) / area
    return np.stack([1.0 - b - c, b, c], axis=1)
