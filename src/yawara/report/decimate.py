"""Fewer points for the same picture."""

import numpy as np
from numpy.typing import NDArray


def decimate(x: NDArray[np.float64], y: NDArray[np.float64], count: int = 800) -> NDArray[np.int64]:
    """Indices of about `count` points of a line that look like all of them; gaps (NaN) stay gaps.

    The points are cut into runs of equal length, and of each the extremes in x and in y are kept: in x too, since a line may turn
    back, as a hysteresis loop does.
    """
    size = len(x)
    if size <= count:
        return np.arange(size)
    run = -(-size // max(1, count // 4))
    index = np.arange(-(-size // run) * run).reshape(-1, run)
    inside = index < size
    index = np.minimum(index, size - 1)
    known = np.isfinite(x[index]) & np.isfinite(y[index]) & inside
    picks = [_extreme(index, np.where(known, sign * data[index], -np.inf)) for data in (x, y) for sign in (1.0, -1.0)]
    gaps = _extreme(index, np.where(inside & ~known, 1.0, -np.inf))
    return np.unique(np.concatenate([[0, size - 1], *picks, gaps]))


def _extreme(index: NDArray[np.int64], score: NDArray[np.float64]) -> NDArray[np.int64]:
    """The index with the highest score in each row that has one."""
    best = score.argmax(axis=1)
    rows = np.arange(len(index))
    return np.asarray(index[rows, best][np.isfinite(score[rows, best])], np.int64)
