"""What can be wrong with measured times and values, said with the rows and a remedy."""

import numpy as np

from yawara.checks import SceneError
from yawara.kernels.kinds import Floats

SHOWN = 5  # rows that are named at most


def check_times(times: Floats, source: str, place: str) -> None:
    """Refuse times [s] that are none, not finite, not increasing, or there twice. Rows are counted from 1."""
    if len(times) == 0:
        raise SceneError([(place, "must have at least one row (got none); measure something, or check the file")], source=source)
    check_finite(times, source, place, "s")
    back = np.flatnonzero(np.diff(times) < 0) + 2
    if len(back):
        row = int(back[0])
        raise SceneError(
            [(place, f"must increase (got {times[row - 1]:g} s after {times[row - 2]:g} s in {_rows(back)}); "
              "sort the rows by time, or cut the file where a new test begins")],
            source=source,
        )  # fmt: skip
    twice = np.flatnonzero(np.diff(times) == 0) + 2
    if len(twice):
        raise SceneError(
            [(place, f"must not have the same time twice (got {times[twice[0] - 1]:g} s again in {_rows(twice)}); "
              "average the rows of one time, or remove all but one")],
            source=source,
        )  # fmt: skip


def check_finite(values: Floats, source: str, place: str, unit: str) -> None:
    """Refuse values that are not finite."""
    strange = np.flatnonzero(~np.isfinite(values)) + 1
    if len(strange):
        got = values[strange[0] - 1]
        raise SceneError(
            [(place, f"must be finite numbers in {unit} (got {got} in {_rows(strange)}); remove these rows")], source=source
        )


def averaged(times: Floats, *columns: Floats) -> tuple[Floats, ...]:
    """Rows of the same time as one, with the mean of each column."""
    unique, group = np.unique(times, return_inverse=True)
    count = np.bincount(group)
    return (unique, *(np.bincount(group, weights=values) / count for values in columns))


def _rows(rows: "np.typing.NDArray[np.int64]") -> str:
    named = ", ".join(map(str, rows[:SHOWN].tolist()))
    more = f" and {len(rows) - SHOWN} more" if len(rows) > SHOWN else ""
    return f"row{'s' if len(rows) > 1 else ''} {named}{more}"
