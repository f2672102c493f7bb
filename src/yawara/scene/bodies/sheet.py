"""A flat body in the plane z = 0: squares cut into two triangles, or braced by both diagonals."""

from enum import StrEnum
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from yawara.checks import fail
from yawara.core.geometry import FLAT_FACES, Geometry, Integers, corner_points, grid, grid_links, volume_shares
from yawara.kernels.kinds import Floats
from yawara.meshes.refine import refined_sheet
from yawara.scene.bodies.body import Body
from yawara.scene.bodies.from_cells import NOTHING_DIVIDED, geometry_of_cells
from yawara.scene.bodies.weights import sheet_weights, sheet_weights_of_cells
from yawara.scene.box import Box
from yawara.scene.fields import Counts, Length

NOT_ISOTROPIC = (
    "With all diagonals the same way a sheet is not isotropic, and softer than its material by up to a quarter; "
    'use pattern = "alternating" or "braced".'
)


class Pattern(StrEnum):
    TRIANGLES = "triangles"  # all diagonals the same way
    ALTERNATING = "alternating"  # diagonals between points of even index sum
    BRACED = "braced"  # both diagonals of every square


class Sheet(Body):
    """A plane grid of nx * ny points; z stays free, but nothing pushes there."""

    dimension: ClassVar[int] = 2
    shape: Literal["sheet"] = Field("sheet")
    counts: Annotated[tuple[int, int], Counts(2)] = Field(description="points along x, y")
    spacing: Length = Field(description="distance between neighbouring points")
    thickness: Length = Field(0.01, description="turns area into volume, for mass, stiffness and pressure")
    pattern: Pattern = Field(Pattern.TRIANGLES, description="how the squares are divided")
    refine: tuple[Box, ...] = Field((), description="boxes in which every square is divided into 4; alternating pattern only")

    @model_validator(mode="after")
    def _can_be_refined(self) -> Self:
        if self.refine and self.pattern is not Pattern.ALTERNATING:
            raise fail(f"refine needs the pattern 'alternating' (got '{self.pattern}'); set pattern, or leave refine out")
        return self

    def size(self) -> tuple[int, int]:
        nx, ny = self.counts
        squares = (nx - 1) * (ny - 1)
        finer = 4 if self.refine else 1  # at most, if all squares are divided
        return finer * nx * ny, finer * ((nx - 1) * ny + nx * (ny - 1) + squares * (2 if self.pattern is Pattern.BRACED else 1))

    def link_weights(self, geometry: Geometry) -> Floats:
        if self.refine:
            return sheet_weights_of_cells(self.thickness, geometry.elements, geometry.links)
        return sheet_weights(self.counts, self.thickness, geometry.links, braced=self.pattern is Pattern.BRACED)

    def geometry(self) -> Geometry:
        if self.refine:
            boxes = [(box.min, box.max) for box in self.refine]
            position, cells = refined_sheet(self.counts, self.spacing, boxes)
            notices = (NOTHING_DIVIDED,) if len(position) == self.counts[0] * self.counts[1] else ()
            return geometry_of_cells(position, cells, thickness=self.thickness, notices=notices)
        nx, ny = self.counts
        corners = corner_points((nx, ny, 2))[:, :, :, 0]
        squares = corners[:, [0, 1, 1, 0], [0, 0, 1, 1]]
        rising = np.concatenate([squares[:, [0, 1, 2]], squares[:, [0, 2, 3]]])
        falling = np.concatenate([squares[:, [0, 1, 3]], squares[:, [1, 2, 3]]])
        if self.pattern is Pattern.ALTERNATING:
            even = np.tile((np.add.outer(np.arange(ny - 1), np.arange(nx - 1)) % 2 == 0).ravel(), 2)
            triangles = np.where(even[:, None], rising, falling)
        else:
            triangles = rising
        cells = squares if self.pattern is Pattern.BRACED else triangles
        cell_volume = self.thickness * self.spacing**2 / (1 if self.pattern is Pattern.BRACED else 2)
        return Geometry(
            grid(self.counts, (self.spacing, self.spacing)),
            self._links(),
            volume_shares(nx * ny, cells, np.full(len(cells), cell_volume)),
            triangles,
            {"quad" if self.pattern is Pattern.BRACED else "triangle": cells},
            dimension=2,
            up=1,
            rest_size=(nx - 1) * (ny - 1) * self.spacing**2,
            faces=FLAT_FACES,
            elements=triangles,
            thickness=self.thickness,
            squares=squares,
            notices=(NOT_ISOTROPIC,) if self.material and self.family.joins and self.pattern is Pattern.TRIANGLES else (),
        )

    def _links(self) -> Integers:
        counts = (*self.counts, 1)
        sides = [grid_links(counts, (1, 0, 0)), grid_links(counts, (0, 1, 0))]
        alternating = self.pattern is Pattern.ALTERNATING
        diagonals = [grid_links(counts, (1, 1, 0), even_only=alternating)]
        if self.pattern is not Pattern.TRIANGLES:
            diagonals.append(grid_links(counts, (-1, 1, 0), even_only=alternating))
        return np.concatenate(sides + diagonals)
