"""One process at a time works in a directory, or at what a file stands for: two that wrote there would spoil each other's files.

The system itself keeps the lock: it goes with the process, however that ends. On a directory it leaves no file behind; Windows cannot
lock a directory, and some drives of other machines lock nothing; there, nobody is kept out.

What was found in the directory before the lock was there may have changed: look again.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from yawara.checks import SceneError

MOMENT = 0.005  # [s]


def refuse_used(directory: Path, file: str, what: str) -> None:
    """A directory with this file holds something already; `what` says what."""
    if (directory / file).exists():
        raise SceneError(
            [("", f"already holds a {what}; go on with --resume {directory}, or choose another")], source=str(directory)
        )


def refuse_completed(directory: Path, *, complete: bool) -> None:
    """What another process completed while we waited needs nobody any more."""
    if complete:
        raise SceneError([("", "was completed by another process just now; nothing is left to do")], source=str(directory))


class Lock:
    """On a file or a directory, until it is closed or the process has ended."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def close(self) -> None:
        os.close(self._handle)

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def lock_of(place: Path) -> Lock | None:
    """The lock on a directory, or on a file, which is made if it is missing; None if another process, or another place here, has it."""
    handle = os.open(place, os.O_RDONLY if place.is_dir() else os.O_RDWR | os.O_CREAT)
    try:
        _take(handle)
    except (BlockingIOError, PermissionError):  # the second is what Windows says
        os.close(handle)
        return None
    except OSError:  # a drive that has no locks
        pass
    return Lock(handle)


def waited_lock(place: Path) -> Lock:
    """The lock on a file that is held for moments only."""
    while (held := lock_of(place)) is None:
        time.sleep(MOMENT)
    return held


def _take(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """The directory is made if it is missing. Refuses one in which another process works."""
    directory.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    held = lock_of(directory)
    if held is None:
        what = "another process is at work here; wait until it has ended, or choose another directory"
        raise SceneError([("", what)], source=str(directory))
    with held:
        yield
