"""A request that was checked against its scene, ready to be run."""

from dataclasses import dataclass

from yawara.calibrate.sweep.axes import Axis, parse_axes
from yawara.calibrate.sweep.points import points_of
from yawara.calibrate.sweep.readings import parse_readings, recovery_columns
from yawara.calibrate.sweep.request import Request
from yawara.calibrate.sweep.runs import Runs
from yawara.checks import SceneError
from yawara.kernels.kinds import Floats
from yawara.observe.measure import Column
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.file import scene_data

THREADS = "time.threads"


@dataclass(frozen=True)
class Plan:
    """What is run, in which order, and which columns the table may have."""

    request: Request
    compiled: Compiled  # the scene with its own values
    axes: tuple[Axis, ...]
    points: Floats  # (run_count, axis_count), in the axes' units
    runs: Runs
    columns: tuple[tuple[Column, ...], tuple[Column, ...]]  # that a run may have, and that it has if it is done


def plan_of(request: Request) -> Plan:
    """Everything that can be known to be wrong before the first run is said here. SceneError lists it."""
    compiled = compile_scene(request.scene)
    axes = parse_axes(request.over, request.scene)
    readings = parse_readings(request.measure, compiled)
    points = points_of(axes, sample=request.sample, seed=request.seed, together=request.together)
    runs = Runs(scene_data(request.scene), tuple(axis.path for axis in axes), readings)
    if THREADS in runs.paths:
        what = "changes nothing: every run of a sweep has one thread, as many run side by side; choose another path"
        raise SceneError([(f"--over {THREADS}", what)], source="the command")
    _refuse_if_none_can_be(runs, points)
    columns = (recovery_columns(compiled), tuple(one.column for one in readings))
    return Plan(request, compiled, axes, points, runs, columns)


def _refuse_if_none_can_be(runs: Runs, points: Floats) -> None:
    """Some sets of values may be impossible, and are told in the table; all of them are a slip."""
    first: SceneError | None = None
    for point in points:
        try:
            runs.scene_at(point)
            return
        except SceneError as error:
            first = first or error
    if first:
        told = ", ".join(f"{path} = {value:g}" for path, value in zip(runs.paths, points[0].tolist(), strict=True))
        problems = [(place, f"{what} (with {told}; no other set of values fits either)") for place, what in first.problems]
        raise SceneError(problems, source="the command")
