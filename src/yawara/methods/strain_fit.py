"""Tensors of strain at points, from what elements say along lines: n . eps . n = strain of the line, by least squares."""

import numpy as np
from scipy.sparse import csr_array, diags_array

from yawara.core.lines import SIX
from yawara.kernels.kinds import Floats, Words

SMALLEST = 1e-9  # of the largest eigenvalue: directions in which nobody says anything have no strain
NEIGHBOURS = 0.1  # how much what neighbours say counts
ROW, COLUMN = SIX


class StrainFit:
    """Over the lines that end at each point and, by weights, at its neighbours."""

    def __init__(self, point_count: int, points: Words, direction: Floats) -> None:
        """`points` (line_count, 2) are the ends of lines, `direction` (line_count, 3) is along them."""
        lines, both = np.tile(np.arange(len(points)), 2), points.T.ravel()
        self._row = (
            np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0]) * direction[:, ROW] * direction[:, COLUMN]
        )  # n.eps.n = row . six of eps
        self._at_ends = csr_array((np.ones(points.size), (both, lines)), shape=(point_count, len(points)))
        near = csr_array((np.full(points.size, NEIGHBOURS), (both, points[:, ::-1].T.ravel())), shape=(point_count, point_count))
        self._around = csr_array(diags_array(np.ones(point_count)) + near)
        self._solve = self._inverse()

    def _gathered(self, of_lines: Floats) -> Floats:
        """(point_count, ...): sums over the lines of each point, with its neighbours'."""
        return np.asarray(self._around @ (self._at_ends @ of_lines))

    def _inverse(self) -> Floats:
        """(point_count, 6, 6): of the normal equations, without the directions that no line tells of."""
        normal = self._gathered((self._row[:, :, None] * self._row[:, None, :]).reshape(-1, 36)).reshape(-1, 6, 6)
        values, vectors = np.linalg.eigh(normal)
        inverse = np.where(values > SMALLEST * values[:, -1:], 1.0 / np.maximum(values, 1e-300), 0.0)
        return np.asarray((vectors * inverse[:, None, :]) @ vectors.transpose(0, 2, 1))

    def __call__(self, strain: Floats) -> Floats:
        """(point_count, 6): xx yy zz yz zx xy, from the strains (line_count,) of all lines."""
        return np.asarray((self._solve @ self._gathered(self._row * strain[:, None])[:, :, None])[:, :, 0])
