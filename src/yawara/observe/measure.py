"""Measures: named numbers with units that are read off a frame."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from yawara.core.model import BodyRange
from yawara.frame import Frame
from yawara.kernels.kinds import Floats, Indices
from yawara.meshes.facets import cell_sizes


@dataclass(frozen=True)
class Column:
    """One number of a history row."""

    name: str
    unit: str

    @property
    def header(self) -> str:
        return f"{self.name} [{self.unit}]"


class Measure(Protocol):
    """Gives the values of its columns at a frame."""

    @property
    def columns(self) -> tuple[Column, ...]: ...

    def values(self, frame: Frame) -> tuple[float, ...]: ...


@dataclass(frozen=True)
class Scalar:
    """A measure of one number."""

    column: Column
    function: Callable[[Frame], float]

    @property
    def columns(self) -> tuple[Column, ...]:
        return (self.column,)

    def values(self, frame: Frame) -> tuple[float, ...]:
        return (float(self.function(frame)),)


@dataclass(frozen=True)
class Vector:
    """A measure of three numbers, along x, y, z."""

    name: str
    unit: str
    function: Callable[[Frame], Floats]

    @property
    def columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"{self.name}_{axis}", self.unit) for axis in "xyz")

    def values(self, frame: Frame) -> tuple[float, ...]:
        return tuple(float(value) for value in self.function(frame))


def enclosed_volume(position: Floats, triangles: Indices) -> float:
    """[m^3], signed, of a closed surface: sum of the tetrahedra from the centre to each triangle."""
    a, b, c = (position[triangles[:, n]] - position.mean(axis=0) for n in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)


def surface_area(position: Floats, triangles: Indices) -> float:
    """[m^2]"""
    a, b, c = (position[triangles[:, n]] for n in range(3))
    return float(np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2.0)


def total_length(position: Floats, links: Indices) -> float:
    """[m]"""
    return float(np.linalg.norm(position[links[:, 1]] - position[links[:, 0]], axis=1).sum())


def outer_points(body: BodyRange) -> Indices:
    """Points of its surface, which is where its shape is measured; all points of a chain."""
    return np.unique(body.triangles) if len(body.triangles) else np.arange(body.point_begin, body.point_end, dtype=np.uint32)


def body_size(frame: Frame, body: BodyRange) -> float:
    """Volume [m^3], area [m^2] or length [m], by the body's dimension."""
    position = frame.state.position
    if body.dimension == 3:
        return enclosed_volume(position[body.points], body.closed - np.uint32(body.point_begin))
    if body.dimension == 2:
        return surface_area(position, body.triangles)
    return total_length(position, body.links)


def inverted_cells(frame: Frame, body: BodyRange) -> int:
    """How many of the body's cells are flat, or inside out if only at a corner; a sheet that has left its plane has no inside.

    A corner may be flat where the rest is in order: where a body's side has rolled onto a plate, all that is around the corner lies on it.
    """
    position, (count, number, size) = frame.state.position, body.corners.shape
    if size == 3 and np.ptp(position[body.points, 2]) > OUT_OF_PLANE * np.ptp(position[body.points, :2]):
        return 0
    sizes = cell_sizes(position, body.corners.reshape(-1, size).astype(np.int64)).reshape(count, number)
    turned = sizes < -ROUNDED * np.abs(sizes).max(axis=1, keepdims=True)
    return int(((sizes.sum(axis=1) <= 0.0) | turned.any(axis=1)).sum())


OUT_OF_PLANE = 1e-6  # of a sheet's size
ROUNDED = 1e-6  # of a cell's largest corner
SIZE = {1: ("length", "m"), 2: ("area", "m^2"), 3: ("volume", "m^3")}
