"""Measured and simulated courses over time, with what is left between them below."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from yawara.calibrate.observation.base import Comparison
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.observation.markers import Marker
from yawara.calibrate.report.panel import (
    FIT,
    INK,
    START,
    Entry,
    Floats,
    QuietAxis,
    band,
    dots,
    legend,
    level,
    line,
)  # fmt: skip
from yawara.calibrate.report.words import counted, file_name, known, unit_text
from yawara.report.axes import Axis, frame, limits
from yawara.report.decimate import decimate
from yawara.report.legend import heading
from yawara.report.page import figure
from yawara.report.svg import Markup, drawing

WIDTH, MAIN, STRIP, GAP, BOTTOM, RIGHT = 560.0, 200.0, 74.0, 20.0, 50.0, 16.0  # [px]
USUAL = 2.0  # noise: 95 % of readings are no further off than this


@dataclass(frozen=True)
class Course:
    """One number over time; all arrays are (time_count,)."""

    title: str
    label: str  # with unit
    time: Floats  # [s]
    measured: Floats
    simulated: Floats
    start: Floats | None  # as simulated at the start values, if they could be run
    rest: Floats  # what is left: of the strip below
    rest_label: str  # with unit
    usual: float | None  # size of what is left that noise explains
    caption: str


def curve_figure(curve: Curve, comparison: Comparison, before: Comparison | None) -> Markup:
    """A curve, and its residual over the noise."""
    details = comparison.details
    course = Course(
        f"{curve.name}: {curve.quantity}", _label(curve.quantity, curve.unit), details["time"], details["measured"],
        details["simulated"], before.details["simulated"] if before else None, comparison.residual, "error / noise", USUAL,
        f"{counted(curve.count, 'reading')} of {file_name(curve.source)}; noise {known(curve.noise, 3)} {unit_text(curve.unit)}".strip()
        + ". Below: simulated less measured, over the noise; the stripe holds 95\u00a0% of readings if the noise is right.",
    )  # fmt: skip
    return figure(course_plot(course), course.caption)


def marker_figure(marker: Marker, comparison: Comparison, before: Comparison | None) -> Markup:
    """How far a marker has moved, and how far apart the two are."""
    details = comparison.details
    moved = [_length(details[key] - marker.rest) for key in ("measured", "simulated")]
    at_start = _length(before.details["simulated"] - marker.rest) if before else None
    course = Course(
        f"{marker.name}: distance from its place at rest", "distance [m]", details["time"], moved[0], moved[1], at_start,
        _length(details["simulated"] - details["measured"]), "apart [m]", None,
        f"{counted(len(marker.time), 'place')} of {file_name(marker.source)} on {marker.body}. Below: distance between the measured "
        "and the simulated place.",
    )  # fmt: skip
    return figure(course_plot(course), course.caption)


def _length(rows: Floats) -> Floats:
    return np.asarray(np.linalg.norm(rows, axis=1))


def _label(quantity: str, unit: str) -> str:
    shown = unit_text(unit)
    return f"{quantity} [{shown}]" if shown else quantity


def course_plot(course: Course) -> Markup:
    """Two panels over the same time."""
    upper = Axis(course.label, *limits([course.measured, course.simulated, *_given(course.start)], 0.06), tick_count=5)
    lower = Axis(course.rest_label, *_rest_limits(course), tick_count=4)
    left = max(upper.text_width, lower.text_width) + 36.0
    time = Axis("time [s]", *limits([course.time], 0.0), begin=left, end=WIDTH - RIGHT)
    names, height = legend(_entries(course), left, time.end, 34.0)
    top = 34.0 + height + 2.0
    upper = replace(upper, begin=top + MAIN, end=top)
    lower = replace(lower, begin=top + MAIN + GAP + STRIP, end=top + MAIN + GAP)
    silent = QuietAxis(time.label, time.low, time.high, time.begin, time.end)
    parts = [heading(course.title, left, WIDTH), names, frame(silent, upper), *_main(course, time, upper)]
    parts += [frame(time, lower), *_strip(course, time, lower)]
    return drawing(WIDTH, lower.begin + BOTTOM, *parts, kind="plot", label=course.title)


def _given(start: Floats | None) -> Sequence[Floats]:
    return [] if start is None else [start]


def _entries(course: Course) -> list[Entry]:
    found = [Entry("measured", INK, dot=True), Entry("simulated, fitted", FIT)]
    return found if course.start is None else [*found, Entry("simulated, start", START, dashes="5 4", width=1.4)]


def _rest_limits(course: Course) -> tuple[float, float]:
    if course.usual is None:
        return 0.0, max(limits([course.rest, np.zeros(1)], 0.1)[1], 1e-12)
    most = max(1.5 * course.usual, float(np.nanmax(np.abs(course.rest), initial=0.0)))
    return -1.1 * most, 1.1 * most


def _main(course: Course, x: Axis, y: Axis) -> list[Markup]:
    picked = decimate(course.time, course.measured)
    found = [dots(x, y, course.time[picked], course.measured[picked], colour=INK, size=_dot_size(len(picked)), title="measured")]
    if course.start is not None:
        picked = decimate(course.time, course.start)
        found.append(line(x, y, course.time[picked], course.start[picked], colour=START, width=1.4, dashes="5 4"))
    picked = decimate(course.time, course.simulated)
    return [*found, line(x, y, course.time[picked], course.simulated[picked], colour=FIT)]


def _strip(course: Course, x: Axis, y: Axis) -> list[Markup]:
    picked = decimate(course.time, course.rest)
    found = [dots(x, y, course.time[picked], course.rest[picked], colour=INK, size=min(3.2, _dot_size(len(picked))))]
    if course.usual is not None:
        found = [band(x, y, -course.usual, course.usual), level(x, y, 0.0, colour="axis"), *found]
    return found


def _dot_size(count: int) -> float:
    """[px]: many points are drawn small."""
    return float(np.clip(6.0 - count / 60.0, 2.4, 5.0))
