"""What the colours of the bodies stand for."""

from typing import Any

from yawara.live.messages import COLOURINGS, View
from yawara.view.colours import legend
from yawara.view.desk import Desk


class ColourControls:
    """A choice and its legend."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        gui = desk.server.gui
        self._what = gui.add_dropdown("Colours show", tuple(COLOURINGS))
        self._legend = gui.add_html("", visible=False)
        self._what.on_update(self._choose)

    def refresh(self, view: View) -> None:
        """The legend tells the range that the session gives; there is none without colours."""
        coloured = view.values is not None
        if coloured:
            content = legend(self._what.value, *self._desk.session.value_range)
            if self._legend.content != content:
                self._legend.content = content
        if self._legend.visible != coloured:
            self._legend.visible = coloured

    async def _choose(self, event: Any) -> None:
        if event.client_id is not None and event.target.value in COLOURINGS:  # looking is free for all
            self._desk.session.colour_by(event.target.value)
