"""The haptic loop in a process of its own, so that neither the solver nor the page can make it late."""

import contextlib
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

from yawara.child import Child, Patience, Words
from yawara.haptics.board import Board
from yawara.haptics.device import DeviceError, device_of
from yawara.haptics.loop import Settings, run
from yawara.haptics.report import LoopReport


@dataclass(frozen=True)
class Ready:
    """The device is served."""


@dataclass(frozen=True)
class Ended:
    """The loop ended by itself."""

    why: str


FromLoop = Ready | Ended
Start = Callable[[str, str, Settings | None], Child]  # board, device, settings


class HapticProcess:
    """Starts, watches and stops the loop of a device. As every spawned process it needs a main module that can be imported."""

    def __init__(
        self,
        device_text: str,
        board: Board,
        settings: Settings | None = None,
        *,
        patience: Patience | None = None,
        start: Start | None = None,
    ) -> None:
        device_of(device_text)  # a name that is wrong is told at once
        self.board = board
        self.error = ""  # why it ended by itself
        self._device, self._settings, self._patience = device_text, settings, patience or Patience()
        self._start = start or _started
        self._child: Child | None = None

    def start(self) -> Self:
        """Returns when the device is served; DeviceError if it cannot be, or is not in time."""
        self.board.orders["stop"] = 0.0
        self.board.orders.publish()
        self._child = self._start(self.board.name, self._device, self._settings)
        said: FromLoop | None = self._child.hear(self._patience.begin)
        if not isinstance(said, Ready):
            self.error = said.why if said else "it does not answer; start it again"
            self.stop()
            raise DeviceError(self.error)
        return self

    @property
    def alive(self) -> bool:
        """Whether the loop runs; if not, `error` says why, unless it was told to stop."""
        child = self._child
        alive = child is not None and child.alive
        if child is not None and not alive and not self.error:
            self.error = _last_words(child)
            if not self.error and child.exitcode:
                self.error = f"the haptic loop was ended from outside (code {child.exitcode}); start it again"
        return alive

    @property
    def pid(self) -> int | None:
        return self._child.pid if self._child else None

    def report(self) -> LoopReport:
        self.board.report.fetch()
        return LoopReport.of(self.board.report)

    def stop(self) -> None:
        """Ask it to end, then insist. Allowed twice."""
        if self._child is not None:
            self.board.orders["stop"] = 1.0
            self.board.orders.publish()
            self._child.end(self._patience.end)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *problem: object) -> None:
        self.stop()


def _last_words(child: Child) -> str:
    """Why it ended, if it said so."""
    said: FromLoop | None = child.hear()
    return said.why if isinstance(said, Ended) else ""


def _started(board_name: str, device_text: str, settings: Settings | None) -> Child:
    return Child(serve, board_name, device_text, settings, name="yawara-haptics")


def serve(board_name: str, device_text: str, settings: Settings | None, parent: int, words: Words) -> None:
    """In the new process; what goes wrong is told to the parent, not to the terminal."""
    word = ""
    try:
        run(board_name, device_text, settings, parent=parent, ready=lambda: words.send(Ready()))
    except DeviceError as error:
        word = str(error)
    except Exception:
        word = f"the haptic loop failed; please report this:\n{traceback.format_exc()}"
    with contextlib.suppress(OSError):  # a parent that is gone needs no answer
        if word:
            words.send(Ended(word))
