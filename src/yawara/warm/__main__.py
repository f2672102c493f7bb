"""The process that compiles one part: `python -m yawara.warm PART`, with a pipe from whoever waits for it as its standard input."""

import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from yawara.exclusive import MOMENT, Lock, lock_of, waited_lock
from yawara.jit import cache_directory
from yawara.warm.parts import lock, mark
from yawara.warm.small_body import compile_part
from yawara.warm.worker import BUSY

LOOKS = 5


def main(part: str) -> int:
    """Exit code: 0 if the part is compiled, BUSY if another process is at it."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    directory = cache_directory()
    assert directory is not None, "started without a cache"
    held = _lock_of(lock(directory, part))
    if held is None:
        return BUSY
    with held:
        if not mark(directory, part).exists():
            _write_one_at_a_time(directory)
            compile_part(part)
            mark(directory, part).touch()
    return 0


def _lock_of(place: Path) -> Lock | None:
    """Others who only look whether it is free hold it for an instant: a second look tells them from one who compiles."""
    held = lock_of(place)
    for _ in range(LOOKS if held is None else 0):
        time.sleep(MOMENT)
        held = held or lock_of(place)
    return held


def _end_with_parent() -> None:
    """The pipe closes when the parent ends, by whatever means; nobody writes into it."""
    sys.stdin.buffer.read()
    os._exit(1)


def _write_one_at_a_time(directory: Path) -> None:
    """Numba reads a kernel's index, adds an entry and writes it back: of two processes at once, one could get the other's kernel."""
    from numba.core.caching import IndexDataCacheFile

    files: Any = IndexDataCacheFile
    save = files.save

    def save_alone(self: Any, key: Any, data: Any) -> None:
        with waited_lock(directory / "index.lock"):
            save(self, key, data)

    files.save = save_alone


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
