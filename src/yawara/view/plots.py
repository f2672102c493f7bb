"""Force and height over the last ten seconds."""

from collections import deque
from typing import Any

import numpy as np
import viser
from viser import uplot

from yawara.kernels.kinds import Floats
from yawara.live.messages import View

SPAN = 10.0  # [s], simulated
SAMPLE = 0.04  # [s], simulated, between two points of a curve
HEIGHT = 96  # pixels
SMALLEST_FORCE = 0.5  # [N]: an axis is at least this long
FORCE, BODY = "#b06234", "#4a6f96"


class Plots:
    """Two curves below each other: their units differ."""

    def __init__(self, gui: viser.GuiApi) -> None:
        self._rows: deque[tuple[float, float, float]] = deque()  # [s], [N], [mm]
        self._force = _plot(gui, "force [N]", FORCE)
        self._height = _plot(gui, "height [mm]", BODY, foot="time [s]")

    def note(self, view: View) -> None:
        """Keep this moment; a clock that runs backwards (reset, replay) begins anew."""
        if self._rows and view.time < self._rows[-1][0]:
            self._rows.clear()
        if self._rows and view.time - self._rows[-1][0] < SAMPLE:
            return
        self._rows.append((view.time, float(np.linalg.norm(view.force)), 1e3 * view.height))
        while self._rows[0][0] < view.time - SPAN:
            self._rows.popleft()

    def draw(self) -> None:
        """Send the curves."""
        if len(self._rows) < 2:
            return
        times, forces, heights = np.array(self._rows).T
        self._force.data = (times, forces, _room(len(times), 0.0, SMALLEST_FORCE))
        self._height.data = (times, heights, _room(len(times), 0.9 * heights.min(), 1.1 * heights.max()))


def _room(count: int, low: float, high: float) -> Floats:
    """An unseen curve that keeps an axis from shrinking onto noise."""
    values = np.full(count, low)
    values[0] = high
    return values


def _plot(gui: viser.GuiApi, label: str, colour: str, *, foot: str = "") -> viser.GuiUplotHandle:
    thin = {"stroke": "#e4dfd8", "width": 1}
    look: Any = {"font": "10px sans-serif", "stroke": "#6b655f", "gap": 2, "grid": thin, "ticks": {**thin, "size": 4}}
    named = {"labelSize": 15, "labelFont": "11px sans-serif"}
    no_points = uplot.Series_Points(show=False)
    axes: Any = (
        {**look, "size": 24} | ({**named, "label": foot} if foot else {}),
        {**look, **named, "size": 40, "label": label},
    )
    return gui.add_uplot(
        (np.array([0.0, SPAN]), np.zeros(2), np.array([0.0, SMALLEST_FORCE])),
        (
            uplot.Series(label="time [s]"),
            uplot.Series(label=label, stroke=colour, width=1.5, fill=colour + "14", points=no_points),
            uplot.Series(label="", stroke="transparent", width=0, points=no_points),
        ),
        scales={"x": uplot.Scale(time=False)},
        axes=axes,
        legend=uplot.Legend(show=False),
        height=HEIGHT + (16 if foot else 0),
        padding=(8, 12, 0, 0),
    )
