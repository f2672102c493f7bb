"""Linear elements of all bodies as force terms, one for each kind of elements."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from types import ModuleType
from typing import Any, ClassVar, NamedTuple

import numpy as np

from yawara.core.contribution import Contribution
from yawara.core.lines import Lines
from yawara.core.model import Model
from yawara.core.piece import Request
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team, Variable
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.terms.linear_elements import kernels
from yawara.terms.linear_elements.bounds import contributions, reference_step
from yawara.terms.linear_elements.constants import MOST_STRAINS, Kind
from yawara.terms.linear_elements.groups import Group, group_of
from yawara.terms.linear_elements.packing import pack
from yawara.terms.linear_elements.tensors import at_rest, sigma


class LinearElements(ForceTerm):
    kernels: ClassVar[ModuleType] = kernels
    tangent = ("slope",)

    def __init__(self, kind: Kind, groups: Sequence[Group | None], bodies: Sequence[str], first_point: Words) -> None:
        """One group for each body, or none; names and first points of all bodies."""
        self.kind, self.groups, self.bodies, self.first_point = kind, groups, bodies, first_point
        self.name, self.packed = kind.name, pack(kind, groups)

    @property
    def arms(self) -> int:
        return self.packed.arms

    @property
    def variables(self) -> Mapping[str, Variable]:
        count = len(self.packed.corner) * self.kind.strains * self.arms
        return {"internal": Variable("1", (count,))} if count else {}

    @property
    def nbytes(self) -> int:
        return self.packed.nbytes + 8 * len(self.packed.corner) * self.kind.strains * self.arms

    def cost(self, point_count: int) -> Floats:
        each = COST[self.kind.name] + COST_OF_ARM * self.kind.strains * self.arms
        return each * np.bincount(self.packed.lowest, minlength=point_count).astype(float)

    def _cut(self, team: Team) -> Words:
        return np.searchsorted(self.packed.lowest, team.first_point).astype(np.int64)

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        packed, kind, cut, none = self.packed, self.kind, self._cut(team), np.zeros(0)
        count = len(packed.corner)
        slope = np.zeros(kind.laws * count if team.needs_tangent else 0)
        noted = np.zeros(kind.strains * count if team.notes else 0)
        rates = np.zeros(2 * kind.strains * count if team.account and team.one_stage and team.is_touched else 0)
        common: tuple[Any, ...] = (
            kind.corners, kind.strains, kind.laws, kind.slots, self.arms, packed.corner.ravel(), packed.gradient.ravel(), packed.volume,
            *packed.law,
        )  # fmt: skip
        return [
            kernels.Arrays(
                *common,
                int(cut[me]),
                int(cut[me + 1]),
                none,
                none,
                none,
                _scratch(self.arms),
                rates,
                slope,
                noted,
                team.tally[me],
            )
            for me in range(team.threads)
        ]

    def reach(self, team: Team) -> Sequence[Indices]:
        return [self.packed.corner[a:b].ravel() for a, b in pairwise(self._cut(team))]

    def stencils(self, point_count: int) -> Sequence[Words]:
        return [self.packed.corner.astype(np.int64)]

    def refill(self, request: Request) -> Callable[[], None] | None:
        groups = [_of_kind(self.kind, group_of(piece)) for piece in request.pieces]
        if [group is None for group in groups] != [group is None for group in self.groups]:
            return None
        fresh = pack(self.kind, groups)
        if fresh.arms != self.arms or not fresh.same_elements(self.packed):
            return None

        def write() -> None:
            self.groups = groups
            self.packed.take(fresh)

        return write

    def reference_steps(self, inverse_mass: Floats) -> Sequence[float]:
        return [reference_step(group, inverse_mass) for group in self.groups]

    def contributions(self, steps: Sequence[float]) -> Sequence[Contribution]:
        return contributions(self.groups, steps)

    def stress(self, model: Model, record: Bound, state: State) -> Floats:
        """Of the elements around each point, by their volumes."""
        packed, corner = self.packed, self.packed.corner.astype(np.int64)
        noted = record.values["noted"].reshape(-1, self.kind.strains)
        each = sigma(self.kind, noted, packed.gradient, keeps_thickness=packed.keeps_thickness)
        points, corners = corner.ravel(), self.kind.corners
        around = np.bincount(points, np.repeat(packed.volume, corners), minlength=model.point_count)
        columns = np.repeat(each * packed.volume[:, None], corners, axis=0).T
        sums = np.stack([np.bincount(points, one, minlength=model.point_count) for one in columns], axis=1)
        return np.divide(sums, around[:, None], out=np.zeros_like(sums), where=around[:, None] > 0.0)

    def lines(self, rest_position: Floats) -> Lines:
        """Edges of elements; strains are those that elements feel, n . (x1 - x0)/l0 - 1 in the world frame."""
        edges = np.array(list(combinations(range(self.kind.corners), 2)))
        points = self.packed.corner.astype(np.int64)[:, edges].reshape(-1, 2)
        way = rest_position[points[:, 1]] - rest_position[points[:, 0]]
        rest = np.linalg.norm(way, axis=1)
        direction = way / rest[:, None]

        def strain(state: State) -> Floats:
            now = state.position[points[:, 1]] - state.position[points[:, 0]]
            return np.asarray((now * direction).sum(axis=1) / rest - 1.0)

        def residual(state: State) -> Floats:
            tensor = np.repeat(self._eased(state), len(edges), axis=0)
            return np.asarray(np.einsum("ni,nij,nj->n", direction, tensor, direction))

        return Lines(points, direction, strain, residual)

    def _eased(self, state: State) -> Floats:
        """(element_count, 3, 3): strain at which each element is without stress now."""
        packed, kind = self.packed, self.kind
        count, arm = len(packed.corner), packed.law.arm.reshape(len(packed.corner), kind.laws, self.arms)
        eased = np.zeros((count, kind.strains))
        if self.arms:
            internal = state.blocks[f"{self.name}.internal"].reshape(count, kind.strains, self.arms)
            eased[:, 0] = (arm[:, 0] * internal[:, 0]).sum(axis=1)
            eased[:, 1:] = (arm[:, -1:] * internal[:, 1:]).sum(axis=2)
        modulus = packed.law.spring.reshape(count, kind.laws) + arm.sum(axis=2)
        return at_rest(kind, modulus, eased, packed.gradient)

    def blame(self, state: State) -> tuple[str, str] | None:
        if not self.variables:
            return None
        bad = np.flatnonzero(~np.isfinite(state.blocks[f"{self.name}.internal"]))
        return self._told(int(bad[0]) // (self.kind.strains * self.arms)) if bad.size else None

    def _told(self, element: int) -> tuple[str, str]:
        corner = self.packed.corner[element].astype(np.int64)
        body = int(np.searchsorted(self.first_point, corner[0], side="right")) - 1
        return self.bodies[body], f"linear element of points {', '.join(str(p - self.first_point[body]) for p in corner)}"

    def wrong(self, state: State) -> Iterator[tuple[str, str]]:
        """An arm that an element has not cannot have moved."""
        if not self.variables:
            return
        internal = state.blocks[f"{self.name}.internal"].reshape(-1, self.kind.strains, self.arms)
        decay = self.packed.law.decay.reshape(-1, self.kind.laws, self.arms)
        idle = np.concatenate([decay[:, :1], np.repeat(decay[:, -1:], self.kind.strains - 1, axis=1)], axis=1) == 0.0
        if (bad := internal[idle & (internal != 0.0)]).size:
            yield "internal", f"must be 0 where an element has no Maxwell arm (got {bad[0]:g})"


COST = {"linear_bars": 40.0, "linear_triangles": 50.0, "linear_tetrahedra": 70.0}  # [ns], of an element
COST_OF_ARM = 5.0  # [ns], of one strain


def _of_kind(kind: Kind, group: Group | None) -> Group | None:
    return group if group is not None and group.kind == kind else None


def _scratch(arms: int) -> kernels.Measured:
    return kernels.Measured(*(np.zeros(MOST_STRAINS * many) for many in (1, 1, 1, max(arms, 1))))


def build(request: Request) -> list[LinearElements]:
    """One term for each kind of elements that bodies have."""
    found, bodies = [group_of(piece) for piece in request.pieces], [piece.name for piece in request.pieces]
    kinds = dict.fromkeys(group.kind for group in found if group is not None)
    return [LinearElements(kind, [_of_kind(kind, one) for one in found], bodies, request.first_points) for kind in kinds]


def names(request: Request) -> list[str]:
    """Of the terms that `build` would make."""
    return list(dict.fromkeys(group.kind.name for piece in request.pieces if (group := group_of(piece)) is not None))
