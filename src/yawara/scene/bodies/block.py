"""What lattice and truss share: a box of grid points."""

from typing import Annotated

from pydantic import Field

from yawara.scene.bodies.body import Body
from yawara.scene.fields import Counts, Length


class Block(Body):
    """A box of nx * ny * nz points."""

    counts: Annotated[tuple[int, int, int], Counts(3)] = Field(description="points along x, y, z")
    spacing: Length = Field(description="distance between neighbouring points")

    @property
    def box_volume(self) -> float:
        """[m^3]"""
        nx, ny, nz = self.counts
        return (nx - 1) * (ny - 1) * (nz - 1) * self.spacing**3

    def axis_edges(self) -> int:
        nx, ny, nz = self.counts
        return (nx - 1) * ny * nz + nx * (ny - 1) * nz + nx * ny * (nz - 1)

    def face_squares(self) -> int:
        nx, ny, nz = self.counts
        return (nx - 1) * (ny - 1) * nz + nx * (ny - 1) * (nz - 1) + (nx - 1) * ny * (nz - 1)

    def cell_count(self) -> int:
        nx, ny, nz = self.counts
        return (nx - 1) * (ny - 1) * (nz - 1)

    def point_count(self) -> int:
        nx, ny, nz = self.counts
        return nx * ny * nz
