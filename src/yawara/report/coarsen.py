"""Fewer triangles for the same picture: a mesh finer than the paper can show makes a page that is slow to open."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def coarsened(position: Floats, triangles: Integers, count: int) -> Integers:
    """At most about `count` triangles between some of the same points; all of them if they are few enough.

    Points are gathered to the nearest nodes of a grid, and the one nearest to each node stands for the others. So the corners of a block
    stay where they are, and where points move, the coarse surface moves with them. A closed surface stays closed.
    """
    if len(triangles) <= count:
        return triangles
    corner = position[triangles]
    area = 0.5 * float(np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1).sum())
    step = (2.0 * area / count) ** 0.5  # two triangles per square of the grid
    while step > 0.0:
        found = _gathered(position, triangles, step)
        if len(found) <= count:
            return found
        step *= 1.1
    return triangles


def coarse_line(count: int, at_most: int) -> Integers:
    """Lines (line_count, 2) along a row of `count` points, first and last among them."""
    kept = np.unique(np.linspace(0, count - 1, min(count, at_most + 1)).round().astype(np.int64))
    return np.stack([kept[:-1], kept[1:]], axis=1)


def _gathered(position: Floats, triangles: Integers, step: float) -> Integers:
    used = np.unique(triangles)
    low, extent = position[used].min(axis=0), np.ptp(position[used], axis=0)
    squares = np.maximum(np.ceil(extent / step - 1e-9), 1.0)  # whole ones along each axis, so that the ends are nodes
    place = (position[used] - low) / np.where(extent > 0.0, extent, 1.0) * squares
    node = np.floor(place + 0.5)
    key = (node[:, 0] * (squares[1] + 1.0) + node[:, 1]) * (squares[2] + 1.0) + node[:, 2]
    order = np.lexsort((((place - node) ** 2).sum(axis=1), key))
    first = np.flatnonzero(np.diff(key[order], prepend=-1.0))
    leader = np.empty(len(position), np.int64)
    leader[used[order]] = np.repeat(used[order[first]], np.diff(np.append(first, len(order))))
    moved = leader[triangles]
    flat = (moved[:, 0] == moved[:, 1]) | (moved[:, 1] == moved[:, 2]) | (moved[:, 2] == moved[:, 0])
    return _without_doubles(moved[~flat])


def _without_doubles(triangles: Integers) -> Integers:
    """Of triangles on the same corners, those that lie back to back go in pairs: a part too thin to be told from nothing."""
    turned = np.argmin(triangles, axis=1)
    rolled = np.take_along_axis(triangles, (turned[:, None] + np.arange(3)) % 3, axis=1)  # lowest corner first
    forward = rolled[:, 1] < rolled[:, 2]
    corners, group = np.unique(np.sort(triangles, axis=1), axis=0, return_inverse=True)
    surplus = np.bincount(group.ravel(), np.where(forward, 1.0, -1.0), len(corners)).round().astype(np.int64)
    kept = np.repeat(corners, np.abs(surplus), axis=0)
    backward = np.repeat(surplus < 0, np.abs(surplus))
    return np.where(backward[:, None], kept[:, [0, 2, 1]], kept)
