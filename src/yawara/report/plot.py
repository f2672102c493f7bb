"""Line plots as inline SVG."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yawara.report.axes import Axis, frame, limits
from yawara.report.colour import PALETTE
from yawara.report.decimate import decimate
from yawara.report.legend import ROW, SWATCH, flow, heading, shortened, stack
from yawara.report.numbers import pretty
from yawara.report.svg import Markup, drawing, element, number, points

_RIGHT, _BOTTOM, _MARK_ROW = 16.0, 50.0, 14.0  # [px]


@dataclass(frozen=True)
class Series:
    """One line; values that are not finite are gaps."""

    name: str
    x: ArrayLike
    y: ArrayLike
    colour: str | None = None  # None: the next of the palette
    dashed: bool = False
    dots: bool = False  # one on each point
    joined: bool = True  # by a line; without it only dots are left

    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        x, y = np.atleast_1d(np.asarray(self.x, float)), np.atleast_1d(np.asarray(self.y, float))
        if x.shape != y.shape or x.ndim != 1:
            raise ValueError(
                f"series '{self.name}': x and y must be lists of equal length (got {x.shape} and {y.shape}); trim one"
            )
        return x, y


@dataclass(frozen=True)
class Mark:
    """A moment worth naming: an upright line at x."""

    x: float
    label: str


def line_plot(
    series: Sequence[Series],
    *,
    x_label: str,
    y_label: str,
    title: str,
    marks: Sequence[Mark] = (),
    log_x: bool = False,
    width: float = 560.0,
    height: float = 330.0,
) -> Markup:
    """An SVG of lines over a common x axis. Labels carry units, as in 'force [N]', and take an SI prefix where it helps.

    With `log_x`, where all x must be > 0, equal factors of x are equally far apart.

    Long lines are thinned to about 800 points that keep all extremes. Marks outside the data are left out.
    """
    x, y = _axes(series, x_label, y_label, log_x)
    x = replace(x, begin=y.text_width + 36.0, end=width - _RIGHT)
    shown = sorted((mark for mark in marks if x.low <= mark.x <= x.high), key=lambda mark: mark.x)
    names = [shortened(item.name, x.end - x.begin - SWATCH) for item in series]
    legend = flow(names, x.end - x.begin) if any(names) else []
    labels = stack([float(x.place(mark.x)) for mark in shown], [mark.label for mark in shown], begin=x.begin, end=x.end)
    legend_top = 34.0 if title else 12.0
    top = legend_top + ROW * (1 + max((row for _, row in legend), default=-1))
    top += _MARK_ROW * (1 + max((row for _, row in labels), default=-1)) + 2.0
    bottom = max(height, top + 160.0) - _BOTTOM
    y = replace(y, begin=bottom, end=top)
    parts = [
        heading(title, x.begin, width),
        _legend(series, names, legend, x.begin, legend_top),
        frame(x, y),
        _marks(shown, labels, x, y),
        element("g", *(_line(item, index, x, y) for index, item in enumerate(series)), fill="none", stroke_linejoin="round"),
    ]
    if not any(np.isfinite(item.arrays()[1]).any() for item in series):
        middle = {"x": 0.5 * (x.begin + x.end), "y": 0.5 * (y.begin + y.end)}
        parts.append(element("text", "no data", text_anchor="middle", class_="tick", fill="#5f6368", **middle))
    return drawing(width, bottom + _BOTTOM, *parts, kind="plot", label=title or y_label)


def _axes(series: Sequence[Series], x_label: str, y_label: str, log_x: bool) -> tuple[Axis, Axis]:
    data = [item.arrays() for item in series]
    known = [np.isfinite(x) & np.isfinite(y) for x, y in data]
    xs, ys = [x[k] for (x, _), k in zip(data, known, strict=True)], [y[k] for (_, y), k in zip(data, known, strict=True)]
    # a loop and dots want air on all sides, a course of time none
    airy = any(item.dots for item in series) or any((np.diff(x) < 0).any() for x in xs)
    low, high = limits([np.log(x) for x in xs] if log_x else xs, 0.04 if airy else 0.0)
    if log_x:
        low, high = float(np.exp(low)), float(np.exp(high))
    return Axis(x_label, low, high, log=log_x), Axis(y_label, *limits(ys, 0.06), tick_count=5)


def _style(item: Series, index: int) -> dict[str, object]:
    own = item.colour is not None
    again = index // len(PALETTE)  # the palette is used up: tell lines apart by dashes
    dashes = "6 4" if item.dashed else (None, "2 3", "9 3 2 3")[min(again, 2)]
    slot = index % len(PALETTE)
    return {"class_": None if own else f"s{slot}", "stroke": item.colour or PALETTE[slot], "stroke_dasharray": dashes}


def _line(item: Series, index: int, x: Axis, y: Axis) -> Markup:
    across, up = item.arrays()
    picked = decimate(across, up)
    rows = np.stack([x.place(across[picked]), y.place(up[picked])], axis=1)
    known: NDArray[np.bool_] = np.isfinite(rows.sum(axis=1))
    runs = np.split(np.arange(len(rows)), np.flatnonzero(np.diff(known)) + 1)
    # A run of one point is a line without length, which round caps turn into a dot
    path = "".join(f"M{points(rows[run].tolist())}{'h0' if len(run) == 1 else ''}" for run in runs if len(run) and known[run[0]])
    if not path:
        return Markup()
    width = 7.0 if known.sum() == 1 else 2.0
    line = element("path", d=path, stroke_width=width, stroke_linecap="round", **_style(item, index)) if item.joined else Markup()
    dots = _dots(rows[known], item, index) if item.dots else Markup()
    finite = up[np.isfinite(across) & np.isfinite(up)]
    about = f"{item.name}: from {pretty(finite.min())} to {pretty(finite.max())}, last {pretty(finite[-1])}".lstrip(": ")
    return element("g", element("title", about), line, dots)


def _dots(rows: NDArray[np.float64], item: Series, index: int) -> Markup:
    path = "".join(f"M{points([row])}h0" for row in rows.tolist())
    size = 6.0 if len(rows) <= 60 else 4.0
    return element("path", d=path, stroke_width=size, stroke_linecap="round", **_style(item, index) | {"stroke_dasharray": None})


def _legend(
    series: Sequence[Series], names: Sequence[str], places: Sequence[tuple[float, int]], left: float, top: float
) -> Markup:
    entries = []
    for index, (start, row) in enumerate(places):
        begin, middle = left + start, top + ROW * row + 4.0
        sample = f"M{number(begin)} {number(middle)}h18"
        entries.append(element("path", d=sample, fill="none", stroke_width=2.5, **_style(series[index], index)))
        entries.append(element("text", names[index], x=begin + SWATCH, y=middle + 4.0, fill="#202124", class_="label"))
    return element("g", *entries) if entries else Markup()


def _marks(marks: Sequence[Mark], places: Sequence[tuple[float, int]], x: Axis, y: Axis) -> Markup:
    lines = "".join(f"M{number(float(x.place(mark.x)))} {number(y.begin)}V{number(y.end)}" for mark in marks)
    labels = [
        element("text", mark.label, x=middle, y=y.end - 5.0 - _MARK_ROW * row, text_anchor="middle", font_size=11, stroke="none")
        for mark, (middle, row) in zip(marks, places, strict=True)
    ]
    line = element("path", d=lines, stroke_dasharray="3 3")
    return element("g", line, *labels, class_="mark", stroke="#80868b", fill="#5f6368") if marks else Markup()
