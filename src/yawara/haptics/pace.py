"""Ticks at absolute times: sleep until shortly before, then look at the clock until it is time.

A sleep alone ends some tenths of a millisecond late; looking all the time would take a whole core. A tick whose time is over is left
out, never made up for in a burst: a burst would be a shorter tick than the hand has lived through.
"""

import math

from yawara.clock import REAL, Clock

AHEAD = 3e-4  # [s] before the time is due that sleep ends


class Pacer:
    def __init__(self, rate: float, clock: Clock = REAL) -> None:
        self.period = 1.0 / rate  # [s]
        self.skipped = 0
        self._clock = clock
        self._begin = clock.now()
        self._count = 0

    def wait(self) -> tuple[float, float]:
        """Until the next tick is due; returns the time now and by how much it is late [s]."""
        now = self._clock.now()
        passed = math.floor((now - self._begin) / self.period)  # the last due time that is not in the future
        if passed > self._count:
            self.skipped += passed - self._count
            self._count = passed
        self._count += 1
        due = self._begin + self._count * self.period
        if due - now > AHEAD:
            self._clock.sleep(due - now - AHEAD)
        now = self._clock.now()
        while now < due:
            now = self._clock.now()
        return now, now - due
