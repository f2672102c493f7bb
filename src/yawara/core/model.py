"""What does not change while time runs: points, force terms, and the names that lead back to the scene.

All quantities are in SI units. 2-D bodies live in the same arrays, in the plane z = 0.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from yawara.core.method import Method
from yawara.core.term import ForceTerm, Variable
from yawara.kernels.kinds import Floats, Indices

Made = TypeVar("Made")
COST_OF_POINT = 3.0  # [ns], of a point that is moved by one stage


class PointArrays(NamedTuple):
    """Mass points, all bodies one after another, then tools."""

    mass: Floats  # [kg], (point_count,)
    inverse_mass: Floats  # [1/kg], (point_count,)
    gravity: Floats  # [m/s^2], (4,): x y z 0


@dataclass(frozen=True)
class BodyRange:
    """Where a body of the scene is found in the points of the model."""

    name: str
    shape: str
    point_begin: int
    point_end: int
    mass_end: int  # points from here to point_end are embedded, without mass of their own
    links: Indices  # (link_count, 2), point indices of the model: pairs of neighbours, in the body's own order
    triangles: Indices  # surface, outward, (triangle_count, 3), point indices of the model; a 2-D body's own triangles
    closed: Indices  # triangles that enclose its volume: those of the surface, and where regions meet, both sides of the seam
    cells: Mapping[str, Indices]  # volume elements by meshio type, for export
    elements: Indices  # tetrahedra (n, 4), triangles (n, 3) of a 2-D body: what it is filled with
    corners: (
        Indices  # (cell_count, number, dimension + 1): simplices that are positive as long as no part of a cell is inside out
    )
    dimension: int  # 1, 2 or 3: what "size" means: length, area or volume
    up: int  # axis that the body calls its height
    rest_size: float  # [m], [m^2] or [m^3]
    cubes: Indices  # (cube_count, 8): that several cells make up, and are even only together
    share: Floats  # [m^3], (mass_end - point_begin,): volume that each point stands for

    @property
    def points(self) -> slice:
        return slice(self.point_begin, self.point_end)


@dataclass(frozen=True, eq=False)
class Model:
    """A compiled scene."""

    point: PointArrays
    terms: tuple[ForceTerm, ...]  # in the order in which they act
    bodies: tuple[BodyRange, ...]
    rest_position: Floats  # [m], (point_count, 3)
    stable_step: Mapping[str, float]  # [s], largest stable step by integrator name
    tools: tuple[str, ...] = ()  # names; their points are the last ones
    tool_inertia: tuple[float, ...] = ()  # [kg m^2], of those that turn freely about their axes; 0 of the others
    methods: tuple[Method, ...] = ()  # of stepping, beside that of the terms
    _kept: dict[object, Any] = field(default_factory=dict, init=False, repr=False)  # by who made it

    def kept_with(self, make: "Callable[[Model], Made]") -> Made:
        """What `make` makes of this model, made once and kept as long as the model lives."""
        if make not in self._kept:
            self._kept[make] = make(self)
        made: Made = self._kept[make]
        return made

    @cached_property
    def variables(self) -> dict[str, Variable]:
        """Internal variables of all terms and methods, by the names of their blocks in the state."""
        owners: tuple[ForceTerm | Method, ...] = (*self.terms, *self.methods)
        return {f"{one.name}.{name}": variable for one in owners for name, variable in one.variables.items()}

    @cached_property
    def cost(self) -> Floats:
        """[ns], (point_count,): of one evaluation of all terms, by point."""
        return sum((term.cost(self.point_count) for term in self.terms), np.full(self.point_count, COST_OF_POINT))

    @cached_property
    def size(self) -> float:
        """[m], of the scene at rest, with its distance from the origin."""
        return float(np.ptp(self.rest_position, axis=0).max() + abs(self.rest_position).max())

    @cached_property
    def volume(self) -> Floats:
        """[m^3], (point_count,): what each point stands for at rest; none of embedded nodes and tools."""
        volume = np.zeros(self.point_count)
        for body in self.bodies:
            volume[body.point_begin : body.mass_end] = body.share
        return volume

    @property
    def point_count(self) -> int:
        return len(self.point.mass)

    @property
    def tool_points(self) -> range:
        return range(self.point_count - len(self.tools), self.point_count)

    @property
    def link_count(self) -> int:
        """Pairs of neighbours in all bodies."""
        return sum(len(body.links) for body in self.bodies)

    def body(self, name: str) -> BodyRange:
        return next(body for body in self.bodies if body.name == name)

    def owner_of(self, point: int) -> tuple[str, str]:
        """Name of the body or tool that the point belongs to, and the point's name there."""
        for body in self.bodies:
            if body.point_begin <= point < body.point_end:
                return body.name, f"point {point - body.point_begin}"
        return self.tools[point - (self.point_count - len(self.tools))], "tool"
