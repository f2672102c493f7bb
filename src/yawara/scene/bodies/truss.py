"""A box of cubes cut into 5 tetrahedra each, alternating, so that neighbouring cubes share their diagonals (chapter 1).

The edges are the grid's edges and one diagonal per cell face, always between points of even index sum: Table 1.1's edge counts.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from yawara.scene.bodies.block import FACES, Block
from yawara.scene.bodies.geometry import (
    Geometry,
    boundary_faces,
    contents,
    five_tetrahedra,
    grid,
    grid_links,
    volume_shares,
)

AXIS_OFFSETS = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACE_OFFSETS = [(1, 1, 0), (-1, 1, 0), (1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)]


class Truss(Block):
    """A box of cubes, each of 5 tetrahedra; links are the tetrahedra's edges."""

    shape: Literal["truss"] = Field("truss")

    def size(self) -> tuple[int, int]:
        return self.point_count(), self.axis_edges() + self.face_squares()

    def geometry(self) -> Geometry:
        axis = [grid_links(self.counts, offset) for offset in AXIS_OFFSETS]
        diagonal = [grid_links(self.counts, offset, even_only=True) for offset in FACE_OFFSETS]
        position, tetrahedra = grid(self.counts, (self.spacing,) * 3), five_tetrahedra(self.counts)
        return Geometry(
            position,
            np.concatenate(axis + diagonal),
            volume_shares(self.point_count(), tetrahedra, contents(position, tetrahedra)),
            boundary_faces(tetrahedra),
            {"tetra": tetrahedra},
            dimension=3,
            up=2,
            rest_size=self.box_volume,
            faces=FACES,
            elements=tetrahedra,
        )
