"""A balanced tree of boxes around triangles, for finding near ones.

Box 1 holds all triangles, and the halves of box k are boxes 2k and 2k + 1. Halves are as many triangles, on either side of a plane
across the longest side, so a level of the tree is one sort.
"""

from dataclasses import dataclass

import numpy as np

from yawara.meshes.rows import Floats, Integers

FEWEST = 2  # triangles of a leaf; twice as many at most


@dataclass(frozen=True)
class Boxes:
    """Of 2 * leaf_count boxes the first does not count, the last leaf_count are the leaves."""

    order: Integers  # triangles as they lie in the leaves
    start: Integers  # (leaf_count + 1): leaf n, which is box leaf_count + n, holds order[start[n] : start[n + 1]]
    lower: Floats  # [m], (2 * leaf_count, 3)
    upper: Floats  # [m]


def boxes_around(position: Floats, triangles: Integers) -> Boxes:
    """The tree for one or more triangles."""
    corners = position[triangles]
    centre, count = corners.mean(axis=1), len(triangles)
    order, levels = np.arange(count), max(count // FEWEST, 1).bit_length() - 1
    for level in range(levels):
        start = _starts(count, level)
        box = np.repeat(np.arange(2**level), np.diff(start))
        placed = centre[order]
        sides = np.maximum.reduceat(placed, start[:-1]) - np.minimum.reduceat(placed, start[:-1])
        along = placed[np.arange(count), sides.argmax(axis=1)[box]]
        order = order[np.lexsort((along, box))]
    start = _starts(count, levels)
    lower = _upward(np.minimum, np.minimum.reduceat(corners.min(axis=1)[order], start[:-1]))
    upper = _upward(np.maximum, np.maximum.reduceat(corners.max(axis=1)[order], start[:-1]))
    return Boxes(order, start, lower, upper)


def _starts(count: int, level: int) -> Integers:
    """Where the boxes of a level begin; rounding down makes them the ends of whole boxes of the next level, too."""
    return np.arange(2**level + 1) * count // 2**level


def _upward(extreme: np.ufunc, leaves: Floats) -> Floats:
    """Bounds of all boxes, from those of the leaves."""
    levels = [leaves]
    while len(levels[-1]) > 1:
        levels.append(extreme(levels[-1][0::2], levels[-1][1::2]))
    return np.concatenate([leaves[:1], *levels[::-1]])
