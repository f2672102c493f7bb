"""Names of earlier versions: still understood, and each told in one line.

A part lists its old keys in `old_names`. Files are brought up to date as a whole, so that paths such as body.dough.law.k1 lead to the
same place in old files and in new ones.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from yawara.slips import container_of, kinds_of

Kinds = Sequence[type[BaseModel]]

COLUMNS = {"contact.overlap": "contact.penetration", "energy.guards": "energy.barriers"}  # of the history


class OldName(FutureWarning):
    """Something has another name now."""


def tell(old: str, new: str, remedy: str = "change the name") -> None:
    warnings.warn(f"{old} is now called {new}; {remedy}", OldName, stacklevel=2)


def current_column(name: str) -> str:
    """Of the history, by today's name."""
    if name not in COLUMNS:
        return name
    tell(name, COLUMNS[name])
    return COLUMNS[name]


def current_keys(cls: type[BaseModel], data: Mapping[str, Any]) -> dict[str, Any]:
    """What was given for one part, by today's names. An old one beside its new one stays, and is refused as a key that is not known."""
    return {_told([cls], key, data, f"{cls.__name__}: {key}"): value for key, value in data.items()}


def current_data(kinds: Kinds, data: Any, place: str = "") -> Any:
    """The plain data of a part by today's names, all the way down."""
    if isinstance(data, list):
        return [current_data(kinds, one, f"{place}.{number}") for number, one in enumerate(data)]
    if not isinstance(data, Mapping) or not kinds:
        return data
    found = dict[str, Any]()
    for key, value in data.items():
        name = _told(kinds, key, data, _join(place, key))
        inside, is_table = _inside(kinds, name)
        where = _join(place, name)
        if is_table and isinstance(value, Mapping):
            found[name] = {one: current_data(inside, part, _join(where, one)) for one, part in value.items()}
        else:
            found[name] = current_data(inside, value, where)
    return found


def current_path(cls: type[BaseModel], path: str) -> str:
    """A path to a value of a part, by today's names."""
    kinds: Kinds = [cls]
    found, is_key = list[str](), False
    for name in path.split("."):
        if is_key or name.isdigit():  # the name of a body, or the number of a drive
            is_key = False
            found.append(name)
            continue
        found.append(_told(kinds, name, (), ".".join([*found, name])))
        kinds, is_key = _inside(kinds, found[-1])
    return ".".join(found)


def _told(kinds: Kinds, key: str, given: Mapping[str, Any] | tuple[()], place: str) -> str:
    """Today's name of a key, told if it is another one."""
    old_names = {old: new for kind in kinds for old, new in getattr(kind, "old_names", {}).items()}
    if key not in old_names or old_names[key] in given:
        return key
    tell(place, old_names[key], "change the key")
    return old_names[key]


def _inside(kinds: Kinds, field: str) -> tuple[list[type[BaseModel]], bool]:
    """What kinds of parts a field holds, and whether they have names."""
    return [one for kind in kinds for one in kinds_of(kind, field)], any(container_of(kind, field) is dict for kind in kinds)


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
