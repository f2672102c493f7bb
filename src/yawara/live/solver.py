"""The solver in a process of its own: it ticks, and never waits for a screen or a device."""

import contextlib
import gc
import os
import signal
import time
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from yawara.frame import Frame
from yawara.live.digest import state_digest
from yawara.live.haptic_link import HapticLink
from yawara.live.live import Live
from yawara.live.log import TouchLog
from yawara.live.messages import Choose, Move, Order, View
from yawara.live.metronome import Metronome
from yawara.live.recording import Recording
from yawara.live.skins import Colouring, Surface, shapes_of, tool_places
from yawara.live.start import Start
from yawara.live.window import get_state, put_state, put_view, window_layout
from yawara.scene.scene import Scene
from yawara.shared import Shared

VIEWS = 1.0 / 60.0  # [s] between two views, at least
COLOURS = 0.1  # [s] between two colourings
SAVES = 0.2  # [s] between two states that another solver could go on from
IDLE = 0.01  # [s] of a nap while time stands still


@dataclass(frozen=True)
class Task:
    """What a solver process is to do."""

    scene: Scene
    tick: float
    haptics: str | None = None  # name of the haptic board
    tool: str | None = None  # in the hand from the start
    saved: str | None = None  # name of the memory of a solver that ended, to go on from


def serve(task: Task, words: Connection, parent: int) -> None:
    """Until told to stop, or the parent is gone; what goes wrong is told to the parent, not to the terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then stops us
    with contextlib.suppress(OSError, AttributeError):
        os.nice(-10)  # before the page, if the system lets us
    try:
        solver = Solver(task, words)
    except Exception as error:
        _say(words, ("failed", _why(error)))
        return
    try:
        with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
            solver.run(parent)
    except Exception as error:
        _say(words, ("failed", _why(error)))
    finally:
        solver.close()


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{error}\n{traceback.format_exc()}"


def _say(words: Connection, message: tuple[Any, ...]) -> None:
    with contextlib.suppress(OSError):
        words.send(message)


class Solver:
    """A live scene that is paced, shown and recorded."""

    def __init__(self, task: Task, words: Connection) -> None:
        self.words, self.colour, self.script = words, "nothing", list[tuple[int, Order]]()
        self.link = HapticLink(task.haptics) if task.haptics else None
        self._task = task
        self._begin(task.scene)
        self.shapes = shapes_of(self.live)
        layout = window_layout(self.shapes, self.live.state)
        words.send(("shapes", self.shapes, layout))
        self.window = Shared.attach(words.recv(), layout)
        if task.saved:
            self._go_on(task.saved, layout)
        self._shown = self._coloured = self._saved = 0.0
        self._values: tuple[Any, ...] | None = None

    def _begin(self, scene: Scene, start: Start | None = None) -> None:
        self.live = Live(scene, self._task.tick, start)
        self.recording = Recording(scene, self._task.tick, start=start)
        self.log, self.colouring = TouchLog(), Colouring(self.live)
        self.metronome = Metronome(self._task.tick)
        if self._task.tool and start is None:
            self._carry_out(Choose(self._task.tool))
        model = self.live.compiled.model
        self._surfaces = [Surface(body, model) for body in model.bodies]
        if start is None:
            self.live.tick()  # loads the kernels, before time counts
        gc.collect()
        gc.freeze()  # or a collection would look through the compiler's objects, for tens of milliseconds

    def _go_on(self, saved: str, layout: Any) -> None:
        with contextlib.suppress(FileNotFoundError), Shared.attach(saved, layout) as memory:
            state = get_state(memory["state"], self.live.state)
            if state is not None and state.is_finite():
                self.live.take_up(state)
                self._mark()

    def run(self, parent: int) -> None:
        self.metronome.set_speed(1.0)
        checked, frame = time.monotonic(), None
        while True:
            if not self._listen():
                return
            now = time.monotonic()
            if now - checked > 1.0:
                checked = now
                if os.getppid() != parent:
                    return
            if self.metronome.speed == 0.0:
                time.sleep(IDLE)
                self.metronome.set_speed(0.0)
            else:
                frame = self._tick() or frame
            if frame is not None:
                self._show(frame)

    def _tick(self) -> Frame | None:
        begin = self.metronome.wait()
        if self.script is not None:
            while self.script and self.script[0][0] <= self.live.ticks - self.recording.first:
                self._carry_out(self.script.pop(0)[1])
        if self.link and (order := self.link.order()):
            self._carry_out(order)
        steps = self.live.state.step_count
        frame = self.live.tick()
        if self.link:
            self.link.answer(self.live, frame)
        if frame is None:
            _say(self.words, ("message", self.live.message))
            return None
        self.metronome.note(begin, self.live.state.step_count - steps)
        self.log.note(frame.time, self.live.tool_force(frame), self.live.hand_now(), self._height())
        return frame

    def _carry_out(self, order: Order) -> None:
        self.recording.note(self.live.ticks, order)
        self.live.carry_out(order)
        if self.live.message:
            _say(self.words, ("message", self.live.message))

    def _height(self) -> float:
        body = self.live.compiled.model.bodies[0]
        return float(self.live.state.points[body.points, body.up].max())

    def _show(self, frame: Frame) -> None:
        now = time.monotonic()
        if now - self._shown < VIEWS:
            return
        self._shown = now
        if self.colour == "nothing":
            self._values = None
        elif self._values is None or now - self._coloured > COLOURS:
            self._coloured = now
            self._values = tuple(self.colouring.values(self.colour, frame, self.live))
        live = self.live
        position = live.state.position
        view = View(
            live.ticks, frame.time, now, tuple(surface.vertices(position) for surface in self._surfaces), self._values,
            *tool_places(live), live.tool, live.tool_force(frame), self._height(), self.metronome.pace(),
        )  # fmt: skip
        if now - self._saved > SAVES:
            self._saved = now
            put_state(self.window["state"], live.state)
        put_view(self.window["view"], self.shapes, view)  # who sees a shape can have it back

    def _listen(self) -> bool:
        """Do what the parent says; False to stop."""
        while self.words.poll():
            word, *rest = self.words.recv()
            match word:
                case "order":
                    by_device = self.link is not None and isinstance(rest[0], Move)
                    if not self.script and not by_device:  # while a recording runs, the hand only watches
                        self._carry_out(rest[0])
                case "speed":
                    self.metronome.set_speed(rest[0])
                case "colour":
                    self.colour, self._values = rest[0], None
                case "new":
                    self._new(*rest)
                case "mark":
                    self._mark()
                    self._answer(rest[0], self.live.ticks)
                case "recording":
                    self._answer(rest[0], self.recording.until(self.live.ticks))
                case "digest":
                    self._answer(rest[0], state_digest(self.live.state))
                case "work":
                    self._answer(rest[0], np.array(self.metronome.work))
                case "csv":
                    self._answer(rest[0], self.log.csv())
                case "stop":
                    return False
        return True

    def _answer(self, number: int, value: Any) -> None:
        self.words.send(("answer", number, value))

    def _mark(self) -> None:
        """A recording begins, with everything as it is; a replay ends here, and the hand takes over."""
        self.script = []
        self.recording = Recording(self.live.scene, self._task.tick, start=self.live.start())

    def _new(self, recording: Recording) -> None:
        """Do once more what a recording says, from where it began."""
        self.live.close()
        self._begin(recording.scene, recording.start)
        self.script = list(recording.orders)
        self.metronome.set_speed(1.0)

    def close(self) -> None:
        self.live.close()
        self.window.close()
        if self.link:
            self.link.close()
