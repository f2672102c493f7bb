"""What the page talks to: starts the solver's process, watches it, and starts another one if it is gone."""

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, assert_never, cast

import numpy as np

from yawara.child import Child, Patience
from yawara.clock import REAL, Clock
from yawara.kernels.kinds import Floats
from yawara.live.drawer import touchable
from yawara.live.exports import EXPORTS
from yawara.live.line import (
    Answer,
    AnyQuestion,
    Ask,
    Begun,
    CarryOut,
    ColourBy,
    Failed,
    FromSolver,
    GiveRecording,
    MarkHere,
    Notice,
    Play,
    Question,
    SetSpeed,
    ShowIn,
    Stop,
    ToSolver,
)
from yawara.live.live import TICK
from yawara.live.material import settings_of, with_settings
from yawara.live.messages import COLOURINGS, Change, ExportFile, Order, Setting, Shapes, ValueRange, View
from yawara.live.names import SUFFIX
from yawara.live.presets import PRESETS, preset_of, preset_scene
from yawara.live.recording import Recording
from yawara.live.solver import Task, serve
from yawara.live.window import get_view
from yawara.scene.compile import compile_kernels
from yawara.scene.scene import Scene
from yawara.shared import Block, Shared

LOOK = 0.005  # [s] between two looks for an answer
RESTARTS = 3  # in a minute, before we give up
TROUBLE_SHOWN = 6.0  # [s]
FIRST_RANGE = {"1": 0.05, "Pa": 100.0}  # by unit: what colours reach to before there is more to show
OWN_SCENE = "your scene"  # among the presets, if the touch began with one

Reply = TypeVar("Reply")
StartSolver = Callable[[Task], Child]


class SolverError(Exception):
    """The solver could not begin; the text says why."""


class Session:
    """A touch: one scene, one solver, any number of pages that look at it."""

    export_kinds = tuple(EXPORTS)

    def __init__(
        self,
        scene: Scene,
        folder: Path,
        *,
        haptics: str | None = None,
        tool: str | None = None,
        tick: float = TICK,
        raised: bool = False,
        patience: Patience | None = None,
        clock: Clock = REAL,
        start: StartSolver | None = None,
    ) -> None:
        """Exports and recordings go into `folder`; `haptics` names the board of a device's loop, which holds `tool`.

        A `raised` solver runs before other processes where the system allows it. Who brings a clock or starts solvers elsewhere
        than in processes of their own can hold time.
        """
        self.scene, self.folder, self.tick = scene, folder, tick
        self.generation, self._own = 0, None if preset_of(scene) else scene
        self.preset = preset_of(scene) or OWN_SCENE
        self.presets = tuple(PRESETS) if self._own is None else (OWN_SCENE, *PRESETS)
        self._haptics, self._tool, self._raised = haptics, tool, raised
        self.clock, self._patience, self._start_solver = clock, patience or Patience(), start or _started
        self._lock, self._answers, self._questions = threading.RLock(), dict[int, Any](), 0
        self._trouble, self._trouble_until = "", 0.0
        self._failures: deque[float] = deque(maxlen=RESTARTS)
        self._recorded: Recording | None = None  # between Record and Stop
        self._recording_since: int | None = None  # generation of the solver that records
        self._closed = self.gave_up = False
        self._colour, self._range = "nothing", (0.0, 1.0)
        self._start()

    # ---- the solver's process

    def _start(self, last: Block | None = None) -> None:
        """A new solver; it goes on from the last state of another one, if there is one."""
        compile_kernels(touchable(self.scene, self.tick))  # told here, and no part of the patience
        resumed = last is not None
        self._child = self._start_solver(Task(self.scene, self.tick, self._haptics, self._tool, resumed, self._raised))
        begun = self._begun()
        self.shapes: Shapes = begun.shapes
        self._has_saved = resumed
        self._window = Shared.create(begun.layout)
        if last is not None:  # before the solver is told where to look: whatever becomes of the old memory, it is there
            self._window["state"].take_over(last)
        self._say(ShowIn(self._window.name))
        self._began, self.generation = self.clock.now(), self.generation + 1

    def _begun(self) -> Begun:
        """The solver's first word; SolverError if it cannot begin, or says nothing in time."""
        said: FromSolver | None = self._child.hear(self._patience.begin)
        if isinstance(said, Begun):
            return said
        self._child.kill()
        raise SolverError(said.why if isinstance(said, Failed) else "the solver did not begin; start it again")

    def _listen(self) -> None:
        """What the solver has said by itself, and its answers."""
        with self._lock:
            while not self._closed and (said := self._child.hear()):
                self._take_in(said)

    def _take_in(self, said: FromSolver) -> None:
        match said:
            case Answer():
                self._answers[said.number] = said.reply
            case Notice():
                self._notice(said.text)
            case Failed():
                self._notice(said.why.partition("\n")[0] or "the solver stopped")
            case Begun():
                raise ValueError("a solver begins once")
            case _:
                assert_never(said)

    def _notice(self, text: str) -> None:
        self._trouble, self._trouble_until = text, self.clock.now() + TROUBLE_SHOWN

    def watch(self) -> None:
        """Look after the solver; a new one goes on from the last state that the old one saved."""
        with self._lock:
            if self._closed or self.gave_up:
                return
            view, now = self.latest(), self.clock.now()
            self._has_saved |= self._window["state"].fetch()  # at every look: the last one may have been cut off
            heard = max(self._began + (self._patience.begin if view is None else 0.0), view.wall if view else 0.0)
            if self._child.alive and now - heard <= self._patience.silent:
                return
            if len(self._failures) == RESTARTS and now - self._failures[0] < 60.0:
                self.gave_up = True
                return
            self._failures.append(now)
            self._child.kill()
            old = self._window
            try:
                self._start(old["state"] if self._has_saved else None)
                goes_on = "goes on from the last saved shape" if self._has_saved else "begins with a new body"
                self._notice(f"the solver was gone; a new one {goes_on}")
            except SolverError as error:
                self.gave_up = True
                self._notice(str(error))
            finally:
                old.close()
            self.colour_by(self._colour)

    def close(self) -> None:
        """Allowed twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            self._say(Stop())
            self._child.end(self._patience.end)
            self._window.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    def _say(self, message: ToSolver) -> None:
        with self._lock:
            self._child.say(message)

    def ask(self, question: Question[Reply]) -> Reply | None:
        """None if there is no answer in time, or nobody to answer."""
        with self._lock:
            self._questions += 1
            number, child = self._questions, self._child
            self._say(Ask(number, cast("AnyQuestion", question)))
        end = self.clock.now() + self._patience.answer
        while True:
            # before we listen: it may have answered with its last word
            over = self.clock.now() >= end or not child.alive or self._child is not child
            self._listen()
            if number in self._answers or over:
                return self._answers.pop(number, None)
            self.clock.sleep(LOOK)

    # ---- what the page asks for

    @property
    def device_holds_tool(self) -> bool:
        return self._haptics is not None

    @property
    def pid(self) -> int | None:
        return self._child.pid

    @property
    def trouble(self) -> str:
        """What the user should know now; nothing as a rule."""
        self._listen()
        if self.gave_up:
            return f"the solver stopped again and again; start yawara touch anew ({self._trouble})"
        return self._trouble if self.clock.now() < self._trouble_until else ""

    @property
    def settings(self) -> Mapping[str, Setting]:
        return settings_of(next(iter(self.scene.body.values())))

    @property
    def value_range(self) -> ValueRange:
        return ValueRange(*self._range, COLOURINGS[self._colour])

    def latest(self) -> View | None:
        with self._lock:
            self._listen()  # nobody else may be there to do it
            view = get_view(self._window["view"], self.shapes)
        if view and view.values:
            self._widen(view.values)
        return view

    def _widen(self, values: tuple[Floats, ...]) -> None:
        """The range of colours grows with what there is to show; below zero only for what has a sign."""
        low, high = self._range
        lowest = min((float(np.min(one, initial=0.0)) for one in values), default=0.0)
        highest = max((float(np.max(one, initial=0.0)) for one in values), default=0.0)
        self._range = (-_round_up(-lowest) if lowest < low else low, _round_up(highest) if highest > high else high)

    def send(self, order: Order) -> None:
        if isinstance(order, Change):
            self.scene = with_settings(self.scene, order.body, order.settings)
        self._say(CarryOut(order))

    def choose_preset(self, name: str) -> None:
        """Another body, or the user's own scene; everything begins anew."""
        scene = self._own if name == OWN_SCENE and self._own is not None else preset_scene(name)
        saved = self.record(False) if self.is_recording else ""
        try:
            self._begin_anew(scene, name)
        finally:  # told when there is somebody to read it, whatever became of the new body, which takes its time on a slow machine
            if saved:
                self._notice(saved)

    def _begin_anew(self, scene: Scene, name: str) -> None:
        with self._lock:
            self._say(Stop())
            self._child.end(self._patience.end)
            self._window.close()
            self.scene, self.preset, self._recorded = scene, name, None
            self._start()
            self.colour_by(self._colour)

    def set_speed(self, factor: float) -> None:
        self._say(SetSpeed(float(factor)))

    def colour_by(self, what: str) -> None:
        if what not in COLOURINGS:
            raise ValueError(f"colour by one of {', '.join(COLOURINGS)} (got {what!r})")
        self._colour = what
        self._range = (0.0, FIRST_RANGE.get(COLOURINGS[what], 1.0))
        self._say(ColourBy(what))

    @property
    def is_recording(self) -> bool:
        """Not any more if the solver that did so is gone."""
        return self._recording_since == self.generation

    def record(self, on: bool) -> str:
        """Keep what is done from now on, with everything as it is; switched off, it is saved."""
        if on:
            if self.ask(MarkHere()) is None:
                return "nothing is recorded: the solver does not answer; try again"
            self._recording_since = self.generation
            return "recording; Stop saves it"
        lost, known, self._recording_since = not self.is_recording, self._recording_since is not None, None
        if lost:
            return "the recording was lost with its solver" if known else "nothing was recorded"
        self._recorded = self.ask(GiveRecording())
        if self._recorded is None:
            return "the recording was lost with its solver"
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"touch-{time.strftime('%Y%m%d-%H%M%S')}{SUFFIX}"
        self._recorded.save(path)
        return f"saved as {path.name}; yawara run repeats its {self._recorded.ticks * self._recorded.tick:.1f} s"

    def recording(self) -> Recording | None:
        """From Record to Stop, or until now; all that was done since the body was new if nothing was recorded."""
        known = None if self.is_recording else self._recorded
        return known or self.ask(GiveRecording())

    def replay(self) -> str:
        """The last recording, or all that was done since the body was new; one that goes on is saved first."""
        said = f"{self.record(False)}; " if self.is_recording else ""
        recording = self.recording()
        if recording is None or not recording.orders:
            return f"{said}there is nothing to replay; touch the body first"
        self.play(recording)
        return f"{said}replaying {recording.ticks * recording.tick:.1f} s"

    def play(self, recording: Recording) -> None:
        """Do it again from where it began; meanwhile hands only watch."""
        self._say(Play(recording))

    def export(self, kind: str) -> ExportFile:
        """One of `export_kinds`, of this moment."""
        if kind not in EXPORTS:
            raise ValueError(f"export one of {', '.join(EXPORTS)} (got {kind!r})")
        name = next(iter(self.scene.body))
        return ExportFile(f"{name}.{EXPORTS[kind].suffix}", EXPORTS[kind].make(self))

    def device_line(self) -> str:
        """Replaced by those who serve a device."""
        return ""


def _started(task: Task) -> Child:
    return Child(serve, task, name="yawara-solver")


def _round_up(value: float) -> float:
    """To one digit: ranges that change with every frame cannot be read."""
    power = 10.0 ** np.floor(np.log10(value))
    return float(np.ceil(value / power) * power)
