"""One process at a time works in a directory, or at what a file stands for: two that wrote there would spoil each other's files.

The system itself keeps the lock, so it goes with the process, however that ends: a file that is left behind locks nothing. Some network
drives have no locks; there, nobody is kept out.

What was found in the directory before the lock was there may have changed: look again.
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from yawara.checks import SceneError

if TYPE_CHECKING:
    from filelock import BaseFileLock

LOCK = ".lock"  # the file in a directory in which a process works
NO_LOCKS = {errno.ENOSYS, errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP}  # what drives without locks answer


class Lock:
    """On a file, until it is closed or the process has ended."""

    def __init__(self, held: "BaseFileLock") -> None:
        self._held = held

    def close(self) -> None:
        self._held.release()

    def __enter__(self) -> "Lock":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def lock_of(file: Path) -> Lock | None:
    """The lock on a file, which is made if it is missing; None if another process, or another place here, has it."""
    from filelock import FileLock, Timeout

    # Not of one thread: who closes it may be another one. No soft fallback: such a lock would stay when the process is killed.
    held = FileLock(file, blocking=False, thread_local=False, fallback_to_soft=False)
    try:
        held.acquire()
    except Timeout:
        return None
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
    return Lock(held)


@contextmanager
def alone_in(directory: Path) -> Iterator[None]:
    """The directory is made if it is missing, and goes again if nothing was written. Refuses one in which another process works."""
    is_new = not directory.exists()
    directory.mkdir(parents=True, exist_ok=True)
    held = lock_of(directory / LOCK)
    if held is None:
        what = "another process is at work here; wait until it has ended, or choose another directory"
        raise SceneError([("", what)], source=str(directory))
    try:
        yield
    finally:
        with suppress(OSError):  # Windows removes it when it is released
            (directory / LOCK).unlink()  # while it is ours: who waits for it sees that it has no name any more, and looks again
        held.close()
        if is_new:
            with suppress(OSError):
                directory.rmdir()
