"""The fields of the scene format, read off the models: what each is called, its type, unit, default, condition and meaning.

A type that is not known here is an error, so that the tables cannot quietly leave something out. Needs no Sphinx.
"""

import types
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from yawara.checks import Part, Quantity
from yawara.core.family import Family
from yawara.materials import AnyMaterial
from yawara.scene.bodies.region import Region
from yawara.scene.fields import LARGEST_COUNT, AxisLetters, Choice, Counts, VectorQuantity
from yawara.scene.selection import Points

SELECTION = Points.__metadata__[0]
MATERIAL = AnyMaterial.__metadata__[0]
PLACE = Region.model_fields["links"].metadata[0]


@dataclass(frozen=True)
class Kind:
    """What may stand at a place of the file."""

    type: str
    unit: str = ""
    condition: str = ""


@dataclass(frozen=True)
class Row:
    """One field."""

    name: str
    type: str
    unit: str
    default: str
    condition: str
    meaning: str


def rows(model: type[Part], *, without: type[Part] | None = None) -> list[Row]:
    """The fields of a model in their order; not those that it shares with `without`."""
    left_out = set(without.model_fields) if without else set()
    return [_row(name, field) for name, field in model.model_fields.items() if name not in left_out]


def reachable_models(model: type[Part]) -> list[type[Part]]:
    """The model and every one that can stand somewhere in it."""
    found = [model]
    for current in found:
        for field in current.model_fields.values():
            found += [part for part in _parts_in(_annotation(field)) if part not in found]
    return found


def _row(name: str, field: FieldInfo) -> Row:
    kind = _kind(_annotation(field))
    if kind.type == "text" and get_origin(field.annotation) is Literal:  # filled in by Python classes, but not in files
        return Row(name, kind.type, "", "required", kind.condition, "says which one it is")
    meaning = (field.description or "").removesuffix(f"[{kind.unit}]").strip()
    return Row(name, kind.type, kind.unit, _default(field), kind.condition, meaning)


def _annotation(field: FieldInfo) -> Any:
    """The type as it was written, with the marks that pydantic keeps apart."""
    annotation: Any = field.annotation
    for mark in field.metadata:
        annotation = Annotated[annotation, mark]
    return annotation


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is None or value == "" or value == () or value == {} or isinstance(value, Part):
        return "left out"
    return f"`{_toml(value)}`"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Enum):
        return f'"{value.value}"'
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(item) for item in value)}]"
    return f'"{value}"' if isinstance(value, str) else f"{value:g}" if isinstance(value, float) else str(value)


def _kind(annotation: Any) -> Kind:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _marked(arguments[1]) or _kind(arguments[0])
    if origin in (Union, types.UnionType):
        return _of_union([item for item in arguments if item is not type(None)])
    if origin is Literal:
        return Kind("text" if isinstance(arguments[0], str) else "whole number", "", _choice(map(_toml, arguments)))
    if origin is tuple and Ellipsis not in arguments and len(arguments) > 1:
        kinds = [_kind(item) for item in arguments]
        return Kind(
            f"list of {len(kinds)} {_plural(kinds[0].type)}", kinds[0].unit, ", then ".join(kind.condition for kind in kinds)
        )
    if origin is tuple:
        inner = _kind(arguments[0])
        return Kind(f"list of {_plural(inner.type)}", inner.unit, f"each {inner.condition}" if inner.condition else "")
    if origin is dict:
        return Kind("tables by name")
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return Kind("text", "", _choice(map(_toml, annotation)))
    if isinstance(annotation, type) and issubclass(annotation, Family):
        return Kind("text or table")
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return Kind("table")
    if annotation in (bool, str):
        return Kind("text" if annotation is str else "true or false")
    raise TypeError(f"no words for the type {annotation!r} of a scene field; add them to docs/_ext/scene_fields.py")


def _marked(mark: Any) -> Kind | None:
    """What a mark of ours in `Annotated` says; None for those of others."""
    match mark:
        case Quantity():
            return Kind(
                "whole number" if mark.whole else "number",
                "" if mark.whole and mark.unit == "1" else mark.unit,
                _signs(mark.condition),
            )
        case VectorQuantity():
            return Kind(f"list of {mark.size} numbers", mark.unit)
        case Counts():
            least = min(mark.least[: mark.axes])
            return Kind(f"list of {mark.axes} whole number{'s' if mark.axes > 1 else ''}", "", f"≥ {least} and ≤ {LARGEST_COUNT}")
        case Choice():
            return Kind("text", "", _choice(map(_toml, mark.names)))
        case AxisLetters():
            return Kind("text", "", "letters x, y, z, each at most once")
    if mark is MATERIAL:
        return Kind("text or table")
    if mark is PLACE:
        return Kind("text or table", "", "`surface`, `core` or a box")
    return Kind("points") if mark is SELECTION else None


def _of_union(members: list[Any]) -> Kind:
    kinds = {_kind(member) for member in members}
    if len(kinds) != 1:
        raise TypeError(f"no words for the union {members!r} of a scene field; add them to docs/_ext/scene_fields.py")
    return kinds.pop()


def _parts_in(annotation: Any) -> Iterator[type[Part]]:
    if isinstance(annotation, type) and issubclass(annotation, Part):
        yield annotation
    for argument in get_args(annotation):
        yield from _parts_in(argument)


def _signs(condition: str) -> str:
    return condition.replace(">=", "≥").replace("<=", "≤")


def _choice(values: Iterator[str]) -> str:
    *others, last = (f"`{value}`" for value in values)
    return f"{', '.join(others)} or {last}" if others else last


def _plural(words: str) -> str:
    """'number' to 'numbers', 'list of 3 numbers' to 'lists of 3 numbers'."""
    first, *rest = words.split(" ", 1)
    return " ".join([f"{first}s", *rest])
