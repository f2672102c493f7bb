"""Arrays as the writers need them, or an error that names what is wrong with them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checked_positions(name: str, position: ArrayLike, *, dimensions: int = 2) -> NDArray[np.float64]:
    """Positions [m] with x y z along the last axis, all finite, at least one of them."""
    array = np.asarray(position, np.float64)
    if array.ndim != dimensions or array.shape[-1] != 3 or array.size == 0:
        wanted = "(point_count, 3)" if dimensions == 2 else "(frame_count, point_count, 3)"
        raise ValueError(f"{name} must have the shape {wanted} (got {array.shape}); give x y z in m for at least one point")
    if not np.isfinite(array).all():
        place = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{name} must be finite (got {array[place]} at {place}); export only the times before it diverged")
    return array


def checked_indices(name: str, indices: ArrayLike, *, columns: int | None, point_count: int) -> NDArray[np.int64]:
    """Point indices (row_count, columns), none of them beyond the points; viewers crash on the ones that are."""
    array: NDArray[Any] = np.asarray(indices)
    if array.size == 0:
        return np.zeros((0, columns or 1), np.int64)
    if array.ndim != 2 or (columns is not None and array.shape[1] != columns):
        raise ValueError(f"{name} must have the shape (count, {columns or 'points per cell'}) (got {array.shape}); reshape it")
    if array.min() < 0 or array.max() >= point_count:
        worst = array.min() if array.min() < 0 else array.max()
        raise ValueError(f"{name} must be indices from 0 to {point_count - 1} (got {worst}); count from the first point given")
    return array.astype(np.int64)


def checked_values(name: str, values: ArrayLike, *, point_count: int) -> NDArray[np.float64]:
    """One number for each point."""
    array = np.asarray(values, np.float64)
    if array.shape != (point_count,):
        raise ValueError(f"{name} must have the shape ({point_count},) (got {array.shape}); give one number per point")
    return array
