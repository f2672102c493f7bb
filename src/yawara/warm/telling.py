"""What a user sees while kernels are compiled: what it is, that it happens once, how far it is. On the standard error, for
commands and for Python alike, and only if it takes longer than a moment."""

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from shutil import get_terminal_size

QUIET = 2.0  # [s] in which nothing is said
OFTEN, NOW_AND_THEN = 0.5, 15.0  # [s] between two lines that are written over, or that stay

_told: set[str] = set()


@dataclass(frozen=True)
class Standing:
    """How far it is."""

    done: int  # kernels
    total: int  # kernels
    now: tuple[str, ...]  # what is being compiled
    waits: bool = False  # another process does it

    def words(self, seconds: float) -> str:
        who = "another process compiles" if self.waits else "compiling"
        now = f" ({', '.join(self.now)})" if self.now else ""
        return f"{who} kernels, once on this machine: {self.done} of {self.total}, {seconds:.0f} s{now}"


class Teller:
    """One line that is written over on a terminal; elsewhere a line now and then."""

    def __init__(self) -> None:
        self._stream, self._begin = sys.stderr, time.monotonic()
        # not within the display of another program, which takes whole lines
        self._overwrites = self._stream.isatty() and self._stream is sys.__stderr__
        self._next, self._spoke, self._open = QUIET, False, False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begin

    @property
    def is_due(self) -> bool:
        return self.seconds >= self._next

    def tell(self, standing: Standing) -> None:
        self._next = self.seconds + (OFTEN if self._overwrites else NOW_AND_THEN)
        self._spoke = True
        self._write(standing.words(self.seconds))

    def close(self, failed: Mapping[str, str]) -> None:
        """At the end; says nothing if nothing was said before and nothing is wrong."""
        if self._spoke and not failed:
            self._write(f"the kernels are compiled ({self.seconds:.0f} s); later runs load them")
        self.break_off()
        for why in dict.fromkeys(failed.values()):
            names = ", ".join(name for name, reason in failed.items() if reason == why)
            tell_once(f"{names} could not be compiled in a process of their own ({why}); they compile when they are called")

    def break_off(self) -> None:
        """End the line that stands there."""
        if self._open:
            self._stream.write("\n")
            self._open = False

    def _write(self, words: str) -> None:
        words = f"yawara: {words}"
        if self._overwrites:
            width = get_terminal_size().columns - 1
            self._stream.write("\r" + words[:width].ljust(width))
        else:
            self._stream.write(f"{words}\n")
        self._open = self._overwrites
        self._stream.flush()


def tell_once(words: str) -> None:
    """Once in a process."""
    if words not in _told:
        _told.add(words)
        sys.stderr.write(f"yawara: {words}\n")
