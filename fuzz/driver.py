"""Runs cases in processes of their own: one that crashes or hangs is told by its kind, seed and number, and costs no other case."""

import multiprocessing
import shutil
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.kinds import KINDS, Kind
from fuzz.verdict import Verdict, judged

HANG = 90.0  # [s] that a case may take, though it was interrupted long before: on a busy machine, everything takes its time
START = 600.0  # [s] that a process may take to get ready, with all kernels to be compiled


@dataclass
class Fault:
    """A case that was not well behaved."""

    kind: str
    seed: int
    case: int
    what: str
    said: str = ""

    def __str__(self) -> str:
        lines = self.said.strip().splitlines()
        tail = "\n    ".join(lines[-12:])
        return f"{self.kind}, seed {self.seed}, case {self.case}: {self.what}\n    {tail}\n    {self.repeat}"

    @property
    def repeat(self) -> str:
        return f"repeat it with: python -m fuzz {self.kind} --seed {self.seed} --case {self.case} --keep DIR"


@dataclass
class Tally:
    """What came of a kind's cases."""

    kind: str
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[Fault] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def count(self) -> int:
        return sum(self.outcomes.values()) + len(self.faults)

    def __str__(self) -> str:
        parts = ", ".join(f"{count} {what}" for what, count in sorted(self.outcomes.items()))
        return f"{self.kind}: {self.count} cases in {self.seconds:.0f} s ({parts or 'none went well'}), {len(self.faults)} faults"


def run_case(kind: Kind, seed: int, case: int, folder: Path, shared: Path) -> Verdict:
    """Make the files of a case in an empty folder, and give them to the command line. `shared` holds what all cases of a kind use."""
    rng = np.random.default_rng([zlib.crc32(kind.name.encode()), seed, case])
    folder.mkdir(parents=True)
    return judged(kind.make(rng, folder, shared), folder)


def _serve(kind: Kind, seed: int, place: Path, pipe: Connection) -> None:
    """A process: does the cases whose numbers it is sent."""
    try:
        shared = place / "shared"
        shared.mkdir(parents=True)
        kind.prepare(shared)
        run_case(KINDS["scenes"], 0, 0, place / "first", shared)  # imports everything, so that no case pays for it
        pipe.send("ready")
        while (case := pipe.recv()) is not None:
            folder = place / f"case {case}"
            pipe.send((case, run_case(kind, seed, case, folder, shared)))
            shutil.rmtree(folder, ignore_errors=True)
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        pass


class Worker:
    """A process that does cases, replaced by another when it dies or hangs."""

    def __init__(self, kind: Kind, seed: int, place: Path, limit: float) -> None:
        """A case may take `limit` [s]."""
        self._arguments, self._number, self.limit = (kind, seed, place), 0, limit
        self._start()

    def _start(self) -> None:
        kind, seed, place = self._arguments
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self._number += 1
        folder = place / f"worker {id(self)} {self._number}"
        self.process = context.Process(target=_serve, args=(kind, seed, folder, other), daemon=True)
        self.process.start()
        other.close()
        self.case, self.since = -1, time.monotonic()  # -1: getting ready

    def give(self, case: int | None) -> None:
        self.case, self.since = -2 if case is None else case, time.monotonic()
        self.pipe.send(case)

    @property
    def overdue(self) -> bool:
        return time.monotonic() - self.since > (START if self.case == -1 else self.limit)

    def replace(self) -> None:
        self.end()
        self._start()

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def fuzz(kind: Kind, *, seed: int, cases: int, seconds: float, jobs: int = 1, limit: float = HANG) -> Tally:
    """So many cases of a kind, or as many as there is time for."""
    tally, begun = Tally(kind.name), time.monotonic()
    numbers = iter(range(cases))
    with tempfile.TemporaryDirectory(prefix="yawara-fuzz-") as place:
        workers = [Worker(kind, seed, Path(place), limit) for _ in range(max(1, min(jobs, cases)))]
        try:
            while workers:
                for worker in _ready(workers):
                    answer = _answer(worker, tally, seed)
                    late = time.monotonic() - begun > seconds
                    case = None if late else next(numbers, None)
                    if case is None:
                        worker.end()
                        workers.remove(worker)
                    elif answer == "died":
                        worker.replace()
                        numbers = _put_back(case, numbers)
                    else:
                        worker.give(case)
        finally:
            for worker in workers:
                worker.end()
    tally.seconds = time.monotonic() - begun
    return tally


def _put_back(case: int, numbers: Iterator[int]) -> Iterator[int]:
    yield case
    yield from numbers


def _ready(workers: list[Worker]) -> list[Worker]:
    """Those that have answered, died, or are overdue."""
    heard: list[Any] = wait([worker.pipe for worker in workers], timeout=1.0)
    return [worker for worker in workers if worker.pipe in heard or worker.overdue]


def _answer(worker: Worker, tally: Tally, seed: int) -> str:
    """Count what a worker says; 'died' if it can say no more."""
    if not worker.pipe.poll():
        _note(tally, seed, worker.case, f"no end within {worker.limit if worker.case >= 0 else START:.0f} s")
        return "died"
    try:
        said = worker.pipe.recv()
    except (EOFError, OSError):
        worker.process.join()
        _note(tally, seed, worker.case, f"the process died with status {worker.process.exitcode}")
        return "died"
    if said == "ready":
        return "ready"
    case, verdict = said
    if verdict.fault:
        _note(tally, seed, case, verdict.fault, verdict.said)
    else:
        tally.outcomes[verdict.outcome] += 1
    return "done"


def _note(tally: Tally, seed: int, case: int, what: str, said: str = "") -> None:
    if case < 0:
        raise RuntimeError(f"the fuzzer of {tally.kind} could not be prepared: {what}")
    tally.faults.append(Fault(tally.kind, seed, case, what, said))
