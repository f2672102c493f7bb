"""A clock that moves only when told, or when whoever lives by it sleeps."""

from yawara.clock import Clock


class HeldClock(Clock):
    def __init__(self, time=100.0, look=0.0):
        self.time, self.look = time, look  # [s]: now, and what a look at the clock takes

    def now(self):
        self.time += self.look
        return self.time

    def sleep(self, duration):
        self.time += max(duration, 0.0)
