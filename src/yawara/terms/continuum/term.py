"""Continuum elements of all bodies as a force term: what the core asks of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np

from yawara.core.control import ControlArrays
from yawara.core.lines import SIX, Lines
from yawara.core.model import Model
from yawara.core.piece import Request
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team, Variable
from yawara.kernels.aligned import zeros
from yawara.kernels.entries import Kernel
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.terms.continuum import corotated, hyperelastic, kernels
from yawara.terms.continuum.arrays import Arrays
from yawara.terms.continuum.block import BLOCK, Block
from yawara.terms.continuum.constants import BECAME, BEGAN, LANES, MOST_COLUMNS, PLANE_STRESS, ROWS
from yawara.terms.continuum.measured_table import set_strain
from yawara.terms.continuum.order import LOOKS, Corners, are_crushed, are_in_order
from yawara.terms.continuum.pack import Group, Packed, groups_of, pack, values_of
from yawara.terms.continuum.tangent import KEPT

COST, COST_OF_ENTRY, COST_OF_BRANCH = 25.0, 2.0, 5.0  # [ns], of a stress point
COST_OF_SHEET = 150.0  # [ns], to find how thick it is, with an energy
COST_OF_GUARD = 3.0  # [ns], of a cell
CORNERS = 4  # entries of a guarded cell
FRESH = 0.5  # of the shortest relaxation time: internal variables that move by their rates need smaller steps

COROTATED, HYPERELASTIC = (Kernel(module.stress, (BLOCK,), by_address=True) for module in (corotated, hyperelastic))
LAW_KERNELS: dict[object, Kernel] = {corotated: COROTATED, hyperelastic: HYPERELASTIC}


@dataclass(frozen=True)
class Bones:
    """Lines between neighbours of the bodies, along which strains are measured."""

    names: tuple[str, ...]
    first_point: Words  # of each body
    links: Words  # (line_count, 2)


class ContinuumTerm(ForceTerm):
    name = "continuum"
    kernels: ClassVar[ModuleType] = kernels
    tangent = ("acting",)
    stiffens = True

    def __init__(self, packed: Packed, bones: Bones, corners: Sequence[Corners]) -> None:
        self.packed, self.bones, self.corners = packed, bones, corners
        self.account = "continuum" if any(group.law.takes for group in packed.groups) else ""

    @classmethod
    def build(cls, request: Request) -> "list[ContinuumTerm]":
        """One term for the elements of all bodies; none if no body has such."""
        groups = _groups(request)
        if not groups:
            return []
        pieces = [request.pieces[n] for n in sorted({group.body for group in groups})]
        links = [piece.geometry.links[(piece.geometry.links < len(piece.geometry.position)).all(axis=1)] for piece in pieces]
        bones = Bones(
            tuple(piece.name for piece in pieces),
            np.array([piece.offset for piece in pieces], np.int64),
            np.concatenate([one + piece.offset for one, piece in zip(links, pieces, strict=True)]).astype(np.int64),
        )
        return [cls(pack(groups), bones, [Corners.of(piece) for piece in pieces])]

    @classmethod
    def names_of(cls, request: Request) -> list[str]:
        """Of the terms that `build` would make."""
        return [cls.name] if any(next(groups_of(n, piece), None) for n, piece in enumerate(request.pieces)) else []

    def refill(self, request: Request) -> Callable[[], None] | None:
        groups = _groups(request)
        if not groups:
            return None
        fresh, mine = pack(groups), self.packed
        alike = ("guard_corner", "guard_limit", "guard_live")
        points = ("node", "first", "row", "weight", "volume")
        blocks = ("block_law", "block_parameter", "block_place", "block_branches", "block_values")
        if (
            fresh.kernels != mine.kernels
            or not all(np.array_equal(getattr(fresh.shared, name), getattr(mine.shared, name)) for name in points + blocks)
            or not all(np.array_equal(getattr(fresh.guarded, name), getattr(mine.guarded, name)) for name in alike)
        ):
            return None

        def write() -> None:
            self.packed = Packed(mine.shared, mine.guarded, fresh.groups, mine.slot, mine.kernels, mine.internal_count)
            for name in ("parameter", "lone_stiffness", "lone_viscosity"):
                getattr(mine.shared, name)[:] = getattr(fresh.shared, name)
            for name in ("guard_strength", "guard_softness"):
                getattr(mine.guarded, name)[:] = getattr(fresh.guarded, name)

        return write

    @property
    def kernels_used(self) -> Sequence[Kernel]:
        return [LAW_KERNELS[module] for module in self.packed.kernels]

    @property
    def variables(self) -> Mapping[str, Variable]:
        """`looked`: when it was last looked whether bodies are lost, in steps."""
        crushed, looked = (Variable("1", (count,), has_rate=False) for count in (len(self.corners), 1))
        internal = {"internal": Variable("1", (self.packed.internal_count,))} if self.packed.internal_count else {}
        return {"crushed": crushed, "looked": looked} | internal

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in (*self.packed.shared, *self.packed.guarded)) + 8 * self.packed.internal_count

    @cached_property
    def _first(self) -> Words:
        """First entry of each slot; those of empty ones are where the next begins."""
        return self.packed.shared.first.astype(np.int64)

    @cached_property
    def _lowest(self) -> Words:
        """Lowest point of each block, and of those before it."""
        begin = self._first[:-1:LANES]
        return np.maximum.accumulate(np.minimum.reduceat(self.packed.shared.node.astype(np.int64), begin))

    def cost(self, point_count: int) -> Floats:
        shared = self.packed.shared
        live = shared.block_live.astype(np.int64)
        entries = self._first[LANES::LANES] - self._first[:-1:LANES]
        law = np.array([COST_OF_SHEET if module is hyperelastic else 0.0 for module in self.packed.kernels])[shared.block_law]
        each = (COST + COST_OF_BRANCH * shared.block_branches + law * (shared.block_plane == PLANE_STRESS)) * live
        each += COST_OF_ENTRY * (shared.block_columns - 2) * entries
        # spread over the points that its stress points begin with, so that threads can share a body of few blocks
        slot = np.flatnonzero(np.arange(len(shared.volume)) % LANES < np.repeat(live, LANES))
        found = np.bincount(shared.node[self._first[slot]], (each / live)[slot // LANES], minlength=point_count)
        return found + COST_OF_GUARD * np.bincount(self._guarded.ravel(), minlength=point_count)

    @cached_property
    def _guarded(self) -> Words:
        """Lowest point of each cell that is guarded, (block_count, LANES); empty lanes have one of the block's points."""
        return self.packed.guarded.guard_corner.reshape(-1, LANES, CORNERS).min(axis=2).astype(np.int64)

    def _cut(self, team: Team) -> Words:
        """First block of each thread."""
        return _cut(self._lowest, team)

    def _guard_cut(self, team: Team) -> Words:
        return _cut(self._guarded.min(axis=1, initial=team.point_count), team)

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        packed, cut, cells, none = self.packed, self._cut(team), self._guard_cut(team), np.zeros(0)
        shared = packed.shared
        noted = np.zeros(6 * len(shared.volume) if team.notes else 0)
        kept = KEPT if team.needs_tangent else 0
        address = np.array([kernel.address for kernel in self.kernels_used], np.int64)
        most = max(values_of(group) for group in self.packed.groups)
        return [
            Arrays(
                *shared, *packed.guarded, address, int(cut[me]), int(cut[me + 1]), int(cells[me]), int(cells[me + 1]), zeros(LANES),
                none, none, none, none, none, zeros(8 * MOST_COLUMNS * LANES), zeros(kept),
                Block(zeros(ROWS * LANES), shared.parameter, none, zeros(most * LANES), shared.volume, shared.frame, *[0] * 8, 1.0, 1.0, 0,
                      0.0, 0, *[0.0] * 4),
                np.zeros(1), noted, team.tally[me],
            )
            for me in range(team.threads)
        ]  # fmt: skip

    def reach(self, team: Team) -> Sequence[Indices]:
        entry, corner = self._first[::LANES][self._cut(team)], CORNERS * LANES * self._guard_cut(team)
        node, guarded = self.packed.shared.node, self.packed.guarded.guard_corner
        return [
            np.concatenate([node[a:b], guarded[c:d]]) for (a, b), (c, d) in zip(pairwise(entry), pairwise(corner), strict=True)
        ]

    def begin(self, state: State) -> None:
        state.blocks[f"{self.name}.crushed"][...] = are_crushed(self.corners, state.position)

    def reconsider(self, state: State) -> Callable[[], None] | None:
        """Bodies that are in order again get their own guard, modes and stabiliser; those that are lost a mild guard."""
        crushed, looked = state.blocks[f"{self.name}.crushed"], state.blocks[f"{self.name}.looked"]
        fresh = crushed * (1.0 - are_in_order(self.corners, state.position)) if crushed.any() else crushed.copy()
        if state.step_count >= looked[0] + LOOKS:
            looked[0] = state.step_count
            for n, body in enumerate(self.corners):
                if crushed[n] == 0.0 and body.is_lost(state.position):
                    fresh[n] = BECAME
        if (fresh == crushed).all():
            return None

        def change() -> None:
            crushed[...] = fresh

        return change

    def wrong(self, state: State) -> Iterator[tuple[str, str]]:
        crushed = state.blocks[f"{self.name}.crushed"]
        if not np.isin(crushed, (0.0, BECAME, BEGAN)).all():
            yield "crushed", f"must be 0, {BECAME:g} or {BEGAN:g} (got {crushed[~np.isin(crushed, (0.0, BECAME, BEGAN))][0]:g})"

    def stencils(self, point_count: int) -> Sequence[Words]:
        found = []
        for group in self.packed.groups:
            count, first, node = group.points.count, group.points.first[:-1], group.points.node + group.offset
            found += [node[first[count == many][:, None] + np.arange(many)] for many in np.unique(count)]
        return found

    def largest_step(self, state: State, control: ControlArrays) -> float:
        return FRESH / self._fastest if self._fastest > 0.0 else np.inf

    @property
    def _fastest(self) -> float:
        """[1/s], at which internal variables go after what moves them."""
        return max((group.law.fastest for group in self.packed.groups), default=0.0)

    # ---- fields

    def _to_points(self, values: Floats, point_count: int) -> Floats:
        """Means over the stress points around each point, by their volumes; of values for each slot."""
        total, weight = np.zeros((point_count, values.shape[1])), np.zeros(point_count)
        for group, slot in zip(self.packed.groups, self.packed.slot, strict=True):
            points = group.points
            owner = np.arange(len(points.volume)) if points.lone else np.repeat(np.arange(len(points.volume)), points.count)
            node = (points.node[points.first[:-1]] if points.lone else points.node) + group.offset
            each = points.volume[owner]
            weight += np.bincount(node, each, minlength=point_count)
            found = values[slot][owner] * each[:, None]
            total += np.stack([np.bincount(node, column, minlength=point_count) for column in found.T], axis=1)
        return np.divide(total, weight[:, None], out=np.zeros_like(total), where=weight[:, None] > 0.0)

    def stress(self, model: Model, record: Bound, state: State) -> Floats:
        return self._to_points(record.values["noted"].reshape(-1, 6), model.point_count)

    def lines(self, rest_position: Floats) -> Lines | None:
        points, point_count = self.bones.links, len(rest_position)
        way = rest_position[points[:, 1]] - rest_position[points[:, 0]]
        rest = np.linalg.norm(way, axis=1)
        direction = way / rest[:, None]

        def strain(state: State) -> Floats:
            now = state.position[points[:, 1]] - state.position[points[:, 0]]
            return np.asarray(np.linalg.norm(now, axis=1) / rest - 1.0)

        def residual(state: State) -> Floats:
            tensor = np.zeros((point_count, 3, 3))
            tensor[:, SIX[0], SIX[1]] = tensor[:, SIX[1], SIX[0]] = self._to_points(self._remaining(state), point_count)
            mean = 0.5 * (tensor[points[:, 0]] + tensor[points[:, 1]])
            return np.asarray(np.einsum("ni,nij,nj->n", direction, mean, direction))

        return Lines(points, direction, strain, residual)

    def _remaining(self, state: State) -> Floats:
        """(slot_count, 6): the strain without which shear stress would vanish, of what relaxes and of what flowed."""
        found = np.zeros((len(self.packed.shared.volume), 6))
        for group, slot in zip(self.packed.groups, self.packed.slot, strict=True):
            values, branches = values_of(group), group.law.branches
            if not values:
                continue
            begin = int(self.packed.shared.block_place[slot.min() // LANES])
            count = -(-len(slot) // LANES)
            blocks = state.blocks[f"{self.name}.internal"][begin : begin + count * values * LANES].reshape(count, values, LANES)
            q = blocks[:, : 6 * branches].reshape(count, branches, 6, LANES)
            mine = np.einsum("b,nbml->nlm", group.law.remaining, q).reshape(-1, 6)
            if group.law.flows:
                mine = mine + set_strain(np.swapaxes(blocks[:, -6:], 1, 2).reshape(-1, 6))
            found[slot.min() : slot.min() + count * LANES] = mine
        return found

    def blame(self, state: State) -> tuple[str, str] | None:
        if not self.packed.internal_count:
            return None
        bad = np.flatnonzero(~np.isfinite(state.blocks[f"{self.name}.internal"]))
        return self._told(int(bad[0])) if bad.size else None

    def _told(self, number: int) -> tuple[str, str]:
        shared, bones = self.packed.shared, self.bones
        block = int(np.searchsorted(shared.block_place, number, side="right")) - 1
        slot = LANES * block + (number - int(shared.block_place[block])) % LANES
        node = shared.node[self._first[slot] : self._first[slot + 1]].astype(np.int64)
        body = int(np.searchsorted(bones.first_point, node[0], side="right")) - 1
        group = next(group for group, slots in zip(self.packed.groups, self.packed.slot, strict=True) if slot in slots)
        shown = node[:1] if group.points.lone else node
        points = ", ".join(str(p - bones.first_point[body]) for p in shown)
        return bones.names[body], f"element at point {points}" if group.points.lone else f"element with the points {points}"


def _cut(lowest: Words, team: Team) -> Words:
    """First block of each thread, by the lowest point of each block and those before it."""
    cut = np.searchsorted(np.maximum.accumulate(lowest), team.first_point).astype(np.int64)
    cut[0], cut[-1] = 0, len(lowest)
    return cut


def _groups(request: Request) -> list[Group]:
    return [group for n, piece in enumerate(request.pieces) for group in groups_of(n, piece)]
