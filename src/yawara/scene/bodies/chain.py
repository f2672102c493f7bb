"""A straight row of points along x."""

from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.checks import Quantity
from yawara.core.geometry import Geometry, grid, volume_shares
from yawara.kernels.kinds import Floats
from yawara.scene.bodies.body import Body
from yawara.scene.bodies.weights import chain_weights, link_lengths
from yawara.scene.fields import Counts, Length

FACES = {"first": (0, -1), "last": (0, 1), "left": (0, -1), "right": (0, 1)}
Area = Annotated[float, Quantity("m^2", gt=0, remedy="give the cross section of the row")]


class Chain(Body):
    """n points in a row, joined by n - 1 links."""

    dimension: ClassVar[int] = 1
    shape: Literal["chain"] = Field("chain")
    counts: Annotated[tuple[int], Counts(1)] = Field(description="points along x")
    spacing: Length = Field(description="distance between neighbouring points")
    cross_section: Area = Field(1e-4, description="turns length into volume, for the mass")

    def size(self) -> tuple[int, int]:
        return self.counts[0], self.counts[0] - 1

    def geometry(self) -> Geometry:
        count = self.counts[0]
        links = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
        return Geometry(
            grid((count,), (self.spacing,)),
            links,
            volume_shares(count, links, np.full(count - 1, self.spacing * self.cross_section)),
            np.zeros((0, 3), np.int64),
            {"line": links},
            dimension=1,
            up=0,
            rest_size=(count - 1) * self.spacing,
            faces=FACES,
        )

    def link_weights(self, geometry: Geometry) -> Floats:
        assert self.material is not None
        return chain_weights(link_lengths(geometry.position, geometry.links), self.cross_section, self.material.poisson)
