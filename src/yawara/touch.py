"""`yawara touch`: the solver, the page and a device, wired together and watched until the user has had enough."""

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from yawara.child import Patience
from yawara.clock import REAL, Clock
from yawara.haptics.board import Board
from yawara.haptics.device import DeviceError, is_felt
from yawara.haptics.loop import Settings
from yawara.haptics.process import HapticProcess, Start
from yawara.live.drawer import body_bounds, hand_tools, touchable
from yawara.live.live import TICK
from yawara.live.presets import PRESETS, preset_scene
from yawara.live.session import Session, SolverError
from yawara.scene.file import load_scene
from yawara.scene.scene import Scene
from yawara.view.serve import serve

COUPLING, COUPLING_DAMPING = 400.0, 0.5  # [N/m], [N s/m]: passive with a friction b > K T / 2 + B = 0.7 N s/m at 1 kHz
WATCH = 0.25  # [s]


def scene_to_touch(what: str) -> Scene:
    """A preset by its name, or a scene file."""
    return preset_scene(what) if what in PRESETS else load_scene(Path(what))


class DeviceSession(Session):
    """A session with a haptic device beside the mouse.

    A hand that feels the device has both processes run before all others, unless `priority` says otherwise.
    """

    def __init__(
        self,
        scene: Scene,
        folder: Path,
        device: str,
        tick: float = TICK,
        *,
        priority: bool | None = None,
        patience: Patience | None = None,
        start_loop: Start | None = None,
        **others: Any,
    ) -> None:
        raised = is_felt(device) if priority is None else priority
        self.board = Board.open(stiffness=COUPLING, damping=COUPLING_DAMPING)
        tool = next(iter(hand_tools(touchable(scene, tick))))
        try:
            self._aim(scene)
            # refuses what it does not know, before anything is started
            self.loop = HapticProcess(device, self.board, Settings(real_time=raised), patience=patience, start=start_loop)
            super().__init__(
                scene, folder, haptics=self.board.name, tool=tool, tick=tick, raised=raised, patience=patience, **others
            )
            self.loop.start()
        except BaseException:  # a device that cannot be opened leaves no solver behind
            if hasattr(self, "_window"):
                super().close()
            self.board.close()
            raise

    def _aim(self, scene: Scene) -> None:
        """The device's middle is above the body, its way down reaches into it."""
        bounds = body_bounds(scene)
        size, orders = bounds[1] - bounds[0], self.board.orders
        orders["offset"] = np.array([*(0.5 * (bounds[0] + bounds[1]))[:2], bounds[1][2] + 0.35 * float(size[:2].max())])
        orders.publish()

    def device_line(self) -> str:
        if not self.loop.alive:
            return self.loop.error or "the device's loop has ended"
        report = self.loop.report()
        return f"device: {report.rate:.0f} Hz, {100 * report.lateness.late_share:.1f} % of ticks more than 0.5 ms late"

    def close(self) -> None:
        """First the device: no force without a solver."""
        if not self._closed:
            self.loop.stop()
            super().close()
            self.board.close()


def open_session(scene: Scene, folder: Path, device: str | None, priority: bool | None = None) -> Session:
    if device is None:
        return Session(scene, folder, raised=bool(priority))
    return DeviceSession(scene, folder, device, priority=priority)


def touch(
    what: str,
    *,
    device: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8080,
    folder: Path = Path("out/touch"),
    plain: bool = False,
    priority: bool | None = None,
    seconds: float | None = None,
    say: Callable[[str], None] = print,
    opened: Callable[[str], object] = len,  # gets the address
) -> None:
    """Open the page and serve it until interrupted, or for some seconds. DeviceError, SceneError or OSError if it cannot be.

    Solver and haptic loop run before all other processes if `priority` says so; None: if a hand feels the device.
    """
    scene = scene_to_touch(what)
    say("The solver starts; its kernels are compiled once on a new machine, for about a minute.")
    with (
        open_session(scene, folder, device, priority) as session,
        serve(session, host=host, port=port, plain=plain) as page,
        interruption() as interrupted,
    ):
        say(f"Touch it at {page.address} (Ctrl-C ends; exports and recordings go to {folder})")
        opened(page.address)
        look_after(session, interrupted.wait, seconds, say)


def look_after(
    session: Session,
    interrupted: Callable[[float], bool],  # waits so many seconds, or until the user has had enough
    seconds: float | None = None,
    say: Callable[[str], None] = print,
    clock: Clock = REAL,
) -> None:
    """Watch the solver and tell of trouble, once for each, until interrupted, for some seconds, or until it cannot be helped."""
    end, told = clock.now() + (seconds if seconds is not None else float("inf")), ""
    while clock.now() < end and not session.gave_up and not interrupted(WATCH):
        session.watch()
        if session.trouble and session.trouble != told:
            say(session.trouble)
        told = session.trouble


@contextlib.contextmanager
def interruption() -> Iterator[threading.Event]:
    """Set by Ctrl-C, and by SIGTERM. An exception instead could come while Python cannot hand it on, as in a destructor, and be lost."""
    event = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield event  # signals are not for us
        return
    before = {number: signal.signal(number, lambda *_: event.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield event
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


__all__ = ["DeviceError", "SolverError", "open_session", "scene_to_touch", "touch"]
