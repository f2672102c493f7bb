"""What plots of a fit need beside lines: points, axes with a logarithm, axes that keep silent, and a legend for all of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yawara.report.axes import Axis
from yawara.report.legend import ROW, SWATCH, flow, shortened
from yawara.report.numbers import pretty, superscript, ticks
from yawara.report.svg import Markup, element, number, points

Floats = NDArray[np.float64]

DOTS = 1500  # in one drawing: more make a page slow, and cover each other
INK, FIT, START, FAULT, PALE = "s6", "s0", "s4", "s1", "s5"  # of the theme: measured, answer, start, failures, single evaluations


@dataclass(frozen=True)
class QuietAxis(Axis):
    """Has a grid, but neither numbers nor a label: the plot below has the same axis."""

    @property
    def tick_texts(self) -> list[str]:
        return [""] * len(self.ticks)

    @property
    def shown_label(self) -> str:
        return ""


@dataclass(frozen=True)
class LogAxis(Axis):
    """Equal ratios look equal; low and high are positive."""

    def place(self, values: NDArray[np.float64] | float) -> NDArray[np.float64]:
        positive = np.maximum(np.asarray(values, float), 1e-300)
        share = (np.log10(positive) - math.log10(self.low)) / (math.log10(self.high) - math.log10(self.low))
        return np.asarray(self.begin + share * (self.end - self.begin))

    @property
    def ticks(self) -> list[float]:
        """Powers of ten; where fewer than three are in view, some in between as well, or even steps."""
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        step = max(1, math.ceil((last - first) / self.tick_count))
        decades = [10.0**power for power in range(first, last + 1, step)]
        if len(decades) > 2:
            return decades
        for factors in ((1.0, 2.0, 5.0), (1.0, 3.0)):
            finer = [factor * 10.0**power for power in range(first - 1, last + 1) for factor in factors]
            finer = [value for value in finer if self.low * (1 - 1e-9) <= value <= self.high * (1 + 1e-9)]
            if 2 < len(finer) <= self.tick_count + 1:
                return finer
        return decades if len(decades) == 2 else ticks(self.low, self.high, self.tick_count)

    @property
    def power(self) -> int:
        return 0

    @property
    def shown_label(self) -> str:
        return self.label

    @property
    def tick_texts(self) -> list[str]:
        return [_log_text(value) for value in self.ticks]


def _log_text(value: float) -> str:
    power = math.log10(value)
    plain = -3 <= power < 5
    return pretty(value) if plain or abs(power - round(power)) > 1e-9 else f"10{superscript(round(power))}"


def log_limits(values: Floats) -> tuple[float, float]:
    """A range with air around all positive finite values."""
    known = values[np.isfinite(values) & (values > 0.0)]
    if not len(known):
        return 0.1, 10.0
    low, high = math.log10(float(known.min())), math.log10(float(known.max()))
    air = max(0.06 * (high - low), 0.05)
    return 10.0 ** (low - air), 10.0 ** (high + air)


def evenly(count: int, at_most: int = DOTS) -> NDArray[np.int64]:
    """Indices of at most so many of `count`, first and last among them."""
    if count <= at_most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, at_most).round().astype(np.int64))


def dots(x: Axis, y: Axis, across: Floats, up: Floats, *, colour: str, size: float = 4.0, title: str = "") -> Markup:
    """Round points of a width [px]: lines without length, which round caps turn into dots. Values that are not finite are left out."""
    rows = np.stack([x.place(across), y.place(up)], axis=1)
    rows = rows[np.isfinite(rows).all(axis=1)]
    path = "".join(f"M{points([row])}h0" for row in rows.tolist())
    drawn = element("path", d=path, class_=colour, stroke_width=size, stroke_linecap="round", fill="none")
    return element("g", element("title", title) if title else Markup(), drawn) if path else Markup()


def line(x: Axis, y: Axis, across: Floats, up: Floats, *, colour: str, width: float = 2.0, dashes: str | None = None) -> Markup:
    """Through all points that are finite."""
    rows = np.stack([x.place(across), y.place(up)], axis=1)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if not len(rows):
        return Markup()
    path = f"M{points(rows.tolist())}"
    return element(
        "path", d=path, class_=colour, stroke_width=width, stroke_dasharray=dashes, fill="none", stroke_linejoin="round"
    )


def level(x: Axis, y: Axis, value: float, *, colour: str, width: float = 1.0, dashes: str | None = None) -> Markup:
    """A line at one value, from side to side."""
    return line(x, y, np.array([x.low, x.high]), np.array([value, value]), colour=colour, width=width, dashes=dashes)


def band(x: Axis, y: Axis, low: float, high: float, *, colour: str = "accent") -> Markup:
    """A pale stripe from side to side between two values."""
    bottom, top = (float(y.place(min(max(value, y.low), y.high))) for value in (low, high))
    begin, end = min(x.begin, x.end), max(x.begin, x.end)
    height = max(abs(bottom - top), 1.0)
    return element(
        "rect", x=begin, y=min(bottom, top), width=end - begin, height=height, style=f"fill:var(--{colour})", opacity=0.16
    )


@dataclass(frozen=True)
class Entry:
    """A line of the legend."""

    name: str
    colour: str  # class of the theme
    dot: bool = False
    dashes: str | None = None
    width: float = 2.5  # [px]


def legend(entries: Sequence[Entry], left: float, right: float, top: float) -> tuple[Markup, float]:
    """Samples and names in rows, and the height [px] they need."""
    names = [shortened(entry.name, right - left - SWATCH) for entry in entries]
    places, found = flow(names, right - left), list[Markup]()
    for entry, name, (start, row) in zip(entries, names, places, strict=True):
        begin, middle = left + start, top + ROW * row + 4.0
        sample = f"M{number(begin + 9.0)} {number(middle)}h0" if entry.dot else f"M{number(begin)} {number(middle)}h18"
        width = 6.0 if entry.dot else entry.width
        found.append(
            element(
                "path", d=sample, class_=entry.colour, fill="none", stroke_width=width, stroke_dasharray=entry.dashes,
                stroke_linecap="round" if entry.dot else None,
            )
        )  # fmt: skip
        found.append(element("text", name, x=begin + SWATCH, y=middle + 4.0, fill="#202124", class_="label"))
    return element("g", *found), ROW * (1 + max((row for _, row in places), default=-1))
