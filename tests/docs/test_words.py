"""Pages, comments and messages use the words of mechanics, and name sources as a reader can find them."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OWN = {"src/yawara/old_names.py"}  # which knows the old names
TEXTS = [
    path
    for folder, pattern in (("src/yawara", "**/*.py"), ("docs", "*.md"), ("examples", "*.toml"))
    for path in sorted((ROOT / folder).glob(pattern))
    if path.relative_to(ROOT).as_posix() not in OWN
] + [ROOT / "README.md"]

# what a word was used for: what it is called
HOME_MADE = {
    r"\bseeds? 0\d\d\b": "author, year, equation",
    r"\bfollowers\b|\bleaders\b": "embedded nodes, hosts",
    r"topology guard|(?<!energy\.)\bguards\b": "inversion barrier",
    r"holding[ _]force": "reaction force",
    r"quickest vibration": "highest mode",
    r"contact\.overlap|energy\.guards": "contact.penetration, energy.barriers",
    r"\bmemories\b|links' memory|link memory": "internal variables",
}
ALLOWED = {  # where old names are told
    ("src/yawara/frame.py", "reaction force"),
    ("docs/scene-format.md", "reaction force"),
    ("docs/scene-format.md", "contact.penetration, energy.barriers"),
}


def home_made(text):
    """(what is found, what to write) of every such word."""
    return [(found[0], right) for wrong, right in HOME_MADE.items() for found in re.finditer(wrong, text)]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_words_are_those_of_mechanics(path):
    name = path.relative_to(ROOT).as_posix()
    assert [one for one in home_made(path.read_text(encoding="utf-8")) if (name, one[1]) not in ALLOWED] == []


def test_a_home_made_word_is_seen():
    assert home_made("the guards of a cell (seed 004)") == [
        ("seed 004", "author, year, equation"),
        ("guards", "inversion barrier"),
    ]
