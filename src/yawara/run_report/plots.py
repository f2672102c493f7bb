"""Courses of a run as plots, each only if there is something to show."""

from collections.abc import Iterator, Sequence

import numpy as np

from yawara.core.model import Model
from yawara.kernels.kinds import Floats
from yawara.observe.measure import SIZE
from yawara.observe.recorder import History
from yawara.observe.thickness import Thickness
from yawara.report.page import figure
from yawara.report.plot import Mark, Series, line_plot
from yawara.report.svg import Markup
from yawara.run_report.columns import main_component, vector_names
from yawara.run_report.instants import Instant
from yawara.scene.compile import Compiled
from yawara.scene.probes import AreaProbe, DistanceProbe, FieldProbe, ThicknessProbe, VolumeProbe

SEEN = 2e-3  # of the largest curve in a plot: one that stays below lies on its axis
STEADY = 1e-9  # of its size: what changes less is rounding

FIELD_PLOTS = (
    ("stress", "Stresses", "stress [Pa]"),
    ("strain", "Strains", "strain"),
    ("residual_strain", "Residual strains", "residual strain"),
)


def time_plots(compiled: Compiled, history: History, chosen: Sequence[Instant]) -> list[Markup]:
    """Everything over time, with the times of the pictures marked by their numbers."""
    marks = [Mark(instant.time, str(number)) for number, instant in enumerate(chosen, start=1)]
    time = history["time"]
    found = []
    for title, label, courses in _groups(compiled, history):
        shown = [Series(name, time, values) for name, values in _worth_showing(courses)]
        if shown:
            found.append(figure(line_plot(shown, x_label="time [s]", y_label=label, title=title, marks=marks)))
    return found


Courses = list[tuple[str, Floats]]


def _worth_showing(courses: Courses) -> Courses:
    """Without those that stay at zero."""
    largest = max((float(np.abs(values).max()) for _, values in courses), default=0.0)
    return [(name, values) for name, values in courses if float(np.abs(values).max()) > SEEN * largest]


def _groups(compiled: Compiled, history: History) -> Iterator[tuple[str, str, Courses]]:
    """Title, label of the axis, and curves of each plot."""
    tools, model, probes = compiled.model.tools, compiled.model, compiled.scene.probe
    held = [name for name in vector_names(history, "force") if name not in tools]
    turning = [name for name in tools if compiled.scene.tool[name].turn is not None]
    yield "Forces on tools", "force [N]", _vectors(history, tools, "force")
    yield "Torques on tools that turn", "torque [N m]", _vectors(history, turning, "torque")
    yield "Forces on held and pushed points", "force [N]", _vectors(history, held, "force")
    yield (
        "Heights, relative to the start",
        "height",
        _relative(history, [(body.name, f"{body.name}.height") for body in model.bodies]),
    )
    yield from _sizes(model, history)
    yield "Displacements", "displacement [m]", _vectors(history, vector_names(history, "displacement"), "displacement")
    yield (
        "Distances",
        "distance [m]",
        [(name, history[name]) for name, probe in probes.items() if isinstance(probe, DistanceProbe)],
    )
    for kind, title, unit in ((VolumeProbe, "Volumes", "m³"), (AreaProbe, "Areas", "m²")):
        yield f"{title} of probes", f"{title.lower()[:-1]} [{unit}]", [
            (name, history[name]) for name, probe in probes.items() if isinstance(probe, kind)
        ]  # fmt: skip
    for tensor, title, label in FIELD_PLOTS:
        yield f"{title} of probes", label, [
            (f"{name}, {probe.component}", history[name])
            for name, probe in probes.items()
            if isinstance(probe, FieldProbe) and probe.type == tensor
        ]  # fmt: skip
    for name, probe in probes.items():
        if isinstance(probe, ThicknessProbe):
            courses = [(part, history[f"{name}.{part}"]) for part in ("greatest", "mean", "least")]
            yield f"Thickness ({name})", "thickness [m]", courses
    energies = [
        name.removeprefix("energy.") for name in history.names if name.startswith("energy.") and name != "energy.balance_error"
    ]
    yield "Energies", "energy [J]", [(name.replace("_", " "), history[f"energy.{name}"]) for name in energies]
    if "contact.penetration" in history.names:
        yield "Deepest penetration of all contacts", "penetration [m]", [("", history["contact.penetration"])]


def _sizes(model: Model, history: History) -> Iterator[tuple[str, str, Courses]]:
    for dimension, (size, _) in sorted(SIZE.items(), reverse=True):
        names = [(body.name, f"{body.name}.{size}") for body in model.bodies if body.dimension == dimension]
        yield f"{size.capitalize()}s, relative to the start", size, _relative(history, names)


def _vectors(history: History, names: Sequence[str], quantity: str) -> Courses:
    """Of each vector the component that changes most."""
    found = []
    for name in names:
        axis, values = main_component(history, name, quantity)
        found.append((f"{name}, {axis}", values))
    return found


def _relative(history: History, names: Sequence[tuple[str, str]]) -> Courses:
    """Over the first value, for those that have one; rounding is smoothed out."""
    found = []
    for name, column in names:
        values = history[column]
        if values[0] > 0.0:
            ratio = values / values[0]
            found.append((name, ratio if np.ptp(ratio) > STEADY else np.ones_like(ratio)))
    return found


def thickness_plots(compiled: Compiled, positions: dict[int, Floats], chosen: Sequence[Instant]) -> list[Markup]:
    """For each probe of thickness, how thick the body is along its length at the start, at the end, and in between."""
    found = []
    between = chosen[1:-1]
    shown = [chosen[0], *between[len(between) // 2 :][:1], *chosen[1:][-1:]]
    for name, probe in compiled.scene.probe.items():
        if not isinstance(probe, ThicknessProbe):
            continue
        measure = Thickness(name, compiled.model.body(probe.body), probe)
        series = []
        for instant in shown:
            profile = measure.profile(positions[instant.row])
            x = np.concatenate([[0.0], profile.middle, [profile.length]])  # from end to end, not only between middles of slices
            series.append(Series(f"{instant.time:.3g} s", x, np.pad(profile.thickness, 1, mode="edge")))
        title, x_label = f"Thickness of {probe.body} along {probe.along} ({name})", "distance from its rear end [m]"
        found.append(figure(line_plot(series, x_label=x_label, y_label=f"thickness along {probe.axis} [m]", title=title)))
    return found
