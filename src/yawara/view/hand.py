"""A mouse is a hand: what dragging means, as orders.

With the bare hand, a drag takes hold of the body and pulls it in the plane that faces the camera. With a tool in the hand, it moves
the tool: up, down and sideways in the upright plane that faces the camera. With the shift key both move level with the table.
"""

from dataclasses import dataclass

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.live.messages import Choose, Grab, LetGo, Move, Pull, Squeeze, Vector
from yawara.view.holder import Holder
from yawara.view.session import Session

FLATTEST = 0.26  # sine of 15 degrees: planes that are seen under a flatter angle would make the hand jump
REACH = 3.0  # of the bodies' size: how far from their middle a hand can go


@dataclass(frozen=True)
class Drag:
    """One moment of a drag; places in the world [m]."""

    window: int
    phase: str  # start, update, end
    name: str  # of the body or the tool that was touched
    is_tool: bool
    start: Vector  # where it was touched
    end: Vector  # the pointer, in the plane through `start` that faces the camera
    eye: Vector  # the camera
    level: bool  # with the shift key


class Hand:
    """Makes orders of drags, for the window that holds the tool."""

    def __init__(self, session: Session, holder: Holder) -> None:
        self._session, self._holder = session, holder
        self._start: Floats | None = None  # [m], the place that was touched; None between drags
        self._tool_start: Floats | None = None  # [m], where the tool was then; None with the bare hand
        self._window: int | None = None

    def drag(self, drag: Drag) -> None:
        """To be called in the order in which things happened."""
        if not np.isfinite([drag.start, drag.end, drag.eye]).all():
            return
        if drag.phase == "start":
            self._begin(drag)
        elif self._window == drag.window and self._start is not None:
            if drag.phase == "update" and self._holder.take(drag.window):
                self._go_on(drag)
            elif drag.phase == "end":
                self.let_go(drag.window)

    def let_go(self, window: int) -> None:
        """The drag of this window is over: released, gone, or idle for too long."""
        if self._window != window:
            return
        if self._tool_start is None:
            self._session.send(LetGo())
            self._holder.let_go(window)
        self._start = self._tool_start = self._window = None

    def choose(self, tool: str | None) -> None:
        """Take this tool, or none."""
        if tool is None or tool in self._session.shapes.drawer:
            self._session.send(Choose(tool))

    def set_height(self, height: float) -> None:
        """Raise or lower the tool in the hand to this height [m]; it stays above the same spot."""
        tool = self._tool_position()
        if tool is not None and np.isfinite(height):
            self._session.send(Move(self._within_reach(np.array([tool[0], tool[1], height]))))

    def squeeze(self, share: float) -> None:
        """Close the fingers that are in the hand: 0 is open, 1 closed."""
        if np.isfinite(share):
            self._session.send(Squeeze(float(np.clip(share, 0.0, 1.0))))

    def _begin(self, drag: Drag) -> None:
        if not self._holder.take(drag.window):
            return
        view = self._session.latest()
        in_hand = view.tool if view is not None else None
        if self._session.device_holds_tool:
            if drag.is_tool:
                return
            in_hand = None
        elif drag.is_tool and in_hand != self._session.shapes.entry_of(drag.name):  # to touch a tool is to take it
            in_hand = self._session.shapes.entry_of(drag.name)
            self.choose(in_hand)
        self._window, self._start = drag.window, np.array(drag.start)
        self._tool_start = None if in_hand is None else self._tool_position(in_hand)
        if self._tool_start is None:
            self._session.send(Grab(drag.name, drag.start))
        self._go_on(drag)

    def _go_on(self, drag: Drag) -> None:
        assert self._start is not None
        place = self._place(drag)
        if place is None:
            return
        if self._tool_start is None:
            self._session.send(Pull(self._within_reach(place)))
        else:
            self._session.send(Move(self._within_reach(self._tool_start + place - self._start)))

    def _place(self, drag: Drag) -> Floats | None:
        """Where the pointer's ray meets the plane in which this drag moves; None if it does not, in front of the camera."""
        assert self._start is not None
        eye, end = np.array(drag.eye), np.array(drag.end)
        sight = self._start - eye
        if drag.level:
            normal = np.array([0.0, 0.0, 1.0])
        elif self._tool_start is not None:
            normal = np.array([sight[0], sight[1], 0.0])
        else:
            return end
        length = float(np.linalg.norm(normal))
        if length == 0.0 or abs(normal @ sight) < FLATTEST * length * float(np.linalg.norm(sight)):
            return end  # nearly edge on: the plane that faces the camera serves better
        ray = end - eye
        along = float(normal @ ray)
        share = float(normal @ sight) / along if along != 0.0 else -1.0
        return eye + share * ray if share > 0.0 else None

    def _tool_position(self, name: str | None = None) -> Floats | None:
        view = self._session.latest()
        name = name or (view.tool if view is not None else None)
        return self._session.shapes.place_of(name, view) if view is not None and name is not None else None

    def _within_reach(self, place: Floats) -> Vector:
        places = np.concatenate([body.vertices for body in self._session.shapes.bodies])
        low, high = places.min(axis=0), places.max(axis=0)
        reach = REACH * float((high - low).max())
        x, y, z = np.clip(place, (low + high) / 2 - reach, (low + high) / 2 + reach)
        return float(x), float(y), float(z)
