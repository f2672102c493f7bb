"""What all tools have in common: a place, a motion, friction."""

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.kernels.kinds import Floats
from yawara.meshes.distance import DistanceGrid
from yawara.scene.fields import Position, VectorQuantity
from yawara.scene.tools.motion import AnyMotion, AnyTurn, Free, Pushed
from yawara.tools.contact import Coefficient

Rotation = Annotated[tuple[float, float, float], VectorQuantity("rad")]
Mass = Annotated[float, Quantity("kg", gt=0, remedy="give the tool's mass in kilograms")]
X, Z = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])


class Tool(Part):
    """A rigid shape that bodies cannot enter."""

    if TYPE_CHECKING:
        shape: str  # every shape has its own literal

    origin: Position = Field((0.0, 0.0, 0.0), description="where it is at the start")
    rotation: Rotation = Field((0.0, 0.0, 0.0), description="how it is turned at the start: axis times angle")
    motion: AnyMotion | None = Field(None, description="how it moves; it stays if left out")
    turn: AnyTurn | None = Field(None, description="how it turns about its axis; it does not if left out")
    mass: Mass | None = Field(None, description="needed if it is pushed or turns freely; by hand, if a program pushes it")
    friction: Coefficient | None = Field(None, description="Coulomb's coefficient; the contact's if left out")

    @model_validator(mode="after")
    def _has_mass(self) -> Self:
        if self.mass is None and (isinstance(self.motion, Pushed) or isinstance(self.turn, Free)):
            raise fail("mass [kg] must be given (got none), as the tool is pushed or turns freely; write for example mass = 1.0")
        return self

    @property
    @abstractmethod
    def kind(self) -> int:
        """Number of its shape in the kernels."""

    @property
    @abstractmethod
    def size_entries(self) -> tuple[float, ...]:
        """[m], by kind."""

    @property
    @abstractmethod
    def thin(self) -> float:
        """[m], half of its least thickness."""

    @property
    @abstractmethod
    def bound(self) -> float:
        """[m], radius of a ball about its origin that holds it."""

    @property
    def axis(self) -> Floats:
        """About which it turns, in its own coordinates."""
        return Z

    @property
    def surface_speed(self) -> Floats:
        """[m/s], of a belt, in its own coordinates."""
        return np.zeros(3)

    @property
    def inertia(self) -> float:
        """[kg m^2], about its axis."""
        return (self.mass or 0.0) * 0.4 * self.bound**2

    @property
    def turns_freely(self) -> bool:
        return isinstance(self.turn, Free)

    def matrix(self) -> Floats:
        """(3, 3): from its own to the world's coordinates at the start."""
        return rotation_matrix(self.rotation)

    @property
    def grid(self) -> DistanceGrid | None:
        """Samples of its distance, if it is no simple shape."""
        return None

    @abstractmethod
    def surface(self) -> tuple[Floats, np.ndarray]:
        """Points [m] and triangles in its own coordinates, for pictures and exports."""


def rotation_matrix(vector: tuple[float, float, float]) -> Floats:
    """Rodrigues' formula for an axis times an angle [rad]."""
    angle = float(np.linalg.norm(vector))
    if angle == 0.0:
        return np.eye(3)
    x, y, z = np.array(vector) / angle
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    result: Floats = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return result
