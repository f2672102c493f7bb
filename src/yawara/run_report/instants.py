"""Which moments of a run are worth a picture."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.observe.recorder import History
from yawara.run_report.columns import driven_names, force_names, magnitude

APART = 0.05  # of the run, that two moments are apart at least


@dataclass(frozen=True)
class Instant:
    """A row of the history, and what is special about it."""

    row: int
    time: float  # [s]
    why: str = ""


def instants(history: History, bodies: Sequence[str], tools: Sequence[str], *, count: int = 5) -> list[Instant]:
    """Start, end, the largest force, the greatest change of height; then the longest gaps are halved until there are `count`."""
    time = history["time"]
    chosen = {0: "the start"}
    if len(time) > 1:
        chosen[len(time) - 1] = "the end"
    for row, why in _candidates(history, bodies, tools, list(chosen)):
        if np.abs(time[list(chosen)] - time[row]).min() > APART * (time[-1] - time[0]):
            chosen[row] = why
    while len(chosen) < min(count, len(time)):
        chosen[_widest_gap(time, sorted(chosen))] = ""
    return [Instant(row, float(time[row]), chosen[row]) for row in sorted(chosen)]


def _candidates(history: History, bodies: Sequence[str], tools: Sequence[str], others: list[int]) -> Iterator[tuple[int, str]]:
    """The most telling first. A height that one of the `others` or an earlier one shows as well is not worth a picture."""
    felt = {name: magnitude(history, name) for name in tools or driven_names(history) or force_names(history)}
    if (found := _peak(felt)) is not None:
        others = [*others, found[1]]
        yield found[1], f"largest force {'on' if tools else 'of'} {found[0]}"
    heights = {name: history[f"{name}.height"] for name in bodies}
    changes = {name: np.abs(height / height[0] - 1.0) for name, height in heights.items() if height[0] > 0.0}
    if (found := _peak(changes)) is not None:
        name, row = found
        if changes[name][row] > max(1e-3, 1.05 * float(changes[name][others].max())):
            yield row, f"{'least' if heights[name][row] < heights[name][0] else 'greatest'} height of {name}"


def _peak(courses: dict[str, Floats]) -> tuple[str, int] | None:
    """Name and row of the largest value of all, if there is one above zero."""
    name = max(courses, key=lambda name: float(courses[name].max()), default=None)
    return (name, int(np.argmax(courses[name]))) if name is not None and courses[name].max() > 0.0 else None


def _widest_gap(time: Floats, rows: Sequence[int]) -> int:
    """The row nearest to the middle of the longest stretch that still has rows inside."""
    begin, end = max(
        ((a, b) for a, b in pairwise(rows) if b - a > 1),
        key=lambda gap: float(time[gap[1]] - time[gap[0]]),
    )
    inside = np.arange(begin + 1, end)
    return int(inside[np.argmin(np.abs(time[inside] - 0.5 * (time[begin] + time[end])))])
