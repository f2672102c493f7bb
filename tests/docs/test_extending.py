"""The page of extending is true: its code is that of the files it is copied from, and every file that it names is there."""

import re
from pathlib import Path

import pytest

import yawara.terms
from yawara.core.table import Phase
from yawara.core.term import ForceTerm
from yawara.methods import beside

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
COPIES = re.findall(r"```python\n# (\S+)\n(.*?)```", PAGE, re.DOTALL)


def pieces(code):
    """What stands by itself: classes, functions, members of a class."""
    return [piece.rstrip("\n") + "\n" for piece in re.split(r"\n\n(?:\n|(?=    (?:@|def )))", code)]


def test_all_code_without_a_test_of_its_own_is_copied():
    """Examples that `make docs` runs are marked otherwise."""
    assert len(COPIES) == PAGE.count("```python") > 8


@pytest.mark.parametrize(("path", "code"), COPIES, ids=[path for path, _ in COPIES])
def test_code_is_that_of_its_file(path, code):
    text = (ROOT / path).read_text(encoding="utf-8")
    assert [piece for piece in pieces(code) if piece not in text] == []


def test_a_changed_line_is_seen():
    path, code = COPIES[0]
    changed = code.replace("k: float", "k: int")
    assert [piece for piece in pieces(changed) if piece not in (ROOT / path).read_text(encoding="utf-8")] != []


def test_files_that_are_named_are_there():
    named = set(re.findall(r"`((?:src|tests|docs)/[\w/]+\.\w+)`", PAGE)) | {path for path, _ in COPIES}
    named = {path for path in named if "NEW" not in path}
    assert len(named) > 40
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    rooms = set(re.findall(r"`((?:core|laws)/\w+\.py)`", PAGE))
    assert rooms
    assert [path for path in sorted(rooms) if not (ROOT / "src" / "yawara" / path).exists()] == []


def column(heading):
    """Names in the first column of the table below that heading."""
    table = PAGE.partition(f"| {heading} |")[2].partition("\n\n")[0]
    return [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]


def test_phases_and_members_exist():
    phases = column("Kernel")
    assert len(phases) > 5
    assert [name for name in phases if name.upper() not in Phase.__members__] == []
    members = column("Member")
    assert len(members) > 10
    known = {*vars(ForceTerm), *ForceTerm.__annotations__}
    assert [name for name in members if name not in known] == []


def test_rooms_are_registered_as_the_page_says():
    assert "`yawara.terms.register(build)`" in PAGE
    assert "`yawara.methods.beside.register(build)`" in PAGE
    assert callable(yawara.terms.register)
    assert callable(beside.register)
