"""Haply's Inverse3 through the maker's service, which runs on the same machine and speaks JSON over a WebSocket.

Written from the maker's documentation of version 3.5 of the service and tried against a stand-in that follows it; not tried on
hardware. On connection the service sends one snapshot with the configuration; after that it sends exactly one state per command, so
the loop gets the state that answers the force of the tick before. Our first message names our profile. Metres, newtons, seconds.

If the connection drops, a thread tries to get it back, with pauses that grow; until then `read` repeats the last state, not fresh,
and the loop's watchdog takes the force away.
"""

import contextlib
import json
import math
import threading
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.sync.client import ClientConnection, connect

from yawara.clock import REAL, Clock
from yawara.haptics.device import DeviceError, DeviceInfo, DeviceState, Floats

HOST, PORT = "localhost", 10001
PROFILE = "yawara:haptics"
REMEDY = (
    "start the Haply Inverse Service, switch the device on, and give the service's place as 'haply:HOST:PORT' if it is elsewhere"
)

LARGEST_MESSAGE = 1 << 16  # bytes; a state has about a thousand
MOST_WAITING = 50  # commands without an answer, after which no more are sent
CONNECTING = 10.0  # [s] that a service may take to begin, which a busy machine needs; without a service it takes none
GOODBYE = 0.2  # [s] that the last answer may take
SILENCE = 1.0  # [s] without an answer after which the connection counts as dropped


class HaplyDevice:
    """An Inverse3, the first that the service has, with the buttons of a wireless VerseGrip if there is one."""

    # Our own cautious figures, not the maker's
    info = DeviceInfo("haply", workspace=(0.1, 0.1, 0.1), max_force=5.0, rate=1000.0)

    def __init__(
        self,
        host: str = HOST,
        port: int = PORT,
        *,
        first_pause: float = 0.1,
        longest_pause: float = 2.0,
        clock: Clock = REAL,
    ) -> None:
        self._address = f"ws://{host}:{port}"
        self._first_pause, self._longest_pause = first_pause, longest_pause  # [s]
        self._clock = clock
        self._link: _Link | None = None
        self._closing = threading.Event()
        self._finder: threading.Thread | None = None
        self._last = DeviceState(0.0, np.zeros(3), np.zeros(3), fresh=False)
        self.counts: Counter[str] = Counter()  # of 'bad message', 'drop', 'connection'

    @classmethod
    def from_text(cls, text: str) -> Self:
        host, colon, port = text.rpartition(":")
        if not text:
            return cls()
        if not (colon and host and port.isdigit() and 0 < int(port) < 65536):
            raise DeviceError(f"'haply:{text}' must name host and port; write for example 'haply:{HOST}:{PORT}'")
        return cls(host, int(port))

    def open(self) -> None:
        self._closing.clear()
        try:
            self._link = self._connected()
        except _FAILURES as error:
            raise DeviceError(f"no Inverse3 at {self._address} ({error}); {REMEDY}") from None

    def close(self) -> None:
        self._closing.set()
        if self._finder is not None:
            self._finder.join()
            self._finder = None
        link, self._link = self._link, None
        if link is not None:
            link.leave()

    def read(self) -> DeviceState:
        link, news = self._link, None
        if link is None:
            self._find_again()
        else:
            try:
                news = link.newest(self._bad_message)
            except _FAILURES:
                self._drop(link)
        last = self._last
        if news is None:
            return DeviceState(last.time, last.position, last.velocity, last.orientation, last.buttons, fresh=False)
        self._last = news
        return news

    def write(self, force: Floats) -> None:
        link = self._link
        if link is not None:
            try:
                link.send([float(value) for value in force])
            except _FAILURES:
                self._drop(link)

    def _connected(self) -> "_Link":
        link = _Link(self._address, self._clock)
        self.counts["connection"] += 1
        return link

    def _bad_message(self) -> None:
        self.counts["bad message"] += 1

    def _drop(self, link: "_Link") -> None:
        self.counts["drop"] += 1
        self._link = None
        threading.Thread(target=link.abandon, daemon=True).start()  # saying goodbye may take its time

    def _find_again(self) -> None:
        if self._closing.is_set() or (self._finder is not None and self._finder.is_alive()):
            return
        self._finder = threading.Thread(target=self._search, daemon=True)
        self._finder.start()

    def _search(self) -> None:
        pause = self._first_pause
        while not self._closing.wait(pause):
            try:
                self._link = self._connected()
                return
            except _FAILURES:
                pause = min(2.0 * pause, self._longest_pause)


_FAILURES = (OSError, ConnectionClosed, InvalidHandshake, TimeoutError, EOFError, ValueError, LookupError, TypeError)


class _Link:
    """One connection: counts commands and answers, so that each state gets the time of the command that it answers."""

    def __init__(self, address: str, clock: Clock) -> None:
        self._clock = clock
        self._socket: ClientConnection = connect(
            address,
            max_size=LARGEST_MESSAGE,
            max_queue=None,
            open_timeout=CONNECTING,
            close_timeout=0.2,
            compression=None,
            proxy=None,
        )
        try:
            snapshot = json.loads(self._socket.recv(timeout=CONNECTING))
            self._device: str = _first(snapshot["inverse3"])["device_id"]
            self._state = _state(snapshot, self._clock.now())
        except BaseException:
            self._socket.close()
            raise
        self._asked: deque[float] = deque()  # [s], when the commands without answer were sent
        self._heard = self._clock.now()
        self._named = False
        self.send([0.0, 0.0, 0.0])

    def send(self, force: list[float]) -> None:
        if len(self._asked) >= MOST_WAITING:  # it is busy, and would only get old forces later
            return
        values = dict(zip("xyz", force, strict=True))
        message: dict[str, Any] = {
            "inverse3": [{"device_id": self._device, "commands": {"set_cursor_force": {"values": values}}}]
        }
        if not self._named:
            message = {"session": {"configure": {"profile": {"name": PROFILE}}}, **message}
            self._named = True
        self._asked.append(self._clock.now())
        self._socket.send(json.dumps(message))

    def newest(self, bad_message: Callable[[], None]) -> DeviceState | None:
        """The newest of all states that have arrived, None if none has; raises if the connection is gone."""
        news = None
        while True:
            try:
                text = self._socket.recv(timeout=0)
            except TimeoutError:
                break
            asked = self._asked.popleft() if self._asked else self._clock.now()
            self._heard = self._clock.now()
            try:
                news = _state(json.loads(text), asked)
            except (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError):
                bad_message()
        if self._asked and self._clock.now() - self._heard > SILENCE:
            raise TimeoutError("the service is silent")
        return news

    def leave(self) -> None:
        """No force, wait until that was heard, and go."""
        with contextlib.suppress(*_FAILURES):
            unheard, end = len(self._asked) + 1, REAL.now() + GOODBYE  # the socket waits in real time
            self._asked.clear()
            self.send([0.0, 0.0, 0.0])
            for _ in range(unheard):
                self._socket.recv(timeout=max(0.0, end - REAL.now()))
        self.abandon()

    def abandon(self) -> None:
        with contextlib.suppress(*_FAILURES):
            self._socket.close()


def _first(items: Any) -> Any:
    if not isinstance(items, list) or not items:
        raise ValueError("the service has no such device")
    return items[0]


def _state(message: Any, asked: float) -> DeviceState:
    """ValueError, LookupError or TypeError if a field is missing or is no finite number."""
    state = _first(message["inverse3"])["state"]
    position, velocity = (_vector(state[name], "xyz") for name in ("cursor_position", "cursor_velocity"))
    orientation: tuple[float, float, float, float] | None = None
    buttons: tuple[bool, ...] = ()
    grips = message.get("wireless_verse_grip")
    if grips:
        grip = _first(grips)["state"]
        w, x, y, z = _vector(grip["orientation"], "wxyz")
        orientation = w, x, y, z
        buttons = tuple(grip["buttons"].get(name) is True for name in "abc")
    return DeviceState(asked, np.array(position), np.array(velocity), orientation, buttons)


def _vector(plain: Any, names: str) -> list[float]:
    values = [plain[name] for name in names]
    if not all(type(value) in (int, float) and math.isfinite(value) for value in values):
        raise ValueError(f"{names} must be finite numbers")
    return [float(value) for value in values]
