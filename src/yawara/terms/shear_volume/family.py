"""Bodies of shear and volume elements (Hirai 2005, ch. 4): a body says which form they have, and how they resist."""

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.core.family import Family
from yawara.materials.quantities import LARGEST_POISSON, Flow, Moduli, Modulus, Viscosities, Viscosity
from yawara.terms.shear_volume.table import BulkModulus, Series, of_material, series

if TYPE_CHECKING:
    from yawara.core.geometry import Geometry
    from yawara.core.piece import Piece
    from yawara.scene.bodies.body import Body


class Form(StrEnum):
    PRINTED = "printed"  # as in the source, with the sign that restores
    COT = "cot"  # the same shears, with weights under which triangles have the material's shear modulus, and a potential
    DEVIATORIC = "deviatoric"  # corotational deviator of the strain


class Reaction(StrEnum):
    LINE = "line"  # where the line of action of each shear meets the plane of the neighbours: no torque
    THIRDS = "thirds"  # of the whole shear force: leaves a torque


NO_POTENTIAL = (
    "The {form} form of shear and volume elements has no potential: on closed paths of strain it gives or takes energy, and a body "
    "without viscosities may swing up by itself (energy.shear_volume tells how much it took). Give it viscosities, or use a family of "
    "elements with a potential."
)
OWN = (
    "shear_modulus", "shear_viscosity", "shear_flow", "shear_moduli", "shear_viscosities",
    "bulk_modulus", "bulk_viscosity", "bulk_flow",
)  # fmt: skip


class ShearVolume(Family):
    """Shear and volume elements."""

    type: Literal["shear_volume"] = Field("shear_volume")
    form: Form = Field(Form.DEVIATORIC, description="what shear elements measure, and how they push")
    shear_modulus: Modulus | None = Field(None, description="of what springs back in shear, G1; or use a material")
    shear_viscosity: Viscosity | None = Field(None, description="beside it, Gv1; 0 if left out")
    shear_flow: Flow | None = Field(None, description="of the damper in series, Gv2; if left out, the body does not flow")
    shear_moduli: Moduli | None = Field(None, description="of Voigt elements in series, instead of these three")
    shear_viscosities: Viscosities | None = Field(None, description="of Voigt elements in series")
    bulk_modulus: BulkModulus | None = Field(None, description="against a change of volume; of area in a flat body")
    bulk_viscosity: Viscosity | None = Field(None, description="beside it; 0 if left out")
    bulk_flow: Flow | None = Field(None, description="of a damper in series; if left out, volume comes back in full")
    reaction: Reaction = Field(Reaction.LINE, description="of printed shears in space, for which the source gives none")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        given = [name for name in OWN if getattr(self, name) is not None]
        if not given:
            return self
        lists, single = (self.shear_moduli, self.shear_viscosities), ("shear_modulus", "shear_viscosity", "shear_flow")
        if any(one is not None for one in lists):
            self._check_lists([name for name in single if name in given])
        elif self.shear_modulus is None:
            raise fail("shear_modulus must be given [Pa] (got none) beside other coefficients; 0 is a damper without a spring")
        if self.bulk_modulus is None:
            raise fail("bulk_modulus must be given [Pa] (got none) beside other coefficients; 0 leaves volume free")
        return self

    def _check_lists(self, single: list[str]) -> None:
        moduli, viscosities = self.shear_moduli or (), self.shear_viscosities or ()
        if single:
            raise fail(f"{single[0]} must be left out (got one) beside lists of Voigt elements; keep one of them")
        if len(moduli) != len(viscosities) or not moduli:
            raise fail(
                f"shear_moduli [Pa] and shear_viscosities [Pa s] must have as many numbers (got {len(moduli)} and {len(viscosities)}); "
                "give both of each Voigt element"
            )
        if not all(c > 0.0 for c in viscosities[1:]):
            raise fail(f"shear_viscosities must be > 0 Pa s after the first (got {list(viscosities)}); put the bare spring first")

    @property
    def title(self) -> str:
        return "shear and volume elements"

    @property
    def needs_material(self) -> bool:
        return all(getattr(self, name) is None for name in OWN)

    def laws(self, body: "Body", dimension: int) -> tuple[Series, Series]:
        """Of shear and of bulk."""
        if body.material is not None:
            return of_material(body.material, dimension)
        if self.shear_moduli is not None:
            shear = series(*zip(self.shear_moduli, self.shear_viscosities or (), strict=True))
        else:
            shear = _three(self.shear_modulus, self.shear_viscosity, self.shear_flow)
        return shear, _three(self.bulk_modulus, self.bulk_viscosity, self.bulk_flow)

    def problems(self, body: "Body", geometry: "Geometry") -> Iterator[tuple[str, str]]:
        if geometry.dimension == 1 or not len(geometry.elements):
            yield "elements", f"must be links in a row of points (got {self.title}, which need cells); leave elements out"
            return
        if self.form is Form.COT and geometry.dimension == 3:
            yield "elements.form", "must be 'printed' or 'deviatoric' in a body with volume (got 'cot', a form of triangles)"
        if body.material is not None and geometry.dimension == 3 and body.material.poisson > LARGEST_POISSON:
            yield (
                "material.poisson",
                f"must be <= {LARGEST_POISSON} with {self.title} (got {body.material.poisson:g}): a bulk modulus is a number; lower it",
            )
        if body.region and self.needs_material is False:
            yield "region", f"must be left out (got one), as its {self.title} have coefficients of their own; use a material"
        elif body.region and self.form is Form.PRINTED and not {"quad", "hexahedron"}.isdisjoint(geometry.cells):
            yield "region", "must be left out (got one) with printed shears of squares or cubes; use form = 'deviatoric'"

    def notices(self) -> Iterator[str]:
        if self.form is not Form.COT:
            yield NO_POTENTIAL.format(form=self.form.value)

    def strength(self, piece: "Piece") -> tuple[float, float]:
        """The shear law over the distance of neighbours, of the strongest part."""
        geometry = piece.geometry
        size = geometry.thickness if geometry.dimension == 2 else float(np.median(geometry.rest_lengths))
        laws = [self.laws(part.body, geometry.dimension)[0] for part in piece.parts]
        return size * max(law.a for law in laws), size * max(law.b for law in laws)


def _three(k: float | None, c: float | None, flow: float | None) -> Series:
    parts = [(k or 0.0, c or 0.0)]
    return series(*parts, *([(0.0, flow)] if flow is not None else []))
