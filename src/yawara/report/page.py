"""The page around plots, pictures and tables: one HTML file that needs nothing else."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real

import numpy as np

from yawara.report.numbers import pretty
from yawara.report.sort import SORT
from yawara.report.svg import Markup, element, join, text
from yawara.report.theme import CSS

SHORT, LONG = 16, 30  # letters in a cell


@dataclass(frozen=True)
class Section:
    """A heading, and what stands under it."""

    heading: str
    html: str  # markup, taken as it is; `paragraph`, `table`, `figure` and `figure_row` make it


def page(title: str, sections: Sequence[Section], *, subtitle: str = "", lead: str = "") -> str:
    """The whole file as text, to be written as UTF-8; `lead` is markup that stands before all sections."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("title", title),
        element("style", Markup(CSS)),
    )
    top = element("header", element("h1", title), element("p", subtitle) if subtitle else Markup())
    parts = [element("section", element("h2", part.heading), Markup(part.html)) for part in sections]
    return (
        "<!DOCTYPE html>\n" + element("html", head, element("body", element("main", top, Markup(lead), *parts)), lang="en") + "\n"
    )


def paragraph(words: str) -> Markup:
    """Plain text as a paragraph."""
    return element("p", words)


def figure(svg: str, caption: str = "") -> Markup:
    """A drawing with words under it."""
    return element("figure", Markup(svg), element("figcaption", caption) if caption else Markup())


def figure_row(figures: Sequence[str]) -> Markup:
    """Figures side by side, as many as fit; plots get more room each than pictures."""
    wide = any('class="drawing plot"' in item for item in figures)
    return element("div", *(Markup(item) for item in figures), class_="row wide" if wide else "row")


def picture_row(figures: Sequence[str], *, columns: int) -> Markup:
    """Pictures of one thing at several times; those that do not fill a row stand in its middle."""
    return element("div", *(Markup(item) for item in figures), class_=f"shots by{columns}")


def colour_key(names: Sequence[tuple[str, str]]) -> Markup:
    """A dot and a name for each (name, colour), in a line of text."""
    dots = [element("span", element("i", style=f"background:{colour}"), name) for name, colour in names]
    return element("p", *dots, class_="key")


def table(headers: Sequence[str], rows: Sequence[Sequence[object]], *, sortable: bool = False) -> Markup:
    """A table; units stand in the headers, as in 'stiffness [N/m]'. Columns of nothing but numbers are set to the right.

    A sortable one is put in order by a click on a header, by the numbers themselves and not by what is shown of them.
    """
    for row in rows:
        if len(row) != len(headers):
            raise ValueError(f"each row must have {len(headers)} cells (got {len(row)}: {list(row)}); give one per header")
    sides = ["number" if _are_numbers([row[i] for row in rows]) else None for i in range(len(headers))]
    heads = [_button(_header(name)) if sortable else _header(name) for name in headers]
    top = [element("th", head, class_=side, scope="col") for head, side in zip(heads, sides, strict=True)]
    body = [
        element(
            "tr",
            *(
                element("td", _cell(item), class_=_classes(item, side), data_value=_exact(item) if sortable else None)
                for item, side in zip(row, sides, strict=True)
            ),
        )
        for row in rows
    ]
    whole = element("table", element("thead", element("tr", *top)), element("tbody", *body))
    if sortable:
        return join(element("div", whole, class_="table sortable"), element("script", Markup(SORT)))
    return element("div", whole, class_="table")


def _classes(item: object, side: str | None) -> str | None:
    """How a cell shares the room with others: few words stay in one line, and many get some width before the table is scrolled."""
    size = len(item) if isinstance(item, str) and not isinstance(item, Markup) else 0
    room = "short" if 0 < size <= SHORT else "long" if size > LONG else None
    return " ".join(name for name in (side, room) if name) or None


def _button(words: Markup) -> Markup:
    return element("button", words, type="button")


def _exact(item: object) -> str | None:
    """All digits of a number, for sorting."""
    return repr(float(item)) if isinstance(item, Real) and not isinstance(item, bool) else None


def _header(name: str) -> Markup:
    match = re.fullmatch(r"(.*?)\s*(\[[^\[\]]+\])\s*", name)
    return join(_breakable(match[1]), " ", element("span", match[2], class_="unit")) if match else _breakable(name)


def _cell(item: object) -> Markup:
    if item is None:
        return text("–")
    if isinstance(item, bool | np.bool_):
        return text("yes" if item else "no")
    if isinstance(item, Real) and not isinstance(item, Integral):
        return text(pretty(float(item)))
    return item if isinstance(item, Markup) else _breakable(str(item))


def _breakable(words: str) -> Markup:
    """Text in which long names like dough.displacement_x may go on in the next line, after a dot or the like."""
    return Markup(re.sub(r"(\S{9,}?[._/:])(?=[^\s._/:]{3})", rf"\1{element('wbr')}", text(words)))


def _are_numbers(column: Sequence[object]) -> bool:
    """Whether there are some, and beside them only gaps; a sentence among numbers must be able to wrap."""
    told = [item for item in column if item is not None and item not in ("", "–")]
    return bool(told) and all(_is_number(item) for item in told)


def _is_number(item: object) -> bool:
    if isinstance(item, str):  # a number that was formatted by the caller
        return re.fullmatch(r"(> |< )?[-+−]?[0-9][0-9.,]*(e[-+]?[0-9]+| × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?", item) is not None
    return isinstance(item, Real) and not isinstance(item, bool)
