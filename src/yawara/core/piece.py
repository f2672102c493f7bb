"""What a room gets to build its term from: the bodies on their way into the model, and what the scene says of the rest."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from yawara.core.geometry import Geometry
from yawara.core.model import PointArrays
from yawara.kernels.kinds import Floats

if TYPE_CHECKING:  # a scene is above all this: rooms read what it says, but need not know where it comes from
    from yawara.scene.bodies.body import Body
    from yawara.scene.parts import BodyPart
    from yawara.scene.tools.tool import Tool
    from yawara.tools.contact import Contact


MOST_WEIGHTS = 8  # kept of a body: regions may have several Poisson's ratios


@dataclass(frozen=True)
class Piece:
    """A body on its way into the model."""

    name: str
    body: "Body"
    geometry: Geometry
    offset: int  # its first point
    mass: Floats  # [kg], (point_count,), zero for embedded nodes
    parts: "Sequence[BodyPart]"  # what of it follows which law
    weights: dict[float, Floats] = field(default_factory=dict, repr=False)  # [m], of links, by Poisson's ratio: found so far

    @property
    def typical_mass(self) -> float:
        """[kg], of a point."""
        return float(np.median(self.mass[: len(self.geometry.position)]))

    def columns(self, part: "BodyPart") -> dict[str, Floats]:
        """Coefficients of what joins neighbours, by the part's law and their places in the whole body."""
        geometry = self.geometry
        if part.body.material is not None:
            factor = self._weights(part.body, part.body.material.poisson)
        else:
            factor = np.ones(len(geometry.links)) if geometry.link_factor is None else geometry.link_factor
        column = part.body.link_law.link_columns(geometry.rest_lengths[part.links], factor[part.links])
        count = len(part.links)
        return {name: one if np.shape(one) == (count,) else np.broadcast_to(one, count) for name, one in column.items()}

    def _weights(self, body: "Body", poisson: float) -> Floats:
        """[m], (link_count,): they follow from the shape and from Poisson's ratio, and are handed on when other numbers change."""
        if poisson not in self.weights:
            if len(self.weights) >= MOST_WEIGHTS:
                self.weights.clear()
            self.weights[poisson] = body.link_weights(self.geometry)
        return self.weights[poisson]

    def typical_strength(self) -> tuple[float, float]:
        """Stiffness [N/m] and viscosity [N s/m] between neighbours."""
        return self.body.family.strength(self)


@dataclass(frozen=True)
class Request:
    """A scene as the rooms see it."""

    pieces: tuple[Piece, ...]
    point: PointArrays
    rest_position: Floats  # [m], (point_count, 3)
    tools: "Mapping[str, Tool]" = field(default_factory=dict)  # their points are the last ones
    contact: "Contact | None" = None
    terms: Mapping[str, Any] = field(default_factory=dict)  # tables of the scene for rooms that no body asks for, by name
    methods: Mapping[str, Any] = field(default_factory=dict)  # and for methods of stepping

    @property
    def point_count(self) -> int:
        return len(self.point.mass)

    @property
    def first_points(self) -> np.ndarray:
        """Of each body."""
        return np.array([piece.offset for piece in self.pieces], np.int64)
