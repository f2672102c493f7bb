"""Smooth normals of a surface, for shading."""

import numpy as np
from numpy.typing import NDArray


def vertex_normals(position: NDArray[np.float64], triangles: NDArray[np.int64]) -> NDArray[np.float64]:
    """Unit normals (point_count, 3), means of the neighbouring faces by area; +z where no face, or only flat ones, meet."""
    corner = position[triangles]
    face = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])  # length: twice the area
    normal = np.zeros_like(position)
    for axis in range(3):
        normal[:, axis] = np.bincount(triangles.ravel(), np.repeat(face[:, axis], 3), len(position))
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    flat = length[:, 0] <= 1e-12 * max(float(length.max(initial=0.0)), 1e-300)
    normal[flat], length[flat] = (0.0, 0.0, 1.0), 1.0
    return np.asarray(normal / length)
