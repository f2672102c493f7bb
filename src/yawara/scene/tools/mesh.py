"""A tool of any closed shape, from a file, by its signed distance."""

from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from yawara.checks import Quantity
from yawara.kernels.kinds import Floats
from yawara.meshes.distance import DistanceGrid, distance_grid
from yawara.meshes.surface import Surface, read_surface
from yawara.scene.bodies.file_unit import LengthUnit, stamp
from yawara.scene.tools.tool import Tool
from yawara.tools.shapes import GRID

Cells = Annotated[int, Quantity("1", ge=8, le=256, whole=True, remedy="48 tells details of a fiftieth of its length")]


class MeshTool(Tool):
    """The closed surface of an STL, OBJ or PLY file; its own coordinates are the file's."""

    shape: Literal["mesh"] = "mesh"
    file: str = Field(description="path of the closed surface, as seen from the scene file")
    unit: LengthUnit = Field(LengthUnit.M, description="unit of the coordinates in the file")
    cells: Cells = Field(48, description="samples of the distance along its longest side")

    @property
    def kind(self) -> int:
        return GRID

    @property
    def size_entries(self) -> tuple[float, ...]:
        return ()

    @property
    def grid(self) -> DistanceGrid:
        return _sampled(stamp(self.file), self.unit.metres, self.cells)[1]

    @property
    def thin(self) -> float:
        return float(-self.grid.values.min())

    @property
    def bound(self) -> float:
        return float(np.linalg.norm(self.surface()[0], axis=1).max())

    def surface(self) -> tuple[Floats, np.ndarray]:
        surface = _sampled(stamp(self.file), self.unit.metres, self.cells)[0]
        return surface.position, surface.triangles


@lru_cache(maxsize=4)
def _sampled(file: tuple[str, float, int], metres: float, cells: int) -> tuple[Surface, DistanceGrid]:
    surface = read_surface(file[0], metres)
    return surface, distance_grid(surface.position, surface.triangles, cells)
