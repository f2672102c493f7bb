"""How a tool moves: along a path, pushed by a force, by hand; and how it turns."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.core.control import Interpolation
from yawara.scene.actions import MotionInterpolation, check_table
from yawara.scene.fields import Axes, ForceVector, Instant, Position

Angle = Annotated[float, Quantity("rad")]
AngularSpeed = Annotated[float, Quantity("rad/s")]


class Path(Part):
    """Through a table of displacements."""

    type: Literal["path"] = "path"
    times: tuple[Instant, ...] = Field(description="times of the table, increasing")
    displacement: tuple[Position, ...] = Field(description="displacement from its origin at each time; the first one is zero")
    interpolation: MotionInterpolation = Field(MotionInterpolation.LINEAR, description="'smooth' goes from rest to rest")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_table(self.times, self.displacement, "displacement")
        if any(self.displacement[0]):
            raise fail(f"the first displacement must be [0, 0, 0] m (got {list(self.displacement[0])}); move the origin instead")
        return self


class Pushed(Part):
    """A mass that is pushed along some axes; its weight counts too."""

    type: Literal["pushed"] = "pushed"
    axes: Axes = Field("z", description="axes along which it is free")
    times: tuple[Instant, ...] = Field((0.0,), description="times of the table, increasing")
    force: tuple[ForceVector, ...] = Field(((0.0, 0.0, 0.0),), description="force on the tool at each time")
    interpolation: Interpolation = Field(Interpolation.STEP, description="'step' holds each value until the next time")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_table(self.times, self.force, "force")
        return self


class ByHand(Part):
    """By whatever calls `control.hand(name).move(...)` while the run goes on, or `.push(...)` if it has a mass; until then it stays.

    In `yawara touch` it touches nothing until it is taken; then the hand pushes it.
    """

    type: Literal["hand"] = "hand"
    shown: bool = Field(True, description="whether a page shows it while it waits to be taken")


AnyMotion = Annotated[Path | Pushed | ByHand, Field(discriminator="type")]


class Driven(Part):
    """At a constant speed, or through a table of angles, or both together."""

    type: Literal["driven"] = "driven"
    speed: AngularSpeed = Field(0.0, description="angular speed, by the right-hand rule about its axis")
    times: tuple[Instant, ...] = Field((), description="times of the table of angles, increasing")
    angle: tuple[Angle, ...] = Field((), description="angle at each time")
    interpolation: MotionInterpolation = Field(MotionInterpolation.LINEAR, description="'smooth' goes from rest to rest")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.times or self.angle:
            check_table(self.times, self.angle, "angle")
        return self


class Free(Part):
    """By the torque of what it touches; its mass gives its inertia."""

    type: Literal["free"] = "free"


AnyTurn = Annotated[Driven | Free, Field(discriminator="type")]
