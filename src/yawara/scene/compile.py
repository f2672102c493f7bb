"""From a scene to the arrays that run: Model, first State, Control. Checks what only the built bodies can tell."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from yawara.checks import SceneError
from yawara.control import Control, Interpolation, PointForce, TimeTable
from yawara.control import Drive as DriveChannel
from yawara.forces.links.pack import LinkGroup, PackedGroup, pack
from yawara.integrators import SCHEMES
from yawara.integrators.stability import quickest_vibrations, stable_step
from yawara.integrators.watch import WatchArrays
from yawara.model import BodyRange, Floats, Indices, KernelArrays, Model, PointArrays
from yawara.scene.actions import Drive, Fix, Force
from yawara.scene.bodies.geometry import Geometry
from yawara.scene.built_checks import (
    check_memory,
    double_holds,
    impossible_probes,
    late_actions,
    unusable_steps,
    vanishing_values,
)
from yawara.scene.consistency import made_up_name
from yawara.scene.probes import DisplacementProbe, DistanceProbe, ForceProbe
from yawara.scene.scene import Scene
from yawara.scene.selection import Selection, select
from yawara.state import State


@dataclass(frozen=True)
class Compiled:
    """A scene ready to run."""

    scene: Scene
    model: Model
    state: State
    control: Control
    watch: WatchArrays
    selections: dict[str, Indices]  # model point numbers by place in the scene, such as "drive.0" or "probe.tip"
    notices: tuple[str, ...] = ()  # what the user should know, though nothing is wrong


def compile_scene(scene: Scene) -> Compiled:
    """Build the arrays; SceneError lists everything that does not fit together."""
    check_memory(scene)
    geometries = {name: body.geometry() for name, body in scene.body.items()}
    counts = [len(geometry.position) for geometry in geometries.values()]
    offsets = dict(zip(geometries, np.cumsum([0, *counts[:-1]]).tolist(), strict=True))
    selections, problems = _select_all(scene, geometries, offsets)
    _refuse([*vanishing_values(scene, geometries), *impossible_probes(scene, geometries), *problems])
    control = _control(scene, sum(counts), selections)
    _refuse(double_holds(scene, control))
    model, watch = _model(scene, geometries, offsets)
    _refuse(unusable_steps(scene, model.stable_step[scene.time.integrator]))
    state = State.at_rest(model, watch.mode)
    for body_range in model.bodies:
        state.velocity[body_range.points] = scene.body[body_range.name].velocity
    return Compiled(scene, model, state, control, watch, selections, tuple(late_actions(scene)))


def _refuse(problems: Iterable[tuple[str, str]]) -> None:
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
        if isinstance(probe, ForceProbe | DisplacementProbe | DistanceProbe):
            yield f"probe.{name}", probe.body, probe.points
        if isinstance(probe, DistanceProbe):
            yield f"probe.{name}.other", probe.other_body or probe.body, probe.other_points


def _control(scene: Scene, point_count: int, selections: dict[str, Indices]) -> Control:
    drives = [_fix_channel(fix, i, selections[f"fix.{i}"]) for i, fix in enumerate(scene.fix)]
    drives += [_drive_channel(drive, i, selections[f"drive.{i}"]) for i, drive in enumerate(scene.drive)]
    forces = [_force_channel(force, i, selections[f"force.{i}"]) for i, force in enumerate(scene.force)]
    return Control(point_count, tuple(drives), tuple(forces))


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


def _model(scene: Scene, geometries: dict[str, Geometry], offsets: dict[str, int]) -> tuple[Model, WatchArrays]:
    position = np.concatenate([item.position + scene.body[name].origin for name, item in geometries.items()])
    mass = np.concatenate([scene.body[name].point_mass(item) for name, item in geometries.items()])
    groups = [_link_group(scene, name, item, offsets[name]) for name, item in geometries.items()]
    links, packed, memory_count = pack(groups)
    points = PointArrays(mass, 1.0 / mass, np.array([*scene.gravity, 0.0]))
    bodies = [
        _body_range(scene, name, item, offsets[name], group, place)
        for (name, item), group, place in zip(geometries.items(), groups, packed, strict=True)
    ]
    quickest = quickest_vibrations(position, groups, points.inverse_mass)
    steps = {scheme.name: stable_step(scheme, quickest.vibrations) for scheme in SCHEMES.values()}
    return Model(KernelArrays(points, links), tuple(bodies), position, steps, memory_count), quickest.watch


def _link_group(scene: Scene, name: str, geometry: Geometry, offset: int) -> LinkGroup:
    law = scene.body[name].law
    ends = geometry.position[geometry.links]
    rest_length: Floats = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    coefficient = law.link_coefficients(rest_length, np.ones(len(rest_length)))
    return LinkGroup((geometry.links + offset).astype(np.uint32), law.family, law.parts, coefficient)


def _body_range(scene: Scene, name: str, geometry: Geometry, offset: int, group: LinkGroup, packed: PackedGroup) -> BodyRange:
    return BodyRange(
        name,
        scene.body[name].shape,
        offset,
        offset + len(geometry.position),
        group.links,
        packed.slot,
        packed.memory_index,
        (geometry.triangles + offset).astype(np.uint32),
        {kind: (cells + offset).astype(np.uint32) for kind, cells in geometry.cells.items()},
        geometry.dimension,
        geometry.up,
        geometry.rest_size,
    )
