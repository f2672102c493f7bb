"""Who holds the tool: many windows may look, one hand touches."""

from threading import Lock

from yawara.clock import REAL, Clock

IDLE = 10.0  # [s] without a move: the hand is taken to be gone


class Holder:
    """The first window to grab has it, until it lets go, leaves, or does nothing for a while."""

    def __init__(self, *, idle: float = IDLE, clock: Clock = REAL) -> None:
        self._idle, self._clock, self._lock = idle, clock, Lock()
        self._window: int | None = None
        self._moved = 0.0  # [s], of the clock

    def take(self, window: int) -> bool:
        """Hold it, or go on holding it; False if another one does."""
        with self._lock:
            if self._window not in (None, window) and not self._is_idle():
                return False
            self._window, self._moved = window, self._clock.now()
            return True

    def let_go(self, window: int) -> bool:
        """False if this window did not hold it."""
        with self._lock:
            held, self._window = self._window == window, None if self._window == window else self._window
            return held

    def may_act(self, window: int) -> bool:
        """Whether no other window holds it."""
        with self._lock:
            return self._window in (None, window) or self._is_idle()

    def expire(self) -> int | None:
        """The window that has held it idle for too long and holds it no more; None if there is none."""
        with self._lock:
            if self._window is None or not self._is_idle():
                return None
            window, self._window = self._window, None
            return window

    @property
    def window(self) -> int | None:
        """The one that holds it."""
        with self._lock:
            return self._window

    def _is_idle(self) -> bool:
        return self._clock.now() - self._moved > self._idle
