"""Results of a sweep as drawings, by the number of parameters that were varied."""

from collections.abc import Iterator, Sequence

import numpy as np

from yawara.calibrate.sweep.axes import Axis
from yawara.calibrate.sweep.plan import Plan
from yawara.calibrate.sweep.short import short_names
from yawara.calibrate.sweep.table import Table
from yawara.kernels.kinds import Floats
from yawara.observe.measure import Column
from yawara.report.heat_map import Steps, heat_map
from yawara.report.numbers import pretty
from yawara.report.page import figure, figure_row, paragraph, picture_row
from yawara.report.plot import Series, line_plot
from yawara.report.svg import Markup, join

STEADY = 1e-6  # of its size: what changes less is not worth a drawing
WIDTH, HEIGHT = 380.0, 270.0  # [px], of small plots
MOST_DOTS = 800  # in a plot: line_plot thins out what is more


def varied(found: Table) -> list[Axis]:
    """Axes with more than one value."""
    return [axis for n, axis in enumerate(found.axes) if len(np.unique(found.points[:, n])) > 1]


def plots(plan: Plan, found: Table) -> Markup:
    """What changes is drawn, what does not is told."""
    axes = varied(found)
    changing = [column for column in found.results if _changes(found[column.name])]
    if not axes or not changing:
        return _steady(found, changing)
    if len(axes) == 1 or plan.request.together:
        groups = _together(found, changing)
        drawn = figure_row(list(_curves(found, axes[0], groups)))
        changing = [column for columns in groups.values() for column in columns]
    elif len(axes) == 2 and plan.request.sample is None:
        drawn = figure_row([figure(_map(found, axes, column)) for column in changing])
    else:
        drawn = join(*_dots(found, axes, changing))
    return join(drawn, _steady(found, changing))


def _changes(values: Floats) -> bool:
    known = values[np.isfinite(values)]
    return bool(known.size) and float(np.ptp(known)) > STEADY * float(np.abs(known).max())


def _steady(found: Table, drawn: Sequence[Column]) -> Markup:
    told = []
    for column in found.results:
        values = found[column.name]
        known = values[np.isfinite(values)]
        if column not in drawn and known.size:
            told.append(f"{column.name} = {pretty(float(known[0]))} {typeset(column.unit)}".removesuffix(" 1"))
    return paragraph(f"The same in all runs, to a millionth: {', '.join(told)}.") if told else Markup()


def _label(axis: Axis, axes: Sequence[Axis]) -> str:
    name = dict(zip((one.path for one in axes), short_names([one.path for one in axes]), strict=True))[axis.path]
    return f"{name} [{typeset(axis.unit)}]" if axis.unit not in ("", "1") else name


def typeset(unit: str) -> str:
    return unit.replace("^2", "²").replace("^3", "³")


def _unit_label(unit: str) -> str:
    return f"[{typeset(unit)}]" if unit != "1" else ""


def _together(found: Table, changing: Sequence[Column]) -> dict[tuple[str, str], list[Column]]:
    """By owner and unit: numbers of the same thing share a plot, if any of them changes."""
    groups = dict[tuple[str, str], list[Column]]()
    for column in found.results:
        groups.setdefault((column.name.split(".")[0], column.unit), []).append(column)
    return {key: columns for key, columns in groups.items() if any(column in changing for column in columns)}


def _curves(found: Table, axis: Axis, groups: dict[tuple[str, str], list[Column]]) -> Iterator[Markup]:
    x = found[axis.path]
    order = np.argsort(x, kind="stable")
    for (owner, unit), columns in groups.items():
        alone = len(columns) == 1
        series = [
            Series("" if alone else column.name.removeprefix(f"{owner}."), x[order], found[column.name][order], dots=True)
            for column in columns
        ]
        title = columns[0].name if alone else owner
        yield figure(line_plot(series, x_label=_label(axis, [axis]), y_label=_unit_label(unit), title=title, log_x=axis.log))


def _map(found: Table, axes: Sequence[Axis], column: Column) -> Markup:
    sides = [np.unique(found[axis.path]) for axis in axes]
    values = np.full((len(sides[0]), len(sides[1])), np.nan)
    places = [np.searchsorted(side, found[axis.path]) for side, axis in zip(sides, axes, strict=True)]
    values[places[0], places[1]] = found[column.name]
    x, y = (Steps(_label(axis, axes), side.tolist()) for axis, side in zip(axes, sides, strict=True))
    return heat_map(x, y, values, value_label=_unit_label(column.unit), title=column.name)


def _dots(found: Table, axes: Sequence[Axis], columns: Sequence[Column]) -> Iterator[Markup]:
    """A row of plots for each result, one over each parameter."""
    if len(found.points) > MOST_DOTS:
        yield paragraph(f"Each plot shows about {MOST_DOTS} of the {len(found.points):,} runs, with all extremes.")
    for column in columns:
        yield picture_row([_dot_plot(found, axis, axes, column) for axis in axes], columns=min(3, max(2, len(axes))))


def _dot_plot(found: Table, axis: Axis, axes: Sequence[Axis], column: Column) -> Markup:
    dots = Series("", found[axis.path], found[column.name], dots=True, joined=False)
    x, y = _label(axis, axes), _unit_label(column.unit)
    return figure(line_plot([dots], x_label=x, y_label=y, title=column.name, log_x=axis.log, width=WIDTH, height=HEIGHT))
