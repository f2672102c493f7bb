"""Waits until kernels are compiled: by processes that this one starts, or by those of another one that was first."""

import os
import time
from collections.abc import Iterable
from pathlib import Path

from yawara.kernels.entries import Kernel, cache_home, note_use, remove_old_kernels
from yawara.kernels.sources import sources_of
from yawara.warm.telling import Standing, Teller, tell_once
from yawara.warm.worker import WARMING, Worker

PAUSE = 0.02  # [s] between two looks
_failed: set[Kernel] = set()  # in this process: they compile when they are called, and the next process tries again
AGAIN = 0.2  # [s] before a kernel that another process compiles is looked at again


def ensure_compiled(kernels: Iterable[Kernel]) -> None:
    """Wait until these are in the cache; where that is not possible, kernels compile when they are called."""
    if WARMING in os.environ:  # this process only reads the file that has a kernel
        raise RuntimeError(
            "a scene runs while a program is imported; write what the program does under if __name__ == '__main__':"
        )
    kernels = list(kernels)
    note_use(kernels)
    missing = [kernel for kernel in kernels if kernel not in _failed and not kernel.is_compiled]
    if not missing:
        return
    home = cache_home()
    if home is None:
        tell_once("the cache's directory cannot be written: this process compiles its kernels when it needs them, and so will the next "
                  "one; set YAWARA_CACHE_DIR to a directory that can be written")  # fmt: skip
        return
    remove_old_kernels(home)
    crew = _Crew(missing)
    try:
        crew.work()
    finally:
        crew.end()


def _heaviest_first(kernels: Iterable[Kernel]) -> list[Kernel]:
    """So that nobody waits for a large one at the end: by the size of what they are made from."""
    return sorted(kernels, key=lambda kernel: -sum(source.stat().st_size for source in sources_of(kernel.source)))


class _Crew:
    """The processes that work for us, and what is left to do."""

    def __init__(self, wanted: list[Kernel]) -> None:
        self.waiting = _heaviest_first(wanted)
        self.total, self.left = len(wanted), set(wanted)
        self.workers: list[Worker] = []
        self.files: dict[Worker, Path] = {}  # that each has last compiled something of
        self.elsewhere: dict[Kernel, float] = {}  # compiled by another process, and when we look again
        self.failed: dict[str, str] = {}  # kernel -> why
        self.teller = Teller()

    def work(self) -> None:
        while self.left:
            self._hear()
            self._look_elsewhere()
            self._give_work()
            if self.teller.is_due and self.left:
                self.teller.tell(self._standing())
            time.sleep(PAUSE)
        self.teller.close(self.failed)

    def end(self) -> None:
        for worker in self.workers:
            worker.end()
        self.teller.break_off()

    def _hear(self) -> None:
        for worker in list(self.workers):
            if worker.kernel is None or (answer := worker.answer()) is None:
                continue
            kernel, worker.kernel = worker.kernel, None
            if answer == "done":
                self.left.discard(kernel)
            elif answer == "busy":
                self.elsewhere[kernel] = time.monotonic() + AGAIN
            else:
                self.failed[kernel.name] = answer.partition(" ")[2]
                _failed.add(kernel)
                self.left.discard(kernel)
            if not worker.is_alive:
                worker.end()
                self.workers.remove(worker)
                self.files.pop(worker, None)

    def _look_elsewhere(self) -> None:
        """What another process compiles is done, or given up there, sooner or later."""
        now = time.monotonic()
        for kernel, when in list(self.elsewhere.items()):
            if kernel.is_compiled:
                self.left.discard(kernel)
                del self.elsewhere[kernel]
            elif now >= when:
                del self.elsewhere[kernel]
                self.waiting.append(kernel)

    def _give_work(self) -> None:
        idle = [worker for worker in self.workers if worker.kernel is None]
        while self.waiting:
            kernel = self.waiting[0]
            if kernel.is_compiled:
                self.left.discard(self.waiting.pop(0))
                continue
            if not idle and len(self.workers) >= _processors():
                return
            if not idle:
                self.workers.append(Worker())
                idle.append(self.workers[-1])
            worker = idle.pop()
            kernel = self.waiting.pop(self._next_for(worker))
            self.files[worker] = kernel.path
            worker.compile(kernel)

    def _next_for(self, worker: Worker) -> int:
        """Kernels of one file share inner functions, which are compiled once in a process: they go to the same worker."""
        elsewhere = {path for one, path in self.files.items() if one is not worker}
        own = (n for n, kernel in enumerate(self.waiting) if kernel.path == self.files.get(worker))
        free = (n for n, kernel in enumerate(self.waiting) if kernel.path not in elsewhere)
        return next(own, next(free, 0))

    def _standing(self) -> Standing:
        now = tuple(dict.fromkeys(_room_of(worker.kernel) for worker in self.workers if worker.kernel))
        return Standing(self.total - len(self.left), self.total, now, waits=not now)


def _room_of(kernel: Kernel) -> str:
    """As people are told what is compiled."""
    return kernel.path.parent.name if kernel.path.stem == "kernels" else kernel.path.stem


def _processors() -> int:
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
