"""Keys to a picture: which colour is which body, which colour is which value."""

from collections.abc import Sequence
from dataclasses import dataclass

from yawara.report.colour import VIRIDIS
from yawara.report.numbers import pretty
from yawara.report.svg import Markup, element, text_width


@dataclass(frozen=True)
class Bar:
    """What values 0 and 1 of a picture stand for; the unit stands in the label."""

    label: str
    low: float
    high: float
    colours: Sequence[str] = VIRIDIS  # from low to high; those of values if nothing is said


def name_key(names: Sequence[tuple[str, str]]) -> Markup:
    """A dot and a name for each (name, colour), in a row at the top."""
    parts, left = [], 12.0
    for name, colour in dict.fromkeys(names):
        parts.append(element("circle", cx=left, cy=14.0, r=4.5, fill=colour))
        parts.append(element("text", name, x=left + 9.0, y=18.0))
        left += text_width(name) + 34.0
    return element("g", *parts, class_="label", fill="#202124")


def bar_key(bar: Bar, width: float, bottom: float) -> Markup:
    """The map of values as a strip at the lower right."""
    cell, low, high = 6.0, pretty(bar.low, 3), pretty(bar.high, 3)
    length = cell * len(bar.colours)
    left, top = width - 12.0 - text_width(high, 11.0) - length, bottom - 14.0
    strip = [
        element("rect", x=left + cell * i, y=top, width=cell + 0.4, height=8, fill=fill) for i, fill in enumerate(bar.colours)
    ]
    words = [
        element("text", low, x=left - 5.0, y=top + 8.0, text_anchor="end"),
        element("text", high, x=left + length + 5.0, y=top + 8.0),
        element("text", bar.label, x=left + 0.5 * length, y=top - 5.0, text_anchor="middle"),
    ]
    return element("g", *strip, *words, class_="tick", fill="#5f6368", font_size=11)
