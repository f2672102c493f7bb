"""The head of the table, as it is printed."""

from rich.table import Table as Printed
from rich.text import Text

from yawara.calibrate.sweep.short import short_names
from yawara.calibrate.sweep.table import DONE, STATUS, Table, Value
from yawara.report.numbers import pretty

ROOM = 3  # letters between two columns


def head(found: Table, rows: int, width: int) -> tuple[Printed, str]:
    """As many rows as asked for and as many columns as fit, and a sentence about what is left out."""
    names = [*short_names([axis.path for axis in found.axes]), *found.names[len(found.axes) :]]
    units = [*(axis.unit for axis in found.axes), *(column.unit for column in found.results), ""]
    cells = [[*map(_cell, row[:-1]), DONE if row[-1] == DONE else "failed"] for row in found.cells[:rows]]
    columns = list(zip(names, (f"[{unit}]" if unit else "" for unit in units), *cells, strict=True))
    shown = _that_fit([max(map(len, column)) + ROOM for column in columns], len(found.axes), width)
    printed = Printed(box=None, pad_edge=False)
    for name, unit, *_ in (columns[n] for n in shown):
        printed.add_column(Text(f"{name}\n{unit}".strip()), justify="left" if name == STATUS else "right")
    for row in cells:
        printed.add_row(*(Text(row[n]) for n in shown))
    left_out = [_more(len(found.cells) - rows, "row"), _more(len(names) - len(shown), "column")]
    return printed, f"and {' and '.join(filter(None, left_out))}" if any(left_out) else ""


def _more(count: int, word: str) -> str:
    return f"{count:,} more {word}{'s' if count > 1 else ''}" if count > 0 else ""


def _that_fit(widths: list[int], parameters: int, room: int) -> list[int]:
    """Parameters and status always; of the results the first that fit."""
    last = len(widths) - 1
    shown, used = list(range(parameters)), sum(widths[:parameters]) + widths[last]
    for n in range(parameters, last):
        used += widths[n]
        if used > room:
            break
        shown.append(n)
    return [*shown, last]


def _cell(cell: Value) -> str:
    if cell is None:
        return "–"
    return pretty(cell) if isinstance(cell, float) else str(cell)
