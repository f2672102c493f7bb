"""What is measured beside what every run measures anyway."""

from typing import Annotated, Literal

from pydantic import Field

from yawara.checks import Part
from yawara.scene.selection import Points


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


PROBES = (ForceProbe, DisplacementProbe, DistanceProbe, VolumeProbe, AreaProbe)
AnyProbe = Annotated[ForceProbe | DisplacementProbe | DistanceProbe | VolumeProbe | AreaProbe, Field(discriminator="type")]
