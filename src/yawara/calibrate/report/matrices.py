"""What the data can tell apart: correlations, how strongly each parameter shows, and the directions that are known well or badly."""

from collections.abc import Sequence

import numpy as np

from yawara.calibrate.fit import Fit
from yawara.calibrate.identifiability import ALIKE, LARGE_CONDITION, WEAK, Identifiability
from yawara.calibrate.report.panel import Floats, LogAxis, log_limits
from yawara.calibrate.report.shapes import DIVERGING
from yawara.calibrate.report.words import cut, known
from yawara.report.colour import hexadecimal, rgb
from yawara.report.legend import heading
from yawara.report.page import figure, figure_row, paragraph, table
from yawara.report.svg import Markup, drawing, element, join, number, text_width

WELL = 100.0  # condition below which all directions are known about alike
SHARE = 0.1  # of a direction: parameters with less are left out
TWICE = 2.0  # standard deviations: about 95 %
WIDTH, EDGE, ROW, LONGEST_NAME = 420.0, 8.0, 26.0, 150.0  # [px]
SIDE_BY_SIDE = 6  # parameters: with more, each drawing has the whole width


def matrices(fit: Fit) -> Markup:
    """All of it, or words on why it is not known."""
    found = fit.at_end or fit.at_start
    if found is None:
        return paragraph("Not known: runs next to the start and to the answer fail, or the budget was spent before.")
    figures = []
    if fit.at_end is not None and len(fit.free_names) > 1:
        figures.append(figure(correlation_map(fit.free_names, fit.correlation), _correlation_words(fit)))
    figures.append(figure(sensitivity_plot(found), _sensitivity_words(fit.at_end is None)))
    scatter = fit.scatter if np.isfinite(fit.scatter) else 1.0
    shown = figure_row(figures) if len(fit.free_names) <= SIDE_BY_SIDE else join(*figures)
    return join(shown, paragraph(condition_words(found)), direction_table(found, scatter), _direction_words())


def correlation_map(names: Sequence[str], correlation: Floats) -> Markup:
    """A square of numbers; blue runs against, red along."""
    size, shown = len(names), [cut(name, LONGEST_NAME) for name in names]
    cell = float(np.clip(WIDTH * 0.6 / size, 40.0, 56.0))
    longest = max(text_width(name) for name in shown)
    slanted = longest > cell - 8.0
    height, room = (0.75 * longest, 0.72 * longest) if slanted else (8.0, 0.0)  # of slanted names above and beside the columns
    needed = longest + 16.0 + cell * size + room
    width, top = max(WIDTH, needed + 16.0), 38.0 + height
    left = 0.5 * (width - needed) + longest + 16.0
    parts = [heading("Correlation of the estimates", EDGE, width)]
    for i in range(size):
        middle = top + cell * (i + 0.5) + 4.0
        parts.append(element("text", shown[i], x=left - 8.0, y=middle, text_anchor="end", class_="label", fill="#202124"))
        parts.append(_column_name(shown[i], left + cell * (i + 0.5), top - 7.0, slanted))
        parts += [_cell(float(correlation[i, j]), left + cell * j, top + cell * i, cell, same=i == j) for j in range(size)]
    return drawing(width, top + cell * size + 10.0, *parts, kind="matrix", label="correlation of the estimates")


def _column_name(name: str, x: float, y: float, slanted: bool) -> Markup:
    turned = f"translate({number(x)} {number(y)}) rotate(-45)" if slanted else f"translate({number(x)} {number(y)})"
    return element("text", name, transform=turned, text_anchor="start" if slanted else "middle", class_="label", fill="#202124")


def _cell(value: float, x: float, y: float, size: float, *, same: bool) -> Markup:
    """A number on its colour; of a parameter with itself, without one."""
    middle = {"x": x + 0.5 * size - 0.75, "y": y + 0.5 * size + 3.5, "text_anchor": "middle"}
    box = {"x": x, "y": y, "width": size - 1.5, "height": size - 1.5, "rx": 2.0}
    if same:
        return join(
            element("rect", style="fill:var(--head)", **box), element("text", "1", class_="tick", fill="#5f6368", **middle)
        )
    stops = np.linspace(-1.0, 1.0, len(DIVERGING))
    table_of = np.array([rgb(stop) for stop in DIVERGING])
    colour = np.array([np.interp(value if np.isfinite(value) else 0.0, stops, table_of[:, channel]) for channel in range(3)])
    ink = "#ffffff" if float(colour @ [0.299, 0.587, 0.114]) < 0.55 else "#1d2126"  # luma of ITU-R BT.601
    words = f"{value:z.2f}".replace("-", "−") if np.isfinite(value) else "–"
    font = 12.0 if size >= 44.0 else 10.5
    square = element("rect", fill=hexadecimal(colour)[0], **box)
    return join(square, element("text", words, font_size=font, fill=ink, **middle))


def _correlation_words(fit: Fit) -> str:
    size = len(fit.free_names)
    pairs = [(abs(fit.correlation[i, j]), i, j) for i in range(size) for j in range(i + 1, size)]
    worst, i, j = max(pairs)
    names = f"{fit.free_names[i]} and {fit.free_names[j]}"
    words = (
        f"{names} can hardly be told apart."
        if worst > ALIKE
        else f"The pair that is hardest to tell apart is {names} ({worst:.2f})."
    )
    return f"1 and −1: one can make up for the other; 0: they are found independently. {words}"


def sensitivity_plot(found: Identifiability) -> Markup:
    """A dot for each parameter on a scale of the noise, joined to 1, where it begins to be seen."""
    shown = [cut(name, LONGEST_NAME) for name in found.names]
    values = np.maximum(np.nan_to_num(found.sensitivity), 1e-6)
    low, high = log_limits(np.array([*values, 0.5 * WEAK, 10.0 * WEAK]))
    top, left = 40.0, max(text_width(name) for name in shown) + 18.0
    bottom = top + ROW * len(shown)
    x = LogAxis("", low, high, left, WIDTH - 66.0)
    noise = number(float(x.place(WEAK)))
    rows = [
        _sensitivity_row(name, known(float(real), 3), float(x.place(value)), x, top + ROW * (n + 0.5))
        for n, (name, real, value) in enumerate(zip(shown, found.sensitivity, values.tolist(), strict=True))
    ]
    axis = element("path", d=f"M{noise} {number(top - 6)}V{number(bottom)}", class_="axis", stroke="#9aa0a6")
    word = element("text", "noise", x=noise, y=bottom + 14.0, text_anchor="middle", class_="tick", fill="#5f6368", font_size=11)
    parts = (heading("How strongly each parameter shows", EDGE, WIDTH), axis, *rows, word)
    return drawing(WIDTH, bottom + 22.0, *parts, kind="matrix", label="sensitivity of the readings to each parameter")


def _sensitivity_row(name: str, words: str, at: float, x: LogAxis, y: float) -> Markup:
    noise = float(x.place(WEAK))
    bar = f"M{number(noise)} {number(y)}H{number(at)}"
    return join(
        element("text", name, x=x.begin - 10.0, y=y + 4.0, text_anchor="end", class_="label", fill="#202124"),
        element("path", d=bar, class_="s0", stroke_width=4.0, fill="none", opacity=0.55),
        element("circle", cx=at, cy=y, r=4.5, style="fill:var(--s0)"),
        element("text", words, x=max(at, noise) + 10.0, y=y + 4.0, class_="tick", fill="#5f6368"),
    )


def _sensitivity_words(at_start: bool) -> str:
    where = " Taken at the start, since next to the answer some runs fail." if at_start else ""
    return (
        "How many times their noise the readings change, all together, over a parameter's whole range; on a scale of powers of ten. "
        f"What stays left of the noise cannot be found.{where}"
    )


def condition_words(found: Identifiability) -> str:
    """What the ratio of the largest to the smallest singular value means."""
    condition = found.condition
    if not np.isfinite(condition):
        return "The data say nothing at all about at least one combination of the parameters: fix one of them, or measure more."
    times = known(float(f"{condition:.2g}"), 2)
    words = f"Condition {times}: the combination of parameters that is known worst is known {times} times worse than the best."
    if condition < WELL:
        return f"{words} That is well: all parameters can be told apart."
    if condition < LARGE_CONDITION:
        return f"{words} Some combinations are known much worse than others; the intervals say how well."
    return f"{words} That is bad: some combination is practically unknown; fix a parameter, or measure something else."


def direction_table(found: Identifiability, scatter: float) -> Markup:
    """Of each direction: what it is made of and how well it is known."""
    rows = [
        (direction_text(found.names, direction), known(float(value), 3), _known_to(float(value), scatter))
        for value, direction in zip(found.singular_values, found.directions, strict=True)
    ]
    return table(("direction, in ranges of the parameters", "singular value", "known to ± [% of a range]"), rows)


def direction_text(names: Sequence[str], direction: Floats) -> str:
    """'0.95 k1 − 0.31 c1', the largest first and positive."""
    order = [n for n in np.argsort(-np.abs(direction), kind="stable").tolist() if abs(direction[n]) >= SHARE]
    sign = np.sign(direction[order[0]]) or 1.0 if order else 1.0
    words = ""
    for n in order:
        share = sign * direction[n]
        joint = (" + " if share > 0 else " − ") if words else ""
        words += f"{joint}{abs(share):.2f} {names[n]}"
    return words or "–"


def _known_to(value: float, scatter: float) -> str:
    percent = 100.0 * TWICE * scatter / value if value > 0.0 else float("inf")
    return known(percent, 2) if percent <= 100.0 else "unknown"


def _direction_words() -> Markup:
    return paragraph(
        "A singular value says how many times their noise the readings change from end to end of the range along its direction: "
        "about two standard deviations over it are what the direction is known to. Below 1 the data say nothing about it."
    )
