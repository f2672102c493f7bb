"""Waits until parts are compiled: by processes that this one starts, or by those of another one that was first."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from yawara.exclusive import lock_of
from yawara.jit import cache_directory
from yawara.warm.parts import PARTS, is_compiled, kernel_count, lock, mark
from yawara.warm.telling import Standing, Teller, tell_once
from yawara.warm.worker import BUSY, WARMING, Worker

PAUSE = 0.1  # [s] between two looks


def ensure_compiled(*parts: str) -> None:
    """Wait until these parts are in the cache; where that is not possible, kernels compile when they are called."""
    if is_compiled(*parts) or WARMING in os.environ:
        return
    directory = cache_directory()
    if directory is None or not _can_be_written(directory):
        where = str(directory) if directory else "the cache's directory"
        tell_once(f"{where} cannot be written: this process compiles its kernels when it needs them, and so will the next one; "
                  "set YAWARA_CACHE_DIR to a directory that can be written")  # fmt: skip
        return
    crew = _Crew(directory, _in_order(parts))
    try:
        crew.work()
    finally:
        crew.end()


def _in_order(parts: Iterable[str]) -> list[str]:
    """With those that come before them."""
    wanted = {name for part in parts for name in (part, *PARTS[part].after)}
    return [name for name in PARTS if name in wanted]


def _can_be_written(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        (directory / "index.lock").touch()
    except OSError:
        return False
    return True


class _Crew:
    """The processes that work for us, and what is left to do."""

    def __init__(self, directory: Path, wanted: list[str]) -> None:
        self.directory = directory
        self.wanted = [part for part in wanted if not self._is_done(part)]
        self.total = len(self.wanted)
        self.workers: dict[str, Worker] = {}
        self.failed: dict[str, str] = {}  # part -> why
        self.teller = Teller()

    def work(self) -> None:
        while left := [part for part in self.wanted if not self._is_done(part) and part not in self.failed]:
            for part in left:
                self._look_after(part)
            if self.teller.is_due:
                self.teller.tell(self._standing(left))
            time.sleep(PAUSE)
        self.teller.close(self.failed)

    def end(self) -> None:
        for worker in self.workers.values():
            worker.end()
        self.teller.break_off()

    def _is_done(self, part: str) -> bool:
        return mark(self.directory, part).exists()

    def _look_after(self, part: str) -> None:
        """Start a process for it, if nobody is at it and what comes before is there; or see how ours has ended."""
        worker = self.workers.get(part)
        if worker is None:
            ready = all(self._is_done(first) or first in self.failed for first in PARTS[part].after)
            # the mark is looked at after the lock: another process may have ended since we saw none
            if ready and self._is_free(part) and not self._is_done(part):
                self.workers[part] = Worker(part)
        elif worker.exit_code is not None:
            if worker.exit_code != BUSY and not self._is_done(part):
                self.failed[part] = worker.last_words()
            worker.end()
            del self.workers[part]

    def _is_free(self, part: str) -> bool:
        held = lock_of(lock(self.directory, part))
        if held is None:
            return False
        held.close()
        return True

    def _standing(self, left: list[str]) -> Standing:
        now = [part for part in left if part in self.workers or not self._is_free(part)]
        others = any(part not in self.workers for part in now)
        titles = tuple(PARTS[part].title for part in now)
        return Standing(self.total - len(left), self.total, titles, kernel_count(self.directory), waits=others)
