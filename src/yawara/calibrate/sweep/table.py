"""The table of a sweep: a row for each run, parameters first, then results, then how it ended."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from yawara.calibrate.outcome import Outcome
from yawara.calibrate.sweep.axes import Axis
from yawara.files import write_text
from yawara.kernels.kinds import Floats
from yawara.observe.measure import Column

CSV, JSON = "sweep.csv", "sweep.json"
STATUS, DONE = "status", "done"
Value = float | int | str | None


@dataclass(frozen=True)
class Table:
    """`table["press.residual"]` is a column; `rows` are plain dictionaries."""

    scene: str  # its name
    axes: tuple[Axis, ...]
    results: tuple[Column, ...]  # without those that no run has
    points: Floats  # (row_count, axis_count), in the axes' units
    outcomes: tuple[Outcome, ...]

    @property
    def names(self) -> list[str]:
        return [*(axis.path for axis in self.axes), *(column.name for column in self.results), STATUS]

    @property
    def headers(self) -> list[str]:
        """With units."""
        return [*(axis.name for axis in self.axes), *(column.header for column in self.results), STATUS]

    @cached_property
    def rows(self) -> list[dict[str, Value]]:
        """By name; None where a run has no such result."""
        return [dict(zip(self.names, cells, strict=True)) for cells in self.cells]

    @cached_property
    def cells(self) -> list[list[Value]]:
        return [self._row(point, outcome) for point, outcome in zip(self.points.tolist(), self.outcomes, strict=True)]

    def _row(self, point: list[float], outcome: Outcome) -> list[Value]:
        parameters = [int(value) if axis.whole else value for axis, value in zip(self.axes, point, strict=True)]
        results = [outcome.metrics.get(column.name) for column in self.results]
        return [*parameters, *results, outcome.failure if outcome.failed else DONE]

    def __getitem__(self, name: str) -> Floats:
        """(row_count,): a parameter or a result; NaN where a run has none."""
        if name not in self.names[:-1]:
            raise KeyError(f"no column '{name}'; there are {', '.join(self.names[:-1])}")
        place = self.names.index(name)
        return np.array([np.nan if row[place] is None else row[place] for row in self.cells], float)

    @property
    def failures(self) -> list[dict[str, Value]]:
        """Rows of runs that failed."""
        return [row for row, outcome in zip(self.rows, self.outcomes, strict=True) if outcome.failed]

    def csv(self) -> str:
        """Units in the header; numbers with all their digits, nothing where there is none."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.headers)
        writer.writerows(
            ["" if cell is None else cell if isinstance(cell, str) else repr(cell) for cell in row] for row in self.cells
        )
        return text.getvalue()

    def data(self) -> dict[str, Any]:
        parameters = [{"name": axis.path, "unit": axis.unit, "is": "parameter"} for axis in self.axes]
        results = [{"name": column.name, "unit": column.unit, "is": "result"} for column in self.results]
        return {"scene": self.scene, "columns": [*parameters, *results], "rows": self.rows}

    def write(self, directory: Path) -> None:
        write_text(directory / CSV, self.csv())
        write_text(directory / JSON, json.dumps(self.data(), indent=1) + "\n")


def table_of(
    scene: str,
    axes: tuple[Axis, ...],
    points: Floats,
    outcomes: Sequence[Outcome],
    columns: tuple[Sequence[Column], Sequence[Column]],
) -> Table:
    """`columns` are those that a run may have, and those that it has if it is done."""
    possible, sure = columns
    known = {name for outcome in outcomes for name in outcome.metrics}
    results = (*(column for column in possible if column.name in known), *sure)
    return Table(scene, axes, results, points, tuple(outcomes))
