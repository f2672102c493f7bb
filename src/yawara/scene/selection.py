"""Which points of a body are meant: a face by its name, a list of numbers, a box, or the nearest to a place."""

from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, GetCoreSchemaHandler
from pydantic_core import core_schema

from yawara.checks import Part, nearest
from yawara.core.geometry import Geometry
from yawara.kernels.kinds import Floats, Indices
from yawara.scene.box import Box
from yawara.scene.fields import Position

# A point lies on a face or in a box if it is closer than this to it, in units of the body's extent along that axis.
FACE_TOLERANCE = 1e-9


class Near(Part):
    """The point nearest to a place, in the body's own coordinates."""

    near: Position = Field(description="the place")


Selection = str | tuple[int, ...] | Box | Near


class _AnyPoints:
    """Pydantic's union report would list each failed alternative; this one says what is expected."""

    def check(self, value: Any) -> Selection:
        if isinstance(value, (str, Box, Near)):
            return value
        if hasattr(value, "tolist"):  # a NumPy array
            value = value.tolist()
        if isinstance(value, dict):
            return Near.model_validate(value) if "near" in value else Box.model_validate(value)
        if isinstance(value, (list, tuple)) and value and all(_is_index(item) for item in value):
            return tuple(int(item) for item in value)
        raise ValueError(
            f"must be a face name, 'all', a list of point numbers >= 0, {{min, max}} or {{near}} (got {value!r}); "
            "write for example 'top'"
        )

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.check, serialization=core_schema.plain_serializer_function_ser_schema(_plain)
        )


def _is_index(item: Any) -> bool:
    return hasattr(item, "__index__") and not isinstance(item, bool) and item >= 0


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, Part) else list(value) if isinstance(value, tuple) else value


Points = Annotated[Selection, _AnyPoints()]


def select(geometry: Geometry, points: Selection) -> Indices:
    """Point numbers of the body, increasing; ValueError with the remedy if there are none."""
    chosen = _chosen(geometry, points)
    if len(chosen) == 0:
        low, high = geometry.position.min(axis=0), geometry.position.max(axis=0)
        raise ValueError(
            f"{_plain(points)} selects no point (the body extends from {_vector(low)} to {_vector(high)} m); widen the selection"
        )
    return chosen.astype(np.uint32)


def _chosen(geometry: Geometry, points: Selection) -> NDArray[np.int64]:
    position = geometry.position
    if isinstance(points, Box):
        return np.flatnonzero(inside_box(geometry, points, position))
    if isinstance(points, Near):
        return np.array([np.argmin(((position - points.near) ** 2).sum(axis=1))])
    if isinstance(points, tuple):
        if max(points) >= len(position):
            raise ValueError(f"point {max(points)} does not exist; the body has points 0 to {len(position) - 1}")
        return np.unique(points)
    if points == "all":
        return np.arange(len(position))
    if points not in geometry.faces:
        raise ValueError(f"face '{points}' is not known here; {nearest(points, [*geometry.faces, 'all'])}")
    axis, side = geometry.faces[points]
    low, high = position[:, axis].min(), position[:, axis].max()
    return np.flatnonzero(
        abs(position[:, axis] - (low if side < 0 else high)) <= FACE_TOLERANCE * (high - low) + geometry.face_depth
    )


def inside_box(geometry: Geometry, box: Box, places: Floats) -> NDArray[np.bool_]:
    """Which of the places [m], (place_count, 3), in the body's own coordinates, lie in the box or on its boundary."""
    near = FACE_TOLERANCE * np.ptp(geometry.position, axis=0)
    inside: NDArray[np.bool_] = ((places >= box.min - near) & (places <= box.max + near)).all(axis=1)
    return inside


def _vector(values: Floats) -> str:
    return "(" + ", ".join(f"{value:g}" for value in values) + ")"
