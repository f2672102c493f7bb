"""Bodies of links: points joined to their neighbours, each link with the body's law, or with the material's."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from pydantic import Field

from yawara.core.family import Family
from yawara.core.piece import Piece

if TYPE_CHECKING:
    from yawara.core.geometry import Geometry
    from yawara.scene.bodies.body import Body


class LinkFamily(Family):
    """Links between neighbours."""

    joins: ClassVar[bool] = True
    takes_law: ClassVar[bool] = True
    type: Literal["links"] = Field("links")

    def problems(self, body: "Body", geometry: "Geometry") -> Iterator[tuple[str, str]]:
        """Poisson's ratios that the dimension does not allow."""
        if body.material is not None:
            try:
                body.material.bulk_weight(geometry.dimension)
            except ValueError as error:
                yield "material", str(error)

    def strength(self, piece: Piece) -> tuple[float, float]:
        """Medians; of several laws, the largest. Zero without neighbours."""
        stiffness, viscosity = 0.0, 0.0
        for part in piece.parts:
            if len(part.links):
                k, c = part.body.link_law.family.instant(piece.columns(part))
                stiffness, viscosity = max(stiffness, float(np.median(k))), max(viscosity, float(np.median(c)))
        return stiffness, viscosity
