"""A box in the coordinates of a body."""

from pydantic import Field

from yawara.checks import Part
from yawara.scene.fields import Position


class Box(Part):
    """All points inside a box, in the body's own coordinates (origin at its lowest corner)."""

    min: Position = Field(description="lowest corner")
    max: Position = Field(description="highest corner")
