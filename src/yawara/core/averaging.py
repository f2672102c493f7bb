"""From elements to points: means over the cells around each point, by their sizes.

A cell deforms more or less evenly, and in it stresses of links and pressures add up to those of the material; at a single point they do not
(points on the surface have links to one side only, those of a truss have few and many in turn).
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from yawara.core.model import BodyRange
from yawara.kernels.kinds import Floats, Words
from yawara.meshes.facets import cell_sizes

SIMPLE = {"tetra", "triangle"}  # whose sizes differ from cell to cell


class CellAverages:
    """Of one body; numbers of points are the model's."""

    def __init__(self, body: BodyRange, rest_position: Floats, carriers: Sequence[csr_array] = ()) -> None:
        """`carriers` tell the hosts of embedded nodes, see core/term.py."""
        self.carriers = carriers
        self.body, self.rest_position, self.point_count = body, rest_position, len(rest_position)
        kind = "cubes" if len(body.cubes) else next(iter(body.cells), "")
        cells = body.cubes if len(body.cubes) else body.cells.get(kind, np.zeros((0, 1)))
        self.cells = cells.astype(np.int64) if body.dimension > 1 else np.zeros((0, 1), np.int64)
        self.thickness = float(body.share.sum()) / body.rest_size
        even = np.full(len(self.cells), body.rest_size / max(1, len(self.cells)))
        self.size = self.thickness * (
            np.abs(cell_sizes(rest_position, self.cells)) if kind in SIMPLE and len(self.cells) else even
        )

    @cached_property
    def member(self) -> csr_array:
        """(cell_count, point_count): 1 at the corners of each cell."""
        rows = np.repeat(np.arange(len(self.cells)), self.cells.shape[1])
        return csr_array((np.ones(self.cells.size), (rows, self.cells.ravel())), shape=(len(self.cells), self.point_count))

    @cached_property
    def _within(self) -> csr_array:
        """The same, with embedded nodes all of whose hosts are corners: the centre of a cell belongs to it."""
        found = self.member
        for weights in self.carriers:
            hosts = weights.astype(bool).astype(float)
            count = np.asarray(hosts.sum(axis=1)).ravel()
            inside = coo_array(self.member @ hosts.T)
            whole = inside.data == count[inside.col]
            found = csr_array(
                found + csr_array((np.ones(whole.sum()), (inside.row[whole], inside.col[whole])), shape=self.member.shape)
            )
        return found

    def from_lines(self, points: Words) -> csr_array:
        """(point_count, line_count): from what lines bear, stress times volume [J], to the stress [Pa] of points.

        A line is shared by the cells that have it for an edge, by their sizes. One that is no edge of any is shared by its ends.
        """
        both = csr_array(self._within[:, points[:, 0]].multiply(self._within[:, points[:, 1]]))
        total = np.asarray(both.T @ self.size).ravel()
        part = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0)
        shared = self._per_volume(csr_array(self.member.T @ (diags_array(self.size) @ both @ diags_array(part))))
        return csr_array(shared + self._by_ends(points, total == 0.0))

    def _by_ends(self, points: Words, lonely: np.ndarray) -> csr_array:
        volume = np.full(self.point_count, np.inf)
        volume[self.body.point_begin : self.body.mass_end] = self.body.share
        lines = np.flatnonzero(lonely)
        ends = points[lines].T.ravel()
        return csr_array((0.5 / volume[ends], (ends, np.tile(lines, 2))), shape=(self.point_count, len(points)))

    def _per_volume(self, sums: csr_array) -> csr_array:
        """Over the size of all cells around a point."""
        around = np.asarray(self.member.T @ self.size).ravel()
        return csr_array(diags_array(np.divide(1.0, around, out=np.zeros_like(around), where=around > 0.0)) @ sums)
