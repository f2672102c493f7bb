"""The numbers of a fit as tables."""

from collections.abc import Iterator, Sequence

from yawara.calibrate.fit import Estimate, Fit
from yawara.calibrate.observation.base import Comparison, Observation, rms
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.observation.markers import Marker
from yawara.calibrate.observation.volume import VolumeAt
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.report.range_bar import range_bar
from yawara.calibrate.report.words import (
    CM,
    CM3,
    MM,
    SURE,
    UNKNOWN,
    file_name,
    interval_text,
    known,
    unit_text,
    value_text,
    with_unit,
)  # fmt: skip
from yawara.report.page import table
from yawara.report.svg import Markup, element, join

Triple = tuple[Observation, Comparison, Comparison | None]  # measured, with the fitted values, with those of the start


def parameter_table(fit: Fit) -> Markup:
    headers = ("parameter", "value", f"{SURE} interval", "where in its range", "start", "sensitivity", "searched")
    rows = [_parameter_row(one, fit.problem.parameters[one.name]) for one in fit.estimates.values()]
    return table(headers, rows)


def _parameter_row(one: Estimate, parameter: Parameter) -> tuple[object, ...]:
    path = "display:block;font-size:.82em;color:var(--soft);overflow-wrap:anywhere;min-width:9rem"
    name = join(element("b", one.name), *(element("code", words, style=path) for words in parameter.target))
    value = element("span", value_text(one), " ", element("span", unit_text(one.unit), class_="unit"), style="white-space:nowrap")
    sensitivity = UNKNOWN if one.kept or not one.sensitivity else known(one.sensitivity, 3)
    why = element("div", f"no: {one.kept}", style="min-width:8rem") if one.kept else "yes"
    return name, value, _intervals(one), range_bar(one, log=parameter.is_log), known(one.start), sensitivity, why


def _intervals(one: Estimate) -> Markup:
    """One line per method."""
    lines = [
        element("div", interval_text(interval), " ", element("span", method.value, class_="unit"), style="white-space:nowrap")
        for method, interval in one.intervals.items()
    ]
    return join(*lines) if lines else Markup(UNKNOWN)


def cloud_table(found: Sequence[Triple]) -> Markup:
    """The papers' measures of every cloud, at the answer and at the start."""
    rows = [_cloud_row(one, after, before) for one, after, before in found if isinstance(one, Cloud)]
    headers = ("cloud", "time [s]", "points", "S [cm]", "start", "S/N [mm]", "start", "far points", "start", "rms [mm]", "start")
    return _beside_start(headers, rows, found)


def _cloud_row(cloud: Cloud, after: Comparison, before: Comparison | None) -> tuple[object, ...]:
    def pair(name: str, factor: float) -> list[str]:
        return [known(factor * one.metrics[name], 3) if one else UNKNOWN for one in (after, before)]

    far = (str(int(one.metrics["beyond"])) if one else UNKNOWN for one in (after, before))
    numbers = (*pair("S [m]", CM), *pair("S [m]", MM / cloud.count), *far, *pair("rms [m]", MM))
    return _name(cloud.name, file_name(cloud.source)), known(cloud.time), str(cloud.count), *numbers


def _beside_start(headers: Sequence[str], rows: Sequence[tuple[object, ...]], found: Sequence[Triple]) -> Markup:
    """The table, without the columns of the start if it could not be run; nothing if it has no rows."""
    run = all(before is not None for _, _, before in found)
    kept = [n for n, header in enumerate(headers) if run or not header.startswith("start")]
    return table([headers[n] for n in kept], [[row[n] for n in kept] for row in rows]) if rows else Markup()


def _name(*words: str) -> Markup:
    """In one line."""
    return element("span", ", ".join(words), style="white-space:nowrap")


def course_table(found: Sequence[Triple]) -> Markup:
    """Errors of curves and markers, in their own units and over their noise."""
    rows = list(_course_rows(found))
    headers = (
        "measured", "readings", "unit", "rms error", "start", "largest error", "start", "rms error over noise", "start",
    )  # fmt: skip
    return _beside_start(headers, rows, found)


def _course_rows(found: Sequence[Triple]) -> Iterator[tuple[object, ...]]:
    for one, after, before in found:
        if isinstance(one, Curve):
            name, unit, factor = _name(one.name, one.quantity), one.unit, 1.0
        elif isinstance(one, Marker):
            name, unit, factor = _name(one.name, one.body), "mm", MM
        else:
            continue
        numbers = [
            (known(factor * value, 3) if value is not None else UNKNOWN)
            for which in ("rms", "largest")
            for value in (_metric(after, which), _metric(before, which))
        ]
        noise = (known(rms(comparison.residual), 3) if comparison else UNKNOWN for comparison in (after, before))
        yield name, str(one.count), unit_text(unit) or UNKNOWN, *numbers, *noise


def _metric(comparison: Comparison | None, which: str) -> float | None:
    """By the beginning of its name: the unit follows."""
    return next((value for name, value in comparison.metrics.items() if name.startswith(which)), None) if comparison else None


def volume_table(found: Sequence[Triple]) -> Markup:
    """Measured and simulated volumes."""
    rows = [_volume_row(one, after, before) for one, after, before in found if isinstance(one, VolumeAt)]
    headers = (
        "volume", "time [s]", "measured [cm³]", "noise [cm³]", "simulated [cm³]", "start [cm³]", "error [cm³]", "error over noise",
    )  # fmt: skip
    return _beside_start(headers, rows, found)


def _volume_row(one: VolumeAt, after: Comparison, before: Comparison | None) -> tuple[object, ...]:
    simulated = [known(CM3 * each.details["simulated"]) if each else UNKNOWN for each in (after, before)]
    error = float(after.metrics["error [m^3]"])
    numbers = (known(one.time), known(CM3 * one.value), known(CM3 * one.noise, 2), *simulated)
    return _name(one.name, one.body), *numbers, known(CM3 * error, 3), known(error / one.noise, 2)


def search_table(fit: Fit) -> Markup:
    """How the answer was found, and what it cost."""
    search, failed = fit.search, sum(outcome.failed for _, outcome in fit.trace)
    least_squares = fit.problem.objective.value == "least_squares"
    what = (
        "half the sum of squares of all errors over their noise"
        if least_squares
        else "S, the sum of distances of captured points"
    )
    rows = [
        ("search", f"{method_of(fit)} ({search.source})"),
        ("what it does", (type(search).__doc__ or "").strip().split("\n")[0]),
        ("what it makes small", what),
        ("readings", str(fit.problem.residual_count)),
        ("cost at the start", known(fit.start_outcome.cost) if not fit.start_outcome.failed else "could not be run"),
        ("cost of the answer", known(fit.outcome.cost)),
        ("readings scatter, over their noise", known(fit.scatter, 3)),
        ("evaluations of the search", f"{fit.evaluations}, of which {failed} failed" if failed else str(fit.evaluations)),
        ("evaluations per second", known(fit.rate, 3)),
        ("wall time of the search", with_unit(known(fit.seconds, 3), "s")),
        ("wall time with everything else", with_unit(known(fit.total_seconds, 3), "s")),
        ("why it ended", fit.stopped),
    ]
    return table(("what", "value"), rows)


def method_of(fit: Fit) -> str:
    return str(getattr(fit.search, "method", type(fit.search).__name__))
