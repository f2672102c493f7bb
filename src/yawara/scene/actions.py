"""What is done to bodies: points held, points driven through a time table, forces on points."""

from enum import StrEnum
from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.core.control import Interpolation
from yawara.scene.fields import Axes, ForceVector, Instant, Position
from yawara.scene.selection import Points

Release = Annotated[float, Quantity("s", gt=0, remedy="leave it out to hold for ever")]


class MotionInterpolation(StrEnum):
    """How points get from one place to the next; they cannot jump."""

    LINEAR = "linear"
    SMOOTH = "smooth"


class Action(Part):
    """Something that acts on some points of a body."""

    name: str = Field("", description="how the columns of the history call it; made up if left out")
    body: str = Field(description="name of the body")
    points: Points = Field(description="face name, 'all', point numbers, {min, max} or {near}")


class Fix(Action):
    """Points that stay where they are along some axes."""

    axes: Axes = Field("xyz", description="axes that are held")


class Drive(Action):
    """Points that are moved through a table of displacements, then perhaps released."""

    axes: Axes = Field("xyz", description="axes that are prescribed; the others stay free")
    times: tuple[Instant, ...] = Field(description="times of the table, increasing")
    displacement: tuple[Position, ...] = Field(description="displacement at each time, from where the points were caught")
    interpolation: MotionInterpolation = Field(MotionInterpolation.LINEAR, description="'smooth' goes from rest to rest")
    release: Release | None = Field(None, description="from then on the points are free")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_table(self.times, self.displacement, "displacement")
        if any(self.displacement[0]):
            raise fail(
                f"the first displacement must be [0, 0, 0] m (got {list(self.displacement[0])}); points start where they are"
            )
        ignored = [axis for n, axis in enumerate("xyz") if axis not in self.axes and any(row[n] for row in self.displacement)]
        if ignored:
            raise fail(
                f"displacement along {', '.join(ignored)} would be ignored (axes = '{self.axes}'); add the axis, or set it to 0"
            )
        if self.release is not None and self.release <= self.times[0]:
            raise fail(f"release must be > the first time {self.times[0]:g} s (got {self.release:g} s); release later")
        return self


class Force(Action):
    """A force on some points, through a time table."""

    times: tuple[Instant, ...] = Field(description="times of the table, increasing")
    force: tuple[ForceVector, ...] = Field(description="whole force on the points at each time, shared equally")
    interpolation: Interpolation = Field(Interpolation.STEP, description="'step' holds each value until the next time")

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_table(self.times, self.force, "force")
        return self


def check_table(times: tuple[float, ...], values: tuple[object, ...], name: str) -> None:
    """A table that can be followed through time."""
    if not times:
        raise fail("times must have at least one entry [s] (got none); write for example [0.0, 1.0]")
    if len(times) != len(values):
        raise fail(f"times and {name} must have the same length (got {len(times)} and {len(values)}); one {name} for each time")
    for earlier, later in pairwise(times):
        if later <= earlier:
            raise fail(f"times must increase (got {earlier:g} s then {later:g} s); sort them, or leave out the repeated one")
