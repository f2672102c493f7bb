"""A body from a closed surface: filled with cells of one size, the surface itself going along.

The surface is cut into faces of about the spacing where they are larger, and its points follow those of the cells around them, so that a
coarse filling carries a fine skin: that is what is seen, touched, measured and exported.
"""

from enum import StrEnum
from functools import lru_cache
from itertools import combinations
from typing import Literal

import numpy as np
from pydantic import Field

from yawara.core.geometry import BOX_FACES, EmbeddedNodes, Geometry, Integers, volume_shares
from yawara.kernels.kinds import Floats
from yawara.meshes.carry import carriers
from yawara.meshes.facets import cell_sizes
from yawara.meshes.fill import Filling, fill_bcc, fill_lattice
from yawara.meshes.subdivide import subdivided
from yawara.meshes.surface import read_surface
from yawara.scene.bodies.body import Body
from yawara.scene.bodies.file_unit import LengthUnit, stamp
from yawara.scene.bodies.weights import bcc_weights
from yawara.scene.fields import Length


class Cells(StrEnum):
    TETRAHEDRA = "tetrahedra"  # body-centred cubic
    LATTICE = "lattice"  # cubes, all corners linked


class Filled(Body):
    """The inside of an STL, OBJ or PLY file, filled with tetrahedra or a lattice."""

    shape: Literal["filled"] = Field("filled")
    file: str = Field(description="path of the closed surface, as seen from the scene file")
    unit: LengthUnit = Field(LengthUnit.M, description="unit of the coordinates in the file")
    spacing: Length = Field(description="edge of the cubes that the cells are cut from")
    cells: Cells = Field(Cells.TETRAHEDRA, description="what the inside is filled with")

    def size(self) -> tuple[int, int]:
        geometry = self.geometry()
        return len(geometry.all_positions), len(geometry.links)

    def geometry(self) -> Geometry:
        return _built(stamp(self.file), self.unit.metres, self.spacing, self.cells)

    def link_weights(self, geometry: Geometry) -> Floats:
        if self.cells is Cells.LATTICE:
            return _lattice_weights(geometry, self.spacing)
        return bcc_weights(geometry.position, geometry.elements, geometry.links, self.spacing)


@lru_cache(maxsize=4)
def _built(file: tuple[str, float, int], metres: float, spacing: float, cells: Cells) -> Geometry:
    surface = read_surface(file[0], metres)
    skin = subdivided(surface, spacing)  # before the filling, which takes much longer than to refuse too many faces
    filling = fill_lattice(surface, spacing) if cells is Cells.LATTICE else fill_bcc(surface, spacing)
    host, weight = carriers(skin.position, filling.position, filling.tetrahedra)
    share = volume_shares(len(filling.position), filling.tetrahedra, cell_sizes(filling.position, filling.tetrahedra))
    found = share.sum() / surface.volume
    notice = (
        f"{len(filling.tetrahedra)} tetrahedra fill {100 * found:.3g} % of the surface's volume; the mass is that of the whole."
    )
    return Geometry(
        filling.position,
        _links(filling),
        share / found,
        skin.triangles + len(filling.position),
        dict(filling.cells),
        dimension=3,
        up=2,
        rest_size=surface.volume,
        faces=BOX_FACES,
        elements=filling.tetrahedra,
        embedded=(EmbeddedNodes(host, weight),),
        face_depth=0.6 * spacing,
        notices=(*skin.notices, *filling.notices, notice),
    )


def _links(filling: Filling) -> Integers:
    """Edges of the tetrahedra; or all pairs of each cube's corners."""
    cells = filling.cells.get("hexahedron", filling.tetrahedra)
    pairs = np.concatenate([cells[:, [i, j]] for i, j in combinations(range(cells.shape[1]), 2)])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _lattice_weights(geometry: Geometry, spacing: float) -> Floats:
    """Each cube gives its share of an axis link (4/3 of the spacing, shared by 4), a face diagonal (2/3, by 2), a body diagonal (1/4)."""
    hexahedra, links = geometry.cells["hexahedron"], geometry.links
    count = len(geometry.position)
    key = links[:, 0] * count + links[:, 1]
    weights = np.zeros(len(links))
    for i, j in combinations(range(8), 2):
        pair = np.sort(hexahedra[:, [i, j]], axis=1)
        axes = round(float(((geometry.position[pair[0, 1]] - geometry.position[pair[0, 0]]) ** 2).sum() / spacing**2))
        np.add.at(weights, np.searchsorted(key, pair[:, 0] * count + pair[:, 1]), {1: 1 / 3, 2: 1 / 3, 3: 1 / 4}[axes] * spacing)
    return weights
