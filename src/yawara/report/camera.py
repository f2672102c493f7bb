"""From metres in space to pixels on paper."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

_FAR = 9.0  # distance of the eye in half diagonals of the bounds: a mild perspective


@dataclass(frozen=True)
class Camera:
    """Looks at the middle of some bounds; z is up, azimuth 0 looks from +x, elevation 90 from above."""

    right: Floats  # unit vectors, (3,)
    up: Floats
    toward: Floats  # from the middle to the eye
    middle: Floats  # [m], (3,)
    distance: float  # [m], of the eye from the middle
    scale: float = 1.0  # [px/m], at the middle
    shift: tuple[float, float] = (0.0, 0.0)  # [px]

    def place(self, position: Floats) -> Floats:
        """Pixels (count, 2), y down."""
        offset = position - self.middle
        size = self.scale * self.distance / (self.distance - np.minimum(offset @ self.toward, 0.8 * self.distance))
        return np.stack([self.shift[0] + size * (offset @ self.right), self.shift[1] - size * (offset @ self.up)], axis=-1)

    @property
    def eye(self) -> Floats:
        """[m], (3,)"""
        return self.middle + self.distance * self.toward

    def nearness(self, position: Floats) -> Floats:
        """Grows toward the eye [m], for sorting."""
        return -np.asarray(np.linalg.norm(position - self.eye, axis=-1))

    def facing(self, position: Floats, normal: Floats) -> Floats:
        """Positive where a normal points to the eye."""
        return np.asarray(np.einsum("ij,ij->i", self.eye - position, normal))


def fitted(bounds: Floats, view: tuple[float, float], box: tuple[float, float, float, float]) -> Camera:
    """The camera that shows all of the bounds (2, 3) [m] in a box of the drawing: left, top, right, bottom [px]."""
    azimuth, elevation = np.radians(view)
    around, above = np.array([np.cos(azimuth), np.sin(azimuth), 0.0]), np.array([0.0, 0.0, 1.0])
    camera = Camera(
        right=np.array([-np.sin(azimuth), np.cos(azimuth), 0.0]),
        up=np.cos(elevation) * above - np.sin(elevation) * around,
        toward=np.cos(elevation) * around + np.sin(elevation) * above,
        middle=bounds.mean(axis=0),
        distance=_FAR * 0.5 * (float(np.linalg.norm(bounds[1] - bounds[0])) or 1.0),
    )
    corners = camera.place(np.array([[bounds[i, 0], bounds[j, 1], bounds[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)]))
    low, high = corners.min(axis=0), corners.max(axis=0)
    left, top, right, bottom = box
    room = np.array([right - left, bottom - top])
    scale = float((room / np.maximum(high - low, 1e-9 * camera.distance)).min())
    x, y = np.array([0.5 * (left + right), 0.5 * (top + bottom)]) - 0.5 * scale * (low + high)
    return replace(camera, scale=scale, shift=(float(x), float(y)))


def bounds_of(*positions: ArrayLike) -> Floats:
    """Lowest and highest corner (2, 3) [m] of all finite points, for pictures that share a scale."""
    rows = np.concatenate([np.zeros((0, 3)), *(np.asarray(position, float).reshape(-1, 3) for position in positions)])
    rows = rows[np.isfinite(rows).all(axis=1)]
    return np.stack([rows.min(axis=0), rows.max(axis=0)]) if len(rows) else np.array([[-0.5] * 3, [0.5] * 3])
