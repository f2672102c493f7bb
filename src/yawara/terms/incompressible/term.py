"""Constraints of volume as a force term: what the core asks of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np

from yawara.core.contribution import Contribution, Vibration
from yawara.core.control import Control
from yawara.core.model import Model
from yawara.core.piece import Request
from yawara.core.response import voigt_response
from yawara.core.stages import SEMI_IMPLICIT
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team, Variable
from yawara.core.threads import LINE, SUMS
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.meshes.facets import cell_sizes
from yawara.status import StepStatus
from yawara.terms.incompressible import kernels
from yawara.terms.incompressible.arrays import COUNTS, MISSED, OFF, SYSTEMS
from yawara.terms.incompressible.groups import Group, group_of
from yawara.terms.incompressible.locking import freedom_of, told
from yawara.terms.incompressible.pattern import Pattern, pattern_of, rest_volumes

COST_OF_ELEMENT, COST_OF_ENTRY = 40.0, 8.0  # [ns]: of a stage; of a step of conjugate residuals
USUAL = 8.0  # such steps
OFTEN, DRIFTED = (
    0.5,
    0.02,
)  # of a call's systems that were not solved; of a volume: beyond both, constraints contradict each other
# w dt, if w is not given: Runge's and Kutta's scheme, and explicit Euler, follow the decay well up to 1. Semi-implicit Euler has the roots
# of z^2 - (2 - 2 p - p^2) z + 1 - 2 p, p = w dt, of which none is negative up to 1/2: beyond, volumes swing from step to step.
PER_STEP, PER_SEMI_IMPLICIT_STEP = 1.0, 0.5


class ConstantVolume(ForceTerm):
    name = "incompressible"
    kernels: ClassVar[ModuleType] = kernels
    account = "incompressible"
    tangent = ("slope", "bears")
    meetings = 30  # five, and three for each iteration

    def __init__(self, groups: Sequence[Group], pers: Sequence[str], point_count: int) -> None:
        """Groups of the bodies that keep their volumes, and of what they do."""
        self.groups, self.pers = groups, pers
        self.pattern: Pattern = pattern_of(groups, point_count)
        self.rest, self.rate = rest_volumes(groups), _rates(groups)

    @classmethod
    def build(cls, request: Request) -> "list[ConstantVolume]":
        """One term for all bodies, whose pressures are found together; none if no body asks."""
        groups = _groups(request)
        return [cls(groups, _pers(request), request.point_count)] if groups else []

    @classmethod
    def names_of(cls, request: Request) -> list[str]:
        """Of the terms that `build` would make."""
        return [cls.name] if any(piece.body.incompressible and len(piece.geometry.elements) for piece in request.pieces) else []

    def refill(self, request: Request) -> Callable[[], None] | None:
        groups = _groups(request)
        if [group.name for group in groups] != [group.name for group in self.groups] or _pers(request) != self.pers:
            return None

        def write() -> None:
            self.groups, self.rate[:] = groups, _rates(groups)

        return write

    @property
    def variables(self) -> Mapping[str, Variable]:
        count = self.pattern.constraint_count
        return {
            "pressure": Variable("Pa", (count,), has_rate=False),
            "unforeseen": Variable("m^3/s^2, m^3/s", (count, 2), has_rate=False),
        }

    @property
    def nbytes(self) -> int:
        pattern = self.pattern
        entries, elements = len(pattern.entry_row), pattern.element_count
        return sum(one.nbytes for one in pattern) + 8 * (3 * entries + 15 * elements + 11 * pattern.constraint_count)

    def cost(self, point_count: int) -> Floats:
        pattern = self.pattern
        elements = np.bincount(pattern.corner[::4], minlength=point_count)
        entries = np.bincount(pattern.entry_point, minlength=point_count)
        cost: Floats = COST_OF_ELEMENT * elements + USUAL * COST_OF_ENTRY * entries
        return cost

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        pattern, count, none = self.pattern, self.pattern.constraint_count, np.zeros(0)
        element = np.linspace(0, pattern.element_count, team.threads + 1).round().astype(int)
        row = self._cut(team.threads)
        elements, entries = pattern.element_count, len(pattern.entry_row)
        stage = [np.zeros(size) for size in (elements, elements, elements, 12 * elements, 3 * entries, count, count, count)]
        points = [np.zeros(4 * team.point_count) for _ in range(2)]
        solver = [*(np.zeros(count) for _ in range(5)), np.zeros(SUMS * team.threads * LINE), np.zeros(COUNTS)]
        solver += [np.zeros(count if team.needs_tangent else 0) for _ in range(2)]
        per_step = PER_SEMI_IMPLICIT_STEP if team.first_kind == SEMI_IMPLICIT else PER_STEP
        foresees = int(team.is_touched and team.one_stage)
        return [
            kernels.Arrays(
                *pattern, self.rest, self.rate, per_step, foresees, int(element[me]), int(element[me + 1]), int(row[me]),
                int(row[me + 1]), *stage, *points, *solver, none, none, team.tally[me],
            )
            for me in range(team.threads)
        ]  # fmt: skip

    def _cut(self, threads: int) -> Words:
        """First constraint of each thread, so that all have about as many entries."""
        row = self.pattern.row.astype(np.int64)
        cut = np.searchsorted(row, np.linspace(0, row[-1], threads + 1))
        cut[0], cut[-1] = 0, self.pattern.constraint_count
        return cut

    def forget_trouble(self, records: Sequence[Bound]) -> None:
        records[0].values["counts"][:] = 0.0

    def fault(self, records: Sequence[Bound]) -> StepStatus | None:
        """Pressures that could not be found, and volumes that are off by much."""
        counts = records[0].values["counts"]
        contradicted = counts[MISSED] > OFTEN * counts[SYSTEMS] and counts[OFF] > DRIFTED
        return StepStatus.CONTRADICTED if contradicted else None

    def reach(self, team: Team) -> Sequence[Indices]:
        """In explicit steps none: pressures push own points only, once forces are collected."""
        if not team.needs_tangent:
            return super().reach(team)
        cut = self.pattern.row[self._cut(team.threads)].astype(int)
        return [self.pattern.entry_point[a:b] for a, b in pairwise(cut)]

    def stencils(self, point_count: int) -> Sequence[Words]:
        return []  # none in the tangent of bodies

    def contributions(self, steps: Sequence[float]) -> Sequence[Contribution]:
        return []

    def widen(self, vibrations: Sequence[Vibration]) -> Sequence[Vibration]:
        """A given rate is a vibration of its own: R'' = -w^2 R - 2 w R'."""
        rates = sorted({group.rate for group in self.groups if group.rate > 0.0})
        return [*vibrations, *(Vibration(((voigt_response(w * w, 2.0 * w), 1.0),)) for w in rates)]

    def notices(self, model: Model, control: Control) -> Iterator[str]:
        for group in self.groups:
            freedom = freedom_of(group, model.body(group.name), control, model.rest_position)
            if (what := told(group, freedom)) is not None:
                yield what

    def stress(self, model: Model, record: Bound, state: State) -> Floats:
        """Kirchhoff's, of the elements around each point: minus the pressure times the volume over that at rest; in a flat body's plane."""
        found, first = np.zeros((model.point_count, 6)), 0
        for group in self.groups:
            each = state.blocks[f"{self.name}.pressure"][first + group.of]
            now = group.thickness * cell_sizes(state.position, group.corner)
            corners = group.corner.shape[1]
            around = np.bincount(group.corner.ravel(), np.repeat(group.volume, corners), minlength=model.point_count)
            sums = np.bincount(group.corner.ravel(), np.repeat(-each * now, corners), minlength=model.point_count)
            mean = np.divide(sums, around, out=np.zeros_like(sums), where=around > 0.0)
            found[:, : corners - 1] += mean[:, None]
            first += group.count
        return found

    def blame(self, state: State) -> tuple[str, str] | None:
        bad = np.flatnonzero(~np.isfinite(state.blocks[f"{self.name}.pressure"]))
        if not bad.size:
            return None
        first = np.cumsum([0, *(group.count for group in self.groups)])
        number = int(np.searchsorted(first, bad[0], side="right")) - 1
        return self.groups[number].name, f"volume of {self.pers[number]} {int(bad[0] - first[number])}"


def _groups(request: Request) -> list[Group]:
    return [group for piece in request.pieces if (group := group_of(piece)) is not None]


def _pers(request: Request) -> list[str]:
    asked = [piece.body.incompressible for piece in request.pieces if len(piece.geometry.elements)]
    return [one.per.value for one in asked if one is not None]


def _rates(groups: Sequence[Group]) -> Floats:
    return np.concatenate([np.full(group.count, group.rate) for group in groups])
