"""The figures of a run's summary as tables."""

from typing import Any

from yawara.report.page import paragraph, table
from yawara.report.svg import Markup, join

VALUES = ("first", "last", "least", "greatest")
ROUNDING = 1e-12  # of the largest value in the same unit


def contents(summary: dict[str, Any], tools: dict[str, dict[str, Any]]) -> Markup:
    """Bodies and tools of the scene."""
    bodies = [(name, item["shape"], item["points"], _elements(item), item["mass_kg"]) for name, item in summary["bodies"].items()]
    found = [table(("body", "shape", "points", "elements", "mass [kg]"), bodies)]
    if tools:
        found.append(table(("tool", "shape", "moves", "turns"), [(name, *item.values()) for name, item in tools.items()]))
    return join(*found)


def _elements(item: dict[str, Any]) -> str:
    return f"{item['links']} links" if "links" in item else str(item["elements"])


def recoveries(summary: dict[str, Any]) -> Markup:
    """What came back and what stayed, of each drive that let go."""
    headers = ("drive", "pressed [m]", "returned [m]", "residual [m]", "peak force [N]")
    rows = [(name, *item.values()) for name, item in summary["recovery"].items()]
    return table(headers, rows) if rows else Markup()


def figures(summary: dict[str, Any]) -> Markup:
    """First, last, least and greatest value of each column that is more than rounding."""
    found = {name: item for name, item in summary["figures"].items() if name != "time"}
    nothing: dict[str, float] = {}  # by unit, what is no more than rounding
    for item in found.values():
        nothing[item["unit"]] = max(nothing.get(item["unit"], 0.0), *(ROUNDING * abs(item[key]) for key in VALUES))
    rows = []
    for name, item in found.items():
        values = [item[key] if abs(item[key]) > nothing[item["unit"]] else 0.0 for key in VALUES]
        if any(values):
            rows.append((name, item["unit"].replace("^2", "²").replace("^3", "³"), *values))
    note = (
        paragraph(f"Columns of the history that stay at zero: {len(found) - len(rows)}.") if len(rows) < len(found) else Markup()
    )
    return join(table(("column", "unit", *VALUES), rows), note)


def computation(summary: dict[str, Any], notices: tuple[str, ...]) -> Markup:
    """Steps, time, versions."""
    stepping, error = summary["stepping"], summary["energy_balance_error"]
    rows = [
        ("time step", stepping["notice"]),
        *(("notice", words) for words in notices),
        ("integrator", stepping["integrator"]),
        ("steps", str(stepping["steps"])),
        ("threads", str(stepping["threads"])),
        ("wall time", f"{summary['wall_time_s']:.2f} s"),
        *([("energy balance error, of the largest energy", f"{error:.2g}")] if error is not None else []),
        *((f"{package} version" if package != "machine" else package, found) for package, found in summary["versions"].items()),
    ]
    return table(("what", "value"), rows)
