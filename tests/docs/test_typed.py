"""Type checkers believe our annotations: the package says so, and its wheel keeps the word."""

import importlib.resources
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_marker_is_in_the_package():
    assert importlib.resources.files("yawara").joinpath("py.typed").is_file()


def test_nothing_keeps_it_out_of_the_wheel():
    """Hatch takes every file of a listed package that git does not ignore."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    assert build == {"targets": {"wheel": {"packages": ["src/yawara"]}}}  # nothing is left out
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert not any("typed" in line for line in ignored)
