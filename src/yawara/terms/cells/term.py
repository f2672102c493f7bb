"""Cells of all bodies as force terms: tetrahedra are one, triangles of flat bodies another."""

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np

from yawara.core.contribution import Contribution, Kinds
from yawara.core.model import Model
from yawara.core.piece import Request
from yawara.core.response import joint_strength, series_response, voigt_response
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team, Variable
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.terms.cells import kernels
from yawara.terms.cells.constants import BLOCK_CELLS, CORNERS_2D
from yawara.terms.cells.groups import cell_group
from yawara.terms.cells.pack import CellGroup, pack_cells

COST = 12.0  # [ns], of a cell


class CellTerm(ForceTerm):
    kernels: ClassVar[ModuleType] = kernels
    account = "barriers"
    tangent = ("slope", "barrier_slope", "bears", "low")

    def __init__(self, name: str, corners: int, groups: Sequence[CellGroup | None], first_point: Words) -> None:
        """One group for each body, or none; `first_point` of each body."""
        self.name, self.corners, self.groups, self.first_point = name, corners, groups, first_point
        self.packed = pack_cells([group for group in groups if group is not None], corners)

    def refill(self, request: Request) -> Callable[[], None] | None:
        groups = [self._own(cell_group(piece)) for piece in request.pieces]
        if [group is None for group in groups] != [group is None for group in self.groups]:
            return None
        packed = pack_cells([group for group in groups if group is not None], self.corners)
        if not all(
            np.array_equal(getattr(packed, name), getattr(self.packed, name)) for name in ("corner", "rest", "block_kind")
        ):
            return None

        def write() -> None:
            self.groups = groups
            for name in ("a", "b", "phi", "threshold", "stiffness", "damping"):
                getattr(self.packed, name)[:] = getattr(packed, name)

        return write

    def _own(self, group: CellGroup | None) -> CellGroup | None:
        return group if group is not None and group.corner.shape[1] == self.corners else None

    @property
    def variables(self) -> Mapping[str, Variable]:
        unit = "m^3" if self.corners == 4 else "m^2"
        return {"flowed": Variable(unit, (len(self.packed.rest),))}

    @property
    def _lowest(self) -> Indices:
        """First point of each cell."""
        lowest: Indices = self.packed.corner.reshape(-1, self.corners).min(axis=1)
        return lowest

    def cost(self, point_count: int) -> Floats:
        return COST * np.bincount(self._lowest, minlength=point_count).astype(float)

    def _cut(self, team: Team) -> Words:
        """First block of each thread, by the point with which a block begins; the lowest ones are in order within a body."""
        first = self._lowest[self.packed.block_cell[:-1].astype(int)]
        cut = np.searchsorted(first, team.first_point).astype(np.int64)
        cut[0], cut[-1] = 0, len(first)
        return cut

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        packed, cut, none = self.packed, self._cut(team), np.zeros(0)
        cells, blocks = (len(packed.rest), len(packed.block_kind)) if team.needs_tangent else (0, 0)
        tangent, noted = (*np.zeros((3, cells)), np.zeros(blocks)), np.zeros(len(packed.rest) if team.notes else 0)
        return [
            kernels.Arrays(
                *packed,
                self.corners,
                int(cut[me]),
                int(cut[me + 1]),
                none,
                none,
                none,
                _scratch(),
                *tangent,
                noted,
                team.tally[me],
            )
            for me in range(team.threads)
        ]

    def reach(self, team: Team) -> Sequence[Indices]:
        cut = self.corners * self.packed.block_cell[self._cut(team)].astype(int)
        return [self.packed.corner[a:b] for a, b in pairwise(cut)]

    def stencils(self, point_count: int) -> Sequence[Words]:
        return [self.packed.corner.reshape(-1, self.corners).astype(np.int64)]

    def stress(self, model: Model, record: Bound, state: State) -> Floats:
        """Of the cells around each point, by their sizes at rest; a flat body is under plane stress."""
        corner = self.packed.corner.reshape(-1, self.corners).astype(np.int64)
        weight = np.repeat(self.packed.rest, self.corners)
        around = np.bincount(corner.ravel(), weight, minlength=model.point_count)
        sums = np.bincount(corner.ravel(), weight * np.repeat(record.values["noted"], self.corners), minlength=model.point_count)
        mean = np.divide(sums, around, out=np.zeros_like(sums), where=around > 0.0)
        if self.corners == CORNERS_2D:  # a force per length
            return mean[:, None] / _thicknesses(model)[:, None] * np.array([1.0, 1.0, 0.0, 0.0, 0.0, 0.0])
        return mean[:, None] * np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])

    def contributions(self, steps: Sequence[float]) -> Sequence[Contribution]:
        """Pressures, and barriers."""
        packed, blocks = self.packed, len(self.packed.block_kind)
        owner = np.searchsorted(self.first_point, packed.corner[:: self.corners], side="right") - 1
        strength, none = _strength(packed.a, packed.b, np.array(steps)[owner]), np.zeros(len(packed.rest))
        pressures = {"slope": strength, "barrier_slope": none, "bears": none, "low": np.zeros(blocks)}
        barriers = {"slope": none, "barrier_slope": packed.stiffness, "bears": none, "low": np.ones(blocks)}
        groups = list(zip(self.groups, steps, strict=True))
        return [
            Contribution(pressures, tuple(() if group is None else _pressures(group, step) for group, step in groups)),
            Contribution(barriers, tuple(() if group is None else _barriers(group) for group, _ in groups)),
        ]


def _thicknesses(model: Model) -> Floats:
    """[m], (point_count,), of flat bodies."""
    thickness = np.ones(model.point_count)
    for body in model.bodies:
        if body.dimension == 2:
            thickness[body.points] = body.share.sum() / body.rest_size
    return thickness


def _scratch() -> kernels.Scratch:
    size = BLOCK_CELLS
    return kernels.Scratch(*(np.empty(many) for many in (9 * size, 12 * size, size, size, size, size, size, 4)))


def _strength(a: Floats, b: Floats, step: Floats) -> Floats:
    """What they do together in a step of that size, if several laws are compared; else the stiffness, or the viscosity without one."""
    return np.where(np.isfinite(step), joint_strength(a, b, step), np.where(a > 0.0, a, b))


def _pressures(group: CellGroup, step: float) -> Kinds:
    """Of every different law: f = a (V - q) + b Vdot, qdot = phi f."""
    found = []
    for cell in group.samples:
        a, b, phi = (float(value) for value in group.law[:, cell])
        strength = float(_strength(np.array(a), np.array(b), np.array(step)))
        if strength > 0.0:
            found.append((strength, series_response(a, b, np.array([phi]), np.zeros(1))))
    return tuple(found)


def _barriers(group: CellGroup) -> Kinds:
    k, c = float(group.stiffness[0]), float(group.damping[0])
    return ((k, voigt_response(k, c)),) if k > 0.0 else ()
