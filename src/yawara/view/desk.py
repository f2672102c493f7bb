"""What all controls of the panel have in common: the session, the hand, and whether a window may act."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import viser

from yawara.clock import REAL, Clock
from yawara.view.hand import Hand
from yawara.view.holder import Holder
from yawara.view.session import Session

REFUSED = "Another window holds the tool. It is free when that window lets go, or after ten seconds without a move."
LOG = logging.getLogger(__name__)

Act = Callable[[int, Any], None]  # window, value


@dataclass
class Desk:
    """Shared by the controls."""

    server: viser.ViserServer
    session: Session
    holder: Holder
    shown: float  # [s] that a message stays
    clock: Clock = REAL
    _said: dict[int, tuple[str, float]] = field(default_factory=dict)  # window: text, when [s]
    _errands: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "yawara-errand"))

    def __post_init__(self) -> None:
        self.hand = Hand(self.session, self.holder)

    def on_change(self, control: Any, act: Act) -> None:
        """Have this done when a window changes the control; if another window holds the tool, the control goes back instead."""
        kept = control.value

        async def changed(event: Any) -> None:
            nonlocal kept
            if event.client_id is None:  # set by us, not by a window
                kept = control.value
            elif self.holder.may_act(event.client_id):
                kept = control.value
                act(event.client_id, kept)
            else:
                control.value = kept

        control.on_update(changed)

    def on_press(self, buttons: Any, act: Act) -> None:
        """Have this done when a window presses one of the buttons, unless another window holds the tool."""

        async def pressed(event: Any) -> None:
            if event.client_id is not None and self.holder.may_act(event.client_id):
                act(event.client_id, buttons.value)

        buttons.on_click(pressed)

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

    def tell(self, window: int, text: str) -> None:
        """A line in the panel of one window that goes away by itself; it covers nothing, unlike the library's own messages."""
        self._said[window] = (text, self.clock.now())

    def said(self, window: int) -> str:
        """What this window is told now, empty for nothing."""
        text, moment = self._said.get(window, ("", 0.0))
        return text if self.clock.now() - moment < self.shown else ""
