"""Bodies of continuum elements: what a body's table says of them."""

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.core.family import Family
from yawara.core.geometry import volume_shares
from yawara.kernels.kinds import Floats
from yawara.terms.continuum.cells import of_boxes
from yawara.terms.continuum.constants import PLANE_STRAIN, PLANE_STRESS, SOLID

if TYPE_CHECKING:
    from yawara.core.geometry import Geometry, Integers
    from yawara.core.piece import Piece
    from yawara.scene.bodies.body import Body

MOST_POISSON = 0.499
OF_CUBES = [0, 4, 6, 2, 1, 5, 7, 3]  # corners of a grid's cubes, whose numbers run along z first, in meshio's order


# Simplices at the corners of boxes in meshio's order: a corner and its neighbours along the box's own axes, in a right-handed order
CORNERS = {
    2: np.array([[0, 1, 3], [1, 2, 0], [2, 3, 1], [3, 0, 2]]),
    3: np.array([[0, 1, 3, 4], [1, 2, 0, 5], [2, 3, 1, 6], [3, 0, 2, 7], [4, 7, 5, 0], [5, 4, 6, 1], [6, 5, 7, 2], [7, 6, 4, 3]]),
}


class Cells(StrEnum):
    AUTO = "auto"  # boxes where the body has some, else nodal
    BOXES = "boxes"  # hexahedra, quadrilaterals: one stress point each, and springs against bending
    NODAL = "nodal"  # tetrahedra, triangles: a stress point at each of the body's points
    SIMPLE = "simple"  # tetrahedra, triangles: one stress point each; too stiff in bending


class Plane(StrEnum):
    STRESS = "stress"  # a thin sheet: nothing pushes across
    STRAIN = "strain"  # a slice of a long body: nothing moves across


class Continuum(Family):
    """Elements of a continuum with the material's moduli, in large rotations and strains."""

    takes_measured: ClassVar[bool] = True
    any_poisson: ClassVar[bool] = True
    type: Literal["continuum"] = Field("continuum")
    cells: Cells = Field(Cells.AUTO, description="which elements; auto takes boxes where the body has some, else nodal ones")
    plane: Plane = Field(Plane.STRESS, description="what a flat body stands for: a thin sheet, or a slice of a long body")

    @property
    def title(self) -> str:
        return "continuum elements"

    def kind(self, geometry: "Geometry") -> Cells:
        """What `auto` comes to."""
        if self.cells is not Cells.AUTO:
            return self.cells
        return Cells.BOXES if len(boxes_of(geometry)) else Cells.NODAL

    def plane_of(self, geometry: "Geometry") -> int:
        if geometry.dimension == 3:
            return SOLID
        return PLANE_STRESS if self.plane is Plane.STRESS else PLANE_STRAIN

    def problems(self, body: "Body", geometry: "Geometry") -> Iterator[tuple[str, str]]:
        if geometry.dimension == 1 or not len(geometry.elements):
            yield "elements", f"must be links in a row of points (got {self.title}, which need cells); leave elements out"
            return
        if self.cells is Cells.BOXES and not len(boxes_of(geometry)):
            what = f"must be 'nodal' in a {body.shape} (got 'boxes'), which has no cells of that shape; leave it out"
            yield "elements.cells", what
        nu = body.material.poisson if body.material is not None else 0.0
        if nu > MOST_POISSON:
            yield (
                "material.poisson",
                f"must be <= {MOST_POISSON} with {self.title} (got {nu:g}), as the bulk modulus must be finite; 0.49 keeps volume well",
            )

    def shares(self, geometry: "Geometry") -> Floats:
        """Of boxes, an equal part to each corner, however they were cut into simplices."""
        boxes = boxes_of(geometry)
        if self.kind(geometry) is not Cells.BOXES or not len(boxes):
            return geometry.share
        size = of_boxes(geometry.position, boxes, geometry.thickness).volume
        found = volume_shares(len(geometry.position), boxes, size)
        return found * (geometry.share.sum() / found.sum())

    def corners(self, geometry: "Geometry") -> "Integers":
        """Of boxes, what is at each of their corners: the part of a cube within it may well be flat where the cube is in order."""
        boxes = boxes_of(geometry)
        if self.kind(geometry) is not Cells.BOXES or not len(boxes):
            return super().corners(geometry)
        return boxes[:, CORNERS[geometry.dimension]]

    def strength(self, piece: "Piece") -> tuple[float, float]:
        """Young's modulus over the distance of neighbours, of the stiffest part."""
        geometry = piece.geometry
        size = geometry.thickness if geometry.dimension == 2 else float(np.median(geometry.rest_lengths))
        materials = [part.body.material for part in piece.parts if part.body.material is not None]
        return size * max(one.youngs for one in materials), size * max(one.youngs * one.retardation for one in materials)


def boxes_of(geometry: "Geometry") -> np.ndarray:
    """(cell_count, 8), or (cell_count, 4) in the plane, in meshio's order."""
    name = "hexahedron" if geometry.dimension == 3 else "quad"
    if name in geometry.cells:
        return geometry.cells[name]
    return geometry.cubes[:, OF_CUBES] if geometry.dimension == 3 else geometry.squares
