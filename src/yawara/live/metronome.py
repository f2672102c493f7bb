"""Simulated time beside real time: neither ahead of it, nor in a hurry after it.

A solver that has fallen behind by more than BACKLOG gives up what it is behind: simulated time then runs slower than real time, evenly,
and `late` tells by how much. To make up for it would take more work than there was time for, and fall behind even more.
"""

from collections import deque

import numpy as np

from yawara.clock import REAL, Clock
from yawara.live.messages import Pace

BACKLOG = 0.1  # [s] that may be made up for: a hiccup of the machine
WINDOW, TOLD = 1.0, 0.25  # [s] over which the pace is told, and how often its parts are looked at
REMEMBERED = 200_000  # ticks
NAP = 1e-4  # [s], shorter sleeps are not worth it


class Metronome:
    """Says when the next tick may begin, and how it goes."""

    def __init__(self, tick: float, clock: Clock = REAL) -> None:
        self.tick, self.speed, self.late = tick, 1.0, 0.0
        self._clock = clock
        self._due = clock.now()
        self._done: deque[tuple[float, float, int]] = deque()  # end of each tick [s], its work [s], its steps
        self._told, self._work, self._steps = 0.0, np.zeros(2), 0.0
        self.work: deque[float] = deque(maxlen=REMEMBERED)  # [s], of every tick

    def set_speed(self, speed: float) -> None:
        """Simulated over real time; 0 waits."""
        self.speed = min(max(speed, 0.0), 1.0)
        self._due = self._clock.now()

    def wait(self) -> float:
        """Until the next tick is due; the time [s] when it begins."""
        now = self._clock.now()
        if now - self._due > BACKLOG:
            self.late += now - self._due
            self._due = now
        elif self._due - now > NAP:
            self._clock.sleep(self._due - now)
        self._due += self.tick / max(self.speed, 1e-3)
        return self._clock.now()

    def note(self, begin: float, steps: int) -> None:
        """A tick is done that began then."""
        now = self._clock.now()
        self._done.append((now, now - begin, steps))
        self.work.append(now - begin)
        while self._done[0][0] < now - WINDOW:
            self._done.popleft()

    def pace(self) -> Pace:
        if len(self._done) < 2:
            return Pace(0.0, self.speed, 0.0, 0.0, 0.0, 0.0, self.late)
        first, last = self._done[0], self._done[-1]
        if last[0] - self._told > TOLD:  # looking through a thousand ticks takes as long as one of them
            self._told = last[0]
            table = np.array(self._done)
            self._work = np.percentile(table[:, 1], [50, 99])
            self._steps = float(table[:, 2].mean())
        rate = (len(self._done) - 1) / max(last[0] - first[0], 1e-9)
        return Pace(rate * self.tick, self.speed, rate, self._steps, float(self._work[0]), float(self._work[1]), self.late)
