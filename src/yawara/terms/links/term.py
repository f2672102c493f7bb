"""Links of all bodies as a force term: what the core asks of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from yawara.core.averaging import CellAverages
from yawara.core.contribution import Contribution
from yawara.core.lines import SIX, Lines
from yawara.core.model import Model
from yawara.core.piece import Request
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team, Variable
from yawara.kernels.aligned import zeros
from yawara.kernels.entries import Kernel
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.laws.block import Block, law_kernels
from yawara.terms.links import kernels
from yawara.terms.links.bounds import PackedLinks, contribution, reference_step
from yawara.terms.links.groups import families_of, tie_groups
from yawara.terms.links.pack import Family, LinkGroup, Packed

COST = 3.5  # [ns], of a link


@dataclass(frozen=True)
class BodyLinks:
    """Where the links of a body are."""

    name: str
    offset: int  # its first point
    own: PackedLinks
    numbers: tuple[Words, ...]  # of each group's links, in the body's own order
    ties: PackedLinks


class Links(ForceTerm):
    name = "links"
    kernels: ClassVar[ModuleType] = kernels
    tangent = ("slope", "transverse")

    def __init__(self, packed: Packed, bodies: Sequence[BodyLinks]) -> None:
        self.packed, self.bodies = packed, tuple(bodies)
        self._found_points: list[tuple[Indices, Words, csr_array]] | None = None

    @property
    def variables(self) -> Mapping[str, Variable]:
        return {"internal": Variable("m", (self.packed.internal_count,))}

    @cached_property
    def law_kernels(self) -> tuple[tuple[Kernel, ...], ...]:
        """Of each family: tension, energy, implicit."""
        return tuple(law_kernels(family) for family in self.packed.families)

    @property
    def kernels_used(self) -> Sequence[Kernel]:
        return [kernel for family in self.law_kernels for kernel in family]

    @cached_property
    def stiffens(self) -> bool:  # type: ignore[override]
        return any(getattr(family, "STIFFENS", False) for family in self.packed.families)

    def phases(self) -> Iterable[str]:
        return [name for name in super().phases() if self.stiffens or name != "look_around"]

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.packed.arrays) + 8 * self.packed.internal_count

    def cost(self, point_count: int) -> Floats:
        arrays = self.packed.arrays
        return COST * np.bincount(arrays.run_point, arrays.run_length, minlength=point_count).astype(float)

    def refill(self, request: Request) -> Callable[[], None] | None:
        """Bodies have the same shapes: links are others only if regions have come to share a law, or have parted."""
        bodies = []
        for body, piece in zip(self.bodies, request.pieces, strict=True):
            own, ties = families_of(piece), tie_groups(piece)
            known = len(own) == len(body.numbers) and all(map(np.array_equal, body.numbers, (one.number for one in own)))
            if not (known and _alike(body.own, own) and _alike(body.ties, ties)):
                return None
            bodies.append(replace(body, own=_with(body.own, own), ties=_with(body.ties, ties)))
        values = [(place, group.coefficient) for body in bodies for group, place in (*body.own, *body.ties)]

        def write() -> None:
            self.bodies = tuple(bodies)
            for place, columns in values:
                place.fill(self.packed.arrays.coefficient, columns)

        return write

    def _cut(self, team: Team) -> Words:
        """First block of each thread: blocks are in the order of their first points."""
        arrays = self.packed.arrays
        first_point = arrays.run_point[arrays.block_run[:-1]]
        cut = np.searchsorted(first_point, team.first_point).astype(np.int64)
        cut[0], cut[-1] = 0, len(first_point)
        return cut

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        packed, cut = self.packed, self._cut(team)
        slots, none = len(packed.arrays.start), np.zeros(0)
        noted = np.zeros(slots if team.notes else 0)
        tangent = [np.zeros(slots if team.needs_tangent else 0) for _ in self.tangent]
        rates = np.zeros(2 * slots if team.account and team.one_stage and team.is_touched else 0)
        addresses = (np.array([kernel.address for kernel in column], np.int64) for column in zip(*self.law_kernels, strict=True))
        tension, energy, implicit = addresses
        return [
            kernels.Arrays(
                *packed.arrays,
                tension,
                energy,
                implicit,
                int(cut[me]),
                int(cut[me + 1]),
                none,
                none,
                none,
                zeros(4 * packed.largest_block),
                self._new_block(),
                rates,
                *tangent,
                noted,
                team.tally[me],
            )
            for me in range(team.threads)
        ]

    def _new_block(self) -> Block:
        """Scratch of a thread."""
        size, none = self.packed.largest_block, np.zeros(0)
        length2, stretching, factor, slope, damper = (zeros(size) for _ in range(5))
        rates = zeros(size * self.packed.most_parts)
        return Block(
            self.packed.arrays.coefficient, none, length2, stretching, factor, rates, slope, damper, 0, 0, 0, 0, 0, *(0.0,) * 4
        )

    def reach(self, team: Team) -> Sequence[Indices]:
        arrays, cut = self.packed.arrays, self._cut(team)
        slots = arrays.block_slot[cut].astype(int)
        return [np.concatenate([ends[a:b] for ends in (arrays.start, arrays.end)]) for a, b in pairwise(slots)]

    def stencils(self, point_count: int) -> Sequence[Words]:
        return [np.stack([self.packed.arrays.start, self.packed.arrays.end], axis=1).astype(np.int64)]

    def reference_steps(self, inverse_mass: Floats) -> Sequence[float]:
        return [reference_step([group for group, _ in body.own], inverse_mass) for body in self.bodies]

    def contributions(self, steps: Sequence[float]) -> Sequence[Contribution]:
        slots = len(self.packed.arrays.start)
        found = [contribution(slots, [body.own for body in self.bodies], steps)]
        if any(body.ties for body in self.bodies):
            found.append(contribution(slots, [body.ties for body in self.bodies], steps, across=True))
        return found

    def stress(self, model: Model, record: Bound, state: State) -> Floats:
        """f l n n of every link, shared by the cells around it."""
        noted, total = record.values["noted"], np.zeros((model.point_count, 6))
        for slot, points, to_points in self._to_points(model):
            way = state.position[points[:, 1]] - state.position[points[:, 0]]
            total += to_points @ (noted[slot][:, None] * way[:, SIX[0]] * way[:, SIX[1]])
        return total

    def _to_points(self, model: Model) -> "list[tuple[Indices, Words, csr_array]]":
        """Of each body: slots of its links, their ends, and what brings what they bear to the points."""
        if self._found_points is None:
            self._found_points = []
            carriers = [found for term in model.terms if (found := term.carriers(model.point_count)) is not None]
            for body in self.bodies:
                if body.own:
                    points = np.concatenate([group.links for group, _ in body.own]).astype(np.int64)
                    slot = np.concatenate([packed.slot for _, packed in body.own])
                    averages = CellAverages(model.body(body.name), model.rest_position, carriers)
                    self._found_points.append((slot, points, averages.from_lines(points)))
        return self._found_points

    def lines(self, rest_position: Floats) -> Lines | None:
        """Of all links but ties."""
        points = np.concatenate([group.links for body in self.bodies for group, _ in body.own]).astype(np.int64)
        way = rest_position[points[:, 1]] - rest_position[points[:, 0]]
        rest = np.linalg.norm(way, axis=1)

        def strain(state: State) -> Floats:
            now = state.position[points[:, 1]] - state.position[points[:, 0]]
            return np.asarray(np.linalg.norm(now, axis=1) / rest - 1.0)

        def residual(state: State) -> Floats:
            internal = state.blocks[f"{self.name}.internal"]
            own = [pair for body in self.bodies for pair in body.own]
            return np.concatenate([group.family.residual(group.column, internal[packed.place]) for group, packed in own]) / rest

        return Lines(points, way / rest[:, None], strain, residual)

    def blame(self, state: State) -> tuple[str, str] | None:
        internal = state.blocks[f"{self.name}.internal"]
        for body in self.bodies:
            for (group, packed), number in zip(body.own, body.numbers, strict=True):
                bad = np.flatnonzero(~np.isfinite(internal[packed.place]).all(axis=0))
                if bad.size:
                    a, b = (int(point) - body.offset for point in group.links[bad[0]])
                    return body.name, f"link {number[bad[0]]} (points {a}, {b})"
        return None


def _alike(old: PackedLinks, new: Sequence[LinkGroup | Family]) -> bool:
    return len(old) == len(new) and all(group.is_like(other) for (group, _), other in zip(old, new, strict=True))


def _with(old: PackedLinks, new: Sequence[LinkGroup | Family]) -> PackedLinks:
    """The same links, where they are, with new numbers."""
    return [(replace(group, column=other.column), place) for (group, place), other in zip(old, new, strict=True)]
