"""What the parts of a scene must agree on: names and references. Checked on what was given, whether or not the rest is valid."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from yawara.checks import nearest

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
RESERVED = ("time", "energy", "contact")  # columns of every history
TABLES = ("fix", "drive", "force", "push")

Problem = tuple[tuple[str | int, ...], Any, str]  # place, given, what


def problems(data: Mapping[str, Any]) -> list[Problem]:
    """Everything that is wrong with the names in a scene."""
    return [*_no_bodies(data), *_bad_names(data), *_bad_region_names(data), *_unknown_bodies(data), *_double_names(data)]


def made_up_name(table: str, index: int) -> str:
    """What the history calls an action without a name."""
    return f"{table}{index + 1}"


def _no_bodies(data: Mapping[str, Any]) -> Iterator[Problem]:
    if "body" in data and not data["body"]:
        yield ("body",), {}, "must have at least one body (got none); add a table [body.NAME]"


def _bad_names(data: Mapping[str, Any]) -> Iterator[Problem]:
    for place, name in _names(data):
        if not NAME.fullmatch(name):
            yield place, name, f"name must be letters, digits, - and _ (got {name!r}); it becomes a column name"
        elif name in RESERVED:
            yield place, name, f"name must not be '{name}', which every history has; choose another"


def _bad_region_names(data: Mapping[str, Any]) -> Iterator[Problem]:
    for body, item in _table(data, "body").items():
        regions = _entry(item, "region")
        for name in regions if isinstance(regions, Mapping) else ():
            if not NAME.fullmatch(name):
                yield (
                    ("body", body, "region", name),
                    name,
                    f"name must be letters, digits, - and _ (got {name!r}); settings use it",
                )


def _unknown_bodies(data: Mapping[str, Any]) -> Iterator[Problem]:
    bodies = _table(data, "body")
    items: list[tuple[tuple[str | int, ...], Any]] = [*_actions(data)]
    items += [(("probe", name), probe) for name, probe in _table(data, "probe").items()]
    for place, item in items:
        for key in ("body", "other_body"):
            body = _entry(item, key)
            if isinstance(body, str) and body and body not in bodies:
                yield (*place, key), body, f"there is no body '{body}'; {nearest(body, bodies)}"


def _double_names(data: Mapping[str, Any]) -> Iterator[Problem]:
    names = list(_names(data))
    counts = Counter(name for _, name in names)
    seen = set()
    for place, name in names:
        if name in seen:
            yield (
                place,
                name,
                f"name '{name}' is used {counts[name]} times for bodies, tools, probes, terms, methods or actions; give each its own",
            )
        seen.add(name)


def _names(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for table in ("body", "tool", "probe", "term", "method"):
        for name in _table(data, table):
            yield (table, name), name
    for (table, index), action in _actions(data):
        name = _entry(action, "name") or made_up_name(table, index)
        if isinstance(name, str):
            yield (table, index, "name"), name


def _actions(data: Mapping[str, Any]) -> Iterator[tuple[tuple[str, int], Any]]:
    for table in TABLES:
        given = data.get(table)
        for index, action in enumerate(given if isinstance(given, list | tuple) else ()):
            yield (table, index), action


def _table(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    given = data.get(name)
    return given if isinstance(given, Mapping) else {}


def _entry(item: Any, key: str) -> Any:
    """Of plain data or of a part."""
    return item.get(key) if isinstance(item, Mapping) else getattr(item, key, None)
