"""The windows that look on, and what each of them alone is told."""

from threading import Lock

import viser

from yawara.view.desk import REFUSED, Desk
from yawara.view.speed import notice


class Windows:
    """A line at the top of every window but the one that holds the tool."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._lock = desk, Lock()
        self._lines: dict[int, viser.GuiHtmlHandle] = {}
        desk.server.on_client_connect(self._welcome)
        desk.server.on_client_disconnect(self._goodbye)

    def refresh(self) -> None:
        """Tell those who wait; open the hand of one who has fallen asleep."""
        asleep = self._desk.holder.expire()
        if asleep is not None:
            self._desk.hand.let_go(asleep)
        holding = self._desk.holder.window
        with self._lock:
            for window, line in self._lines.items():
                waits = holding is not None and holding != window
                if line.visible != waits:
                    line.visible = waits

    async def _welcome(self, client: viser.ClientHandle) -> None:
        line = client.gui.add_html(notice(REFUSED), visible=False, order=-1.0)
        with self._lock:
            self._lines[client.client_id] = line

    async def _goodbye(self, client: viser.ClientHandle) -> None:
        with self._lock:
            self._lines.pop(client.client_id, None)
        self._desk.hand.let_go(client.client_id)
        self._desk.holder.let_go(client.client_id)
