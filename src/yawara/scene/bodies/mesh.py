"""A body from a file of tetrahedra, or of triangles in a plane."""

from functools import lru_cache
from typing import ClassVar, Literal

from pydantic import Field

from yawara.core.geometry import Geometry
from yawara.kernels.kinds import Floats
from yawara.meshes.tetra import read_cells
from yawara.scene.bodies.body import Body
from yawara.scene.bodies.file_unit import LengthUnit, stamp
from yawara.scene.bodies.from_cells import geometry_of_cells
from yawara.scene.bodies.weights import tetrahedra_weights, triangle_weights
from yawara.scene.fields import Length


class Mesh(Body):
    """Points and cells of a mesh file that meshio reads (VTU, VTK, Gmsh, Abaqus, Medit...); links are the cells' edges."""

    dimension: ClassVar[int] = 0
    shape: Literal["mesh"] = Field("mesh")
    file: str = Field(description="path of the mesh file, as seen from the scene file")
    unit: LengthUnit = Field(LengthUnit.M, description="unit of the coordinates in the file")
    thickness: Length = Field(0.01, description="of a plane mesh; turns area into volume, for mass, stiffness and pressure")

    def size(self) -> tuple[int, int]:
        geometry = self.geometry()
        return len(geometry.all_positions), len(geometry.links)

    def geometry(self) -> Geometry:
        return _built(stamp(self.file), self.unit.metres, self.thickness)

    def link_weights(self, geometry: Geometry) -> Floats:
        if geometry.dimension == 2:
            return triangle_weights(geometry.position, geometry.elements, geometry.links, self.thickness)
        return tetrahedra_weights(geometry.position, geometry.elements, geometry.links)


@lru_cache(maxsize=4)
def _built(file: tuple[str, float, int], metres: float, thickness: float) -> Geometry:
    cells = read_cells(file[0], metres)
    return geometry_of_cells(
        cells.position, cells.cells, thickness=thickness if cells.dimension == 2 else 1.0, notices=cells.notices
    )
