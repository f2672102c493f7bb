"""Simulated time beside real time: neither ahead of it, nor in a hurry after it.

A solver that has fallen behind by more than BACKLOG gives up what it is behind: simulated time then runs slower than real time, evenly,
and `late` tells by how much. To make up for it would take more work than there was time for, and fall behind even more.
"""

import time
from collections import deque
from collections.abc import Callable

import numpy as np

from yawara.live.messages import Pace

BACKLOG = 0.03  # [s] that may be made up for: a hiccup of the machine
WINDOW = 1.0  # [s] over which the pace is told
REMEMBERED = 200_000  # ticks
NAP = 1e-4  # [s], shorter sleeps are not worth it


class Metronome:
    """Says when the next tick may begin, and how it goes."""

    def __init__(
        self, tick: float, clock: Callable[[], float] = time.monotonic, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self.tick, self.speed, self.late = tick, 1.0, 0.0
        self._clock, self._sleep = clock, sleep
        self._due = clock()
        self._done: deque[tuple[float, float, int]] = deque()  # end of each tick [s], its work [s], its steps
        self.work: deque[float] = deque(maxlen=REMEMBERED)  # [s], of every tick

    def set_speed(self, speed: float) -> None:
        """Simulated over real time; 0 waits."""
        self.speed = min(max(speed, 0.0), 1.0)
        self._due = self._clock()

    def wait(self) -> float:
        """Until the next tick is due; the time [s] when it begins."""
        now = self._clock()
        if now - self._due > BACKLOG:
            self.late += now - self._due
            self._due = now
        elif self._due - now > NAP:
            self._sleep(self._due - now)
        self._due += self.tick / max(self.speed, 1e-3)
        return self._clock()

    def note(self, begin: float, steps: int) -> None:
        """A tick is done that began then."""
        now = self._clock()
        self._done.append((now, now - begin, steps))
        self.work.append(now - begin)
        while self._done[0][0] < now - WINDOW:
            self._done.popleft()

    def pace(self) -> Pace:
        if len(self._done) < 2:
            return Pace(0.0, self.speed, 0.0, 0.0, 0.0, 0.0, self.late)
        ends, work, steps = (np.array(column) for column in zip(*self._done, strict=True))
        rate = (len(ends) - 1) / max(ends[-1] - ends[0], 1e-9)
        p50, p99 = np.percentile(work, [50, 99])
        return Pace(rate * self.tick, self.speed, rate, float(steps.mean()), 1e3 * float(p50), 1e3 * float(p99), self.late)
