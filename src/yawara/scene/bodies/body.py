"""What all bodies have in common: a material or a law for their links, a mass, a place and a first velocity."""

from abc import abstractmethod
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.core.family import AnyFamily, Family
from yawara.core.geometry import Geometry
from yawara.kernels.kinds import Floats
from yawara.laws import AnyLaw, Law
from yawara.materials import AnyMaterial
from yawara.materials.material import Density
from yawara.scene.bodies.region import LinkKind, Region
from yawara.scene.effects import Incompressible, InversionBarrier, Volume
from yawara.scene.fields import Position, Velocity
from yawara.terms import LINKS, OF_MATERIAL

Mass = Annotated[float, Quantity("kg", gt=0, remedy="give the whole body's mass in kilograms")]

# Peak while building a 60^3 truss and lattice, so that a scene that cannot fit is refused before it is built.
BYTES_PER_POINT = 1000
BYTES_PER_LINK = 400


class MassSharing(StrEnum):
    BY_VOLUME = "by_volume"  # each cell's mass in equal parts to its corners
    EQUAL = "equal"  # every point the same, as in Noborio et al. 2003


class Body(Part):
    """A deformable body: mass points joined by links of one law, and of others in its regions."""

    old_names: ClassVar[Mapping[str, str]] = {"topology": "inversion_barrier"}
    dimension: ClassVar[int] = 3  # 0 if only its file knows
    can_have_centres: ClassVar[bool] = False
    if TYPE_CHECKING:
        shape: str  # every shape has its own literal

    law: AnyLaw | None = Field(None, description="the rheological law of every link that no region takes; or give material")
    material: AnyMaterial | None = Field(None, description="a material by name or by its moduli; or give law")
    elements: AnyFamily | None = Field(
        None,
        description="what carries its stress: the type of a family of elements, or its table; if left out, links with a law, continuum "
        "elements with a material",
    )
    density: Density | None = Field(None, description="density, if not the material's; or give mass")
    mass: Mass | None = Field(None, description="mass of the whole body; or give density")
    mass_sharing: MassSharing = Field(MassSharing.BY_VOLUME, description="how points share the mass")
    origin: Position = Field(
        (0.0, 0.0, 0.0), description="where the body's own coordinates begin: its lowest corner, or the origin of its file"
    )
    velocity: Velocity = Field((0.0, 0.0, 0.0), description="velocity of all points at the start")
    inversion_barrier: InversionBarrier | None = Field(None, description="keeps cells from turning inside out")
    volume: Volume | None = Field(None, description="pressures that keep volume, or area")
    incompressible: Incompressible | None = Field(None, description="constraints that keep volume, or area")
    region: dict[str, Region] = Field(
        default_factory=dict, description="links with laws of their own; later ones take links from earlier ones"
    )

    @model_validator(mode="after")
    def _one_of_each(self) -> Self:
        self._check_family()
        if (self.density is None) == (self.mass is None) and not (self.material and self.density is None):
            got = "neither" if self.density is None else "both"
            raise fail(f"needs exactly one of density [kg/m^3] and mass [kg] (got {got}); keep one of them")
        effects = [name for name in ("inversion_barrier", "volume", "incompressible") if getattr(self, name) is not None]
        if self.dimension == 1 and effects:
            what = f"{' and '.join(effects)} must be left out (got a row of points, which has no cells); use a sheet or a block"
            raise fail(what)
        if self.volume is not None and self.volume.centres and not self.can_have_centres:
            raise fail(
                f"volume.centres must be false in a {self.shape} (got true), as it needs cubes with body diagonals; use a lattice"
            )
        if self.material is not None:
            if self.dimension and self.family.joins:
                self.material.bulk_weight(self.dimension)  # refuses a Poisson's ratio that such a body cannot have
            if self.volume is not None and (self.volume.cells or self.volume.cells_damping):
                raise fail("volume.cells must be 0 with a material (got a value), whose Poisson's ratio sets it; leave it out")
        for name, region in self.region.items():
            self._check_region(f"region.{name}", region)
        return self

    def _check_family(self) -> None:
        """Who says what its elements do."""
        given, kind = [name for name in ("law", "material") if getattr(self, name) is not None], self.family.title
        if not self.family.needs_material:
            if given:
                raise fail(f"must have no {given[0]} (got one), as its {kind} have coefficients of their own; leave it out")
        elif len(given) != 1:
            got = "both" if given else "neither"
            raise fail(f"needs exactly one of law and material (got {got}); keep one of them")
        elif self.law is not None and not self.family.takes_law:
            raise fail(f"must have a material (got a law, which is one of links), as its elements are {kind}; give its moduli")
        materials = {"": self.material} | {f"region.{name}.": region.material for name, region in self.region.items()}
        for place, material in materials.items():
            measured = material.measured if material is not None else []
            if measured and not self.family.takes_measured:
                able = " or ".join(f"'{name}'" for name, other in Family.rooms.items() if getattr(other, "takes_measured", False))
                what = f"{place}material.{measured[0]} must be left out with {kind} (got one), which cannot have it"
                raise fail(f"{what}; use elements = {able}")

    def _check_region(self, place: str, region: Region) -> None:
        """What a region must have in common with the body."""
        if region.kind is LinkKind.IN and not (self.volume is not None and self.volume.centres):
            raise fail(
                f"{place}.kind must be 'all' or 'on' without cell centres (got 'in'); use a lattice with volume.centres = true"
            )
        if (region.law is None) != (self.law is None):
            wanted, got = ("law", "material") if region.law is None else ("material", "law")
            raise fail(f"{place} must have a {wanted} as the body has (got a {got}); give both a law, or both a material")
        if region.material is None or self.material is None:
            return
        if self.dimension and self.family.joins:
            try:
                region.material.bulk_weight(self.dimension)
            except ValueError as error:
                raise fail(f"{place}.material: {error}") from None
        if self.density is None and self.mass is None and region.material.density != self.material.density:
            raise fail(
                f"{place}.material must have the body's density of {self.material.density:g} kg/m^3 (got {region.material.density:g}), "
                "as the mass does not follow regions; give the body a density or a mass, which then holds for all of it"
            )

    def of_region(self, region: Region | None) -> Self:
        """As if all links followed the region's law; without one, the body's own."""
        changed = {} if region is None else {"law": region.law, "material": region.material}
        return self.model_copy(update={**changed, "region": {}})

    @property
    def family(self) -> Family:
        """What its elements are; if nothing is said, by what it has: cell centres and laws belong to links, a row has no cells."""
        if self.elements is not None:
            return self.elements
        has_centres = self.volume is not None and self.volume.centres
        return LINKS if self.law is not None or self.dimension == 1 or has_centres else OF_MATERIAL

    @property
    def link_law(self) -> Law:
        """Of a link of weight 1: as given, or in the material's shear modulus."""
        if self.material is not None:
            return self.material.law()
        assert self.law is not None
        return self.law

    @abstractmethod
    def link_weights(self, geometry: Geometry) -> Floats:
        """[m], (link_count,): what turns the material's shear modulus into the stiffness of each link.

        They follow from the shape and from Poisson's ratio, and from nothing else of the material.
        """

    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Numbers of points and of links, of a grid without building it; for one that is refined, at most."""

    @abstractmethod
    def geometry(self) -> Geometry:
        """The natural state, origin at zero."""

    def memory_needed(self) -> int:
        """[B], for points and links together."""
        points, links = self.size()
        parts = max(self.of_region(region).link_law.parts for region in (None, *self.region.values())) if self.family.joins else 1
        return points * BYTES_PER_POINT + links * BYTES_PER_LINK * max(1, parts)

    def point_mass(self, geometry: Geometry) -> Floats:
        """[kg], (point_count,); sums to density times volume, or to the given mass."""
        share = self.family.shares(geometry)
        volume = float(share.sum())
        density = self.density or (self.material.density if self.material else 0.0)
        total = self.mass if self.mass is not None else density * volume
        if self.mass_sharing is MassSharing.EQUAL:
            return np.full(len(share), total / len(share))
        return share * (total / volume)
