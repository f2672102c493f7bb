"""From an experiment file to a problem: files are read, units turned into SI, and everything checked against the scenes."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from yawara.calibrate.build import Loaded, assembled, check_observations
from yawara.calibrate.experiment_file import (
    CloudPart,
    ColumnPart,
    CurvePart,
    ExperimentPart,
    FitFile,
    MarkerPart,
    read_fit_file,
)
from yawara.calibrate.observation.base import Observation
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.observation.markers import Marker
from yawara.calibrate.observation.volume import VolumeAt
from yawara.calibrate.problem import Experiment
from yawara.calibrate.reading.checks import check_finite, check_times
from yawara.calibrate.reading.points import read_points
from yawara.calibrate.reading.table import ColumnChoice, read_table
from yawara.calibrate.units import to_si
from yawara.checks import SceneError, nearest
from yawara.observe.probes import measures
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.file import load_scene
from yawara.scene.scene import Scene


def load_problem(path: str | Path) -> Loaded:
    """Of an experiment file, and of all that it names. SceneError lists what is wrong."""
    path = Path(path)
    return problem_of(read_fit_file(path), path.absolute().parent, source=str(path))


def problem_of(file: FitFile, directory: Path, *, source: str) -> Loaded:
    """Read everything that the file names, as seen from `directory`. SceneError lists what is wrong, of all experiments at once."""
    found, problems, warnings = dict[str, tuple[Scene, Experiment]](), list[tuple[str, str]](), list[str]()
    for name, part in file.experiment.items():
        try:
            found[name] = _load(name, part, directory, warnings)
        except SceneError as error:
            where = f"experiment.{name}: {error.source}"
            problems += [(f"{where}: {place}" if place else where, what) for place, what in error.problems]
    if problems:
        raise SceneError(problems, source=source)
    scenes = {name: scene for name, (scene, _) in found.items()}
    return assembled(file.parameter, scenes, [one for _, one in found.values()], file.objective, warnings, source=source)


def _load(name: str, part: ExperimentPart, directory: Path, warnings: list[str]) -> tuple[Scene, Experiment]:
    scene = load_scene(directory / part.scene, part.set)
    compiled = compile_scene(scene)
    observations = tuple(_observations(part, directory, compiled))
    warnings += check_observations(compiled, observations, source=str(directory / part.scene))
    return scene, Experiment.of(name, scene, observations, held_out=part.held_out, weight=part.weight)


def _observations(part: ExperimentPart, directory: Path, compiled: Compiled) -> Iterator[Observation]:
    first = next(iter(compiled.scene.body))
    for n, cloud in enumerate(part.cloud):
        yield _cloud(f"cloud {n + 1}", cloud, directory, _known_body(compiled, cloud.body or first, f"cloud.{n}"))
    for n, curve in enumerate(part.curve):
        yield _curve(f"curve {n + 1}", curve, directory, compiled)
    for n, volume in enumerate(part.volume):
        body = _known_body(compiled, volume.body or first, f"volume.{n}")
        yield VolumeAt(f"volume {n + 1}", volume.value, volume.time, body, volume.noise, f"volume {n + 1}")
    for n, marker in enumerate(part.marker):
        yield _marker(f"marker {n + 1}", marker, directory, _known_body(compiled, marker.body or first, f"marker.{n}"))


def _known_body(compiled: Compiled, name: str, place: str) -> str:
    if name not in compiled.scene.body:
        raise SceneError([(f"{place}.body", f"there is no body '{name}'; {nearest(name, compiled.scene.body)}")])
    return name


def _factor(unit: str, dimension: str, place: str, source: str) -> float:
    try:
        return to_si(unit, dimension)
    except ValueError as error:
        raise SceneError([(place, str(error))], source=source) from None


def _cloud(name: str, part: CloudPart, directory: Path, body: str) -> Cloud:
    path = directory / part.file
    points = read_points(path) * _factor(part.unit, "m", "unit", str(path)) + np.array(part.move)
    ignore = part.noise if part.ignore is None else part.ignore
    return Cloud(name, points, part.time, body, part.noise, ignore, part.beyond, str(path))


def _choice(part: ColumnPart, dimension: str) -> ColumnChoice:
    return ColumnChoice(part.column, dimension=dimension, unit=part.unit, scale=part.scale)


def _curve(name: str, part: CurvePart, directory: Path, compiled: Compiled) -> Curve:
    path = directory / part.file
    units = {column.name: column.unit for measure in measures(compiled) for column in measure.columns}
    unit = units.get(part.quantity, "1")
    columns = {"time": _choice(part.time, "s"), "value": _choice(part.value, unit)}
    if part.quantity not in units:
        columns.pop("value")  # that it is not measured is said by the curve's own check
    table = read_table(path, columns)
    time, values = table["time"][:: part.every] + part.shift, table.get("value", table["time"])[:: part.every]
    check_times(time, str(path), "time")
    check_finite(values, str(path), "value", unit)
    started = (time >= 0.0) & (time <= (np.inf if part.until is None else part.until))
    if not started.any():
        what = f"must have rows after 0 s, where the scene begins, and until `until` (got {time[0]:g} to {time[-1]:g} s); change shift [s]"
        raise SceneError([("time", what)], source=str(path))
    return Curve(name, part.quantity, time[started], values[started], part.noise, str(path), unit)


def _marker(name: str, part: MarkerPart, directory: Path, body: str) -> Marker:
    path = directory / part.file
    columns = {"time": _choice(part.time, "s"), **{axis: _choice(getattr(part, axis), "m") for axis in "xyz"}}
    table = read_table(path, columns)
    check_times(table["time"], str(path), "time")
    if part.rest is None and table["time"][0] > 0.0:
        what = (
            f"is missing, and the first row is at {table['time'][0]:g} s, not at 0 s; add rest = [x, y, z] [m]: its place before"
        )
        raise SceneError([("rest", what)], source=str(path))
    place = np.stack([table[axis] for axis in "xyz"], axis=1)
    rest = place[0] if part.rest is None else np.array(part.rest)
    return Marker(name, table["time"], place, body, rest, part.noise, str(path))
