"""What is read off each run: one number of a column of its history, such as plate.force:max."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.integrate import trapezoid

from yawara.checks import SceneError, nearest
from yawara.core.control import Drive
from yawara.kernels.kinds import Floats
from yawara.observe.measure import SIZE, Column
from yawara.observe.probes import measures
from yawara.observe.recorder import History
from yawara.old_names import current_column
from yawara.run_report.columns import magnitude
from yawara.scene.compile import Compiled
from yawara.scene.consistency import made_up_name


class Kind(StrEnum):
    """Which number of a course over time."""

    MAX = "max"
    MIN = "min"
    END = "end"
    MEAN = "mean"


def _mean(time: Floats, values: Floats) -> float:
    """Over time, not over rows: the last frame may be shorter."""
    return float(trapezoid(values, time) / (time[-1] - time[0]))


_TAKE: dict[Kind, Callable[[Floats, Floats], float]] = {
    Kind.MAX: lambda time, values: float(values.max()),
    Kind.MIN: lambda time, values: float(values.min()),
    Kind.END: lambda time, values: float(values[-1]),
    Kind.MEAN: _mean,
}


@dataclass(frozen=True)
class Reading:
    """A column, or the magnitude of three that belong together, and which number of it."""

    source: str  # such as dough.volume, or plate.force
    kind: Kind
    unit: str
    vector: bool = False

    @property
    def column(self) -> Column:
        """Of the table."""
        return Column(f"{self.source}:{self.kind}", self.unit)

    @property
    def needs(self) -> set[str]:
        """Columns of the history."""
        return {f"{self.source}_{axis}" for axis in "xyz"} if self.vector else {self.source}

    def of(self, history: History) -> float:
        values = magnitude(history, *self.source.rsplit(".", 1)) if self.vector else history[self.source]
        return _TAKE[self.kind](history["time"], values)


def parse_readings(texts: Iterable[str], compiled: Compiled) -> tuple[Reading, ...]:
    """Those that are asked for, or those worth having if none is. SceneError lists all names that are not known."""
    units = _units(compiled)
    texts, problems = tuple(texts) or default_readings(compiled), list[tuple[str, str]]()
    found = dict[Reading, None]()
    for text in texts:
        try:
            found |= dict.fromkeys(_parse(text.strip(), units))
        except ValueError as error:
            problems.append((f"--measure {text}", str(error)))
    if problems:
        raise SceneError(problems, source="the command")
    return tuple(found)


def _parse(text: str, units: dict[str, str]) -> list[Reading]:
    source, colon, kind = text.rpartition(":") if text not in units else (text, "", "")
    if not colon:
        source = text
    source = current_column(source)
    if source not in units:
        raise ValueError(f"'{source}' is not measured in this scene; {nearest(source, units)}")
    if colon and kind not in list(Kind):
        raise ValueError(f"must end in :{', :'.join(Kind)} or nothing, for max and end (got ':{kind}'); {nearest(kind, Kind)}")
    kinds = (Kind(kind),) if colon else (Kind.MAX, Kind.END)
    vector = f"{source}_x" in units
    return [Reading(source, kind, units[source], vector) for kind in kinds]


def _units(compiled: Compiled) -> dict[str, str]:
    """Of all columns of the history, and of those vectors whose magnitude can be asked for."""
    columns = [column for measure in measures(compiled) for column in measure.columns]
    vectors = {one.name.removesuffix("_x"): one.unit for one in columns if one.name.endswith("_x")}
    return {column.name: column.unit for column in columns} | vectors


def default_readings(compiled: Compiled) -> tuple[str, ...]:
    """Size and height of every body at the end; the peak force of all that presses, if no recovery tells it."""
    sizes = [f"{body.name}.{name}:end" for body in compiled.model.bodies for name in (SIZE[body.dimension][0], "height")]
    moving = [drive.name for drive in _own_drives(compiled) if drive.end >= compiled.scene.time.end]
    pushes = [push.name or made_up_name("push", index) for index, push in enumerate(compiled.scene.push)]
    return (*sizes, *(f"{name}.force:max" for name in (*moving, *pushes, *compiled.model.tools)))


RECOVERY = {"pressed": "m", "returned": "m", "residual": "m", "peak_force": "N"}  # of a drive that lets go, and their units


def _own_drives(compiled: Compiled) -> list[Drive]:
    """Drives of the scene that move something; tools have theirs, too, and fixes are drives that stand still."""
    return [one for one in compiled.control.drives if len(one.table.times) > 1 and not one.place.startswith("tool.")]


def recovery_columns(compiled: Compiled) -> tuple[Column, ...]:
    """For every drive that may let go before the end."""
    names = [drive.name for drive in _own_drives(compiled) if np.isfinite(drive.end)]
    return tuple(Column(f"{name}.{what}", unit) for name in names for what, unit in RECOVERY.items())


def recovery_needs(compiled: Compiled) -> set[str]:
    """Columns of the history."""
    names = [drive.name for drive in _own_drives(compiled) if np.isfinite(drive.end)]
    return {f"{name}.{quantity}_{axis}" for name in names for quantity in ("force", "displacement") for axis in "xyz"}
