"""The way of the search: what every evaluation cost, and where it looked."""

import numpy as np
from numpy.typing import NDArray

from yawara.calibrate.fit import Estimate, Fit
from yawara.calibrate.problem import Objective
from yawara.calibrate.report.panel import (
    FAULT,
    FIT,
    PALE,
    START,
    Entry,
    Floats,
    LogAxis,
    band,
    dots,
    evenly,
    legend,
    level,
    line,
    log_limits,
)  # fmt: skip
from yawara.calibrate.report.words import counted, cut, known, unit_text
from yawara.report.axes import Axis, frame
from yawara.report.legend import heading
from yawara.report.page import figure, figure_row, paragraph
from yawara.report.svg import Markup, drawing, element, join, number

Flags = NDArray[np.bool_]

WIDTH, HEIGHT, BOTTOM, RIGHT = 800.0, 300.0, 50.0, 16.0  # [px]
SMALL_WIDTH, SMALL_HEIGHT = 340.0, 210.0  # [px], of a parameter
LOWEST = 1e-12  # of the largest cost: what is less is shown as this


def convergence(fit: Fit) -> Markup:
    costs = np.array([outcome.cost for _, outcome in fit.trace])
    failed = ~np.isfinite(costs)
    if not len(costs):
        return Markup()
    courses = [
        figure(_parameter_plot(fit, fit.estimates[name], column, failed))
        for column, name in enumerate(fit.problem.free)
        if name in fit.free_names
    ]
    return join(
        figure(_cost_plot(fit, costs, failed), _words(len(costs), int(failed.sum()))), figure_row(courses), _course_words()
    )


def _words(count: int, failed: int) -> str:
    thinned = f", {len(evenly(count))} of them drawn" if len(evenly(count)) < count else ""
    faults = f" {counted(failed, 'run')} that could not be finished stand at the lower edge." if failed else ""
    return f"Each dot is one of {counted(count, 'evaluation')}{thinned}; the line is the best so far.{faults}"


def _course_words() -> Markup:
    return paragraph(
        "Where each parameter was looked for, within its bounds: the full line is the answer, the dashed one the start."
    )


def _cost_plot(fit: Fit, costs: Floats, failed: Flags) -> Markup:
    finite = costs[~failed]
    shown = np.where(failed, np.nan, np.maximum(costs, LOWEST * float(finite.max(initial=1.0)) or LOWEST))
    label = "cost" if fit.problem.objective is Objective.LEAST_SQUARES else "cost: S [m]"
    turn = np.arange(1.0, len(costs) + 1.0)
    y = LogAxis(label, *log_limits(shown), HEIGHT - BOTTOM, 58.0, 5)
    x = _turns(len(costs), y.text_width + 36.0, WIDTH - RIGHT)
    entries = [Entry("evaluation", PALE, dot=True), Entry("best so far", FIT)]
    if failed.any():
        entries.append(Entry("failed", FAULT, dot=True))
    names, _ = legend(entries, x.begin, x.end, 34.0)
    best = np.minimum.accumulate(np.where(failed, np.inf, shown))
    picked = evenly(len(costs))
    parts = [
        heading("Cost of every evaluation", x.begin, x.end), names, frame(x, y),
        line(x, y, *_steps(turn, best), colour=FIT), dots(x, y, turn[picked], shown[picked], colour=PALE, size=5.0),
        _faults(x, y, turn[failed]),
    ]  # fmt: skip
    return drawing(WIDTH, HEIGHT, *parts, kind="plot", label="cost of every evaluation")


def _turns(count: int, begin: float, end: float) -> Axis:
    return Axis("evaluation", 0.0, count + 1.0, begin, end, min(10, count + 1))


def _steps(turn: Floats, best: Floats) -> tuple[Floats, Floats]:
    """A stair that goes down when something better is found; only its corners."""
    corner = np.flatnonzero(np.diff(best, prepend=np.nan) != 0.0)
    ends = np.append(turn[corner[1:]], turn[-1])
    return np.stack([turn[corner], ends], axis=1).ravel(), np.repeat(best[corner], 2)


def _faults(x: Axis, y: Axis, turn: Floats) -> Markup:
    """Small crosses at the lower edge."""
    middle = y.begin - 7.0
    path = "".join(f"M{number(at - 3)} {number(middle - 3)}l6 6m0 -6l-6 6" for at in x.place(turn[evenly(len(turn))]).tolist())
    return element("path", d=path, class_=FAULT, stroke_width=1.6, fill="none") if path else Markup()


def _parameter_plot(fit: Fit, one: Estimate, column: int, failed: Flags) -> Markup:
    values = np.array([row[column] for row, _ in fit.trace])
    unit = unit_text(one.unit)
    low, high = one.low if one.low is not None else values.min(), one.high if one.high is not None else values.max()
    kind = LogAxis if fit.problem.parameters[one.name].is_log else Axis
    y = kind(unit and f"[{unit}]", float(low), float(high), SMALL_HEIGHT - BOTTOM, 32.0, 4)
    x = _turns(len(values), y.text_width + 36.0, SMALL_WIDTH - RIGHT)
    x = Axis(x.label, x.low, x.high, x.begin, x.end, 5)
    turn, picked = np.arange(1.0, len(values) + 1.0), evenly(len(values))
    fine, bad = picked[~failed[picked]], picked[failed[picked]]
    stripe = band(x, y, one.interval.low, one.interval.high) if one.interval else Markup()
    size = float(np.clip(4.4 - len(picked) / 300.0, 1.8, 4.0))
    parts = [
        heading(cut(one.name, x.end - x.begin), x.begin, SMALL_WIDTH), frame(x, y), stripe,
        dots(x, y, turn[fine], values[fine], colour=PALE, size=size), dots(x, y, turn[bad], values[bad], colour=FAULT, size=size),
        level(x, y, one.start, colour=START, dashes="5 4"), level(x, y, one.value, colour=FIT, width=1.5),
    ]  # fmt: skip
    return drawing(
        SMALL_WIDTH, SMALL_HEIGHT, *parts, kind="plot small", label=f"{one.name} at every evaluation: {known(one.value)}"
    )
