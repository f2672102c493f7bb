"""Bodies of linear finite elements with memory (Hirai 2005, English ch. 5): what a body's table says of them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.core.family import Family
from yawara.materials.quantities import LARGEST_POISSON, Flow, Moduli, Modulus, Viscosities, Viscosity
from yawara.terms.linear_elements.branches import Branches
from yawara.terms.linear_elements.lame import Plane
from yawara.terms.linear_elements.laws import of_material, of_table
from yawara.terms.linear_elements.table import Arrangement, Poisson

if TYPE_CHECKING:
    from yawara.core.geometry import Geometry
    from yawara.core.piece import Piece
    from yawara.scene.bodies.body import Body

NOT_OBJECTIVE = (
    "Small-strain elements feel rigid rotations: a body that is turned by 10 degrees pushes outwards as if pressed together by 1.5 %, by "
    "90 degrees as if by 100 %, and angular momentum is kept only while rotations are small. Use another family of elements for bodies "
    "that turn or bend far."
)
OWN = ("youngs_modulus", "viscosity", "flow_viscosity", "youngs_moduli", "viscosities")
RATIOS = ("poisson", "viscous_poisson", "flow_poisson")


class SmallStrain(Family):
    """Linear bars, triangles and tetrahedra with memory."""

    type: Literal["small_strain"] = Field("small_strain")
    plane: Plane | None = Field(
        None, description="of a flat body: 'stress' if it is thin (as if left out), 'strain' if it is a slice"
    )
    youngs_modulus: Modulus | None = Field(
        None, description="E of what springs back; beside Maxwell arms, what lasts; or use a material"
    )
    viscosity: Viscosity | None = Field(None, description="c1 beside it, counted like Young's modulus; 0 if left out")
    flow_viscosity: Flow | None = Field(None, description="c2 of the damper in series; if left out, the body does not flow")
    youngs_moduli: Moduli | None = Field(None, description="of several parts, each with its viscosity")
    viscosities: Viscosities | None = Field(None, description="of several parts")
    arrangement: Arrangement = Field(
        Arrangement.SERIES, description="of these parts: Voigt elements in series, or Maxwell arms in parallel"
    )
    poisson: Poisson | None = Field(None, description="Poisson's ratio of moduli; 0.25 if left out; none in a row of points")
    viscous_poisson: Poisson | None = Field(None, description="of viscosities; that of moduli if left out")
    flow_poisson: Poisson | None = Field(None, description="of flow_viscosity; that of viscosities if left out")

    @model_validator(mode="after")
    def _whole(self) -> Self:
        lists = self.youngs_moduli is not None or self.viscosities is not None
        given = [name for name in OWN if getattr(self, name) is not None]
        if not given and (ratios := [name for name in RATIOS if getattr(self, name) is not None]):
            raise fail(f"{ratios[0]} must be given together with moduli (got it alone), or in the material; add youngs_modulus")
        if lists:
            self._check_lists()
        elif given and self.youngs_modulus is None:
            raise fail("youngs_modulus must be given [Pa] (got none) beside viscosities; 0 is a damper without a spring")
        elif given and not (self.youngs_modulus or self.viscosity):
            raise fail("youngs_modulus [Pa] and viscosity [Pa s] must not both be 0 (got 0 and 0); give one a value > 0")
        return self

    def _check_lists(self) -> None:
        moduli, viscosities = self.youngs_moduli or (), self.viscosities or ()
        if len(moduli) != len(viscosities) or not moduli:
            raise fail(
                f"youngs_moduli [Pa] and viscosities [Pa s] must have as many numbers (got {len(moduli)} and {len(viscosities)}); "
                "give both of each part"
            )
        if self.flow_viscosity is not None:
            raise fail("flow_viscosity must be left out (got one) beside lists; add a part with the modulus 0 in series instead")
        if self.arrangement is Arrangement.SERIES:
            self._check_series([*zip(moduli, viscosities, strict=True)])
        elif not all(k > 0.0 and c > 0.0 for k, c in zip(moduli, viscosities, strict=True)):
            raise fail(
                "youngs_moduli and viscosities of Maxwell arms must be > 0 (got a 0); what lasts is youngs_modulus, beside them"
            )

    def _check_series(self, parts: list[tuple[float, float]]) -> None:
        single = [name for name in ("youngs_modulus", "viscosity") if getattr(self, name) is not None]
        if single:
            raise fail(f"{single[0]} must be left out (got one) beside Voigt elements in series; make it one of them")
        if any(k == 0.0 and c == 0.0 for k, c in parts):
            raise fail("youngs_moduli and viscosities of a part must not both be 0 (got 0 and 0); leave the part out")

    @property
    def title(self) -> str:
        return "small-strain elements"

    @property
    def needs_material(self) -> bool:
        return all(getattr(self, name) is None for name in OWN)

    @property
    def ratios(self) -> tuple[float, float, float]:
        """Poisson's ratios of moduli, of viscosities, of the flow."""
        first = 0.25 if self.poisson is None else self.poisson
        second = first if self.viscous_poisson is None else self.viscous_poisson
        return first, second, second if self.flow_poisson is None else self.flow_poisson

    @property
    def plane_stress(self) -> bool:
        return self.plane is not Plane.STRAIN

    def laws(self, body: "Body", dimension: int) -> tuple[Branches, ...]:
        """Of lambda and of mu; in a row of points of Young's modulus."""
        return of_table(self, dimension) if body.material is None else of_material(self, body.material, dimension)

    def problems(self, body: "Body", geometry: "Geometry") -> Iterator[tuple[str, str]]:
        flat = geometry.dimension == 2
        if geometry.dimension > 1 and not len(geometry.elements):
            yield "elements", f"must be links in a {body.shape} (got {self.title}, which need cells); leave elements out"
        if self.plane is not None and not flat:
            yield "elements.plane", f"must be left out in a {body.shape} (got '{self.plane}'), which is not flat"
        free = flat and self.plane_stress
        if free and len(set(self.ratios)) > 1:
            got = ", ".join(f"{one:g}" for one in self.ratios)
            yield (
                "elements.viscous_poisson",
                f"must be that of moduli in plane stress (got {got}), as a free thickness would mix both laws; set plane = 'strain'",
            )
        if body.material is not None and geometry.dimension > 1 and not free and body.material.poisson > LARGEST_POISSON:
            yield "material.poisson", f"must be <= {LARGEST_POISSON} with {self.title} (got {body.material.poisson:g}); lower it"
        if body.region and not self.needs_material:
            yield "region", f"must be left out (got one), as its {self.title} have coefficients of their own; use a material"

    def notices(self) -> Iterator[str]:
        yield NOT_OBJECTIVE

    def strength(self, piece: "Piece") -> tuple[float, float]:
        """The law of mu over the distance of neighbours, in a row that of Young's modulus; of the strongest part."""
        geometry, dimension = piece.geometry, piece.geometry.dimension
        length = float(np.median(geometry.rest_lengths))
        section = float(geometry.share.sum()) / geometry.rest_size
        size = section / length if dimension == 1 else geometry.thickness if dimension == 2 else length
        laws = [self.laws(part.body, dimension)[-1] for part in piece.parts]
        return size * max(law.at_once for law in laws), size * max(law.damper for law in laws)
