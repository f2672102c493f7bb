"""Values over two parameters as a map of coloured cells, inline SVG."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yawara.report.colour import VIRIDIS, hexadecimal, mapped
from yawara.report.legend import heading
from yawara.report.numbers import pretty, scaled_label, tick_labels, ticks, widened
from yawara.report.svg import Markup, drawing, element, number, text_width

_TOP, _BOTTOM, _BAR, _GAP = 34.0, 50.0, 14.0, 16.0  # [px]
_ROOM_FOR_WORDS = 12.0  # [px] beside a number in a cell
_DARK, _LIGHT = "#10151a", "#ffffff"  # ink on bright and on dark cells
_BRIGHT_FROM = 0.6  # of the map


@dataclass(frozen=True)
class Steps:
    """The values of a parameter along a side of the map; each has the same room, whatever lies between them."""

    label: str  # with its unit
    values: Sequence[float]

    @property
    def power(self) -> int:
        return scaled_label(self.label, max(map(abs, self.values)))[0]

    @property
    def shown_label(self) -> str:
        return scaled_label(self.label, max(map(abs, self.values)))[1]

    @property
    def texts(self) -> list[str]:
        return [pretty(value / 10.0**self.power, 3) for value in self.values]


def heat_map(
    x: Steps, y: Steps, values: NDArray[np.float64], *, value_label: str, title: str, width: float = 560.0, height: float = 380.0
) -> Markup:
    """An SVG of `values` (x_count, y_count), y upwards; cells without a finite value are crossed out. `value_label` carries the unit."""
    power, shown_label = scaled_label(value_label, float(np.nanmax(np.abs(values), initial=0.0)))
    left = max(map(text_width, y.texts)) + 36.0
    key_width = _GAP + _BAR + 8.0 + max(map(text_width, _key_texts(values, power)), default=0.0) + 8.0
    frame = (left, _TOP, width - key_width, height - _BOTTOM)
    parts = [
        heading(title, left, width),
        _cells(x, y, values, frame, power),
        _sides(x, y, frame),
        _key(values, shown_label, power, frame, width),
    ]
    return drawing(width, height, *parts, kind="plot", label=title or value_label)


Frame = tuple[float, float, float, float]  # left, top, right, bottom [px]


def _range(values: NDArray[np.float64]) -> tuple[float, float]:
    known = values[np.isfinite(values)]
    return widened(float(known.min()), float(known.max())) if known.size else (0.0, 1.0)


def _digits(values: NDArray[np.float64]) -> int:
    """So many that cells of different colour have different numbers, within reason."""
    lowest, highest = _range(values)
    return min(6, max(3, 2 + int(np.ceil(np.log10(max(abs(lowest), abs(highest)) / (highest - lowest))))))


def _cells(x: Steps, y: Steps, values: NDArray[np.float64], frame: Frame, power: int) -> Markup:
    left, top, right, bottom = frame
    wide, high = (right - left) / len(x.values), (bottom - top) / len(y.values)
    lowest, highest = _range(values)
    share = (values - lowest) / (highest - lowest)
    fills = np.array(hexadecimal(mapped(share.ravel()))).reshape(values.shape)
    digits = _digits(values)
    words = np.array([[pretty(value / 10.0**power, digits) for value in column] for column in values.tolist()])
    room = max(text_width(word) for word in words.ravel().tolist()) + _ROOM_FOR_WORDS
    written = high >= 18.0 and wide >= room
    cells = []
    for i, j in np.ndindex(values.shape):
        box = (left + i * wide, bottom - (j + 1) * high, wide, high)
        known = bool(np.isfinite(values[i, j]))
        told = pretty(float(values[i, j])) if known else "failed"
        about = element("title", f"{x.label}: {pretty(x.values[i])}, {y.label}: {pretty(y.values[j])}: {told}")
        word = str(words[i, j]) if written else ""
        cell = _filled(box, str(fills[i, j]), word, bright=bool(share[i, j] > _BRIGHT_FROM)) if known else _crossed(box)
        cells.append(element("g", about, *cell))
    return element("g", *cells)


Box = tuple[float, float, float, float]  # left, top, width, height [px]


def _filled(box: Box, fill: str, word: str, *, bright: bool) -> list[Markup]:
    left, top, wide, high = box
    # outlined in its own colour, so that nothing shines through between cells
    found = [element("rect", x=left, y=top, width=wide, height=high, fill=fill, stroke=fill, stroke_width=0.4)]
    if word:
        place = {"x": left + 0.5 * wide, "y": top + 0.5 * high + 4.0}
        found.append(element("text", word, text_anchor="middle", fill=_DARK if bright else _LIGHT, **place))
    return found


def _crossed(box: Box) -> list[Markup]:
    """Nothing: no colour of the map means that."""
    left, top, wide, high = box
    falling = f"M{number(left)} {number(top)}l{number(wide)} {number(high)}"
    rising = f"M{number(left)} {number(top + high)}l{number(wide)} {number(-high)}"
    return [
        element("rect", x=left, y=top, width=wide, height=high, fill="none", pointer_events="all"),
        element("path", d=falling + rising, class_="axis", stroke="#9aa0a6", fill="none"),
    ]


def _sides(x: Steps, y: Steps, frame: Frame) -> Markup:
    left, top, right, bottom = frame
    wide, high = (right - left) / len(x.values), (bottom - top) / len(y.values)
    every_x = max(1, int(np.ceil((max(map(text_width, x.texts)) + 8.0) / wide)))
    every_y = max(1, int(np.ceil(16.0 / high)))
    below = [
        element("text", label, x=left + (i + 0.5) * wide, y=bottom + 17.0, text_anchor="middle")
        for i, label in enumerate(x.texts)
        if i % every_x == 0
    ]
    beside = [
        element("text", label, x=left - 7.0, y=bottom - (j + 0.5) * high + 4.0, text_anchor="end")
        for j, label in enumerate(y.texts)
        if j % every_y == 0
    ]
    turned = f"translate({number(left - max(map(text_width, y.texts)) - 19.0)} {number(0.5 * (top + bottom))}) rotate(-90)"
    labels = [
        element("text", x.shown_label, x=0.5 * (left + right), y=bottom + 38.0, text_anchor="middle"),
        element("text", y.shown_label, transform=turned, text_anchor="middle"),
    ]
    edge = element("rect", x=left, y=top, width=right - left, height=bottom - top, class_="axis", stroke="#9aa0a6", fill="none")
    ticked = element("g", *below, *beside, class_="tick", fill="#5f6368")
    return element("g", edge, ticked, element("g", *labels, class_="label", font_size=13, fill="#202124"))


def _key_texts(values: NDArray[np.float64], power: int) -> list[str]:
    return tick_labels(ticks(*_range(values), 5), power)


def _key(values: NDArray[np.float64], label: str, power: int, frame: Frame, width: float) -> Markup:
    """What the colours mean: a strip beside the map."""
    _, top, right, bottom = frame
    left, (low, high) = right + _GAP, _range(values)
    step = (bottom - top) / len(VIRIDIS)
    strip = [
        element("rect", x=left, y=bottom - (n + 1) * step, width=_BAR, height=step + (0.4 if n else 0.0), fill=fill)
        for n, fill in enumerate(VIRIDIS)
    ]
    marked = zip(ticks(low, high, 5), _key_texts(values, power), strict=True)
    words = [
        element("text", told, x=left + _BAR + 6.0, y=bottom - (value - low) / (high - low) * (bottom - top) + 4.0)
        for value, told in marked
    ]
    name = element("text", label, x=width - 4.0, y=18.0, text_anchor="end")
    return element("g", *strip, element("g", *words, name, class_="tick", fill="#5f6368"))
