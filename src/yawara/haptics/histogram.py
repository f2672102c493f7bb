"""Durations counted in fixed bins, so that they fit into shared memory and two processes agree on them."""

import numpy as np

from yawara.haptics.device import Floats

LATE = 5e-4  # [s], half a tick of a loop at 1 kHz: from here on a tick counts as late
PER_DECADE = 20
# [s], from 1 µs to 100 ms, LATE among them; the first bin is open below, the last one above
EDGES: Floats = LATE * 10.0 ** (np.arange(-54, 47) / PER_DECADE)
BIN_COUNT = len(EDGES) + 1
_late_bin = 55  # first bin whose durations are all >= LATE


class Histogram:
    """Counts into an array that somebody else holds, such as a field of a board."""

    def __init__(self, counts: Floats) -> None:
        self.counts = counts  # (BIN_COUNT,)

    def add(self, duration: float) -> None:
        self.counts[EDGES.searchsorted(duration, side="right")] += 1.0

    @property
    def total(self) -> float:
        return float(self.counts.sum())

    def quantile(self, part: float) -> float:
        """[s], the upper edge of the bin that it falls into: at most 12 % too much. 0 if nothing was counted."""
        if self.total == 0.0:
            return 0.0
        index = int(np.searchsorted(np.cumsum(self.counts), part * self.total, side="left"))
        return float(EDGES[min(index, len(EDGES) - 1)])

    @property
    def late_share(self) -> float:
        """Of those >= LATE among all."""
        return float(self.counts[_late_bin:].sum() / self.total) if self.total else 0.0
