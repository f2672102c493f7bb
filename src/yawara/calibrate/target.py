"""Values of a scene by their path, such as body.dough.law.k1: read, replaced, and asked for their unit."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from yawara.checks import Part, nearest
from yawara.scene.file import scene_error
from yawara.scene.scene import Scene


class TargetError(ValueError):
    """A path that leads nowhere, or to something that is no number."""


def value_at(scene: Scene, path: str) -> tuple[float, str]:
    """The number at a path, and its unit."""
    place: Any = scene
    unit, names = "", path.split(".")
    for depth, name in enumerate(names):
        where = ".".join(names[: depth + 1])
        if isinstance(place, Part):
            if name not in type(place).model_fields:
                raise TargetError(f"there is no {where}; {nearest(name, type(place).model_fields)}")
            unit = type(place).unit_of(name) or unit
            place = getattr(place, name)
        elif isinstance(place, Mapping) and name in place:
            place = place[name]
        elif isinstance(place, tuple | list) and name.isdigit() and int(name) < len(place):
            place = place[int(name)]
        else:
            known = (
                place if isinstance(place, Mapping) else [str(n) for n in range(len(place))] if hasattr(place, "__len__") else []
            )
            raise TargetError(f"there is no {where}; {nearest(name, known)}")
    if place is None:
        raise TargetError(f"{path} [{unit}] is not set in the scene; write a number there first")
    if isinstance(place, bool) or not isinstance(place, int | float):
        raise TargetError(f"{path} is not a number (got {place!r}); choose one of its entries")
    if isinstance(place, int):
        raise TargetError(f"{path} is a whole number (got {place}), which cannot change little by little; set it in the scene")
    return float(place), unit


def with_values(data: dict[str, Any], values: Mapping[str, float]) -> Scene:
    """The scene of plain data with other numbers at some paths; SceneError if it cannot be."""
    for path, value in values.items():
        data = _replaced(data, path.split("."), float(value))
    try:
        return Scene.model_validate(data)
    except ValidationError as error:
        raise scene_error(error) from None


def _replaced(place: Any, names: list[str], value: float) -> Any:
    """A copy along the path only: the rest is shared."""
    if not names:
        return value
    if isinstance(place, list):
        index = int(names[0])
        return [*place[:index], _replaced(place[index], names[1:], value), *place[index + 1 :]]
    return {**place, names[0]: _replaced(place[names[0]], names[1:], value)}
