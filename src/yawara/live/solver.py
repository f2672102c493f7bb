"""The solver in a process of its own: it ticks, and never waits for a screen or a device."""

import contextlib
import gc
import os
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, assert_never

import numpy as np

from yawara.child import Words
from yawara.clock import REAL, Clock
from yawara.frame import Frame
from yawara.live.digest import state_digest
from yawara.live.haptic_link import HapticLink
from yawara.live.line import (
    Answer,
    AnyQuestion,
    Ask,
    Begun,
    CarryOut,
    ColourBy,
    Failed,
    FromSolver,
    GiveDigest,
    GiveLog,
    GiveRecording,
    GiveWork,
    MarkHere,
    Notice,
    Play,
    SetSpeed,
    ShowIn,
    Stop,
    ToSolver,
)
from yawara.live.live import Live
from yawara.live.log import TouchLog, height_of
from yawara.live.messages import Choose, Move, Order, Timed, View
from yawara.live.metronome import Metronome
from yawara.live.recording import Recording
from yawara.live.skins import Colouring, Surface, shapes_of, tool_places
from yawara.live.start import Start
from yawara.live.window import get_state, put_state, put_view, window_layout
from yawara.priority import raise_priority
from yawara.scene.scene import Scene
from yawara.shared import Shared

VIEWS = 1.0 / 60.0  # [s] between two views, at least
COLOURS = 0.1  # [s] between two colourings
SAVES = 0.2  # [s] between two states that another solver could go on from
IDLE = 0.01  # [s] of a nap while time stands still
PARENT = 1.0  # [s] between two looks whether the parent still lives


@dataclass(frozen=True)
class Task:
    """What a solver process is to do."""

    scene: Scene
    tick: float
    haptics: str | None = None  # name of the haptic board
    tool: str | None = None  # in the hand from the start
    resumed: bool = False  # the state of a solver that ended is in the memory, to go on from
    raised: bool = False  # whether to run before other processes, as far as the system allows it


def serve(task: Task, parent: int, words: Words) -> None:
    """Until told to stop, or the parent is gone; what goes wrong is told to the parent, not to the terminal."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then stops us
    if task.raised:
        raise_priority()
    try:
        solver = Solver(task, words)
    except Exception as error:
        say(words, Failed(why(error)))
        return
    try:
        with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone
            solver.run(lambda: os.getppid() != parent)
    except Exception as error:
        say(words, Failed(why(error)))
    finally:
        solver.close()


def why(error: Exception) -> str:
    return str(error) if isinstance(error, ValueError) else f"{error}\n{traceback.format_exc()}"


def say(words: Words, message: FromSolver) -> None:
    """Nobody may be there to hear it."""
    with contextlib.suppress(OSError):
        words.send(message)


class Solver:
    """A live scene that is paced, shown and recorded. It says its shapes and is told the memory to show them in."""

    def __init__(self, task: Task, words: Words, clock: Clock = REAL) -> None:
        self.words, self.clock, self.colour, self.script = words, clock, "nothing", list[Timed]()
        self.link = HapticLink(task.haptics, clock) if task.haptics else None
        self._task = task
        self._begin(task.scene)
        self.shapes = shapes_of(self.live)
        self._layout = window_layout(self.shapes, self.live.state, self.live.compiled.model.variables)
        self.window: Shared | None = None
        self._shown = self._coloured = self._saved = 0.0
        self._values: tuple[Any, ...] | None = None
        words.send(Begun(self.shapes, self._layout))

    def _begin(self, scene: Scene, start: Start | None = None) -> None:
        self.live = Live(scene, self._task.tick, start)
        self.recording = Recording(scene, self._task.tick, start=start)
        self.log, self.colouring = TouchLog(), Colouring(self.live.compiled.model)
        self.metronome = Metronome(self._task.tick, self.clock)
        if self._task.tool and start is None:
            self._carry_out(Choose(self._task.tool))
        model = self.live.compiled.model
        self._surfaces = [Surface(body, model) for body in model.bodies]
        # a first tick loads the kernels, before time counts; a recording that begins with a state has them already
        self._frame = self.live.tick() if start is None else self.live.first_frame()
        gc.collect()
        gc.freeze()  # or a collection would look through the compiler's objects, for tens of milliseconds

    def _open(self, window: str) -> None:
        """Show it there from now on; time begins."""
        self.window = Shared.attach(window, self._layout)
        if self._task.resumed:
            self._go_on(self.window)
        self.metronome.set_speed(1.0)

    def _go_on(self, window: Shared) -> None:
        state = get_state(window["state"], self.live.state)
        if state is not None and state.is_finite():
            self.live.take_up(state)
            self._mark()

    def run(self, alone: Callable[[], bool]) -> None:
        """Turn after turn, until told to stop or nobody is there any more."""
        checked = self.clock.now()
        while self.turn():
            now = self.clock.now()
            if now - checked > PARENT:
                checked = now
                if alone():
                    return

    def turn(self) -> bool:
        """Listen, then one tick, or a nap while time stands still; False when told to stop."""
        if not self._listen():
            return False
        if self.window is None:
            self.clock.sleep(IDLE)
            return True
        if self.metronome.speed == 0.0:
            self.clock.sleep(IDLE)
            self.metronome.set_speed(0.0)
        else:
            self._frame = self._tick() or self._frame
        if self._frame is not None:
            self._show(self._frame, self.window)
        return True

    def _tick(self) -> Frame | None:
        begin = self.metronome.wait()
        while self.script and self.script[0].tick <= self.live.ticks - self.recording.first:
            self._carry_out(self.script.pop(0).order)
        if self.link and (order := self.link.order()):
            self._carry_out(order)
        steps = self.live.state.step_count
        frame = self.live.tick()
        if self.link:
            self.link.answer(self.live, frame)
        if frame is None:
            say(self.words, Notice(self.live.message))
            return None
        self.metronome.note(begin, self.live.state.step_count - steps)
        self.log.note(frame.time, self.live.hand_force(frame), self.live.hand_now(), self._height())
        return frame

    def _carry_out(self, order: Order) -> None:
        self.recording.note(self.live.ticks, order)
        self.live.carry_out(order)
        if self.live.message:
            say(self.words, Notice(self.live.message))

    def _height(self) -> float:
        return height_of(self.live.compiled.model, self.live.state)

    def _show(self, frame: Frame, window: Shared) -> None:
        now = self.clock.now()
        if now - self._shown < VIEWS:
            return
        self._shown = now
        if self.colour == "nothing":
            self._values = None
        elif self._values is None or now - self._coloured > COLOURS:
            self._coloured = now
            if self.colouring.model is not frame.model:  # another material
                self.colouring = Colouring(frame.model)
            self._values = tuple(self.colouring.values(self.colour, frame.state))
        live = self.live
        position = live.state.position
        view = View(
            live.ticks, frame.time, now, tuple(surface.vertices(position) for surface in self._surfaces), self._values,
            *tool_places(live), live.tool, live.hand_place(), live.hand_force(frame), self._height(), self.metronome.pace(),
        )  # fmt: skip
        if now - self._saved > SAVES:
            self._saved = now
            put_state(window["state"], live.state)
        put_view(window["view"], self.shapes, view)  # who sees a shape can have it back

    def _listen(self) -> bool:
        """Do what the session says; False to stop."""
        while self.words.poll():
            message: ToSolver = self.words.recv()
            match message:
                case ShowIn():
                    self._open(message.window)
                case CarryOut():
                    self._follow(message.order)
                case SetSpeed():
                    self.metronome.set_speed(message.factor)
                case ColourBy():
                    self.colour, self._values = message.what, None
                case Play():
                    self._play(message.recording)
                case Ask():
                    self.words.send(Answer(message.number, self._reply(message.question)))
                case Stop():
                    return False
                case _:
                    assert_never(message)
        return True

    def _follow(self, order: Order) -> None:
        """While a recording runs, the hand only watches; where a device holds the tool, the mouse does not move it."""
        by_device = self.link is not None and isinstance(order, Move)
        if not self.script and not by_device:
            self._carry_out(order)

    def _reply(self, question: AnyQuestion) -> Any:
        """Of the type that the question's class names."""
        match question:
            case MarkHere():
                self._mark()
                return self.live.ticks
            case GiveRecording():
                return self.recording.until(self.live.ticks)
            case GiveDigest():
                return state_digest(self.live.state)
            case GiveWork():
                return np.array(self.metronome.work)
            case GiveLog():
                return self.log.csv()
            case _:
                assert_never(question)

    def _mark(self) -> None:
        """A recording begins, with everything as it is; a replay ends here, and the hand takes over."""
        self.script = []
        self.recording = Recording(self.live.scene, self._task.tick, start=self.live.start())

    def _play(self, recording: Recording) -> None:
        """Do once more what a recording says, from where it began."""
        self.live.close()
        self._begin(recording.scene, recording.start)
        self.script = list(recording.orders)
        self.metronome.set_speed(1.0)

    def close(self) -> None:
        self.live.close()
        if self.window:
            self.window.close()
        if self.link:
            self.link.close()
