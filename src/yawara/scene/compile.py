"""From a scene to the arrays that run: Model, first State, Control. Checks what only the built bodies can tell."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from yawara.checks import SceneError
from yawara.core.control import Control, Interpolation, PointForce, TimeTable
from yawara.core.control import Drive as DriveChannel
from yawara.core.geometry import Geometry
from yawara.core.model import Model
from yawara.core.piece import Request
from yawara.core.state import State
from yawara.core.term import ForceTerm
from yawara.kernels.kinds import Indices
from yawara.methods import SCHEMES
from yawara.methods.watch import Watch
from yawara.scene.actions import Drive, Fix, Force
from yawara.scene.bodies.file_unit import stamp
from yawara.scene.build import build_model, request_of
from yawara.scene.built_checks import (
    check_memory,
    double_blocks,
    double_holds,
    impossible_contacts,
    impossible_materials,
    impossible_probes,
    late_actions,
    unreadable_meshes,
    unusable_steps,
    vanishing_masses,
    vanishing_values,
)
from yawara.scene.consistency import made_up_name
from yawara.scene.probes import DisplacementProbe, DistanceProbe, FieldProbe, ForceProbe, StressProbe
from yawara.scene.push_channels import push_channels
from yawara.scene.region_checks import empty_regions
from yawara.scene.scene import Scene
from yawara.scene.selection import Selection, select
from yawara.scene.tools.channels import tool_drives, tool_forces, tool_turns
from yawara.slips import short
from yawara.terms import build_terms
from yawara.warm import ensure_compiled, needed_kernels, note_kernels

Check = Callable[[Scene, dict[str, Geometry]], Iterable[tuple[str, str]]]


@dataclass(frozen=True)
class Compiled:
    """A scene ready to run."""

    scene: Scene
    model: Model
    control: Control
    watch: Watch
    request: Request  # what the model was built from
    files: tuple[object, ...]  # versions of the files that bodies and tools are made of
    selections: dict[str, Indices]  # model point numbers by place in the scene, such as "drive.0" or "probe.tip"
    notices: tuple[str, ...] = ()  # what the user should know, though nothing is wrong
    start: State | None = None  # instead of the natural state, if a run begins elsewhere

    @cached_property
    def state(self) -> State:
        """With which a run begins. Made when it is asked for: a slider does not."""
        if self.start is not None:
            state = self.start.copy()
        else:
            state = State.at_rest(self.model, self.watch.mode)
            for body_range in self.model.bodies:
                state.velocity[body_range.points] = self.scene.body[body_range.name].velocity
        for term in self.model.terms:
            term.begin(state)
        return state


def compile_scene(scene: Scene) -> Compiled:
    """Build the arrays; SceneError lists everything that does not fit together."""
    if not isinstance(scene, Scene):
        what = f"must be a Scene (got {short(scene)}); make one by yw.Scene(...), or from a file by yw.load_scene(path)"
        raise SceneError([("", what)])
    refuse_unbuildable(scene)
    geometries, offsets = _geometries(scene)
    control, selections = acting(scene, geometries, offsets, (vanishing_values, vanishing_masses))
    request = request_of(scene, geometries, offsets)
    terms = build_terms(request)
    _compile_kernels(scene, terms, tells_stress=tells_stress(scene))
    model, watch = build_model(scene, request, terms)
    refuse(double_blocks(scene, model))
    refuse(problem for term in terms for problem in term.problems_at_start(model))
    refuse(unusable_steps(scene, model.stable_step[scene.time.integrator]))
    return Compiled(
        scene,
        model,
        control,
        watch,
        request,
        file_stamps(scene),
        selections,
        notices_of(scene, geometries, model, control),
    )


def acting(
    scene: Scene, geometries: dict[str, Geometry], offsets: dict[str, int], checks: Sequence[Check]
) -> tuple[Control, dict[str, Indices]]:
    """What the outside does, and the points that it names. SceneError if that is wrong, or one of the `checks` finds something."""
    selections, problems = _select_all(scene, geometries, offsets)
    pushes, touched, push_problems = push_channels(scene, offsets)
    checks = (impossible_materials, empty_regions, *checks, impossible_probes, impossible_contacts)
    refuse([*(problem for check in checks for problem in check(scene, geometries)), *problems, *push_problems])
    control = _control(scene, sum(len(geometry.all_positions) for geometry in geometries.values()), selections, pushes)
    refuse(double_holds(scene, control))
    return control, selections | touched


def notices_of(scene: Scene, geometries: dict[str, Geometry], model: Model, control: Control) -> tuple[str, ...]:
    """What the user should know of bodies, of what they are made of, of what acts on them, and of what never does."""
    families = dict.fromkeys(notice for body in scene.body.values() for notice in body.family.notices())
    terms = (notice for term in model.terms for notice in term.notices(model, control))
    shapes = (notice for geometry in geometries.values() for notice in geometry.notices)
    return (*shapes, *families, *terms, *late_actions(scene))


def file_stamps(scene: Scene) -> tuple[object, ...]:
    return tuple(stamp(vars(one)["file"]) for one in (*scene.body.values(), *scene.tool.values()) if "file" in vars(one))


def compile_kernels(scene: Scene) -> None:
    """All that the scene will need, if that was not done before, and colours by stress too. SceneError if its bodies cannot be built."""
    refuse_unbuildable(scene)
    _compile_kernels(scene, build_terms(request_of(scene, *_geometries(scene))), tells_stress=True)


def _compile_kernels(scene: Scene, terms: Sequence[ForceTerm], *, tells_stress: bool) -> None:
    own = needed_kernels(terms, SCHEMES[scene.time.integrator])
    ensure_compiled([*own, *(note_kernels(terms) if tells_stress else ())])


def tells_stress(scene: Scene) -> bool:
    """Whether frames of the run do; who asks later waits then."""
    return scene.output.vtu or scene.output.ply or any(isinstance(probe, StressProbe) for probe in scene.probe.values())


def _geometries(scene: Scene) -> tuple[dict[str, Geometry], dict[str, int]]:
    """Of all bodies, and their first points."""
    geometries = {name: body.geometry() for name, body in scene.body.items()}
    counts = [len(geometry.all_positions) for geometry in geometries.values()]
    return geometries, dict(zip(geometries, np.cumsum([0, *counts[:-1]]).tolist(), strict=True))


def refuse_unbuildable(scene: Scene) -> None:
    """SceneError if a mesh cannot be read, or bodies are too large for this machine; nobody asks for a geometry before."""
    refuse(unreadable_meshes(scene))
    check_memory(scene)


def refuse(problems: Iterable[tuple[str, str]]) -> None:
    """SceneError if there are any."""
    if found := list(problems):
        raise SceneError(found)


def _select_all(
    scene: Scene, geometries: dict[str, Geometry], offsets: dict[str, int]
) -> tuple[dict[str, Indices], list[tuple[str, str]]]:
    """Point numbers for everything in the scene that names points, and what is wrong with them."""
    selections: dict[str, Indices] = {}
    problems: list[tuple[str, str]] = []
    for place, body, points in _wanted(scene):
        try:
            selections[place] = (select(geometries[body], points) + offsets[body]).astype(np.uint32)
        except ValueError as error:
            problems.append((f"{place}_points" if place.endswith(".other") else f"{place}.points", str(error)))
    return selections, problems


def _wanted(scene: Scene) -> Iterator[tuple[str, str, Selection]]:
    """(place in the scene, body, points) of everything that names points."""
    for table, actions in (("fix", scene.fix), ("drive", scene.drive), ("force", scene.force)):
        for index, action in enumerate(actions):
            yield f"{table}.{index}", action.body, action.points
    for name, probe in scene.probe.items():
        if isinstance(probe, ForceProbe | DisplacementProbe | DistanceProbe | FieldProbe):
            yield f"probe.{name}", probe.body, probe.points
        if isinstance(probe, DistanceProbe):
            yield f"probe.{name}.other", probe.other_body or probe.body, probe.other_points


def _control(scene: Scene, point_count: int, selections: dict[str, Indices], pushes: list[PointForce]) -> Control:
    drives = [_fix_channel(fix, i, selections[f"fix.{i}"]) for i, fix in enumerate(scene.fix)]
    drives += [_drive_channel(drive, i, selections[f"drive.{i}"]) for i, drive in enumerate(scene.drive)]
    forces = [_force_channel(force, i, selections[f"force.{i}"]) for i, force in enumerate(scene.force)]
    drives += tool_drives(scene.tool, point_count)
    forces += [*pushes, *tool_forces(scene.tool, point_count)]
    return Control(point_count + len(scene.tool), tuple(drives), tuple(forces), tool_turns(scene.tool))


def _fix_channel(fix: Fix, index: int, points: Indices) -> DriveChannel:
    return DriveChannel(
        fix.name or made_up_name("fix", index), f"fix.{index}", points, _axes(fix.axes), TimeTable(np.zeros(1), np.zeros((1, 3)))
    )


def _drive_channel(drive: Drive, index: int, points: Indices) -> DriveChannel:
    table = TimeTable(np.array(drive.times), np.array(drive.displacement), Interpolation(drive.interpolation))
    end = np.inf if drive.release is None else drive.release
    return DriveChannel(
        drive.name or made_up_name("drive", index), f"drive.{index}", points, _axes(drive.axes), table, drive.times[0], end
    )


def _force_channel(force: Force, index: int, points: Indices) -> PointForce:
    table = TimeTable(np.array(force.times), np.array(force.force) / len(points), force.interpolation)
    return PointForce(force.name or made_up_name("force", index), points, table)


def _axes(letters: str) -> np.ndarray:
    return np.array([letter in letters for letter in "xyz"])
