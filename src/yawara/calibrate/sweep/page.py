"""The report of a sweep: curves over one parameter, maps over two, else a dot for each run; and all runs in a table."""

from collections.abc import Sequence
from typing import Any

from yawara.calibrate.sweep.axes import Axis
from yawara.calibrate.sweep.plan import Plan
from yawara.calibrate.sweep.plots import plots as plots_of
from yawara.calibrate.sweep.plots import typeset, varied
from yawara.calibrate.sweep.short import short_names
from yawara.calibrate.sweep.table import STATUS, Table
from yawara.calibrate.target import value_at
from yawara.observe.measure import Column
from yawara.report.numbers import pretty
from yawara.report.page import Section, page, paragraph, table
from yawara.report.svg import Markup, join

MOST_ROWS, MOST_FAILURES = 2000, 50  # shown; the file has them all


def sweep_page(plan: Plan, found: Table, summary: dict[str, Any]) -> str:
    """The whole file as text."""
    sections = [
        Section("What was varied", _varied(plan)),
        Section("Results", plots_of(plan, found)),
        Section("Runs that failed", _failures(found)),
        Section("All runs", _all_runs(found)),
        Section("How it was computed", _computation(plan, summary)),
    ]
    return page(found.scene, [section for section in sections if section.html], subtitle=_subtitle(plan, found))


def _subtitle(plan: Plan, found: Table) -> str:
    names = short_names([axis.path for axis in varied(found)] or [axis.path for axis in found.axes])
    over = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    count, failed = len(found.outcomes), len(found.failures)
    drawn = "drawn from the ranges of" if plan.request.sample is not None else "over"
    return f"{count:,} {'run' if count == 1 else 'runs'} {drawn} {over}{f'; {failed:,} failed' if failed else ''}"


def _varied(plan: Plan) -> Markup:
    own = [value_at(plan.request.scene, axis.path)[0] for axis in plan.axes]
    rows = [
        (axis.path, typeset(axis.unit) or "–", _in_words(axis, plan), before) for axis, before in zip(plan.axes, own, strict=True)
    ]
    return table(("parameter", "unit", "values", "in the scene itself"), rows)


def _in_words(axis: Axis, plan: Plan) -> str:
    if axis.values:
        values = [pretty(value) for value in axis.values]
        if len(values) == 1:
            return f"{values[0]} only"
        return ", ".join(values if len(values) <= 12 else [*values[:6], "…", *values[-2:]])
    ends = f"{pretty(axis.low)} to {pretty(axis.high)}"
    if plan.request.sample is not None:
        return f"{ends}, {plan.request.sample:,} drawn{' by the logarithm' if axis.log else ''}"
    return f"{ends}, {axis.count:,} values {'with equal factors between them' if axis.log else 'evenly apart'}"


def _failures(found: Table) -> Markup:
    rows = [list(row.values()) for row in found.failures[:MOST_FAILURES]]
    parameters = len(found.axes)
    shown = [[*row[:parameters], row[-1]] for row in rows]
    note = _only(len(shown), len(found.failures))
    return join(table((*_headers(found)[:parameters], "why"), shown), note) if shown else Markup()


def _all_runs(found: Table) -> Markup:
    rows = [
        [*cells[:-1], "failed" if outcome.failed else cells[-1]]
        for cells, outcome in zip(found.cells, found.outcomes, strict=True)
    ]
    words = paragraph("Click on a heading to sort. Numbers are rounded here; sweep.csv and sweep.json have all their digits.")
    return join(words, table(_headers(found), rows[:MOST_ROWS], sortable=True), _only(MOST_ROWS, len(rows)))


def _only(shown: int, count: int) -> Markup:
    return paragraph(f"The first {shown:,} of {count:,}; sweep.csv has them all.") if count > shown else Markup()


def _headers(found: Table) -> Sequence[str]:
    names = short_names([axis.path for axis in found.axes])
    parameters = [Column(name, axis.unit) for name, axis in zip(names, found.axes, strict=True)]
    shown = [
        f"{one.name} [{typeset(one.unit)}]" if one.unit not in ("", "1") else one.name for one in (*parameters, *found.results)
    ]
    return [*shown, STATUS]


def _computation(plan: Plan, summary: dict[str, Any]) -> Markup:
    each, request = summary["run_time_s"], plan.request
    rows = [
        ("runs", f"{summary['runs']:,}"),
        ("failed", f"{summary['failed']:,}"),
        *([("sample", f"Latin hypercube, seed {request.seed}")] if request.sample is not None else []),
        *(
            [("median time of a run", f"{each['median']:.3g} s"), ("time of all runs", f"{each['sum']:.3g} s")]
            if each["median"]
            else []
        ),
        ("wall time", f"{summary['wall_time_s']:.3g} s"),
        *((f"{package} version" if package != "machine" else package, found) for package, found in summary["versions"].items()),
    ]
    return table(("what", "value"), rows)
