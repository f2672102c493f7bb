"""One process at a time works in a directory: two that wrote there would spoil each other's files.

The system itself keeps the lock, on the directory: it goes with the process, however that ends, and leaves no file behind. Windows, and
some drives of other machines, cannot lock a directory; there, nobody is kept out.

What was found in the directory before the lock was there may have changed: look again.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from yawara.checks import SceneError


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


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """The directory is made if it is missing. Refuses one in which another process works."""
    directory.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        yield
        return
    import fcntl

    place = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            what = "another process is at work here; wait until it has ended, or choose another directory"
            raise SceneError([("", what)], source=str(directory)) from None
        except OSError:  # a drive that has no locks
            pass
        yield
    finally:
        os.close(place)
