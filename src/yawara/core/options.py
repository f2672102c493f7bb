"""What a scene says to rooms that no body asks for: tables `[KIND.NAME]`, each with the `type` of its room.

A room that wants such tables makes a subclass, of the class for its kind, with a `type` of its own; that it exists is enough.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import entry_points
from typing import Any, ClassVar

from pydantic import ValidatorFunctionWrapHandler, WrapValidator

from yawara.checks import Part, fail, nearest


class Options(Part):
    """Tables of rooms of one kind: its direct subclasses are kinds, theirs are rooms."""

    rooms: ClassVar[dict[str, type["Options"]]]  # of the kind, by type
    what: ClassVar[str]  # rooms of the kind are called
    group: ClassVar[str]  # of entry points, by which rooms of other packages are found

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        if Options in cls.__bases__:
            cls.rooms = {}
        if "type" in cls.model_fields:
            cls.rooms[cls.model_fields["type"].default] = cls


@cache
def installed(group: str) -> tuple[Any, ...]:
    """What other packages have under this group of entry points; to load it is to know their tables."""
    return tuple(entry.load() for entry in entry_points(group=group))


def reads(kind: type[Options]) -> WrapValidator:
    """For a field of a scene that holds a table of any room of that kind."""

    def read(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        if isinstance(value, kind):
            return value
        installed(kind.group)
        rooms = kind.rooms
        if not isinstance(value, Mapping) or "type" not in value:
            known = ", ".join(rooms) or f"those of a package that brings {kind.what}"
            raise fail(f"needs type, which says what it is; add one of {known}")
        if value["type"] not in rooms:
            known = nearest(str(value["type"]), rooms) if rooms else "import the package that has it before the scene is read"
            raise fail(f"type '{value['type']}' is not known; {known}")
        return rooms[value["type"]].model_validate(value)

    return WrapValidator(read)
