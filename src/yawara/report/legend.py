"""What stands above a plot, so that it covers no data: names of lines, labels of marks."""

from collections.abc import Sequence

from yawara.report.svg import text_width

ROW = 19.0  # [px]
SWATCH = 26.0  # [px], the sample of a line and the gap after it


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


def shortened(name: str, width: float) -> str:
    """A name cut to fit [px]."""
    if text_width(name) <= width:
        return name
    while name and text_width(name + "…") > width:
        name = name[:-1]
    return name + "…"
