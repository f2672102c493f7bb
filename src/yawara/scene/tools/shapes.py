"""The shapes that tools can have."""

from typing import Annotated, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import Quantity, fail
from yawara.kernels.kinds import Floats
from yawara.scene.fields import Length, VectorQuantity
from yawara.scene.tools import drawing
from yawara.scene.tools.tool import Tool, X
from yawara.tools.shapes import BOX, CYLINDER, PLANE, SPHERE

Size = Annotated[tuple[float, float, float], VectorQuantity("m")]
Direction = Annotated[tuple[float, float, float], VectorQuantity("1")]
Speed = Annotated[float, Quantity("m/s")]
UNBOUNDED = 1e9  # [m], larger than any scene


class Floor(Tool):
    """Everything behind a plane, which goes through the origin."""

    shape: Literal["floor"] = "floor"
    normal: Direction = Field((0.0, 0.0, 1.0), description="which way is out; of any length")
    extent: Length = Field(1.0, description="half width of the piece that pictures show")

    @model_validator(mode="after")
    def _has_direction(self) -> Self:
        if not np.linalg.norm(self.normal) > 0.0:
            raise fail("normal must not be [0, 0, 0] (got that); write for example [0.0, 0.0, 1.0]")
        if any(self.rotation):
            raise fail("rotation must be left out of a floor (got one), whose normal says all; set normal")
        return self

    @property
    def kind(self) -> int:
        return PLANE

    @property
    def size_entries(self) -> tuple[float, ...]:
        return ()

    @property
    def thin(self) -> float:
        return UNBOUNDED

    @property
    def bound(self) -> float:
        return UNBOUNDED

    def matrix(self) -> Floats:
        z = np.array(self.normal) / np.linalg.norm(self.normal)
        x = np.cross([0.0, 1.0, 0.0] if abs(z[1]) < 0.9 else [1.0, 0.0, 0.0], z)
        x /= np.linalg.norm(x)
        return np.stack([x, np.cross(z, x), z], axis=1)

    def surface(self) -> tuple[Floats, np.ndarray]:
        return drawing.rectangle(self.extent, self.extent)


class _Cuboid(Tool):
    """A box; `offset` is where its centre is over its origin [m]."""

    size: Size = Field(description="lengths along its own x, y, z")

    @model_validator(mode="after")
    def _has_size(self) -> Self:
        if not min(self.size) > 0.0:
            raise fail(f"size must be > 0 m along each axis (got {list(self.size)}); give lengths in metres")
        return self

    @property
    def offset(self) -> float:
        return 0.0

    @property
    def kind(self) -> int:
        return BOX

    @property
    def size_entries(self) -> tuple[float, ...]:
        return (*(length / 2 for length in self.size), self.offset)

    @property
    def thin(self) -> float:
        return min(self.size) / 2

    @property
    def bound(self) -> float:
        x, y, z = self.size
        return float(np.linalg.norm([x / 2, y / 2, z / 2 + abs(self.offset)]))

    @property
    def inertia(self) -> float:
        return (self.mass or 0.0) * (self.size[0] ** 2 + self.size[1] ** 2) / 12.0

    def surface(self) -> tuple[Floats, np.ndarray]:
        return drawing.cuboid(self.size, self.offset)


class Box(_Cuboid):
    """A box about its origin."""

    shape: Literal["box"] = "box"


class Plate(_Cuboid):
    """A box that presses with its lower side: the origin is the middle of that side."""

    shape: Literal["plate"] = "plate"

    @property
    def offset(self) -> float:
        return self.size[2] / 2


class Conveyor(_Cuboid):
    """A belt: the origin is the middle of its upper side, which runs along its own x axis."""

    shape: Literal["conveyor"] = "conveyor"
    speed: Speed = Field(description="speed of the belt along its own x axis")

    @property
    def offset(self) -> float:
        return -self.size[2] / 2

    @property
    def surface_speed(self) -> Floats:
        return self.speed * X


class Sphere(Tool):
    """A ball about its origin."""

    shape: Literal["sphere"] = "sphere"
    radius: Length = Field(description="radius")

    @property
    def kind(self) -> int:
        return SPHERE

    @property
    def size_entries(self) -> tuple[float, ...]:
        return (self.radius,)

    @property
    def thin(self) -> float:
        return self.radius

    @property
    def bound(self) -> float:
        return self.radius

    def surface(self) -> tuple[Floats, np.ndarray]:
        return drawing.ball(self.radius)


class Cylinder(Tool):
    """A roller along its own x axis, about its origin; it turns about that axis."""

    shape: Literal["cylinder"] = "cylinder"
    radius: Length = Field(description="radius")
    length: Length = Field(description="length along its axis")

    @property
    def kind(self) -> int:
        return CYLINDER

    @property
    def size_entries(self) -> tuple[float, ...]:
        return (self.radius, self.length / 2)

    @property
    def thin(self) -> float:
        return min(self.radius, self.length / 2)

    @property
    def bound(self) -> float:
        return float(np.hypot(self.radius, self.length / 2))

    @property
    def axis(self) -> Floats:
        return X

    @property
    def inertia(self) -> float:
        return (self.mass or 0.0) * self.radius**2 / 2.0

    def surface(self) -> tuple[Floats, np.ndarray]:
        return drawing.cylinder(self.radius, self.length)
