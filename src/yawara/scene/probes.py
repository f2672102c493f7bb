"""What is measured beside what every run measures anyway."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from yawara.checks import Part, Quantity, fail
from yawara.methods.tensors import STRAIN, STRESS
from yawara.scene.fields import Choice
from yawara.scene.selection import Points

StressComponent = Annotated[str, Choice(tuple(STRESS))]
StrainComponent = Annotated[str, Choice(tuple(STRAIN))]
Slices = Annotated[int, Quantity("1", ge=1, le=10_000, whole=True)]


class AxisName(StrEnum):
    X = "x"
    Y = "y"
    Z = "z"


class ForceProbe(Part):
    """The force with which drives and fixes act on some points, three components."""

    type: Literal["force"] = "force"
    body: str = Field(description="name of the body")
    points: Points = Field(description="which points")


class DisplacementProbe(Part):
    """Mean displacement of some points from their natural place, three components."""

    type: Literal["displacement"] = "displacement"
    body: str = Field(description="name of the body")
    points: Points = Field(description="which points")


class DistanceProbe(Part):
    """Distance between the centres of two sets of points."""

    type: Literal["distance"] = "distance"
    body: str = Field(description="name of the first body")
    points: Points = Field(description="points of the first body")
    other_body: str = Field("", description="name of the second body; the first one if left out")
    other_points: Points = Field(description="points of the second body")


class VolumeProbe(Part):
    """Volume enclosed by a body's surface."""

    type: Literal["volume"] = "volume"
    body: str = Field(description="name of the body")


class AreaProbe(Part):
    """Area of a body's surface, or of a flat body."""

    type: Literal["area"] = "area"
    body: str = Field(description="name of the body")


class ThicknessProbe(Part):
    """How thick a body is, slice by slice along a strip."""

    type: Literal["thickness"] = "thickness"
    body: str = Field(description="name of the body")
    along: AxisName = Field(AxisName.X, description="axis along the strip")
    axis: AxisName = Field(AxisName.Z, description="axis along which its thickness is measured")
    parts: Slices = Field(20, description="slices, between the body's two ends")

    @model_validator(mode="after")
    def _two_axes(self) -> Self:
        if self.along == self.axis:
            raise fail(f"axis must differ from along (got '{self.axis}' for both); choose another")
        return self


class StressProbe(Part):
    """Mean stress of some points, by the volume that each stands for: one component."""

    type: Literal["stress"] = "stress"
    body: str = Field(description="name of the body")
    points: Points = Field(description="which points")
    component: StressComponent = Field("equivalent", description="which component; equivalent is von Mises'")


class StrainProbe(Part):
    """Mean strain of some points, by the volume that each stands for: one component."""

    type: Literal["strain"] = "strain"
    body: str = Field(description="name of the body")
    points: Points = Field(description="which points")
    component: StrainComponent = Field(
        "largest", description="which component; largest is the size of the largest principal strain"
    )


class ResidualStrainProbe(Part):
    """Mean residual strain of some points, by the volume that each stands for: one component."""

    type: Literal["residual_strain"] = "residual_strain"
    body: str = Field(description="name of the body")
    points: Points = Field(description="which points")
    component: StrainComponent = Field(
        "largest", description="which component; largest is the size of the largest principal strain"
    )


FieldProbe = StressProbe | StrainProbe | ResidualStrainProbe  # their types are the names of tensors
AnyProbe = Annotated[
    ForceProbe | DisplacementProbe | DistanceProbe | VolumeProbe | AreaProbe | ThicknessProbe | FieldProbe,
    Field(discriminator="type"),
]
