"""A hand that was recorded: positions over time from a CSV file, played in real time or in the time of a test."""

import csv
import math
from pathlib import Path
from typing import Self

import numpy as np

from yawara.clock import REAL, Clock
from yawara.haptics.device import DeviceError, DeviceInfo, DeviceState, Floats

COLUMNS = ("time", "x", "y", "z")
EXAMPLE = "the first line is 'time,x,y,z' or 'time,x,y,z,button', in seconds and metres"


class ReplayDevice:
    """Straight lines between the recorded positions; before the first and after the last it rests. Forces do not move it."""

    def __init__(self, path: Path, clock: Clock = REAL) -> None:
        self._path, self._clock = path, clock
        self._begin: float | None = None  # [s], when it was read first
        self._times: Floats = np.zeros(1)
        self._positions: Floats = np.zeros((1, 3))
        self._buttons: Floats = np.zeros(1)
        self.force: Floats = np.zeros(3)  # [N], as last written

    @classmethod
    def from_text(cls, text: str) -> Self:
        if not text:
            raise DeviceError("device 'replay' needs the file to play; write for example 'replay:stroke.csv'")
        return cls(Path(text))

    @property
    def info(self) -> DeviceInfo:
        reach = np.abs(self._positions).max(axis=0)
        return DeviceInfo("replay", (float(reach[0]), float(reach[1]), float(reach[2])), max_force=10.0, rate=1000.0)

    def open(self) -> None:
        rows = read_stroke(self._path)
        self._times, self._positions, self._buttons = rows[:, 0], rows[:, 1:4], rows[:, 4]

    def close(self) -> None:
        self.force = np.zeros(3)

    def read(self) -> DeviceState:
        now = self._clock.now()
        if self._begin is None:
            self._begin = now
        played = now - self._begin + self._times[0]
        after = min(max(int(np.searchsorted(self._times, played, side="right")), 1), len(self._times) - 1)
        before = max(after - 1, 0)
        width = self._times[after] - self._times[before]
        velocity = np.zeros(3)
        if width > 0 and played < self._times[after]:
            velocity = (self._positions[after] - self._positions[before]) / width
        part = min((played - self._times[before]) / width, 1.0) if width > 0 else 0.0
        position = self._positions[before] + part * (self._positions[after] - self._positions[before])
        return DeviceState(now, position, velocity, buttons=(bool(self._buttons[before if part < 1.0 else after]),))

    def write(self, force: Floats) -> None:
        self.force = np.array(force)


def read_stroke(path: Path) -> Floats:
    """Rows of time [s], x, y, z [m], button (0 or 1); DeviceError that names the line if one is wrong."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DeviceError(f"{path}: cannot be read ({error}); give a CSV file, {EXAMPLE}") from None
    names = [name.strip() for name in lines[0]] if lines else []
    missing = [name for name in COLUMNS if name not in names]
    if missing:
        raise DeviceError(f"{path}, line 1: column {', '.join(missing)} is missing; {EXAMPLE}")
    places = [names.index(name) for name in COLUMNS] + ([names.index("button")] if "button" in names else [])
    rows: list[list[float]] = []
    for number, line in enumerate(lines[1:], start=2):
        if not "".join(line).strip():
            continue
        row = _numbers(line, places, f"{path}, line {number}")
        if rows and not row[0] > rows[-1][0]:
            raise DeviceError(
                f"{path}, line {number}: time must be > {rows[-1][0]:g} s, that of the line before (got {row[0]:g}); sort it"
            )
        rows.append(row if len(row) == 5 else [*row, 0.0])
    if not rows:
        raise DeviceError(f"{path}: has no positions; {EXAMPLE}, then one line each")
    return np.array(rows)


def _numbers(line: list[str], places: list[int], where: str) -> list[float]:
    if len(line) <= max(places):
        raise DeviceError(f"{where}: has {len(line)} values, needs {max(places) + 1}; complete it or leave it out")
    try:
        row = [float(line[place]) for place in places]
    except ValueError:
        raise DeviceError(f"{where}: must be plain numbers (got {','.join(line)!r}); {EXAMPLE}") from None
    if not all(math.isfinite(value) for value in row):
        raise DeviceError(f"{where}: must be finite numbers (got {','.join(line)!r}); leave the line out")
    return row
