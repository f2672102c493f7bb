"""Imports go down only: every room has its level in docs/architecture.md, and no file imports from a level beside or above its own."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE, PAGE = ROOT / "src" / "yawara", ROOT / "docs" / "architecture.md"
FILES = sorted(SOURCE.rglob("*.py"))

# (file, room): why it may look up. One that is not needed any more fails a test below.
TYPES = "the rooms read what a scene says, and name its types for the checker only"
EXCEPTIONS = {
    ("core/family.py", "scene"): TYPES,
    ("core/piece.py", "scene"): TYPES,
    ("core/piece.py", "tools"): TYPES,
    ("terms/cells/groups.py", "scene"): TYPES,
    ("terms/linear_elements/family.py", "scene"): TYPES,
    ("terms/continuum/family.py", "scene"): TYPES,
    ("terms/links/family.py", "scene"): TYPES,
    ("terms/polyhedra/family.py", "scene"): TYPES,
    ("terms/shear_volume/family.py", "scene"): TYPES,
    ("tools/build.py", "scene"): TYPES,
}


def levels():
    """Room -> level, counted from the bottom."""
    text = PAGE.read_text(encoding="utf-8")
    block = re.search(r"Imports go down only.*?```\n(.*?)```", text, re.DOTALL).group(1)
    lines = block.strip().splitlines()
    return {room: height for height, line in enumerate(reversed(lines)) for room in line.replace(",", " ").split()}


def room_of(parts):
    return parts[0].removesuffix(".py")


def path_of(file):
    return file.relative_to(SOURCE).as_posix()


def imports(tree, *, for_types=True):
    """Modules of the package that a file imports, wherever in it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not for_types:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "yawara")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the whole path"
            if node.module.split(".")[0] == "yawara":
                yield from _imported(node)
        yield from imports(node, for_types=for_types)


def _imported(node):
    """`from a import b` is a.b if that is a module, else a."""
    for alias in node.names:
        whole = f"{node.module}.{alias.name}"
        yield whole if whole in MODULES else node.module


def module_of(file):
    return ".".join(file.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")


MODULES = {module_of(file): file for file in FILES}
TREES = {file: ast.parse(file.read_text(encoding="utf-8")) for file in FILES}
LEVELS = levels()


def rooms_imported(file):
    return {module.split(".")[1] if "." in module else "__init__" for module in imports(TREES[file])}


def looks_up(file, room):
    own = room_of(file.relative_to(SOURCE).parts)
    return room != own and LEVELS[room] >= LEVELS[own]


def test_every_room_has_a_level_and_every_level_rooms():
    assert {room_of(file.relative_to(SOURCE).parts) for file in FILES} == set(LEVELS)


def test_every_room_is_described():
    """In the table of rooms, as `room/` or `room.py`."""
    table = PAGE.read_text(encoding="utf-8").partition("## The rooms")[2].partition("Imports go down only")[0]
    missing = [room for room in LEVELS if room != "__init__" and not re.search(rf"`{room}(/|\.py)", table)]
    assert missing == []


@pytest.mark.parametrize("file", FILES, ids=path_of)
def test_imports_go_down_only(file):
    """A room that is new belongs into the list of docs/architecture.md; what looks up belongs elsewhere, or among the exceptions."""
    up = {room for room in rooms_imported(file) if looks_up(file, room)}
    assert sorted(up - {room for path, room in EXCEPTIONS if path == path_of(file)}) == []


@pytest.mark.parametrize(("path", "room"), EXCEPTIONS)
def test_exceptions_are_needed(path, room):
    assert room in rooms_imported(SOURCE / path)
    assert looks_up(SOURCE / path, room)


def test_no_modules_import_each_other_in_a_circle():
    """Types alone may: they are not imported when the program runs."""
    needs = {module: set(imports(TREES[file], for_types=False)) - {module} for module, file in MODULES.items()}
    while free := {module for module, needed in needs.items() if not needed & set(needs)}:
        for module in free:
            del needs[module]
    assert sorted(needs) == []  # those in a circle, and those that need them


def test_a_look_up_is_seen():
    """The test itself can fail: what is written in a function, or for types alone, counts as well."""
    tree = ast.parse(
        "def late():\n    from yawara.cli.app import app\nif TYPE_CHECKING:\n    import yawara.touch\nfrom yawara.core import model"
    )
    assert list(imports(tree)) == ["yawara.cli.app", "yawara.touch", "yawara.core.model"]
    assert list(imports(tree, for_types=False)) == ["yawara.cli.app", "yawara.core.model"]
    assert looks_up(SOURCE / "core" / "model.py", "scene")
    assert looks_up(SOURCE / "journey.py", "doubts")  # beside it
    assert not looks_up(SOURCE / "scene" / "scene.py", "laws")
