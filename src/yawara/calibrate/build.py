"""From parameters and experiments to a problem: everything is checked against the scenes before anything is run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from yawara.calibrate.observation.base import Observation
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.problem import Experiment, Objective, Problem
from yawara.calibrate.target import TargetError, is_whole, value_at
from yawara.checks import SceneError
from yawara.scene.compile import Compiled, compile_scene
from yawara.scene.file import read_scene
from yawara.scene.scene import Scene

FEW = 3  # readings per parameter below which an answer is hardly checked by anything


@dataclass(frozen=True)
class Loaded:
    """A problem, and what the user should know before it is solved."""

    problem: Problem
    warnings: tuple[str, ...]


def build_problem(
    parameters: Mapping[str, Parameter], experiments: Sequence[Experiment], *, objective: Objective = Objective.LEAST_SQUARES
) -> Loaded:
    """Parameters by name, in the order in which they are reported. Starts that are left out are the scenes' own values.

    SceneError lists what is wrong, of all experiments at once.
    """
    scenes, problems, warnings = dict[str, Scene](), list[tuple[str, str]](), list[str]()
    for one in experiments:
        if one.name in scenes:
            problems.append((f"experiment.{one.name}", "is there twice; give each experiment a name of its own"))
        scenes[one.name] = read_scene(one.scene)
        try:
            warnings += check_observations(compile_scene(scenes[one.name]), one.observations, source=one.name)
        except SceneError as error:
            problems += [(f"experiment.{one.name}: {place}", what) for place, what in error.problems]
    if not experiments:
        problems.append(("experiments", "must be at least one (got none); give what was measured"))
    if problems:
        raise SceneError(problems, source="the problem")
    return assembled(parameters, scenes, experiments, objective, warnings, source="the problem")


def check_observations(compiled: Compiled, observations: Sequence[Observation], *, source: str) -> list[str]:
    """What the user should know of them; SceneError lists what cannot have been measured in this scene."""
    warnings, problems, end = list[str](), list[tuple[str, str]](), compiled.scene.time.end
    for one in observations:
        try:
            warnings += one.check(compiled)
        except SceneError as error:
            problems += [(f"{one.name}.{place}", what) for place, what in error.problems]
        if one.end > end * (1 + 1e-9):
            what = f"reaches to {one.end:g} s, the scene ends at {end:g} s; raise time.end, or leave out what is later"
            problems.append((one.name, what))
        elif one.end <= 0.0:
            problems.append((one.name, "must have something after 0 s (got nothing), where every run begins; leave it out"))
    if problems:
        raise SceneError(problems, source=source)
    return warnings


def assembled(
    parameters: Mapping[str, Parameter],
    scenes: Mapping[str, Scene],
    experiments: Sequence[Experiment],
    objective: Objective,
    warnings: Sequence[str],
    *,
    source: str,
) -> Loaded:
    """Of experiments whose observations were checked."""
    start, units = _first_values(parameters, scenes, source)
    problem = Problem(parameters, start, tuple(experiments), objective, units)
    return Loaded(problem, (*warnings, *_too_few(problem, source)))


def _first_values(
    parameters: Mapping[str, Parameter], scenes: Mapping[str, Scene], source: str
) -> tuple[dict[str, float], dict[str, str]]:
    """Where every parameter begins, and its unit; they must be numbers of every scene."""
    start, units, problems = dict[str, float](), dict[str, str](), list[tuple[str, str]]()
    for name, parameter in parameters.items():
        try:
            start[name], units[name] = _first_value(parameter, scenes)
        except TargetError as error:
            problems.append((f"parameter.{name}", str(error)))
    if problems:
        raise SceneError(problems, source=source)
    return start, units


def _first_value(parameter: Parameter, scenes: Mapping[str, Scene]) -> tuple[float, str]:
    found = []
    for experiment, scene in scenes.items():
        for path in parameter.target:
            try:
                found.append(value_at(scene, path))
                if is_whole(scene, path):
                    number = found[-1][0]
                    raise TargetError(
                        f"{path} is a whole number (got {number:g}), which cannot change little by little; set it in the scene"
                    )
            except TargetError as error:
                raise TargetError(f"{error} (in the scene of experiment '{experiment}')") from None
    value, unit = found[0]
    if any(other != unit for _, other in found):
        raise TargetError(f"its targets have different units ({', '.join(sorted({other for _, other in found}))}); split it")
    if parameter.unit and parameter.unit != unit:
        raise TargetError(f"unit must be '{unit}', that of {parameter.target[0]} (got '{parameter.unit}'); convert its bounds")
    if parameter.start is None and not parameter.fixed and not (parameter.low or 0) <= value <= (parameter.high or 0):
        raise TargetError(
            f"the scene's value {value:g} {unit} is not within low to high ({parameter.low:g} to {parameter.high:g}); give start"
        )
    return (value if parameter.start is None else parameter.start), unit


def _too_few(problem: Problem, source: str) -> list[str]:
    free, readings = len(problem.free), problem.residual_count
    if readings < free:
        what = f"{free} free parameters cannot be found from {readings} readings; measure more, or set fixed = true in some"
        raise SceneError([("parameter", what)], source=source)
    if readings < FEW * free:
        few = f"{readings} readings for {free} parameters"
        return [f"{few}: hardly anything is left to check the answer by; measure more, or fix some"]
    return []
