"""Markup, built from elements; whatever is not markup already is escaped."""

import re
import unicodedata
from html import escape

# Elements that never have children; everything else gets an end tag, since HTML knows no <td/>
_EMPTY = frozenset({"circle", "ellipse", "feGaussianBlur", "line", "meta", "path", "polygon", "polyline", "rect", "wbr"})
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")  # in XML, even escaped

NAMESPACE = "http://www.w3.org/2000/svg"


class Markup(str):
    """A string that may stand in a page as it is."""

    __slots__ = ()


def text(value: object) -> Markup:
    """Any value as escaped text."""
    return value if isinstance(value, Markup) else Markup(escape(_FORBIDDEN.sub("\ufffd", str(value)), quote=True))


def join(*parts: str) -> Markup:
    """Pieces of markup and text in one."""
    return Markup("".join(text(part) for part in parts))


def element(tag: str, /, *children: str, **attributes: object) -> Markup:
    """`<tag name="value">children</tag>`: an attribute of None is left out; stroke_width stands for stroke-width."""
    given = "".join(
        f' {name.strip("_").replace("_", "-")}="{_value(item)}"' for name, item in attributes.items() if item is not None
    )
    return Markup(f"<{tag}{given}/>" if tag in _EMPTY else f"<{tag}{given}>{join(*children)}</{tag}>")


def drawing(width: float, height: float, *children: str, kind: str, label: str) -> Markup:
    """An <svg> that scales to the room it is given, and says to screen readers what it shows.

    It grows up to a third larger than drawn, and shrinks to three fifths; where there is less room, its figure can be scrolled.
    """
    box = f"0 0 {number(width)} {number(height)}"
    font = "system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif"
    return element(
        "svg", *children, xmlns=NAMESPACE, viewBox=box, width=width, height=height,
        class_=f"drawing {kind}", role="img", aria_label=label or None, font_family=font, font_size=12,
        style=f"max-width:{number(1.33 * width)}px;min-width:{number(0.6 * width)}px",
    )  # fmt: skip


def number(value: float) -> str:
    """A coordinate [px], to a hundredth."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if value else "0"


def points(rows: list[list[float]]) -> str:
    """Coordinates (count, 2) as the inside of a path: x y x y ..."""
    return " ".join(f"{x:.1f} {y:.1f}" for x, y in rows)


def text_width(line: str, size: float = 12.0) -> float:
    """Estimated width [px]: letters of a screen font are about 0.54 as wide as high, East Asian ones square."""
    return size * sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.54 for letter in line)


def _value(item: object) -> str:
    return number(item) if isinstance(item, float) else text(item)
