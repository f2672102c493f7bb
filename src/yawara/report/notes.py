"""Boxes that a reader must not miss: what to be careful about, what to know first."""

from collections.abc import Sequence

from yawara.report.svg import Markup, element


def note(*content: str, caution: bool = False) -> Markup:
    """A box beside a stripe of colour, that of a warning if it is one."""
    return element("div", *content, role="note", class_="note caution" if caution else "note")


def warnings(sentences: Sequence[str], head: str = "Before you trust these figures") -> Markup:
    """One sentence per line, under a line that says why to read them; nothing if there are none."""
    if not sentences:
        return Markup()
    items = [element("li", sentence) for sentence in sentences]
    return note(element("b", head), element("ul", *items), caution=True)
