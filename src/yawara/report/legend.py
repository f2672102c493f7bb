"""What stands above a plot, so that it covers no data: names of lines, labels of marks."""

from collections.abc import Sequence

from yawara.report.svg import Markup, element, text_width

ROW = 19.0  # [px]
SWATCH = 26.0  # [px], the sample of a line and the gap after it
TITLE, BOLD = 14.0, 1.28  # [px]; how much wider bold letters can be than our estimate


def flow(names: Sequence[str], width: float) -> list[tuple[float, int]]:
    """Where each name starts [px] and in which row, filling rows from left to right like words."""
    places: list[tuple[float, int]] = []
    left, row = 0.0, 0
    for name in names:
        needed = SWATCH + text_width(name) + 18.0
        if left and left + needed > width:
            left, row = 0.0, row + 1
        places.append((left, row))
        left += needed
    return places


def stack(centres: Sequence[float], labels: Sequence[str], *, begin: float, end: float) -> list[tuple[float, int]]:
    """Middle [px] and row of each label so that none covers another; row 0 is the lowest, nearest to the data."""
    taken: list[list[tuple[float, float]]] = []
    places: list[tuple[float, int]] = []
    for centre, label in zip(centres, labels, strict=True):
        half = 0.5 * text_width(label, 11.0) + 4.0
        middle = max(begin + half, min(centre, end - half))
        row = 0
        while row < len(taken) and any(middle - half < right and left < middle + half for left, right in taken[row]):
            row += 1
        if row == len(taken):
            taken.append([])
        taken[row].append((middle - half, middle + half))
        places.append((middle, row))
    return places


def shortened(name: str, width: float, size: float = 12.0) -> str:
    """A name cut to fit [px]."""
    if text_width(name, size) <= width:
        return name
    while name and text_width(name + "…", size) > width:
        name = name[:-1]
    return name + "…"


def heading(words: str, left: float, right: float) -> Markup:
    """The title above a plot, between two places [px]; a long one is cut, and told in full to a mouse that waits on it."""
    shown = shortened(words, right - left, BOLD * TITLE)
    whole = element("title", words) if shown != words else Markup()
    return element("text", whole, shown, x=left, y=18, class_="title", font_size=14, font_weight=600, fill="#202124")
