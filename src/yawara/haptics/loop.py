"""One tick of the haptic loop, and the process that does a thousand of them a second.

A tick reads the hand, moves the proxy, and passes the force through the passivity controller and the safety gate to the device. It
takes its time as an argument, so tests run it in held time; `run` gives it the real one.
"""

import gc
import math
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from yawara.clock import REAL, Clock
from yawara.haptics.board import Board
from yawara.haptics.coupling import ContactModel, Coupling
from yawara.haptics.device import DeviceState, Floats, HapticDevice, device_of
from yawara.haptics.histogram import Histogram
from yawara.haptics.mapping import Mapping
from yawara.haptics.pace import Pacer
from yawara.haptics.passivity import PassivityController, PassivityObserver
from yawara.haptics.safety import NO_FORCE, Gate, Limits, finite, reachable
from yawara.priority import ORDINARY, become_real_time

REPORT_EVERY = 50  # ticks
PARENT_EVERY = 100  # ticks, between two looks whether the parent still lives
LONGEST_TICK = 0.02  # [s]: after a stall the coupling must not take its speed from further back


@dataclass(frozen=True)
class Settings:
    """How a loop is to run."""

    rate: float | None = None  # [Hz]; None: as the device wants
    limits: Limits = field(default_factory=Limits)
    friction: float = 0.0  # [N s/m], of the device, as far as it is known for certain
    passivity: bool = True  # whether the controller acts, or only the observer
    real_time: bool = False  # whether to ask for a priority above that of all other processes


class HapticLoop:
    """Everything between a device that is open and a board."""

    def __init__(
        self,
        device: HapticDevice,
        board: Board,
        settings: Settings | None = None,
        clock: Clock = REAL,
    ) -> None:
        settings = settings or Settings()
        limits = replace(settings.limits, max_force=min(settings.limits.max_force, device.info.max_force))
        self.device, self.board = device, board
        self.rate = settings.rate or device.info.rate  # [Hz]
        self.gate = Gate(limits, 1.0 / self.rate)
        self.observer = PassivityObserver(settings.friction)
        self.controller = PassivityController(self.observer, limits.max_force, active=settings.passivity)
        self.coupling = Coupling(1.0)
        self.mapping = Mapping()
        self.model: ContactModel | None = None
        self.stale = self.unsound = self.ticks = 0
        self.clock = clock
        self._state: DeviceState | None = None
        self._written = 0.0  # [s], when the device got its last force
        self._device_heard = self._model_heard = -math.inf  # [s]
        self._lateness = Histogram(board.report["lateness"])
        self._latency = Histogram(board.report["latency"])
        self._age = Histogram(board.report["age"])

    def tick(self, now: float, dt: float) -> Floats:
        """The tick at `now` [s], dt [s] after the one before; returns the force [N] that the device got."""
        dt = min(dt, LONGEST_TICK)
        before = self._state
        if self.ticks == 0:
            self.board.report["began"] = now - dt
        self._take_orders()
        self._take_model(now)
        state = self._read(now)
        force = self._wanted(state, dt)
        self.gate.watchdog.heard(min(self._device_heard, self._model_heard))
        force = self._write(force, now, dt)
        self._publish_proxy(state, force, now)
        self._note(before, now)
        return force

    def release(self) -> None:
        """No force, last words to the board, and the device is closed."""
        try:
            self.device.write(np.zeros(3))
        finally:
            try:
                self.device.close()
            finally:
                self.publish_report(self.clock.now())

    def _take_orders(self) -> None:
        orders = self.board.orders
        if not orders.fetch():
            return
        self.mapping = Mapping.from_orders(orders) or self.mapping
        stiffness, damping = orders.value("stiffness"), orders.value("damping")
        if math.isfinite(stiffness) and stiffness > 0.0 and math.isfinite(damping) and damping >= 0.0:
            self.coupling.stiffness, self.coupling.damping = stiffness, damping

    def _take_model(self, now: float) -> None:
        contact = self.board.contact
        if not contact.fetch():
            return
        model = None
        if contact.value("touching"):
            place, force, stiffness = (contact[name].copy() for name in ("place", "force", "stiffness"))
            model = ContactModel(place, force, stiffness, contact.value("damping"))
        published = contact.value("time")
        if math.isfinite(published) and (model is None or model.sound):
            self.model, self._model_heard = model, min(published, now)
        else:  # as if nothing had come, but what was there before is not trusted any more either
            self.model = None
            self.unsound += 1

    def _read(self, now: float) -> DeviceState:
        state = self.device.read()
        if not reachable(state.position):
            state = replace(state, fresh=False)
        elif state.fresh or self._state is None:
            self._state = state
        if state.fresh:
            self._device_heard = now
        else:
            self.stale += 1
        return state

    def _wanted(self, state: DeviceState, dt: float) -> Floats:
        """What the hand should feel [N], in the device's coordinates, before the gate."""
        if not reachable(state.position):
            self.coupling.reset()
            return NO_FORCE
        force = self.mapping.force(self.coupling.step(self.mapping.place(state.position), self.model, dt))
        if not finite(force):
            self.coupling.reset()
            self.unsound += 1
            return NO_FORCE
        return self.controller.correct(force, state.position, dt)

    def _write(self, wanted: Floats, now: float, dt: float) -> Floats:
        before = self.gate.force
        force = self.gate.pass_on(wanted, now, dt)
        self.device.write(force)
        self._written = self.clock.now()
        self.observer.note(force)
        report, change = self.board.report, force - before
        report["max_jump"] = max(report.value("max_jump"), math.sqrt(float(change @ change)))
        report["max_force"] = max(report.value("max_force"), math.sqrt(float(force @ force)))
        return force

    def _publish_proxy(self, state: DeviceState, force: Floats, now: float) -> None:
        known, proxy = self._state, self.board.proxy
        if known is None:
            return
        place = self.mapping.place(known.position)
        proxy["tick"], proxy["time"] = self.ticks, now
        proxy["proxy"] = self.coupling.proxy if self.coupling.proxy is not None else place
        proxy["device"], proxy["velocity"] = place, self.mapping.velocity(known.velocity)
        proxy["force"] = self.mapping.force_in_world(force)
        proxy["buttons"] = sum(1 << index for index, pressed in enumerate(known.buttons) if pressed)
        proxy["fresh"] = float(state.fresh)
        proxy.publish()

    def _note(self, before: DeviceState | None, now: float) -> None:
        report = self.board.report
        self.ticks += 1
        if before is not None:
            # what the hand did just after it was read the last time has waited until now
            latency = self._written - before.time
            self._latency.add(latency)
            report["max_latency"] = max(report.value("max_latency"), latency)
        if math.isfinite(self._model_heard):
            age = now - self._model_heard
            self._age.add(age)
            report["max_age"] = max(report.value("max_age"), age)
        if self.ticks % REPORT_EVERY == 0:
            self.publish_report(now)

    def note_lateness(self, late: float, skipped: int) -> None:
        """A tick began so many seconds after its time, and so many were left out so far."""
        report = self.board.report
        self._lateness.add(late)
        report["max_lateness"] = max(report.value("max_lateness"), late)
        report["skipped"] = skipped

    def publish_report(self, now: float) -> None:
        report = self.board.report
        lasted = now - report.value("began")
        report["time"], report["ticks"] = now, self.ticks
        report["rate"] = self.ticks / lasted if lasted > 0.0 else 0.0
        report["energy"], report["stale"] = self.observer.given, self.stale
        report["unsound"], report["trips"] = self.unsound + self.gate.refused, self.gate.watchdog.trips
        report.publish()


def run(
    board_name: str,
    device_text: str,
    settings: Settings | None = None,
    *,
    parent: int | None = None,
    ready: Callable[[], None] = lambda: None,
    clock: Clock = REAL,
) -> None:
    """Serve a device until the board says stop, a SIGTERM comes, or the parent process (by its number) is gone.

    However it ends, the device gets a force of zero first. DeviceError if it cannot be opened.
    """
    settings, stopped = settings or Settings(), False

    def stop(*_: object) -> None:
        nonlocal stopped
        stopped = True

    with Board.join(board_name) as board:
        device = device_of(device_text)
        before = signal.signal(signal.SIGTERM, stop), signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C: the parent decides
        try:
            device.open()
            loop = HapticLoop(device, board, settings, clock)
            board.report["priority"] = become_real_time() if settings.real_time else ORDINARY
            loop.publish_report(clock.now())  # the board may still hold the report of a loop before this one
            gc.collect()
            gc.freeze()
            gc.disable()
            ready()
            try:
                serve(loop, lambda: stopped, lambda: parent is not None and os.getppid() != parent)
            finally:
                loop.release()
        finally:
            gc.enable()
            gc.unfreeze()
            device.close()
            signal.signal(signal.SIGTERM, before[0])
            signal.signal(signal.SIGINT, before[1])


def serve(loop: HapticLoop, stopped: Callable[[], bool], alone: Callable[[], bool]) -> None:
    """Tick after tick at the loop's rate, until the board or somebody says stop, or nobody is there any more."""
    pacer, last = Pacer(loop.rate, loop.clock), loop.clock.now()
    while not (stopped() or loop.board.orders.value("stop")):
        now, late = pacer.wait()
        loop.note_lateness(late, pacer.skipped)
        loop.tick(now, max(now - last, 1e-6))
        last = now
        if loop.ticks % PARENT_EVERY == 0 and alone():
            return
