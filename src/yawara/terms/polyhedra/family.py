"""Bodies of elements that keep their shapes: what a body's table says of them."""

import math
from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Quantity, fail
from yawara.core.family import Family
from yawara.core.piece import Piece
from yawara.terms.polyhedra.coefficients import coefficients
from yawara.terms.polyhedra.shapes import cells_of

if TYPE_CHECKING:
    from yawara.core.geometry import Geometry
    from yawara.materials import Material
    from yawara.scene.bodies.body import Body

Stiffness = Annotated[float, Quantity("N/m", gt=0, remedy="a cube with the edge L of a material with the modulus E has E L/2")]
Damping = Annotated[float, Quantity("N s/m", ge=0, remedy="a damper cannot feed energy")]
Passes = Annotated[int, Quantity("1", ge=1, le=3, whole=True, remedy="two are enough in practice")]


class Rotation(StrEnum):
    ATAN = "atan"  # eq. (13), whose solution is taken for the tangent of an angle: exact if the element has only turned
    LINEAR = "linear"  # eq. (13) as printed: it turns too far, and one pass in a step makes bodies spin
    POLAR = "polar"  # the nearest of all rotations, found anew


class DampingForm(StrEnum):
    DEFORMING = "deforming"  # what deforms the element
    PRINTED = "printed"  # all that moves its corners about their mean: it brakes bodies that turn


class Polyhedra(Family):
    """Elements that return to their shapes (Miyazaki et al. 1999)."""

    type: Literal["polyhedra"] = Field("polyhedra")
    k: Stiffness | None = Field(
        None, description="force over displacement of a corner, of every element; or give the body a material"
    )
    D: Damping | None = Field(None, description="force over velocity of a corner, of every element; 0 if left out; with k only")
    rotation: Rotation = Field(Rotation.ATAN, description="how an element's rotation is found; flat ones have a closed form")
    iterations: Passes = Field(2, description="passes in which it is found, each step; without meaning for polar and flat ones")
    damping_form: DampingForm = Field(DampingForm.DEFORMING, description="what dampers feel")

    @model_validator(mode="after")
    def _together(self) -> Self:
        if self.D is not None and self.k is None:
            got = f"D must be given together with k [N/m] (got {self.D:g} N s/m alone)"
            raise fail(f"{got}; add k, or leave D out and give the material a retardation_time")
        return self

    @property
    def needs_material(self) -> bool:
        return self.k is None

    def problems(self, body: "Body", geometry: "Geometry") -> Iterator[tuple[str, str]]:
        if not cells_of(geometry):
            what = f"must be links in a {body.shape} (got {self.title}), which has no cells; leave elements out, or use a sheet or a block"
            yield "elements", what
        if self.k is not None and body.region:
            what = "must be left out with elements.k (got a region), which holds for the whole body; give the body a material instead"
            yield "region", what
        if body.material is not None:
            yield from _material_problems(body.material)

    def strength(self, piece: Piece) -> tuple[float, float]:
        """Medians of the elements' k and D."""
        k, D, _ = coefficients(piece)
        return float(np.median(k)), float(np.median(D))


def _material_problems(material: "Material") -> Iterator[tuple[str, str]]:
    if math.isfinite(material.relaxation):
        what = (
            f"must not flow (got a relaxation time of {material.relaxation:g} s), as elements that keep their shapes spring back in full; "
            'leave out relaxation_time, flow_viscosity and residual_fraction, or use elements = "links"'
        )
        yield "material", what
    if material.poisson not in (0.0, type(material).model_fields["poisson"].default):
        what = (
            f"poisson must be left out (got {material.poisson:g}), as elements that keep their shapes have 0 and Young's modulus; "
            "give the body volume.cavity to keep its volume"
        )
        yield "material", what
