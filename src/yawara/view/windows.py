"""The windows that look on, and what each of them alone is told."""

from threading import Lock

import viser

from yawara.view.desk import REFUSED, Desk
from yawara.view.words import notice, remark


class Windows:
    """Two lines at the top of each: that another one holds the tool, and what came of a click."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._lock = desk, Lock()
        self._lines: dict[int, tuple[viser.GuiHtmlHandle, viser.GuiHtmlHandle]] = {}
        desk.server.on_client_connect(self._welcome)
        desk.server.on_client_disconnect(self._goodbye)

    def refresh(self) -> None:
        """Tell those who wait; open the hand of one who has fallen asleep."""
        asleep = self._desk.holder.expire()
        if asleep is not None:
            self._desk.hand.let_go(asleep)
        holding = self._desk.holder.window
        with self._lock:
            for window, (waits, said) in self._lines.items():
                _set(waits, notice(REFUSED) if holding not in (None, window) else "")
                _set(said, remark(self._desk.said(window)))

    async def _welcome(self, client: viser.ClientHandle) -> None:
        lines = (client.gui.add_html("", visible=False, order=-2.0), client.gui.add_html("", visible=False, order=-1.0))
        with self._lock:
            self._lines[client.client_id] = lines

    async def _goodbye(self, client: viser.ClientHandle) -> None:
        with self._lock:
            self._lines.pop(client.client_id, None)
        self._desk.hand.let_go(client.client_id)
        self._desk.holder.let_go(client.client_id)


def _set(line: viser.GuiHtmlHandle, content: str) -> None:
    """Only what is new is sent."""
    if line.content != content:
        line.content, line.visible = content, bool(content)
