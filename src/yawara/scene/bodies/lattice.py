"""A box whose points are linked to all of their 26 neighbours (Hirai 2005, ch. 3)."""

from itertools import product
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.core.geometry import (
    BOX_FACES,
    EmbeddedNodes,
    Geometry,
    Integers,
    corner_points,
    five_tetrahedra,
    grid,
    grid_links,
    volume_shares,
)
from yawara.kernels.kinds import Floats
from yawara.scene.bodies.block import Block
from yawara.scene.bodies.weights import lattice_weights

# One of each pair of opposite neighbours: links then run from lower to higher point numbers.
OFFSETS = [(a, b, c) for c, b, a in product((-1, 0, 1), repeat=3) if (c, b, a) > (0, 0, 0)]


class Lattice(Block):
    """A box of points, each linked to its 26 neighbours."""

    can_have_centres: ClassVar[bool] = True
    shape: Literal["lattice"] = Field("lattice")

    @property
    def has_centres(self) -> bool:
        return self.volume is not None and self.volume.centres

    def size(self) -> tuple[int, int]:
        diagonals = (8 if self.has_centres else 4) * self.cell_count()
        centres = self.cell_count() if self.has_centres else 0
        return self.point_count() + centres, self.axis_edges() + 2 * self.face_squares() + diagonals

    def geometry(self) -> Geometry:
        corners = corner_points(self.counts)
        hexahedra = corners[:, [0, 1, 1, 0, 0, 1, 1, 0], [0, 0, 1, 1, 0, 0, 1, 1], [0, 0, 0, 0, 1, 1, 1, 1]]
        point_count = self.point_count()
        links, factor, embedded = self._links(hexahedra)
        return Geometry(
            grid(self.counts, (self.spacing,) * 3),
            links,
            volume_shares(point_count, hexahedra, np.full(len(hexahedra), self.spacing**3)),
            box_surface(self.counts),
            {"hexahedron": hexahedra},
            dimension=3,
            up=2,
            rest_size=self.box_volume,
            faces=BOX_FACES,
            elements=five_tetrahedra(self.counts),
            embedded=embedded,
            link_factor=factor,
        )

    def link_weights(self, geometry: Geometry) -> Floats:
        if not self.has_centres:
            return lattice_weights(self.counts, self.spacing, geometry.links)
        short = geometry.links[:, 1] < self.point_count()
        weights = np.full(len(short), 0.5 * self.spacing)  # halves of a body diagonal, in series: twice its weight
        weights[short] = lattice_weights(self.counts, self.spacing, geometry.links[short])
        return weights

    def _links(self, hexahedra: Integers) -> tuple[Integers, Floats | None, tuple[EmbeddedNodes, ...]]:
        """To all 26 neighbours; or with centres (Noborio et al. 2003, model 2): links from corners to centres replace body diagonals."""
        if not self.has_centres or self.volume is None:
            return np.concatenate([grid_links(self.counts, offset) for offset in OFFSETS]), None, ()
        short = [offset for offset in OFFSETS if 0 in offset]
        links = np.concatenate([grid_links(self.counts, offset) for offset in short])
        centres = self.point_count() + np.arange(len(hexahedra))
        spokes = np.stack([hexahedra.ravel(), np.repeat(centres, 8)], axis=1)
        factor = np.ones(len(links) + len(spokes))
        factor[len(links) :] = self.volume.centre_factor
        embedded = EmbeddedNodes(hexahedra, np.full(hexahedra.shape, 1 / 8))
        return np.concatenate([links, spokes]), factor, (embedded,)


def box_surface(counts: tuple[int, int, int]) -> Integers:
    """Outward triangles, two per square of the box's surface."""
    nx, ny, nz = counts
    index = np.arange(nx * ny * nz).reshape(nz, ny, nx).transpose(2, 1, 0)
    triangles = []
    for axis in range(3):
        for side, plane in ((-1, np.take(index, 0, axis)), (1, np.take(index, -1, axis))):
            a, b, c, d = plane[:-1, :-1], plane[1:, :-1], plane[1:, 1:], plane[:-1, 1:]
            if side * (-1 if axis == 1 else 1) < 0:  # keep the normal pointing out of the box
                b, d = d, b
            triangles += [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    return np.concatenate(triangles)
