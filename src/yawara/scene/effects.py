"""What keeps a body in shape beside its links: barriers against the inversion of cells, pressures and constraints that keep volume."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from yawara.checks import Part, Quantity

Share = Annotated[float, Quantity("1", gt=0, le=0.5, remedy="0.25 lets a cell be pressed to a quarter of its height unhindered")]
Stiffness = Annotated[float, Quantity("N/m", gt=0, remedy="leave it out to have it derived from the links")]
Damping = Annotated[float, Quantity("N s/m", ge=0, remedy="leave it out to have it derived from stiffness and mass")]
Modulus = Annotated[float, Quantity("Pa", ge=0, remedy="10 to 100 times Young's modulus keeps the volume within a few percent")]
BulkViscosity = Annotated[float, Quantity("Pa s", ge=0, remedy="a hundredth of the modulus, in seconds, damps well")]
Rate = Annotated[float, Quantity("1/s", gt=0, remedy="leave it out to have it follow from the step")]
Factor = Annotated[float, Quantity("1", gt=0, remedy="Noborio et al. 2003 use 0.5")]


class InversionBarrier(Part):
    """Voigt elements that keep each corner of a cell on its side of the opposite edge or face."""

    threshold: Share = Field(0.25, description="height of a corner, over its height at rest, below which its element pushes")
    stiffness: Stiffness | None = Field(
        None, description="stiffness of an element; if left out, three times that of the body's links"
    )
    damping: Damping | None = Field(None, description="viscosity of an element; if left out, a quarter of the critical one")


class Volume(Part):
    """Pressures by the change of volume (of area, in a flat body): of the whole body, of each cell, or through cell centres."""

    old_names: ClassVar[Mapping[str, str]] = {"whole": "cavity", "whole_damping": "cavity_damping"}

    cavity: Modulus = Field(
        0.0,
        description="one pressure in the whole body, per relative change of the volume that its surface encloses: k_vol times its volume",
    )
    cavity_damping: BulkViscosity = Field(0.0, description="pressure per relative rate of change: c_vol times its volume")
    cells: Modulus = Field(0.0, description="the same for every cell by itself: a bulk modulus beside that of the links")
    cells_damping: BulkViscosity = Field(0.0, description="and its viscosity")
    centres: bool = Field(False, description="lattices only: cell centres, linked to 8 corners, instead of body diagonals")
    centre_factor: Factor = Field(0.5, description="coefficients of the links to centres, over those of the others")


class Per(StrEnum):
    """Of what the volume stays the same; a flat body has its area for its volume."""

    BODY = "body"  # of the whole
    CELL = "cell"  # of each cube or square, or of whatever cells a body has
    PATCH = "patch"  # of about four triangles or eight tetrahedra that hang together
    ELEMENT = "element"  # of each tetrahedron or triangle: mostly more than a body can bear


class Incompressible(Part):
    """Volume that stays the same by constraints, without a modulus: whatever pressures that takes."""

    per: Per = Field(Per.CELL, description="of what the volume stays the same")
    rate: Rate | None = Field(
        None,
        description="w in R'' + 2 w R' + w^2 R = 0: errors R of the volume fall as exp(-w t); if left out, as fast as steps allow",
    )
