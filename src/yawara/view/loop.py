"""Takes the newest view again and again and has it drawn; the solver never waits for it."""

import logging
import threading
from collections import deque
from typing import Self

from yawara.clock import REAL, Clock
from yawara.view.session import Session
from yawara.view.viewer import Viewer

RATE = 60.0  # [Hz], at most
LOG = logging.getLogger(__name__)


class Loop:
    """Turn after turn in a thread of its own, once it is started."""

    def __init__(self, session: Session, viewer: Viewer, clock: Clock = REAL) -> None:
        self._session, self._viewer, self._clock = session, viewer, clock
        self._seen, self._generation, self._wake = -1, session.generation, clock.now()
        self._stop = threading.Event()
        self._times: deque[float] = deque()  # [s], when views were sent within the last second
        self.sent = 0  # views, in all
        self._complaints: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="yawara-view", daemon=True)

    def start(self) -> Self:
        self._thread.start()
        return self

    @property
    def rate(self) -> float:
        """Views that were sent within the last second."""
        now = self._clock.now()
        return float(sum(1 for moment in tuple(self._times) if now - moment <= 1.0))

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while not self._stop.is_set():
            self._stop.wait(self.turn())

    def turn(self) -> float:
        """Draw what is new; returns how long [s] there is nothing to do. Turns that were missed are left out."""
        try:
            if self._session.generation != self._generation:
                self._seen, self._generation = -1, self._session.generation
                self._viewer.set_shapes(self._session.shapes)
            self._seen = self._show(self._seen)
            self._viewer.refresh(self.rate)
        except Exception as problem:  # a picture that fails must not end all pictures
            self._complain(problem)
        now = self._clock.now()
        self._wake = max(self._wake + 1.0 / RATE, now)
        return self._wake - now

    def _complain(self, problem: Exception) -> None:
        """Once for every kind of problem, not sixty times per second."""
        if repr(problem) not in self._complaints:
            self._complaints.add(repr(problem))
            LOG.error("a view could not be drawn", exc_info=problem)

    def _show(self, seen: int) -> int:
        view = self._session.latest()
        if view is None or view.tick == seen:
            return seen
        self._viewer.show(view)
        now = self._clock.now()
        self._times.append(now)
        while now - self._times[0] > 1.0:
            self._times.popleft()
        self.sent += 1
        return view.tick
