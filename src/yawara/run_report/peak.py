"""The state of a run at its largest load: what stresses are shown of. Kept while the run goes on, as no frame but the last is."""

from pathlib import Path
from typing import Any

import numpy as np

from yawara.core.model import Model
from yawara.core.state import State
from yawara.files import atomic_path
from yawara.frame import Frame
from yawara.kernels.kinds import Floats
from yawara.methods.fields import Field, fields_of
from yawara.observe.recorder import History
from yawara.run_report.columns import felt_names
from yawara.saved_arrays import form_of, read_archive
from yawara.scene.compile import Compiled
from yawara.state_checks import state_forms

FILE = "peak.npz"


class Peak:
    """An observer, to be shown each frame after the history has its row."""

    def __init__(self, compiled: Compiled, history: History, directory: Path | None = None, *, changes: bool = False) -> None:
        """A run in a directory keeps it there; `take_up` finds it again. Stresses are found at once if its material `changes`."""
        self.history, self.names = history, felt_names(history, compiled.scene.tool)
        self.row, self.load = 0, 0.0  # of the history; [N]
        self.name = ""  # of what presses
        self.model: Model = compiled.model
        self.state: State | None = None  # None without any load
        self._columns = [[history.names.index(f"{name}.force_{axis}") for axis in "xyz"] for name in self.names]
        self._changes = changes
        self._stress: Field | None = None
        self._path, self._saved = directory / FILE if directory else None, True

    def _loads(self, rows: Floats) -> Floats:
        """[N], (row_count, name_count)"""
        if not self.names:
            return np.zeros((len(rows), 1))
        return np.stack([np.linalg.norm(rows[:, columns], axis=1) for columns in self._columns], axis=1)

    def observe(self, frame: Frame) -> None:
        loads = self._loads(np.array([self.history.rows[-1]]))[0]
        if not loads.max() > self.load:
            return
        self._note(len(self.history.rows) - 1, loads)
        if self.state is None:
            self.state = frame.state.copy()
        else:
            self.state.assign(frame.state)
        self.model, self._saved = frame.model, False
        self._stress = fields_of(frame.model).of("stress", frame.state) if self._changes else None

    def stress(self) -> Field:
        """Of the state at the largest load, which there must be."""
        assert self.state is not None
        return self._stress or fields_of(self.model).of("stress", self.state)

    def _note(self, row: int, loads: Floats) -> None:
        self.row, self.load, self.name = row, float(loads.max()), self.names[int(loads.argmax())]

    def save(self) -> None:
        """Before every checkpoint: whole or not at all, and only if there is something new."""
        if self._saved or self._path is None or self.state is None:
            return
        with atomic_path(self._path) as temporary, temporary.open("wb") as file:
            arrays: dict[str, Any] = {"row": self.row, **self.state.arrays()}
            np.savez(file, **arrays)
        self._saved = True

    def take_up(self, compiled: Compiled) -> None:
        """Of the history so far. One that was saved after the checkpoint will come again; without its file there is no picture of it."""
        loads = self._loads(self.history.table)
        row = int(loads.max(axis=1).argmax())
        if not loads[row].max() > 0.0:
            return
        self._note(row, loads[row])
        if self._path is not None and self._path.exists():
            forms = {"row": form_of(0), **state_forms(compiled)}
            arrays = read_archive(self._path, forms, "the file is damaged: remove it, and the report does without that picture")
            if int(arrays.pop("row")) == row:
                self.state = State.from_arrays(arrays)
