"""The haptic loop in a process of its own, so that neither the solver nor the page can make it late."""

import contextlib
import multiprocessing
import os
import traceback
from multiprocessing.connection import Connection
from typing import Self

from yawara.haptics.board import Board
from yawara.haptics.device import DeviceError, device_of
from yawara.haptics.loop import Settings, run
from yawara.haptics.report import LoopReport

READY = "ready"


class HapticProcess:
    """Starts, watches and stops the loop of a device. As every spawned process it needs a main module that can be imported."""

    def __init__(self, device_text: str, board: Board, settings: Settings | None = None) -> None:
        device_of(device_text)  # a name that is wrong is told at once
        self.board = board
        self.error = ""  # why it ended by itself
        context = multiprocessing.get_context("spawn")
        self._words, theirs = context.Pipe(duplex=False)
        self._process = context.Process(
            target=_serve,
            args=(board.name, device_text, settings, os.getpid(), theirs),
            name="yawara-haptics",
            daemon=True,
        )
        self._theirs: Connection | None = theirs

    def start(self, patience: float = 60.0) -> Self:
        """Returns when the device is served; DeviceError if it is not after `patience` [s]."""
        self.board.orders["stop"] = 0.0
        self.board.orders.publish()
        self._process.start()
        if self._theirs is not None:
            self._theirs.close()  # or we would not notice that the process ended
            self._theirs = None
        word = self._words.recv() if self._words.poll(patience) else "it does not answer; start it again"
        if word != READY:
            self.error = word
            self.stop()
            raise DeviceError(word)
        return self

    @property
    def alive(self) -> bool:
        """Whether the loop runs; if not, `error` says why, unless it was told to stop."""
        alive = self._process.is_alive()
        if not alive and not self.error:
            with contextlib.suppress(EOFError, OSError):
                if self._words.poll():
                    self.error = self._words.recv()
            if not self.error and self._process.exitcode:
                self.error = f"the haptic loop was ended from outside (code {self._process.exitcode}); start it again"
        return alive

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def report(self) -> LoopReport:
        self.board.report.fetch()
        return LoopReport.of(self.board.report)

    def stop(self, patience: float = 2.0) -> None:
        """Ask it to end, then insist. Allowed twice."""
        if self._process.pid is None:
            return
        self.board.orders["stop"] = 1.0
        self.board.orders.publish()
        for insist in (self._process.terminate, self._process.kill):
            self._process.join(patience)
            if not self._process.is_alive():
                break
            insist()
        self._process.join(patience)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *problem: object) -> None:
        self.stop()


def _serve(board_name: str, device_text: str, settings: Settings | None, parent: int, words: Connection) -> None:
    """In the new process; what goes wrong is told to the parent, not to the terminal."""
    word = ""
    try:
        run(board_name, device_text, settings, parent=parent, ready=lambda: words.send(READY))
    except DeviceError as error:
        word = str(error)
    except Exception:
        word = f"the haptic loop failed; please report this:\n{traceback.format_exc()}"
    with contextlib.suppress(OSError):  # a parent that is gone needs no answer
        if word:
            words.send(word)
        words.close()
