"""Rigid tools of a scene."""

from typing import Annotated

from pydantic import Field

from yawara.scene.tools.shapes import Box, Conveyor, Cylinder, Floor, Plate, Sphere
from yawara.scene.tools.tool import Tool

SHAPES = (Floor, Plate, Box, Sphere, Cylinder, Conveyor)
AnyTool = Annotated[Floor | Plate | Box | Sphere | Cylinder | Conveyor, Field(discriminator="shape")]

__all__ = ["SHAPES", "AnyTool", "Box", "Conveyor", "Cylinder", "Floor", "Plate", "Sphere", "Tool"]
