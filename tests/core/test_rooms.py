"""A kind of force is a room of its own: nobody else knows it by name."""

import ast
from pathlib import Path

import pytest

import yawara
import yawara.terms
from yawara.core.term import ForceTerm

PACKAGE = Path(yawara.__file__).parent
ROOMS = sorted(path.name for path in (PACKAGE / "terms").iterdir() if (path / "kernels.py").exists())
LIST = PACKAGE / "terms" / "__init__.py"


def files_outside(room):
    return [path for path in PACKAGE.rglob("*.py") if room not in path.relative_to(PACKAGE).parts[1:2] and path != LIST]


def names_in(path):
    """Modules that a file imports, and names that it uses."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Name):
            yield node.id


def classes_of(room):
    """Names of the room's force terms."""
    return {kind.__name__ for kind in ForceTerm.__subclasses__() if kind.__module__.startswith(f"yawara.terms.{room}.")}


def test_there_are_rooms():
    assert {"links", "cells", "cavity", "contact", "embedded"} <= set(ROOMS)
    assert all(classes_of(room) for room in ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_no_file_outside_a_room_names_it(room):
    found = [
        f"{path.relative_to(PACKAGE)}: {name}"
        for path in files_outside(room)
        for name in names_in(path)
        if name.startswith(f"yawara.terms.{room}") or name in classes_of(room)
    ]
    assert found == []


def test_the_list_of_rooms_names_all():
    text = LIST.read_text()
    assert all(f"yawara.terms.{room}." in text for room in ROOMS)
