"""What a picture shows: one body at one time."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yawara.report.colour import PALETTE, mapped, rgb
from yawara.report.faces import is_closed, polygons

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Shape:
    """A body's points and how they are connected; points that are not finite are left out with all that hangs on them."""

    position: ArrayLike  # [m], (point_count, 3), z up
    triangles: ArrayLike = ()  # (triangle_count, 3); a closed surface is seen from outside, a sheet from both sides
    colour: str = PALETTE[0]
    name: str = ""
    lines: ArrayLike | None = None  # (line_count, 2), for 1-D bodies
    values: ArrayLike | None = None  # per point, 0 to 1: colours instead of `colour`
    rest: ArrayLike | None = None  # [m], (point_count, 3): where squares are told from triangles; `position` if not given
    opacity: float = 1.0  # less than 1: a veil with an outline, which hides nothing

    @property
    def veiled(self) -> bool:
        return self.opacity < 1.0

    @cached_property
    def points(self) -> Floats:
        return _rows(f"shape '{self.name}': position", self.position, 3).astype(float)

    @cached_property
    def faces(self) -> Integers:
        return self._indices("triangles", self.triangles, 3)

    @cached_property
    def closed(self) -> bool:
        return is_closed(self.faces)

    @cached_property
    def corners(self) -> Integers:
        """Polygons (polygon_count, 4) that can be drawn."""
        found = polygons(self.points if self.rest is None else np.asarray(self.rest, float), self.faces)
        return found[np.isfinite(self.points[found]).all(axis=(1, 2))]

    @cached_property
    def strokes(self) -> Integers:
        """Lines (line_count, 2) that can be drawn."""
        found = self._indices("lines", () if self.lines is None else self.lines, 2)
        return found[np.isfinite(self.points[found]).all(axis=(1, 2))]

    def colours(self, rows: Integers) -> Floats:
        """Colour (row_count, 3) of each row of points: that of their mean value, or the body's own."""
        if self.values is None:
            return np.broadcast_to(np.array(rgb(self.colour)), (len(rows), 3))
        return mapped(np.asarray(self.values, float)[rows].mean(axis=1))

    def _indices(self, name: str, given: ArrayLike, columns: int) -> Integers:
        found = _rows(f"shape '{self.name}': {name}", given, columns).astype(np.int64)
        if len(found) and not 0 <= found.min() <= found.max() < len(self.points):
            last = len(self.points) - 1
            raise ValueError(
                f"shape '{self.name}': {name} must be indices from 0 to {last} (got {found.min()} to {found.max()}); "
                "count from the first point given"
            )
        return found


def _rows(name: str, given: ArrayLike, columns: int) -> NDArray[np.generic]:
    array = np.asarray(given)
    if array.size == 0:
        return np.zeros((0, columns))
    if array.ndim != 2 or array.shape[1] != columns:
        raise ValueError(f"{name} must have the shape (count, {columns}) (got {array.shape}); reshape it")
    return array
