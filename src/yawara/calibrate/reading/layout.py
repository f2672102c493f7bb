"""Where in a text file the numbers are: free words before them, comments, names and units of columns, what parts the cells."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from yawara.calibrate.units import is_unit
from yawara.checks import SceneError

SEPARATORS = (";", "\t", ",", None)  # None: blanks
COMMENT = ("#", "%", "//")
OTHER_UNITS = {"C", "degC", "°C", "K", "rad", "deg", "rad/s"}  # of columns that nobody asks for
_BEFORE_UNIT = re.compile(
    r"\s+(?=[(\[（［])|\s+(?=[/／])|(?<=[/／])\s+|\s+(?=in\s)|(?<=\sin)\s+"
)  # of "Load (N)", "Weg / mm", "F in N"


@dataclass(frozen=True)
class Row:
    """A line of numbers, as text."""

    line: int  # in the file, from 1
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Layout:
    """A table as it stands in the file."""

    names: tuple[str, ...]  # as written, with units if they are there; none if the file has no header
    units: tuple[str, ...]  # from a line of units under the names; none if there is no such line
    rows: tuple[Row, ...]
    decimal_comma: bool

    @property
    def column_count(self) -> int:
        return len(self.rows[0].cells)

    def number(self, cell: str) -> float:
        """Of a cell that is one; a ValueError else."""
        return float(cell.replace(",", ".") if self.decimal_comma else cell)


def find_layout(text: str, source: str) -> Layout:
    """The table in a file: it begins with the first line of two or more numbers that is followed by another like it."""
    lines = [Row(n, (line.strip(),)) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    lines = [line for line in lines if not line.cells[0].startswith(COMMENT)]
    if not lines:
        raise SceneError([("", "is empty, or has nothing but comments; give a file with rows of numbers")], source=source)
    for separator in SEPARATORS:
        found = _table(lines, separator)
        if found:
            return found
    raise SceneError(
        [("", f"has no rows of two or more numbers (its first line is {lines[0].cells[0][:60]!r}); "
          "cells may be parted by commas, semicolons, tabs or blanks")],
        source=source,
    )  # fmt: skip


def _table(lines: list[Row], separator: str | None) -> Layout | None:
    for decimal_comma in (False, True) if separator != "," else (False,):
        split = [Row(row.line, tuple(_cells(row.cells[0], separator))) for row in lines]
        numeric = [_is_numeric(row.cells, decimal_comma) for row in split]
        for first, row in enumerate(split):
            follows = first + 1 == len(split) or (numeric[first + 1] and len(split[first + 1].cells) == len(row.cells))
            if numeric[first] and follows:
                names, units = _header(lines[:first], separator, len(row.cells))
                return Layout(names, units, tuple(split[first:]), decimal_comma)
    return None


def _cells(line: str, separator: str | None) -> list[str]:
    cells = [cell.strip().strip('"') for cell in (line.split() if separator is None else line.split(separator))]
    return cells[:-1] if len(cells) > 2 and not cells[-1] else cells  # a separator at the end of a line parts nothing


def _is_numeric(cells: Sequence[str], decimal_comma: bool) -> bool:
    """Two cells or more, each a number or empty, the first one a number."""
    found = [_parses(cell.replace(",", ".") if decimal_comma else cell) for cell in cells]
    return len(cells) >= 2 and found[0] and all(ok or not cell for ok, cell in zip(found, cells, strict=True))


def _parses(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell


def _header(before: list[Row], separator: str | None, count: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names and units of the columns, from the lines that stand before the numbers."""
    above = [_heading(row.cells[0], separator) for row in before]
    if not above or len(above[-1]) < count:
        return (), ()
    if len(above) > 1 and len(above[-2]) >= count and all(is_unit(cell) or cell in OTHER_UNITS for cell in above[-1]):
        return above[-2], above[-1]
    return above[-1], ()


def _heading(line: str, separator: str | None) -> tuple[str, ...]:
    if re.match(r"\s*\w+\s*=[^;]*;", line):
        return ()  # RepTate: a first line of param=value;
    if separator == "\t" and "\t" not in line:
        separator = None  # RepTate: names parted by blanks, numbers by tabs
    glued = _BEFORE_UNIT.sub("\0", line) if separator is None else line  # a name and its unit are one cell
    return tuple(cell.replace("\0", " ") for cell in _cells(glued, separator))
