"""What a fit leaves: the fitted values with their uncertainty, scenes that use them, tables, a page."""

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from yawara.calibrate.fit import Compared, Estimate, Fit
from yawara.calibrate.report.page import fit_page
from yawara.files import write_text
from yawara.scene.file import scene_data, scene_text

RESULT, REPORT, FITTED, PARAMETERS, TRACE = "result.json", "report.html", "fitted.toml", "parameters.csv", "evaluations.csv"
RESIDUALS = "residuals"


def write_answer(fit: Fit, warnings: Sequence[str], name: str, directory: Path) -> dict[str, Any]:
    """All files but the last, whose content is returned."""
    for compared in fit.compared:
        scene = fit.problem.scene(compared.experiment, fit.free_values)
        write_text(directory / f"{compared.experiment.name}.scene.toml", scene_text(scene))
        for observation, comparison in zip(compared.experiment.observations, compared.comparisons, strict=True):
            values = "\n".join(map(repr, comparison.residual.tolist()))
            file = f"{compared.experiment.name}.{observation.name.replace(' ', '_')}.csv"
            write_text(directory / RESIDUALS / file, f"residual over noise [1]\n{values}\n")
    write_text(directory / FITTED, tomli_w.dumps(fitted_parts(fit)))
    write_text(directory / PARAMETERS, _csv(_parameter_rows(fit)))
    write_text(directory / TRACE, _csv(_trace_rows(fit)))
    write_text(directory / REPORT, fit_page(fit, title=name))
    return result(fit, warnings, name)


def fitted_parts(fit: Fit) -> dict[str, Any]:
    """The laws and materials of the bodies with the fitted values, to be copied into other scenes."""
    scene = scene_data(fit.problem.scene(fit.problem.fitted[0], fit.free_values))
    kept = ("law", "material", "region", "volume", "inversion_barrier")
    return {"body": {name: {key: body[key] for key in kept if key in body} for name, body in scene["body"].items()}}


def result(fit: Fit, warnings: Sequence[str], name: str) -> dict[str, Any]:
    """Plain data, as in result.json."""
    return {
        "name": name,
        "search": fit.search.model_dump(mode="json"),
        "stopped": fit.stopped,
        "evaluations": fit.evaluations,
        "seconds": round(fit.seconds, 3),
        "total_seconds": round(fit.total_seconds, 3),
        "evaluations_per_second": round(fit.rate, 3),
        "objective": fit.problem.objective.value,
        "cost": fit.outcome.cost,
        "start_cost": fit.start_outcome.cost if np.isfinite(fit.start_outcome.cost) else None,
        "scatter_over_noise": fit.scatter if np.isfinite(fit.scatter) else None,
        "condition": fit.at_end.condition if fit.at_end and np.isfinite(fit.at_end.condition) else None,
        "parameters": {one.name: _estimate(one) for one in fit.estimates.values()},
        "correlation": {"names": list(fit.free_names), "matrix": fit.correlation.tolist()},
        "experiments": {one.experiment.name: _compared(one) for one in fit.compared},
        "warnings": [*warnings, *fit.warnings],
    }


def _estimate(one: Estimate) -> dict[str, Any]:
    intervals = {
        method.value: {"low": each.low, "high": each.high, "ends_at_bound": [each.open_low, each.open_high]}
        for method, each in one.intervals.items()
    }
    plain = {"value": one.value, "unit": one.unit, "start": one.start, "bounds": [one.low, one.high], "interval_95": intervals}
    return plain | ({"kept": one.kept} if one.kept else {"sensitivity": one.sensitivity})


def _compared(one: Compared) -> dict[str, Any]:
    names = [each.name for each in one.experiment.observations]
    return {
        "held_out": one.experiment.held_out,
        "observations": {name: each.metrics for name, each in zip(names, one.comparisons, strict=True)},
        "with_start_values": one.before and {name: each.metrics for name, each in zip(names, one.before, strict=True)},
    }


def _parameter_rows(fit: Fit) -> Iterator[list[Any]]:
    yield ["parameter", "value", "unit", "low_95", "high_95", "start", "lower_bound", "upper_bound", "kept"]
    for one in fit.estimates.values():
        interval = one.interval
        ends = [interval.low, interval.high] if interval else ["", ""]
        yield [one.name, repr(one.value), one.unit, *ends, one.start, one.low, one.high, one.kept]


def _trace_rows(fit: Fit) -> Iterator[list[Any]]:
    units = fit.problem.units
    yield ["evaluation", *(f"{name} [{units.get(name, '')}]" for name in fit.problem.free), "cost", "failure"]
    for number, (values, outcome) in enumerate(fit.trace, 1):
        yield [number, *map(repr, values.tolist()), outcome.cost, outcome.failure]


def _csv(rows: Iterator[list[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
