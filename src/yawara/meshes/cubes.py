"""How a cube is cut into tetrahedra, and points of an integer grid numbered."""

import numpy as np

from yawara.meshes.rows import Booleans, Integers

# Corners (x, y, z) of the five tetrahedra of a cube whose corner (0, 0, 0) is even, positively oriented: the middle one, of a third
# of the volume, and four of a sixth. For an odd cube, x is mirrored and two corners are swapped to keep the orientation.
EVEN_CUBE = np.array([
    [(0, 0, 0), (1, 1, 0), (0, 1, 1), (1, 0, 1)],
    [(1, 0, 0), (1, 1, 0), (0, 0, 0), (1, 0, 1)],
    [(0, 1, 0), (0, 0, 0), (1, 1, 0), (0, 1, 1)],
    [(0, 0, 1), (1, 0, 1), (0, 0, 0), (0, 1, 1)],
    [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)],
])  # fmt: skip
ODD_CUBE = np.stack([1 - EVEN_CUBE[..., 0], EVEN_CUBE[..., 1], EVEN_CUBE[..., 2]], axis=-1)[:, [1, 0, 2, 3]]
HEXAHEDRON = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)])  # meshio's order

# A square in two triangles, counter-clockwise, its diagonal between the points of even index sum.
EVEN_SQUARE = np.array([[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 1), (0, 1)]])
ODD_SQUARE = np.array([[(0, 0), (1, 0), (0, 1)], [(1, 0), (1, 1), (0, 1)]])


def cut(cells: Integers, even: Integers, odd: Integers) -> Integers:
    """Grid cells, (cell_count, dimension) indices of their lowest corners, cut alternately: integer corners of the pieces,
    (cell_count * pieces, corners, dimension)."""
    parity = (cells.sum(axis=1) % 2 == 1)[:, None, None, None]
    pieces = cells[:, None, None, :] + np.where(parity, odd, even)
    return pieces.reshape(-1, *even.shape[1:])


def grid_cells(counts: tuple[int, ...]) -> Integers:
    """Indices of the cells of a grid, x running fastest."""
    axes = np.meshgrid(*(np.arange(count) for count in reversed(counts)), indexing="ij")
    return np.stack([axis.ravel() for axis in reversed(axes)], axis=1).astype(np.int64)


def numbered(corners: Integers) -> tuple[Integers, Integers]:
    """Points that stand at integer corners (..., dimension), x running fastest, then y, then z; and the number of every corner."""
    lower = corners.reshape(-1, corners.shape[-1]).min(axis=0)
    span = corners.reshape(-1, corners.shape[-1]).max(axis=0) - lower + 1
    weight = np.concatenate([[1], np.cumprod(span[:-1])])
    keys, number = np.unique((corners - lower) @ weight, return_inverse=True)
    points = np.stack([keys // step % size for step, size in zip(weight, span, strict=True)], axis=1) + lower
    return points, number.reshape(corners.shape[:-1])


def within(centres: np.ndarray, boxes: np.ndarray) -> Booleans:
    """Whether each centre lies inside one of the boxes (box_count, 2, dimension), given by lower and upper corner."""
    inside = [np.all((centres > lower) & (centres < upper), axis=1) for lower, upper in boxes]
    return np.any(inside, axis=0) if inside else np.zeros(len(centres), bool)
