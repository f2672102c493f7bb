"""Where evaluations run: in this process, in processes of this machine, in a Dask cluster, in any executor of `concurrent.futures`.

Whoever runs them, the answers are the same: no sum that counts is left to a library whose threads would change its order. A worker that
dies takes no answer along: what it had not given back is asked for again.
"""

import multiprocessing
import os
import pickle
import threading
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Protocol

from yawara.job.job import StoppedError
from yawara.kernels.kinds import Floats


class Evaluates(Protocol):
    """What workers are given: a problem."""

    def evaluate(self, free: Any) -> Any: ...


Done = Callable[[int, Any], None]  # gets the number of a row and its outcome, in the order in which they come
DEATHS = 5  # of worker processes in a row, without an answer in between, before we give up

_problem: Any = None  # of this worker process
_parcels: dict[int, Any] = {}  # by checksum: in an executor that cannot prepare its workers


class WorkersLostError(StoppedError):
    """Nobody is left to evaluate; what was evaluated before is kept, and the fit can be taken up again."""


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Processes that are started meanwhile do linear algebra in one thread, unless the user said otherwise.

    The libraries would start as many threads as there are cores in every process, which then are in each other's way. They read these
    names when they are loaded.
    """
    wanted = os.environ.get("OMP_NUM_THREADS", "1")
    ours = [name for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS") if name not in os.environ]
    os.environ.update(dict.fromkeys(ours, wanted))
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


def _prepare(parcel: bytes) -> None:
    global _problem
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _problem = pickle.loads(parcel)


def _end_with_parent() -> None:
    """A worker of a process that is killed would wait for its next question for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _evaluate(values: Floats) -> Any:
    return _problem.evaluate(values)


def _unpack_and_evaluate(parcel: bytes, values: Floats) -> Any:
    number = zlib.crc32(parcel)
    problem = _parcels.get(number)
    if problem is None:
        problem = pickle.loads(parcel)
        _parcels.clear()
        _parcels[number] = problem
    return problem.evaluate(values)


def _evaluate_there(problem: Evaluates, values: Floats) -> Any:
    return problem.evaluate(values)


class Workers(ABC):
    """Evaluates rows side by side; subclasses say where."""

    count = 1

    @abstractmethod
    def run(self, rows: Sequence[Floats], done: Done) -> None:
        """Evaluate all rows; `done` is called for each as soon as it is there."""

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """End what was begun."""

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()


class Here(Workers):
    """One after the other, in this process."""

    def __init__(self, problem: Evaluates) -> None:
        self._problem = problem

    def run(self, rows: Sequence[Floats], done: Done) -> None:
        for number, row in enumerate(rows):
            done(number, self._problem.evaluate(row))


class Processes(Workers):
    """Processes of this machine, new ones in place of those that die."""

    def __init__(self, problem: Evaluates, count: int) -> None:
        self.count, self._parcel = count, pickle.dumps(problem)
        self._pool: ProcessPoolExecutor | None = None

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is None:
            context = multiprocessing.get_context("spawn")  # threads and a fork do not go together
            self._pool = ProcessPoolExecutor(self.count, context, _prepare, (self._parcel,))
        return self._pool

    def run(self, rows: Sequence[Floats], done: Done) -> None:
        waiting, deaths = dict(enumerate(rows)), 0
        while waiting:
            before = len(waiting)
            try:
                self._run_once(waiting, done)
            except BrokenProcessPool:
                deaths = 0 if len(waiting) < before else deaths + 1
                self.close()
                if deaths >= DEATHS:
                    what = (
                        f"died {deaths} times in a row without an answer; use fewer (--workers 1), or free memory, and --resume"
                    )
                    raise WorkersLostError([("workers", what)], source="the machine") from None

    def _run_once(self, waiting: dict[int, Floats], done: Done) -> None:
        pool = self._open()
        with one_thread_each():  # the pool starts its processes when it is asked
            futures: dict[Future[Any], int] = {pool.submit(_evaluate, row): number for number, row in waiting.items()}
        _collect(futures, waiting, done)

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None


class Elsewhere(Workers):
    """Any executor; the problem travels with each question, unless the executor can keep it."""

    def __init__(
        self, problem: Evaluates, executor: Executor, *, count: int = 1, keep: Callable[[Any], Any] | None = None
    ) -> None:
        self._executor, self.count = executor, count
        self._kept = keep(problem) if keep else None
        self._parcel = b"" if keep else pickle.dumps(problem)

    def run(self, rows: Sequence[Floats], done: Done) -> None:
        waiting = dict(enumerate(rows))
        if self._kept is not None:
            futures = {self._executor.submit(_evaluate_there, self._kept, row): number for number, row in waiting.items()}
        else:
            futures = {self._executor.submit(_unpack_and_evaluate, self._parcel, row): number for number, row in waiting.items()}
        _collect(futures, waiting, done)


def _collect(futures: dict["Future[Any]", int], waiting: dict[int, Floats], done: Done) -> None:
    """Hand on answers as they come; what is answered no longer waits."""
    left = set(futures)
    broken: BaseException | None = None
    while left:
        ready, left = wait(left, return_when=FIRST_COMPLETED)
        for future in sorted(ready, key=futures.__getitem__):
            if isinstance(error := future.exception(), BrokenProcessPool):
                broken = error
                continue
            outcome = future.result()
            number = futures[future]
            waiting.pop(number)
            done(number, outcome)
    if broken is not None:
        raise broken


def usable_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
