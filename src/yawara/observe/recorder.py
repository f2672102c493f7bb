"""The history of a run: a row of measures per frame."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from yawara.files import atomic_path, write_text
from yawara.frame import Frame
from yawara.kernels.kinds import Floats
from yawara.observe.measure import Column, Measure
from yawara.observe.positions import Positions
from yawara.old_names import current_column


@dataclass
class History:
    """A table over time; `history["dough.volume"]` is a column."""

    columns: tuple[Column, ...]
    rows: list[tuple[float, ...]] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def __getitem__(self, name: str) -> Floats:
        name = name if name in self.names else current_column(name)
        if name not in self.names:
            raise KeyError(f"no column '{name}'; there are {', '.join(self.names)}")
        return self.table[:, self.names.index(name)]

    @property
    def table(self) -> Floats:
        """(row_count, column_count)"""
        return np.array(self.rows, float).reshape(len(self.rows), len(self.columns))

    def csv(self) -> str:
        """Units in the header; numbers with all their digits."""
        lines = [",".join(column.header for column in self.columns)]
        lines += [",".join(repr(value) for value in row) for row in self.rows]
        return "\n".join(lines) + "\n"

    def write_csv(self, path: Path) -> None:
        write_text(path, self.csv())

    def write_hdf5(self, path: Path, positions: Positions | None = None) -> None:
        """One dataset per column with its unit as attribute; `positions` [m] as (frame, point, axis)."""
        import h5py

        with atomic_path(path) as temporary, h5py.File(temporary, "w") as file:
            group = file.create_group("history")
            for column, values in zip(self.columns, self.table.T, strict=True):
                dataset = group.create_dataset(column.name, data=values)
                dataset.attrs["unit"] = column.unit
            for index, position in enumerate(positions or ()):
                if index == 0:
                    shape = (len(positions or ()), *position.shape)
                    compact = {"chunks": (1, *position.shape), "compression": "gzip", "compression_opts": 1, "shuffle": True}
                    stored = file.create_dataset("position", shape, "f8", **compact)
                    stored.attrs["unit"] = "m"
                stored[index] = position


class Recorder:
    """Keeps the history; an observer."""

    def __init__(self, measures: Sequence[Measure]) -> None:
        self.measures = measures
        columns = [Column("time", "s"), *(column for measure in measures for column in measure.columns)]
        self.history = History(tuple(columns))

    def observe(self, frame: Frame) -> None:
        values = [value for measure in self.measures for value in measure.values(frame)]
        self.history.rows.append((frame.time, *values))
