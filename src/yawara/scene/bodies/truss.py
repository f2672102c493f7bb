"""A box of cubes cut into 5 tetrahedra each, alternating, so that neighbouring cubes share their diagonals (chapter 1).

The edges are the grid's edges and one diagonal per cell face, always between points of even index sum: Table 1.1's edge counts.
"""

from typing import Literal

import numpy as np
from pydantic import Field

from yawara.scene.bodies.block import FACES, Block
from yawara.scene.bodies.geometry import (
    Geometry,
    Integers,
    boundary_faces,
    corner_points,
    grid,
    grid_links,
    volume_shares,
)

AXIS_OFFSETS = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACE_OFFSETS = [(1, 1, 0), (-1, 1, 0), (1, 0, 1), (-1, 0, 1), (0, 1, 1), (0, -1, 1)]

# Corners (x, y, z) of the five tetrahedra of a cube whose corner (0, 0, 0) is even, positively oriented: the middle one, of a third
# of the volume, and four of a sixth. For an odd cube, x is mirrored and two corners are swapped to keep the orientation.
EVEN_CUBE = np.array([
    [(0, 0, 0), (1, 1, 0), (0, 1, 1), (1, 0, 1)],
    [(1, 0, 0), (1, 1, 0), (0, 0, 0), (1, 0, 1)],
    [(0, 1, 0), (0, 0, 0), (1, 1, 0), (0, 1, 1)],
    [(0, 0, 1), (1, 0, 1), (0, 0, 0), (0, 1, 1)],
    [(1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1)],
])  # fmt: skip


class Truss(Block):
    """A box of cubes, each of 5 tetrahedra; links are the tetrahedra's edges."""

    shape: Literal["truss"] = Field("truss")

    def size(self) -> tuple[int, int]:
        return self.point_count(), self.axis_edges() + self.face_squares()

    def geometry(self) -> Geometry:
        axis = [grid_links(self.counts, offset) for offset in AXIS_OFFSETS]
        diagonal = [grid_links(self.counts, offset, even_only=True) for offset in FACE_OFFSETS]
        position, tetrahedra = grid(self.counts, (self.spacing,) * 3), self._tetrahedra()
        return Geometry(
            position,
            np.concatenate(axis + diagonal),
            volume_shares(self.point_count(), tetrahedra, tetrahedron_volumes(position, tetrahedra)),
            boundary_faces(tetrahedra),
            {"tetra": tetrahedra},
            dimension=3,
            up=2,
            rest_size=self.volume,
            faces=FACES,
        )

    def _tetrahedra(self) -> Integers:
        corners = corner_points(self.counts)
        nx, ny, nz = (count - 1 for count in self.counts)
        k, j, i = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
        odd = ((i + j + k) % 2 == 1).ravel()
        x, y, z = np.moveaxis(EVEN_CUBE, 2, 0)
        even_cells = corners[:, x, y, z]
        odd_cells = corners[:, 1 - x, y, z][:, :, [1, 0, 2, 3]]
        return np.where(odd[:, None, None], odd_cells, even_cells).reshape(-1, 4)


def tetrahedron_volumes(position: np.ndarray, tetrahedra: Integers) -> np.ndarray:
    """Signed volumes [m^3]."""
    a, b, c = (position[tetrahedra[:, n]] - position[tetrahedra[:, 0]] for n in (1, 2, 3))
    volumes: np.ndarray = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    return volumes
