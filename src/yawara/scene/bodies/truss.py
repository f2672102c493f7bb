"""A box of cubes cut into 5 tetrahedra each, alternating, so that neighbouring cubes share their diagonals (Hirai 2005, ch. 1).

The edges are the grid's edges and one diagonal per cell face, always between points of even index sum: Table 1.1's edge counts.
"""

from functools import lru_cache
from typing import Any, Literal

import numpy as np
from pydantic import Field

from yawara.core.geometry import (
    BOX_FACES,
    Geometry,
    corner_points,
    five_tetrahedra,
    grid,
    grid_links,
    volume_shares,
)
from yawara.kernels.kinds import Floats
from yawara.meshes.facets import boundary_facets, cell_sizes
from yawara.meshes.refine import refined_truss
from yawara.scene.bodies.block import Block
from yawara.scene.bodies.from_cells import NOTHING_DIVIDED, geometry_of_cells
from yawara.scene.bodies.weights import truss_weights, truss_weights_of_cells
from yawara.scene.box import Box

AXIS_OFFSETS = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACE_OFFSETS = [(1, 1, 0), (-1, 1, 0), (1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)]


class Truss(Block):
    """A box of cubes, each of 5 tetrahedra; links are the tetrahedra's edges."""

    shape: Literal["truss"] = Field("truss")
    refine: tuple[Box, ...] = Field((), description="boxes, in the body's own coordinates, in which every cube is divided into 8")

    def size(self) -> tuple[int, int]:
        finer = 8 if self.refine else 1  # at most, if all cubes are divided
        return finer * self.point_count(), finer * (self.axis_edges() + self.face_squares())

    def link_weights(self, geometry: Geometry) -> Floats:
        if self.refine:
            return truss_weights_of_cells(geometry.position, geometry.elements, geometry.links)
        return truss_weights(self.counts, self.spacing, geometry.links)

    def geometry(self) -> Geometry:
        if self.refine:
            return _refined(self.counts, self.spacing, tuple((box.min, box.max) for box in self.refine))
        axis = [grid_links(self.counts, offset) for offset in AXIS_OFFSETS]
        diagonal = [grid_links(self.counts, offset, even_only=True) for offset in FACE_OFFSETS]
        position, tetrahedra = grid(self.counts, (self.spacing,) * 3), five_tetrahedra(self.counts)
        return Geometry(
            position,
            np.concatenate(axis + diagonal),
            volume_shares(self.point_count(), tetrahedra, cell_sizes(position, tetrahedra)),
            boundary_facets(tetrahedra),
            {"tetra": tetrahedra},
            dimension=3,
            up=2,
            rest_size=self.box_volume,
            faces=BOX_FACES,
            elements=tetrahedra,
            cubes=corner_points(self.counts).reshape(-1, 8),
        )


@lru_cache(maxsize=4)
def _refined(counts: tuple[int, int, int], spacing: float, boxes: tuple[Any, ...]) -> Geometry:
    position, cells = refined_truss(counts, spacing, boxes)
    nothing = len(position) == counts[0] * counts[1] * counts[2]
    return geometry_of_cells(position, cells, notices=(NOTHING_DIVIDED,) if nothing else ())
