"""What all controls of the panel have in common: the session, the hand, and whether a window may act."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import viser

from yawara.view.hand import Hand
from yawara.view.holder import Holder
from yawara.view.session import Session

REFUSED = "Another window holds the tool. It is free when that window lets go, or after ten seconds without a move."
SHOWN = 4.0  # [s] that a message stays
LOG = logging.getLogger(__name__)


@dataclass
class Desk:
    """Shared by the controls."""

    server: viser.ViserServer
    session: Session
    holder: Holder
    _errands: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "yawara-errand"))

    def __post_init__(self) -> None:
        self.hand = Hand(self.session, self.holder, self.refuse)

    def may(self, event: Any) -> bool:
        """Whether the window that this came from may act; it is told if not. Values that the page itself sets are no acts."""
        if event.client_id is None:
            return False
        if self.holder.may_act(event.client_id):
            return True
        self.refuse(event.client_id)
        return False

    def later(self, errand: Callable[..., None], *arguments: Any) -> None:
        """For what may take its time, such as files: one after the other, in the order of the clicks, while the page goes on."""

        def run() -> None:
            try:
                errand(*arguments)
            except Exception:  # one that fails must not hold up the next
                LOG.exception("a click could not be carried out")

        self._errands.submit(run)

    def close(self) -> None:
        self._errands.shutdown(wait=False, cancel_futures=True)

    def refuse(self, window: int) -> None:
        self.tell(window, "Not now", REFUSED)

    def tell(self, window: int | None, title: str, text: str) -> None:
        """A message in one window that goes away by itself."""
        client = self.server.get_clients().get(window) if window is not None else None
        if client is not None:
            client.add_notification(title, text, auto_close_seconds=SHOWN)
