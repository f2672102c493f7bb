"""Takes the newest view again and again and has it drawn; the solver never waits for it."""

import logging
import threading
import time
from collections import deque

from yawara.view.session import Session
from yawara.view.viewer import Viewer

RATE = 60.0  # [Hz], at most
LOG = logging.getLogger(__name__)


class Loop:
    """A thread of its own."""

    def __init__(self, session: Session, viewer: Viewer) -> None:
        self._session, self._viewer = session, viewer
        self._stop = threading.Event()
        self._times: deque[float] = deque()  # [s], when views were sent within the last second
        self.sent = 0  # views, in all
        self._complaints: set[str] = set()
        self._thread = threading.Thread(target=self._run, name="yawara-view", daemon=True)
        self._thread.start()

    @property
    def rate(self) -> float:
        """Views that were sent within the last second."""
        now = time.monotonic()
        return float(sum(1 for moment in tuple(self._times) if now - moment <= 1.0))

    def close(self) -> None:
        self._stop.set()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        seen, generation = -1, self._session.generation
        wake = time.monotonic()
        while not self._stop.is_set():
            try:
                if self._session.generation != generation:
                    seen, generation = -1, self._session.generation
                    self._viewer.set_shapes(self._session.shapes)
                seen = self._show(seen)
                self._viewer.refresh(self.rate)
            except Exception as problem:  # a picture that fails must not end all pictures
                self._complain(problem)
            wake = max(wake + 1.0 / RATE, time.monotonic())
            self._stop.wait(max(wake - time.monotonic(), 0.0))

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
        now = time.monotonic()
        self._times.append(now)
        while now - self._times[0] > 1.0:
            self._times.popleft()
        self.sent += 1
        return view.tick
