"""A process of ours, the line to it, and how long we wait for it."""

import contextlib
import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol


@dataclass(frozen=True)
class Patience:
    """How long [s] a process may take before it counts as gone. On a busy machine everything takes its time."""

    begin: float = 120.0  # until it can be used: kernels may have to be compiled
    answer: float = 60.0  # until it answers a question, as long as it lives
    silent: float = 20.0  # between two signs of life: to make a body new takes a while
    end: float = 5.0  # until it has ended, once it was told to


class Words(Protocol):
    """One end of a line between two processes; a `Connection` is one."""

    def send(self, word: Any, /) -> None: ...

    def recv(self) -> Any: ...

    def poll(self) -> bool: ...


class Child:
    """A new process that runs target(*arguments, our process number, its end of the line), which must be importable."""

    def __init__(self, target: Callable[..., None], *arguments: Any, name: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._words, theirs = context.Pipe()
        self._process = context.Process(target=target, args=(*arguments, os.getpid(), theirs), name=name, daemon=True)
        self._process.start()
        theirs.close()  # or we would not notice that it ended

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def exitcode(self) -> int | None:
        return self._process.exitcode

    def say(self, word: Any) -> None:
        """Nobody may be there to hear it."""
        with contextlib.suppress(OSError):
            self._words.send(word)

    def hear(self, patience: float = 0.0) -> Any:
        """The next word, None if none came within so many seconds, or the process is gone."""
        with contextlib.suppress(EOFError, OSError):
            if self._words.poll(patience):
                return self._words.recv()
        return None

    def end(self, patience: float) -> None:
        """It was told to end, or is gone; insist ever more, each time after so many seconds. Allowed twice."""
        for insist in (self._process.terminate, self._process.kill):
            self._process.join(patience)
            if not self._process.is_alive():
                break
            insist()
        self._process.join()
        self._words.close()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self._words.close()
