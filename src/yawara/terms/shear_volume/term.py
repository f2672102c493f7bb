"""Shear and volume elements of all bodies as force terms, one for each kind of elements."""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from yawara.core.contribution import Contribution, Kinds
from yawara.core.lines import Lines
from yawara.core.model import Model
from yawara.core.piece import Request
from yawara.core.response import Response, joint_strength, series_response
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team, Variable
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.terms.shear_volume import kernels
from yawara.terms.shear_volume.constants import (
    DEVIATORIC_2D,
    DEVIATORIC_3D,
    MOST_CORNERS,
    MOST_MEASURES,
    Kind,
)
from yawara.terms.shear_volume.groups import Group, groups_of
from yawara.terms.shear_volume.table import Series, columns

COST = 40.0  # [ns], of a strain


class ShearVolumeTerm(ForceTerm):
    kernels: ClassVar[ModuleType] = kernels
    account = "shear_volume"
    tangent = ("slope",)

    def __init__(
        self, kind: Kind, groups: Sequence[Group | None], bodies: Sequence[str], first_point: Words, *, thirds: bool = False
    ) -> None:
        """One group for each body, or none; names and first points of all bodies."""
        self.kind, self.groups, self.bodies, self.first_point, self.thirds = kind, groups, bodies, first_point, thirds
        self.name, self.stiffens = kind.name, kind.stiffens
        own = [group for group in groups if group is not None]
        orders = [np.argsort(group.corner.min(axis=1), kind="stable") for group in own]

        def join(name: str) -> Floats:
            return np.concatenate([getattr(group, name)[order] for group, order in zip(own, orders, strict=True)])

        self.corner = join("corner").astype(np.uint32)
        self.shape, self.natural, self.factor = join("shape"), join("natural"), join("factor")
        self.content, self.volume = join("content"), join("volume")
        self._orders = orders
        self.parts = max(len(law.phi) for group in own for law in group.laws)
        self.law = self._columns(own)

    def _columns(self, own: Sequence[Group]) -> tuple[Floats, ...]:
        """a, b, phi, kappa of all elements."""
        found = [columns(group.law[order], group.laws, self.parts) for group, order in zip(own, self._orders, strict=True)]
        return tuple(np.concatenate(column) for column in zip(*found, strict=True))

    def phases(self) -> list[str]:
        return [name for name in super().phases() if self.stiffens or name != "look_around"]

    @property
    def variables(self) -> Mapping[str, Variable]:
        count = len(self.corner) * self.kind.measures * self.parts
        return {"internal": Variable("1", (count,))} if count else {}

    @property
    def nbytes(self) -> int:
        return self.corner.nbytes + sum(one.nbytes for one in (self.shape, self.natural, self.factor, self.content, *self.law))

    @property
    def _lowest(self) -> Words:
        return self.corner.min(axis=1).astype(np.int64)

    def cost(self, point_count: int) -> Floats:
        return COST * self.kind.measures * np.bincount(self._lowest, minlength=point_count).astype(float)

    def _cut(self, team: Team) -> Words:
        return np.searchsorted(self._lowest, team.first_point).astype(np.int64)

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        count, cut, none, kind = len(self.corner), self._cut(team), np.zeros(0), self.kind
        slope, noted = np.zeros(count if team.needs_tangent else 0), np.zeros(6 * count if team.notes else 0)
        common: tuple[Any, ...] = (
            kind.code, kind.corners, kind.measures, self.parts, int(self.thirds), self.corner.ravel(), self.shape.ravel(),
            self.natural.ravel(), self.factor, self.content, *self.law,
        )  # fmt: skip
        return [
            kernels.Arrays(
                *common, int(cut[me]), int(cut[me + 1]), none, none, none, _scratch(self.parts), slope, noted, team.tally[me]
            )
            for me in range(team.threads)
        ]

    def reach(self, team: Team) -> Sequence[Indices]:
        return [self.corner[a:b].ravel() for a, b in pairwise(self._cut(team))]

    def stencils(self, point_count: int) -> Sequence[Words]:
        return [self.corner.astype(np.int64)]

    def refill(self, request: Request) -> Callable[[], None] | None:
        groups = [dict(groups_of(piece)).get(self.name) for piece in request.pieces]
        if [group is None for group in groups] != [group is None for group in self.groups]:
            return None
        own = [group for group in groups if group is not None]
        if max(len(law.phi) for group in own for law in group.laws) != self.parts:
            return None
        law = self._columns(own)

        def write() -> None:
            self.groups = groups
            for old, new in zip(self.law, law, strict=True):
                old[:] = new

        return write

    def contributions(self, steps: Sequence[float]) -> Sequence[Contribution]:
        owner = np.searchsorted(self.first_point, self.corner[:, 0], side="right") - 1
        strength = _strength(self.law[0], self.law[1], np.array(steps)[owner])
        kinds = [() if group is None else _kinds(group, step) for group, step in zip(self.groups, steps, strict=True)]
        return [Contribution({"slope": strength}, tuple(kinds))]

    def stress(self, model: Model, record: Bound, state: State) -> Floats:
        """Of the elements around each point: their virials over the volumes that they stand for."""
        corner, each = self.corner.astype(np.int64), self.kind.corners
        points, noted = corner.ravel(), record.values["noted"].reshape(-1, 6)
        around = np.bincount(points, np.repeat(self.volume, each), minlength=model.point_count)
        sums = np.stack([np.bincount(points, np.repeat(one, each), minlength=model.point_count) for one in noted.T], axis=1)
        return np.divide(sums, around[:, None], out=np.zeros_like(sums), where=around[:, None] > 0.0)

    def lines(self, rest_position: Floats) -> Lines | None:
        """Edges of elements that know a whole strain; what has flowed is a tensor in the frame of the natural state."""
        if self.kind.code not in (DEVIATORIC_2D, DEVIATORIC_3D):
            return None
        edges = np.array(list(combinations(range(self.kind.corners), 2)))
        points = self.corner.astype(np.int64)[:, edges].reshape(-1, 2)
        way = rest_position[points[:, 1]] - rest_position[points[:, 0]]
        rest = np.linalg.norm(way, axis=1)
        direction = way / rest[:, None]

        def strain(state: State) -> Floats:
            length = np.linalg.norm(state.position[points[:, 1]] - state.position[points[:, 0]], axis=1)
            return np.asarray(length / rest - 1.0)

        def residual(state: State) -> Floats:
            tensor = np.repeat(self._flowed(state), len(edges), axis=0)
            return np.asarray(np.einsum("ni,nij,nj->n", direction, tensor, direction))

        return Lines(points, direction, strain, residual)

    def _flowed(self, state: State) -> Floats:
        """(element_count, 3, 3): sum of the strains of all parts but the first."""
        found = np.zeros((len(self.corner), 3, 3))
        if self.parts:
            internal = state.blocks[f"{self.name}.internal"].reshape(len(self.corner), self.kind.measures, self.parts).sum(axis=2)
            pairs = (
                ((0, 0), (1, 1), (0, 1)) if self.kind.code == DEVIATORIC_2D else ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))
            )
            for m, (i, j) in enumerate(pairs):
                found[:, i, j] = found[:, j, i] = internal[:, m]
        return found

    def blame(self, state: State) -> tuple[str, str] | None:
        if not self.variables:
            return None
        bad = np.flatnonzero(~np.isfinite(state.blocks[f"{self.name}.internal"]))
        if not bad.size:
            return None
        element = int(bad[0]) // (self.kind.measures * self.parts)
        body = int(np.searchsorted(self.first_point, self.corner[element, 0], side="right")) - 1
        points = ", ".join(str(p - self.first_point[body]) for p in self.corner[element].astype(int))
        return self.bodies[body], f"{self.name} of points {points}"


def _scratch(parts: int) -> kernels.Measured:
    rows = 3 * MOST_CORNERS * MOST_MEASURES
    sizes = (MOST_MEASURES, MOST_MEASURES, rows, rows, MOST_MEASURES, MOST_MEASURES * max(parts, 1), 9, 9, 9, 9, 9, 9)
    return kernels.Measured(*(np.zeros(size) for size in sizes))


def _strength(a: Floats, b: Floats, step: Floats) -> Floats:
    """What they do together in a step of that size, if several laws are compared; else the modulus, or the viscosity without one."""
    return np.where(np.isfinite(step), joint_strength(a, b, step), np.where(a > 0.0, a, b))


def _kinds(group: Group, step: float) -> Kinds:
    """Of every different law."""
    found = []
    for law in dict.fromkeys(group.laws[n] for n in np.unique(group.law)):
        strength = float(_strength(np.array(law.a), np.array(law.b), np.array(step)))
        if strength > 0.0:
            found.append((strength, _response(law)))
    return tuple(found)


def _response(law: Series) -> Response:
    return series_response(law.a, law.b, np.array(law.phi), np.array(law.kappa))
