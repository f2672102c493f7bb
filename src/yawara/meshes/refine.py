"""Grids in which some cells are divided in two along every axis: fine where much happens, with points that hang on coarse edges."""

from collections.abc import Sequence

import numpy as np

from yawara.meshes.cubes import EVEN_CUBE, EVEN_SQUARE, ODD_CUBE, ODD_SQUARE, cut, grid_cells, numbered, within
from yawara.meshes.errors import MeshError
from yawara.meshes.rows import Floats, Integers

Box = tuple[Sequence[float], Sequence[float]]  # [m], lower and upper corner


def refined_truss(counts: tuple[int, int, int], spacing: float, boxes: Sequence[Box]) -> tuple[Floats, Integers]:
    """Points [m] and positive tetrahedra of a box of counts[i] points along each axis, `spacing` [m] apart.

    Cubes with their centre inside one of the boxes [m] are divided 2 x 2 x 2. Every cube, coarse or fine, is cut into 5 tetrahedra,
    alternating in its own grid. Each coarse face then has a diagonal: all hanging points are middles of coarse edges.
    """
    return _refined(counts, spacing, boxes, EVEN_CUBE, ODD_CUBE)


def refined_sheet(counts: tuple[int, int], spacing: float, boxes: Sequence[Box]) -> tuple[Floats, Integers]:
    """The same in the plane z = 0: squares, coarse or divided 2 x 2, of two counter-clockwise triangles with alternating diagonals."""
    return _refined(counts, spacing, boxes, EVEN_SQUARE, ODD_SQUARE)


def _refined(
    counts: tuple[int, ...], spacing: float, boxes: Sequence[Box], even: Integers, odd: Integers
) -> tuple[Floats, Integers]:
    dimension = even.shape[-1]
    if len(counts) != dimension or min(counts) < 2:
        raise MeshError(f"counts must be {dimension} numbers of points, each at least 2 (got {counts}); change counts")
    if not (np.isfinite(spacing) and spacing > 0.0):
        raise MeshError(f"spacing must be > 0 m (got {spacing:g}); change the value")
    coarse = grid_cells(tuple(count - 1 for count in counts))
    limits = np.array([[corner[:dimension] for corner in box] for box in boxes], np.float64).reshape(-1, 2, dimension)
    divided = within((coarse + 0.5) * spacing, limits)
    halves = grid_cells((2,) * dimension)
    fine = (2 * coarse[divided][:, None] + halves).reshape(-1, dimension)
    corners = np.concatenate([2 * cut(coarse[~divided], even, odd), cut(fine, even, odd)])  # in half cells
    points, cells = numbered(corners)
    position = np.zeros((len(points), 3))
    position[:, :dimension] = points * (0.5 * spacing)
    return position, cells.astype(np.int64)
