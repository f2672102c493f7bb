"""Columns of a measured table, in SI: plain CSV, with words before the header, and RepTate's files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from yawara.calibrate.reading.heading import heading
from yawara.calibrate.reading.layout import Layout, find_layout
from yawara.calibrate.units import UNITS, is_unit, to_si
from yawara.checks import LARGEST, SceneError, nearest
from yawara.kernels.kinds import Floats


@dataclass(frozen=True)
class ColumnChoice:
    """Which column, and what is in it."""

    column: str | int  # its name, with or without the unit that is written there, or its number from 1
    dimension: str = field(kw_only=True)  # SI unit of what is measured: "s", "m", "N", "Pa", "1", ...
    unit: str = field(default="", kw_only=True)  # of the numbers; empty: as the header tells
    scale: float = field(default=1.0, kw_only=True)  # what the numbers are multiplied by besides: -1 turns a sign


def read_table(path: Path, columns: Mapping[str, ColumnChoice]) -> dict[str, Floats]:
    """The chosen columns in SI, each (row_count,), by the names they are asked for. All that is wrong is said at once."""
    source = str(path)
    layout = find_layout(read_text(path), source)
    problems: list[tuple[str, str]] = []
    found: dict[str, Floats] = {}
    for name, choice in columns.items():
        try:
            index = _index(layout, choice.column)
            factor = _factor(layout, index, choice)
            found[name] = _in_si(layout, index, factor, choice.dimension)
        except _CellError as error:
            problems.append((error.place, error.what))
        except ValueError as error:
            problems.append((f"{name} (column {choice.column!r})", str(error)))
    if problems:
        raise SceneError(problems, source=source)
    return found


def read_text(path: Path) -> str:
    """A text file, or a SceneError that says why not."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise SceneError([("", "there is no such file; check the name and the current directory")], source=str(path)) from None
    except UnicodeDecodeError:
        try:
            return path.read_text(encoding="cp1252")
        except UnicodeDecodeError:
            raise SceneError([("", "is not text; save it as CSV")], source=str(path)) from None
    except OSError as error:
        raise SceneError([("", f"cannot be read ({error}); it must be a text file")], source=str(path)) from None


class _CellError(ValueError):
    def __init__(self, place: str, what: str) -> None:
        super().__init__(what)
        self.place, self.what = place, what


def _index(layout: Layout, column: str | int) -> int:
    """Place of a column, from 0."""
    names = layout.names
    if isinstance(column, int) or (column.isdigit() and column not in names):
        number = int(column)
        if not 1 <= number <= layout.column_count:
            raise ValueError(
                f"must be a number from 1 to {layout.column_count} (got {number}); the columns are {_listed(layout)}"
            )
        return number - 1
    for same in (lambda name: name == column, lambda name: _plain(name) == _plain(column)):
        places = [i for i, name in enumerate(names[: layout.column_count]) if same(name)]
        if len(places) == 1:
            return places[0]
        if len(places) > 1:
            raise ValueError(f"is there {len(places)} times; choose one by its number: {_listed(layout)}")
    if not names:
        raise ValueError(f"has no name, as the file has no header; choose one by its number, from 1 to {layout.column_count}")
    close = nearest(column, names)
    hint = f"; {close}" if close.startswith("did you") else ""
    raise ValueError(f"is not there; the columns are {_listed(layout)}{hint}")


def _listed(layout: Layout) -> str:
    names = layout.names[: layout.column_count]
    return (
        ", ".join(f"{i} '{name}'" for i, name in enumerate(names, 1)) if names else f"1 to {layout.column_count}, without names"
    )


def _plain(name: str) -> str:
    """A header without its unit, in small letters."""
    return heading(name).quantity.lower()


def _factor(layout: Layout, index: int, choice: ColumnChoice) -> float:
    """To SI. A unit that contradicts the header is refused: one of the two is wrong, often by 1000."""
    written = _written_unit(layout, index, choice.dimension)
    if not choice.unit and not written:
        known = ", ".join([choice.dimension, *UNITS[choice.dimension]])
        raise ValueError(f"tells no unit; say in which unit its numbers are, as in '{choice.column}:UNIT', with one of {known}")
    factor = to_si(choice.unit or written, choice.dimension)
    if written and choice.unit and is_unit(written, choice.dimension) and to_si(written, choice.dimension) != factor:
        ratio = factor / to_si(written, choice.dimension)
        raise ValueError(
            f"has the unit '{written}' in the file, but '{choice.unit}' was chosen, which is {ratio:g} times as much; "
            "leave the unit out, or correct the file"
        )
    return factor * choice.scale


def _written_unit(layout: Layout, index: int, dimension: str) -> str:
    """The unit that the file gives: in a line of its own, or in the heading."""
    if index < len(layout.units):
        return layout.units[index]
    name = layout.names[index] if index < len(layout.names) else ""
    unit = heading(name).unit
    ends_like_a_name = name.endswith(f"_{unit}") and not is_unit(unit, dimension)  # force_h: of a hold, hardly in hours
    return "" if ends_like_a_name else unit


def _in_si(layout: Layout, index: int, factor: float, unit: str) -> Floats:
    """A column in SI units; numbers that are too large to be squared and summed are refused by their line."""
    values = _numbers(layout, index)
    far = np.flatnonzero(~(np.abs(values) * abs(factor) <= LARGEST))
    if len(far):
        place = f"line {layout.rows[far[0]].line}, column {_label(layout, index)}"
        what = f"must be within {LARGEST:g} {unit} (got {values[far[0]]:g} times {factor:g}); correct the number, or the unit"
        raise _CellError(place, what)
    return factor * values


def _label(layout: Layout, index: int) -> str:
    return f"'{layout.names[index]}'" if index < len(layout.names) else str(index + 1)


def _numbers(layout: Layout, index: int) -> Floats:
    values = np.empty(len(layout.rows))
    label = _label(layout, index)
    for n, row in enumerate(layout.rows):
        cell = row.cells[index] if index < len(row.cells) else ""
        place = f"line {row.line}, column {label}"
        try:
            values[n] = layout.number(cell)
        except ValueError:
            got = "nothing" if not cell else repr(cell)
            raise _CellError(place, f"must be a number (got {got}); fill it in, or remove the line") from None
        if not np.isfinite(values[n]):
            raise _CellError(place, f"must be a finite number (got {cell}); remove the line, or correct it")
    return values
