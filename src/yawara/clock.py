"""The time that loops live by. A test gives them a clock of its own, which it holds, and they do the same thing every time."""

import time


class Clock:
    """The time of the machine: that of `time.monotonic`, which all processes of a machine share."""

    def now(self) -> float:
        """[s], since some moment in the past."""
        return time.monotonic()

    def sleep(self, duration: float) -> None:
        """[s]"""
        time.sleep(duration)


REAL = Clock()
