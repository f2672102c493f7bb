"""Stress points: places in a body that have a deformation gradient, by weights over the points around."""

from dataclasses import dataclass

import numpy as np

from yawara.kernels.kinds import Floats, Words
from yawara.terms.continuum.constants import FRAME


@dataclass(frozen=True)
class StressPoints:
    """Of one body and one law; points in the body's own numbers.

    Weights of an entry: three that make the gradient [1/m], then modes [m^(1/2)]; or, of `lone` ones, two that make a force on the first
    point alone: of a spring [m], and of dampers along the lines to others [1/m]. Those of the first entry are minus the sum of the others.
    A `box` has one row for all its entries, to be taken with their signs.
    """

    node: Words  # (entry_count,), those of a stress point together
    count: Words  # (point_count,): entries of each
    weight: Floats  # (rows of all different stencils, columns)
    row: Words  # (point_count,): first row of each
    volume: Floats  # [m^3], (point_count,)
    frame: Floats  # (point_count, FRAME) of those with modes, see cells.py; else empty
    lone: bool = False
    box: bool = False

    @property
    def columns(self) -> int:
        return 4 if self.lone else int(self.weight.shape[1])

    @property
    def first(self) -> Words:
        """Entry, (point_count + 1,)."""
        return np.append(0, np.cumsum(self.count))


ALIKE = 1e-12
NO_FRAME = np.zeros((0, FRAME))


def of_cells(cells: Words, weight: Floats, volume: Floats, signs: Floats | None = None, frame: Floats = NO_FRAME) -> StressPoints:
    """One for each cell; `weight` (cell_count, corners, columns). Cells that are alike share their weights.

    Those that are `signs` (corners, columns) times one row for each cell are boxes.
    """
    number = len(cells)
    size = np.abs(weight).max(axis=(0, 1), initial=0.0) + 1e-300
    box = signs is not None and bool((np.abs(weight - signs * (signs[0] * weight[:, :1])) <= ALIKE * size).all())
    if box and signs is not None:
        weight = signs[0] * weight[:, :1]
    alike = bool((np.abs(weight - weight[0]) <= ALIKE * size).all())
    rows = np.zeros(number, np.int64) if alike else weight.shape[1] * np.arange(number)
    kept = weight[0] if alike else weight.reshape(-1, weight.shape[2])
    return StressPoints(cells.ravel(), np.full(number, cells.shape[1]), np.ascontiguousarray(kept), rows, volume, frame, box=box)
