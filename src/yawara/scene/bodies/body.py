"""What all bodies have in common: a law for their links, a mass, a place and a first velocity."""

from abc import abstractmethod
from enum import StrEnum
from typing import Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.laws import AnyLaw
from yawara.model import Floats
from yawara.scene.bodies.geometry import Geometry
from yawara.scene.effects import Topology, Volume
from yawara.scene.fields import Position, Velocity

Density = Annotated[float, Quantity("kg/m^3", gt=0, remedy="dough has about 1200, water 1000")]
Mass = Annotated[float, Quantity("kg", gt=0, remedy="give the whole body's mass in kilograms")]

# Peak while building a 60^3 truss and lattice, so that a scene that cannot fit is refused before it is built.
BYTES_PER_POINT = 1000
BYTES_PER_LINK = 400


class MassSharing(StrEnum):
    BY_VOLUME = "by_volume"  # each cell's mass in equal parts to its corners
    EQUAL = "equal"  # every point the same, as in the papers


class Body(Part):
    """A deformable body: mass points joined by links of one law."""

    law: AnyLaw = Field(description="the rheological law of the links")
    density: Density | None = Field(None, description="density; or give mass")
    mass: Mass | None = Field(None, description="mass of the whole body; or give density")
    mass_sharing: MassSharing = Field(MassSharing.BY_VOLUME, description="how points share the mass")
    origin: Position = Field((0.0, 0.0, 0.0), description="where the body's lowest corner is")
    velocity: Velocity = Field((0.0, 0.0, 0.0), description="velocity of all points at the start")
    topology: Topology | None = Field(None, description="guards that keep cells from turning inside out")
    volume: Volume | None = Field(None, description="pressures that keep volume, or area")

    @model_validator(mode="after")
    def _one_mass(self) -> Self:
        if (self.density is None) == (self.mass is None):
            got = "neither" if self.density is None else "both"
            raise fail(f"needs exactly one of density [kg/m^3] and mass [kg] (got {got}); keep one of them")
        return self

    @abstractmethod
    def size(self) -> tuple[int, int]:
        """Numbers of points and of links, without building them."""

    @abstractmethod
    def geometry(self) -> Geometry:
        """The natural state, origin at zero."""

    def memory_needed(self) -> int:
        """[B], for points and links together."""
        points, links = self.size()
        return points * BYTES_PER_POINT + links * BYTES_PER_LINK * max(1, self.law.parts)

    def point_mass(self, geometry: Geometry) -> Floats:
        """[kg], (point_count,); sums to density times volume, or to the given mass."""
        volume = float(geometry.share.sum())
        total = self.mass if self.mass is not None else (self.density or 0.0) * volume
        if self.mass_sharing is MassSharing.EQUAL:
            return np.full(len(geometry.share), total / len(geometry.share))
        return geometry.share * (total / volume)
