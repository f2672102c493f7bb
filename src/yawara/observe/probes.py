"""The measures of a scene: what every run measures, and the probes that the scene asks for."""

from collections.abc import Callable, Iterator

import numpy as np

from yawara.core.model import Model
from yawara.frame import Frame
from yawara.kernels.kinds import Floats, Indices
from yawara.methods.tensors import TENSORS
from yawara.observe.energies import Energies
from yawara.observe.measure import SIZE, Column, Measure, Scalar, Vector, body_size, inverted_cells, outer_points, surface_area
from yawara.observe.thickness import Thickness
from yawara.scene.compile import Compiled
from yawara.scene.consistency import made_up_name
from yawara.scene.probes import (
    AreaProbe,
    DisplacementProbe,
    DistanceProbe,
    FieldProbe,
    ForceProbe,
    ResidualStrainProbe,
    StrainProbe,
    StressProbe,
    ThicknessProbe,
    VolumeProbe,
)


def measures(compiled: Compiled) -> list[Measure]:
    """In the order of the history's columns."""
    found: list[Measure] = [*_of_bodies(compiled.model), *_of_drives(compiled), *_of_pushes(compiled)]
    found += [*_of_tools(compiled), *_of_probes(compiled)]
    if compiled.scene.output.energies:
        found.append(Energies.of(compiled))
    return found


def _of_bodies(model: Model) -> Iterator[Measure]:
    for body in model.bodies:
        name, unit = SIZE[body.dimension]
        yield Scalar(Column(f"{body.name}.{name}", unit), lambda frame, body=body: body_size(frame, body))  # type: ignore[misc]
        yield Scalar(Column(f"{body.name}.height", "m"), _extent(outer_points(body), body.up))
        if len(body.corners):
            yield Scalar(Column(f"{body.name}.inverted", "1"), lambda frame, body=body: inverted_cells(frame, body))  # type: ignore[misc]


def _extent(points: Indices, axis: int) -> Callable[[Frame], float]:
    return lambda frame: float(np.ptp(frame.state.position[points, axis]))


def _of_drives(compiled: Compiled) -> Iterator[Measure]:
    for index, drive in enumerate(compiled.control.drives):
        if drive.place.startswith("tool."):
            continue  # what a tool feels is its contacts' doing, not its drive's
        yield Vector(f"{drive.name}.force", "N", lambda frame, index=index: frame.force_of_drive(index))  # type: ignore[misc]
        if len(drive.table.times) > 1:
            yield Vector(f"{drive.name}.displacement", "m", _displacement_of(drive.points))


def _of_tools(compiled: Compiled) -> Iterator[Measure]:
    """Force and torque that each tool feels, where it is, how it turns; the deepest penetration of all contacts."""
    for index, name in enumerate(compiled.model.tools):
        point = compiled.model.tool_points[index]
        yield Vector(f"{name}.force", "N", lambda frame, index=index: frame.tool_loads[index, :3])  # type: ignore[misc]
        yield Vector(f"{name}.torque", "N m", lambda frame, index=index: frame.tool_loads[index, 3:])  # type: ignore[misc]
        tool = compiled.scene.tool[name]
        if tool.motion is not None:
            yield Vector(f"{name}.position", "m", lambda frame, point=point: frame.state.position[point])  # type: ignore[misc]
        if tool.turn is not None:
            yield Scalar(Column(f"{name}.angle", "rad"), lambda frame, point=point: frame.state.points[point, 3])  # type: ignore[misc]
    if any(term.by_impulse for term in compiled.model.terms):
        yield Scalar(Column("contact.penetration", "m"), lambda frame: frame.penetration)


def _of_pushes(compiled: Compiled) -> Iterator[Measure]:
    """The tool's force as it reaches the body; extra internal forces are channels of another name."""
    for index, push in enumerate(compiled.scene.push):
        name = push.name or made_up_name("push", index)
        channels = np.array([n for n, force in enumerate(compiled.control.forces) if force.name == name], np.uint32)
        yield Vector(f"{name}.force", "N", lambda frame, channels=channels: frame.force_of_channels(channels))  # type: ignore[misc]


def _force_on(points: Indices) -> Callable[[Frame], Floats]:
    return lambda frame: frame.force_on(points)


def _displacement_of(points: Indices) -> Callable[[Frame], Floats]:
    return lambda frame: (frame.state.position[points] - frame.model.rest_position[points]).mean(axis=0)


def _distance(points: Indices, others: Indices) -> Callable[[Frame], float]:
    def distance(frame: Frame) -> float:
        position = frame.state.position
        return float(np.linalg.norm(position[others].mean(axis=0) - position[points].mean(axis=0)))

    return distance


def _mean_of_field(points: Indices, probe: FieldProbe) -> Callable[[Frame], float]:
    """Of one component, by the volume at rest that each point stands for."""
    measure = TENSORS[probe.type].components[probe.component]

    def mean(frame: Frame) -> float:
        return float(np.average(measure(frame.tensor(probe.type)[points]), weights=frame.model.volume[points]))

    return mean


def _of_probes(compiled: Compiled) -> Iterator[Measure]:
    for name, probe in compiled.scene.probe.items():
        points = compiled.selections.get(f"probe.{name}", np.zeros(0, np.uint32))
        body = compiled.model.body(probe.body)
        match probe:
            case ForceProbe():
                yield Vector(f"{name}.force", "N", _force_on(points))
            case DisplacementProbe():
                yield Vector(f"{name}.displacement", "m", _displacement_of(points))
            case DistanceProbe():
                yield Scalar(Column(name, "m"), _distance(points, compiled.selections[f"probe.{name}.other"]))
            case VolumeProbe():
                yield Scalar(Column(name, "m^3"), lambda frame, body=body: body_size(frame, body))  # type: ignore[misc]
            case AreaProbe():
                yield Scalar(
                    Column(name, "m^2"),
                    lambda frame, body=body: surface_area(frame.state.position, body.triangles),  # type: ignore[misc]
                )
            case ThicknessProbe():
                yield Thickness(name, body, probe)
            case StressProbe() | StrainProbe() | ResidualStrainProbe():
                yield Scalar(Column(name, TENSORS[probe.type].unit), _mean_of_field(points, probe))
