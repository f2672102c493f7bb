"""Slips of those who write scenes: understood where only one thing can be meant, else answered with the form that is.

A file has tables and a program has keyword arguments, so each is answered in its own words.
"""

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from functools import cache
from numbers import Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeGuard, Union, get_args, get_origin

import numpy as np
from pydantic import BaseModel

IN_PYTHON = ContextVar("in_python", default=False)  # who is answered: a program, or a file

Kinds = Sequence[type[BaseModel]]
Slip = tuple[str, Any, str]  # field, given, what


def short(value: Any) -> str:
    """A value in few letters."""
    text = f"{type(value).__name__}(...)" if isinstance(value, BaseModel) else repr(value)
    if isinstance(value, list | tuple) and value and isinstance(value[0], BaseModel):
        text = f"[{short(value[0])}{', ...' if len(value) > 1 else ''}]"
    return text if len(text) <= 60 else f"{text[:57]}..."


def annotations(annotation: Any) -> Iterator[Any]:
    """All that a type is made of, as float and the Quantity in tuple[Annotated[float, Quantity], ...]."""
    yield annotation
    yield from getattr(annotation, "__metadata__", ())
    for inner in get_args(annotation):
        yield from annotations(inner)


def kinds_of(cls: type[BaseModel], field: str) -> list[type[BaseModel]]:
    """The kinds of parts that a field may hold."""
    found = annotations(cls.model_fields[field].annotation) if field in cls.model_fields else ()
    return [kind for kind in found if isinstance(kind, type) and issubclass(kind, BaseModel)]


@cache
def container_of(cls: type[BaseModel], field: str) -> type | None:
    """What holds the values of a field: tuple, dict, or nothing."""
    if field not in cls.model_fields:
        return None
    annotation = cls.model_fields[field].annotation
    while get_origin(annotation) in (Annotated, Union, UnionType):
        annotation = next(one for one in get_args(annotation) if one is not NoneType)
    origin = get_origin(annotation)
    return origin if origin in (tuple, dict) else None


# ---- understood


def understood(cls: type[BaseModel], data: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, with paths as text, and a single vector as a table of one where there is one time."""
    found = dict(data)
    for name, value in data.items():
        field = cls.model_fields.get(name)
        if field is not None and field.annotation is str and isinstance(value, os.PathLike):
            found[name] = os.fspath(value)
        elif _is_flat(cls, name, value) and len(value) == 3 and _times(cls, data) == 1:
            found[name] = [value]
    return found


def _times(cls: type[BaseModel], data: Mapping[str, Any]) -> int:
    """How many times a table has, 0 if it has none."""
    times = data.get("times", cls.model_fields["times"].default if "times" in cls.model_fields else None)
    return len(times) if _is_list(times) else 0


def _is_flat(cls: type[BaseModel], field: str, value: Any) -> bool:
    """Plain numbers where a list of vectors is wanted."""
    if not _wants_vectors(cls, field):
        return False  # nearly always, and quicker to tell than what was given
    return _is_list(value) and len(value) > 0 and all(isinstance(one, Real) and not isinstance(one, bool) for one in value)


@cache
def _wants_vectors(cls: type[BaseModel], field: str) -> bool:
    return container_of(cls, field) is tuple and bool(_vector_unit(cls, field))


@cache
def _vector_unit(cls: type[BaseModel], field: str) -> str:
    """The unit of a list of vectors of three; nothing if the field is none."""
    items = get_args(cls.model_fields[field].annotation)[:1]
    found = [one for item in items for one in getattr(item, "__metadata__", ()) if getattr(one, "size", 0) == 3]
    return str(found[0].unit) if found else ""


def _is_list(value: Any) -> TypeGuard[Sequence[Any]]:
    """A list, a tuple, or an array."""
    return (isinstance(value, Sequence) and not isinstance(value, str)) or getattr(value, "ndim", 0) > 0


# ---- answered


def slips(cls: type[BaseModel], data: Mapping[str, Any]) -> Iterator[Slip]:
    """What the checker would answer once for every number or entry, in one sentence each."""
    for name, value in data.items():
        if _is_flat(cls, name, value):
            numbers = [one.item() if isinstance(one, np.generic) else one for one in value]
            yield name, value, _one_per_time(name, _vector_unit(cls, name), numbers, _times(cls, data))
        elif isinstance(value, BaseModel) and container_of(cls, name) is tuple:
            names, got = _names(kinds_of(cls, name)), type(value).__name__
            yield name, value, f"must be a list of {names} (got one {got}); {_as_list(cls, name)}"


def _one_per_time(field: str, unit: str, numbers: list[Any], times: int) -> str:
    """The same vector at all times, or one along z for each number; what is displaced begins at 0."""
    vector = len(numbers) == 3 and times != 3
    rows = [numbers] * max(times, 1) if vector else [[0, 0, number] for number in numbers]
    if vector and times > 1 and field == "displacement":
        rows[0] = [0, 0, 0]
    shown = ", ".join(str(row) for row in rows[:3]) + (", ..." if len(rows) > 3 else "")
    got = f"{short(numbers)} for {times} times" if times > 1 else short(numbers)
    return f"must be a list of vectors x, y, z in {unit}, one for each time (got {got}); write for example [{shown}]"


def python_name(kind: type[BaseModel]) -> str:
    """As a program writes it that says: import yawara as yw."""
    package = sys.modules.get("yawara")
    for prefix, place in (("yw.", package), ("yw.tools.", getattr(package, "tools", None))):
        if getattr(place, kind.__name__, None) is kind:
            return prefix + kind.__name__
    return kind.__name__


def call(kind: type[BaseModel]) -> str:
    """'yw.Voigt(k=..., c=...)'"""
    needed = ", ".join(f"{name}=..." for name, field in kind.model_fields.items() if field.is_required())
    return f"{python_name(kind)}({needed})"


def wrong_kind(cls: type[BaseModel], field: str, given: Any) -> str:
    """For a program: what a field that holds parts must be given."""
    kinds, container = kinds_of(cls, field), container_of(cls, field)
    if isinstance(given, type) and given in kinds:
        return f"must be a {given.__name__}, not the class itself; write {field}={call(given)}"
    if container is tuple:
        return f"must be a list of {_names(kinds)} (got {short(given)}); {_as_list(cls, field)}"
    if container is dict:
        inner = given[0] if isinstance(given, Sequence) and given and isinstance(given[0], BaseModel) else given
        kind = type(inner) if isinstance(inner, BaseModel) else kinds[0]
        got = f"one {kind.__name__}" if isinstance(given, BaseModel) else short(given)
        return f"must be a dict of {_names(kinds)} by name (got {got}); write {field}={{'a_name': {python_name(kind)}(...)}}"
    return f"must be {_article(_names(kinds))} (got {short(given)}); write {field}={call(kinds[0])}"


def _as_list(cls: type[BaseModel], field: str) -> str:
    kinds = kinds_of(cls, field)
    return f"write {field}=[{python_name(kinds[0])}(...)]" if IN_PYTHON.get() else f"write [[{field}]]"


def _names(kinds: Kinds) -> str:
    names = [kind.__name__ for kind in kinds]
    return " or ".join(names) if len(names) <= 2 else f"{', '.join(names[:-1])} or {names[-1]}"


def _article(words: str) -> str:
    return f"{'an' if words[:1] in 'AEIOU' else 'a'} {words}"


# ---- places


def place_of(cls: type[BaseModel], location: Sequence[str | int]) -> str:
    """Where in a part something is, without the tags (law type, body shape) that the checker adds: body.dough.law.k in a file."""
    place, kinds, key, tag = "", [cls], False, False
    for item in location:
        if tag and not key and item in _tags(kinds):
            kinds, tag = [kind for kind in kinds if item in _tags([kind])], False
            continue
        place += _step(item, place, key=key)
        owner = next((kind for kind in kinds if item in kind.model_fields), None) if isinstance(item, str) and not key else None
        key = False
        if owner is not None:
            kinds, key = kinds_of(owner, str(item)), container_of(owner, str(item)) is dict
            tag = len(kinds) > 1
    return place


def _step(item: str | int, before: str, *, key: bool) -> str:
    if IN_PYTHON.get() and (key or isinstance(item, int)):
        return f"[{item!r}]"
    return f".{item}" if before else str(item)


def _tags(kinds: Kinds) -> set[Any]:
    """The words by which kinds of parts are told apart."""
    fields = [field for kind in kinds for field in kind.model_fields.values()]
    return {field.default for field in fields if get_origin(field.annotation) is Literal}
