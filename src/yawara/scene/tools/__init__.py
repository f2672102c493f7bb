"""Rigid tools of a scene."""

from typing import Annotated

from pydantic import Field

from yawara.scene.tools.mesh import MeshTool
from yawara.scene.tools.shapes import Box, Conveyor, Cylinder, Floor, Plate, Sphere
from yawara.scene.tools.tool import Tool

SHAPES = (Floor, Plate, Box, Sphere, Cylinder, Conveyor, MeshTool)
AnyTool = Annotated[Floor | Plate | Box | Sphere | Cylinder | Conveyor | MeshTool, Field(discriminator="shape")]

__all__ = ["SHAPES", "AnyTool", "Box", "Conveyor", "Cylinder", "Floor", "MeshTool", "Plate", "Sphere", "Tool"]
