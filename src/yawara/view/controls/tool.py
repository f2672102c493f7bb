"""What is in the hand, how high it is, and the way back."""

import time
from typing import Any

import numpy as np

from yawara.live.messages import Reset, Undo, View
from yawara.view.desk import Desk
from yawara.view.speed import hint

BARE = "bare hand"
PULL = "Drag the body to pull it. Drag beside it to look around, scroll to come nearer. Shift-drag moves level with the table."
PRESS = "Drag the tool or the body: the tool follows, up and down too. Shift-drag moves it level with the table."
STEP = 0.5  # [mm], of the height
WAIT = 0.7  # [s] after the user moved the slider before it follows the tool again


class ToolControls:
    """Tool, height, undo, reset."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._moved = desk, 0.0
        gui = desk.server.gui
        self._hint = gui.add_html(hint(PULL))
        self._tool: Any = gui.add_dropdown("Tool", self._options(), hint="What the mouse holds")
        self._height: Any = gui.add_slider(
            label_of(100.0), 0.0, 100.0, STEP, 100.0, visible=False, hint="Lower or raise the tool above the table"
        )
        self._back = gui.add_button_group(
            "Shape", ("Undo", "Reset"), hint="Undo: before the last touch. Reset: as at the beginning"
        )
        self._tool.on_update(self._choose)
        self._height.on_update(self._lift)
        self._back.on_click(self._go_back)
        self.rebuild()

    def rebuild(self) -> None:
        """The shapes are new."""
        self._tool.options = self._options()
        self._base, top = self._range()
        self._height.max = float(np.ceil(1e3 * (top - self._base)))

    def refresh(self, view: View) -> None:
        """Follow what the hand does, also when another window or a replay moves it."""
        chosen = view.tool if view.tool in self._desk.session.shapes.drawer else None
        settled = time.monotonic() - self._moved > WAIT
        if settled and self._tool.value != (chosen or BARE):
            self._tool.value = chosen or BARE
        if self._height.visible != (chosen is not None):
            self._height.visible = chosen is not None
            self._hint.content = hint(PULL if chosen is None else PRESS)
        if chosen is not None and settled:
            index = [skin.name for skin in self._desk.session.shapes.tools].index(chosen)
            height = 1e3 * (float(view.tool_positions[index, 2]) - self._base)
            self._height.label = label_of(height)
            self._height.value = float(np.clip(STEP * round(height / STEP), 0.0, self._height.max))

    def _options(self) -> tuple[str, ...]:
        return (BARE, *self._desk.session.shapes.drawer)

    def _range(self) -> tuple[float, float]:
        """[m]: the table, and so high above the bodies that every tool fits in between."""
        places = np.concatenate([body.vertices for body in self._desk.session.shapes.bodies])
        low, high = float(places[:, 2].min()), float(places[:, 2].max())
        return low, low + 2.0 * (high - low) + 0.5 * float(np.ptp(places, axis=0).max())

    async def _choose(self, event: Any) -> None:
        if not self._desk.may(event):
            return
        self._moved = time.monotonic()
        self._desk.hand.choose(None if event.target.value == BARE else event.target.value)

    async def _lift(self, event: Any) -> None:
        if not self._desk.may(event) or not self._desk.holder.take(event.client_id):
            return
        self._moved = time.monotonic()
        event.target.label = label_of(event.target.value)
        self._desk.hand.set_height(self._base + 1e-3 * float(np.clip(event.target.value, 0.0, self._height.max)))

    async def _go_back(self, event: Any) -> None:
        if self._desk.may(event):
            self._desk.session.send(Undo() if event.target.value == "Undo" else Reset())


def label_of(height: float) -> str:
    """With its unit [mm]."""
    return f"Height {height:.0f} mm"
