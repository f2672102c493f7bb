"""The frame of a plot: scales, grid, ticks and labels."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yawara.report.numbers import log_ticks, pretty, scaled_label, tick_labels, ticks, widened
from yawara.report.svg import Markup, element, join, number, text_width


@dataclass(frozen=True)
class Axis:
    """A range of values and the stretch of the drawing it is shown on."""

    label: str
    low: float
    high: float
    begin: float = 0.0  # [px]
    end: float = 1.0  # [px]
    tick_count: int = 6
    log: bool = False  # equal factors are equally far apart; all values must be > 0

    def place(self, values: NDArray[np.float64] | float) -> NDArray[np.float64]:
        """Coordinates [px]; values that are not finite stay so."""
        shown, low, high = np.asarray(values, float), self.low, self.high
        if self.log:
            shown, low, high = np.log(shown), float(np.log(low)), float(np.log(high))
        return np.asarray(self.begin + (shown - low) / (high - low) * (self.end - self.begin))

    @property
    def ticks(self) -> list[float]:
        return log_ticks(self.low, self.high, self.tick_count) if self.log else ticks(self.low, self.high, self.tick_count)

    @property
    def power(self) -> int:
        return 0 if self.log else scaled_label(self.label, max(abs(self.low), abs(self.high)))[0]

    @property
    def shown_label(self) -> str:
        return self.label if self.log else scaled_label(self.label, max(abs(self.low), abs(self.high)))[1]

    @property
    def tick_texts(self) -> list[str]:
        return [pretty(value, 3) for value in self.ticks] if self.log else tick_labels(self.ticks, self.power)

    @property
    def text_width(self) -> float:
        """Room [px] that the widest tick needs."""
        return max((text_width(label) for label in self.tick_texts), default=0.0)


def limits(data: list[NDArray[np.float64]], margin: float) -> tuple[float, float]:
    """Range of all finite data with a margin on both sides, 0 to 1 if there is none."""
    finite = [values[np.isfinite(values)] for values in data]
    known = np.concatenate([np.zeros(0), *finite])
    if not len(known):
        return 0.0, 1.0
    low, high = widened(float(known.min()), float(known.max()))
    return low - margin * (high - low), high + margin * (high - low)


def frame(x: Axis, y: Axis) -> Markup:
    """Grid, axes, ticks and labels; y.begin is the bottom, y.end the top."""
    columns = [(float(x.place(value)), label) for value, label in zip(x.ticks, x.tick_texts, strict=True)]
    rows = [(float(y.place(value)), label) for value, label in zip(y.ticks, y.tick_texts, strict=True)]
    lines = [f"M{number(at)} {number(y.begin)}V{number(y.end)}" for at, _ in columns]
    lines += [f"M{number(x.begin)} {number(at)}H{number(x.end)}" for at, _ in rows]
    parts = [element("path", d="".join(lines) or None, class_="grid", stroke="#e3e5e8", fill="none")]
    if y.low < 0 < y.high:
        zero = f"M{number(x.begin)} {number(float(y.place(0.0)))}H{number(x.end)}"
        parts.append(element("path", d=zero, class_="axis", stroke="#9aa0a6", fill="none"))
    edge = f"M{number(x.begin)} {number(y.end)}V{number(y.begin)}H{number(x.end)}"
    parts.append(element("path", d=edge, class_="axis", stroke="#9aa0a6", fill="none"))
    below = [element("text", label, x=at, y=y.begin + 17, text_anchor="middle") for at, label in columns]
    beside = [element("text", label, x=x.begin - 7, y=at + 4, text_anchor="end") for at, label in rows]
    parts.append(element("g", *below, *beside, class_="tick", fill="#5f6368"))
    return join(*parts, _axis_labels(x, y))


def _axis_labels(x: Axis, y: Axis) -> Markup:
    middle_x, middle_y = 0.5 * (x.begin + x.end), 0.5 * (y.begin + y.end)
    turned = f"translate({number(x.begin - y.text_width - 19)} {number(middle_y)}) rotate(-90)"
    return element(
        "g",
        element("text", x.shown_label, x=middle_x, y=y.begin + 38, text_anchor="middle"),
        element("text", y.shown_label, transform=turned, text_anchor="middle"),
        class_="label",
        font_size=13,
        fill="#202124",
    )
