"""What is in the hand, how high it is, and the way back."""

from typing import Any

import numpy as np

from yawara.live.messages import Reset, Undo, View
from yawara.view.desk import Desk
from yawara.view.words import hint

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
        self._squeeze: Any = gui.add_slider("Squeeze %", 0.0, 100.0, 1.0, 0.0, visible=False, hint="Close the fingers")
        back = gui.add_button_group("Shape", ("Undo", "Reset"), hint="Undo: before the last touch. Reset: as at the beginning")
        desk.on_change(self._tool, self._choose)
        desk.on_change(self._height, self._lift)
        desk.on_change(self._squeeze, self._close)
        desk.on_press(back, lambda _, button: desk.session.send(Undo() if button == "Undo" else Reset()))
        self.rebuild()

    def rebuild(self) -> None:
        """The shapes are new."""
        self._tool.options = self._options()
        self._base, top = self._range()
        self._height.max = float(np.ceil(1e3 * (top - self._base)))

    def refresh(self, view: View) -> None:
        """Follow what the hand does, also when another window or a replay moves it."""
        chosen = view.tool if view.tool in self._desk.session.shapes.drawer else None
        settled = self._desk.clock.now() - self._moved > WAIT
        if settled and self._tool.value != (chosen or BARE):
            self._tool.value = chosen or BARE
        if self._height.visible != (chosen is not None):
            self._height.visible = chosen is not None
            self._hint.content = hint(PULL if chosen is None else PRESS)
        shapes = self._desk.session.shapes
        pair = len(shapes.parts_of(chosen)) > 1
        if self._squeeze.visible != pair:
            self._squeeze.visible, self._squeeze.value = pair, 0.0
        place = shapes.place_of(chosen, view) if chosen is not None else None
        if place is not None and settled:
            height = 1e3 * (float(place[2]) - self._base)
            self._height.label = label_of(height)
            self._height.value = float(np.clip(STEP * round(height / STEP), 0.0, self._height.max))

    def _options(self) -> tuple[str, ...]:
        return (BARE, *self._desk.session.shapes.drawer)

    def _range(self) -> tuple[float, float]:
        """[m]: the table, and so high above the bodies that every tool fits in between."""
        places = np.concatenate([body.vertices for body in self._desk.session.shapes.bodies])
        low, high = float(places[:, 2].min()), float(places[:, 2].max())
        return low, low + 2.0 * (high - low) + 0.5 * float(np.ptp(places, axis=0).max())

    def _choose(self, window: int, name: str) -> None:
        self._moved = self._desk.clock.now()
        self._desk.hand.choose(None if name == BARE else name)

    def _lift(self, window: int, height: float) -> None:
        if self._desk.holder.take(window):
            self._moved = self._desk.clock.now()
            self._height.label = label_of(height)
            self._desk.hand.set_height(self._base + 1e-3 * float(np.clip(height, 0.0, self._height.max)))

    def _close(self, window: int, share: float) -> None:
        if self._desk.holder.take(window):
            self._desk.hand.squeeze(0.01 * share)


def label_of(height: float) -> str:
    """With its unit [mm]."""
    return f"Height {height:.0f} mm"
