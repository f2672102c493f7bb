"""Elements that keep their shapes as a force term: what the core asks of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np

from yawara.core.lines import Lines
from yawara.core.model import Model
from yawara.core.piece import Request
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team, Variable
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.kernels.rotation import WORK
from yawara.terms.polyhedra import kernels
from yawara.terms.polyhedra.elements import Elements, group_of, pack

COST, COST_OF_CORNER = 60.0, 20.0  # [ns], of an element
UNIT = 1e-6  # by how much the length of a rotation may differ from 1: runs leave 1e-15


@dataclass(frozen=True)
class Bones:
    """Lines between neighbours of the bodies, along which strains are measured."""

    names: tuple[str, ...]
    first_point: Words  # of each body
    links: Words  # (line_count, 2)


class PolyhedraTerm(ForceTerm):
    name = "polyhedra"
    kernels: ClassVar[ModuleType] = kernels
    tangent = ("spring", "damper", "rotation", "spin", "wheel")

    def __init__(self, elements: Elements, bones: Bones) -> None:
        self.elements, self.bones = elements, bones

    @classmethod
    def build(cls, request: Request) -> "list[PolyhedraTerm]":
        """One term for the elements of all bodies; none if no body has such."""
        found = [(piece, group) for piece in request.pieces if (group := group_of(piece)) is not None]
        if not found:
            return []
        links = [piece.geometry.links[(piece.geometry.links < len(piece.geometry.position)).all(axis=1)] for piece, _ in found]
        bones = Bones(
            tuple(piece.name for piece, _ in found),
            np.array([piece.offset for piece, _ in found], np.int64),
            np.concatenate([one + piece.offset for one, (piece, _) in zip(links, found, strict=True)]).astype(np.int64),
        )
        return [cls(pack([group for _, group in found], request.rest_position), bones)]

    @classmethod
    def names_of(cls, request: Request) -> list[str]:
        """Of the terms that `build` would make."""
        return [cls.name] if any(group_of(piece) is not None for piece in request.pieces) else []

    def refill(self, request: Request) -> Callable[[], None] | None:
        groups = [group for piece in request.pieces if (group := group_of(piece)) is not None]
        if not groups:
            return None
        fresh = pack(groups, request.rest_position)
        if not all(np.array_equal(getattr(fresh, name), getattr(self.elements, name)) for name in ("corner", "first", "shape")):
            return None

        def write() -> None:
            for name in ("shape2", "k", "D", "volume", "way", "passes", "damping"):
                getattr(self.elements, name)[:] = getattr(fresh, name)

        return write

    @property
    def variables(self) -> Mapping[str, Variable]:
        return {"turned": Variable("1", (len(self.elements.k), 4), has_rate=False)}

    @property
    def nbytes(self) -> int:
        return sum(array.nbytes for array in self.elements) + 32 * len(self.elements.k)

    def cost(self, point_count: int) -> Floats:
        each = COST + COST_OF_CORNER * self.elements.corner_count
        return np.bincount(self._lowest, each, minlength=point_count).astype(float)

    @cached_property
    def _lowest(self) -> Indices:
        return self.elements.lowest

    def _cut(self, team: Team) -> Words:
        """First element of each thread."""
        cut = np.searchsorted(self._lowest, team.first_point).astype(np.int64)
        cut[0], cut[-1] = 0, len(self._lowest)
        return cut

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        cut, count = self._cut(team), len(self.elements.k)
        most, held = int(self.elements.corner_count.max()), count if team.needs_tangent else 0
        tangent, noted = [np.zeros(many * held) for many in (1, 1, 4, 6, 6)], np.zeros(6 * count if team.notes else 0)
        return [
            kernels.Arrays(
                *self.elements, int(cut[me]), int(cut[me + 1]), np.zeros(0), np.zeros(3 * most), np.zeros(3 * most), np.zeros(WORK),
                *tangent, noted, team.tally[me],
            )
            for me in range(team.threads)
        ]  # fmt: skip

    def reach(self, team: Team) -> Sequence[Indices]:
        cut = self.elements.first[self._cut(team)].astype(int)
        return [self.elements.corner[a:b] for a, b in pairwise(cut)]

    def stencils(self, point_count: int) -> Sequence[Words]:
        first, corner = self.elements.first.astype(np.int64), self.elements.corner.astype(np.int64)
        count = np.diff(first)
        return [corner[first[:-1][count == many][:, None] + np.arange(many)] for many in np.unique(count)]

    def stress(self, model: Model, record: Bound, state: State) -> Floats:
        """Of the elements around each point, by their volumes at rest."""
        corner, count = self.elements.corner.astype(np.int64), self.elements.corner_count
        weight = np.repeat(self.elements.volume, count)
        around = np.bincount(corner, weight, minlength=model.point_count)
        each = np.repeat(record.values["noted"].reshape(-1, 6), count, axis=0) * weight[:, None]
        sums = np.stack([np.bincount(corner, column, minlength=model.point_count) for column in each.T], axis=1)
        return np.divide(sums, around[:, None], out=np.zeros_like(sums), where=around[:, None] > 0.0)

    def lines(self, rest_position: Floats) -> Lines | None:
        points = self.bones.links
        way = rest_position[points[:, 1]] - rest_position[points[:, 0]]
        rest = np.linalg.norm(way, axis=1)

        def strain(state: State) -> Floats:
            now = state.position[points[:, 1]] - state.position[points[:, 0]]
            return np.asarray(np.linalg.norm(now, axis=1) / rest - 1.0)

        return Lines(points, way / rest[:, None], strain, lambda state: np.zeros(len(points)))

    def blame(self, state: State) -> tuple[str, str] | None:
        bad = np.flatnonzero(~np.isfinite(state.blocks[f"{self.name}.turned"]).all(axis=1))
        return self._told(int(bad[0])) if bad.size else None

    def _told(self, element: int) -> tuple[str, str]:
        bones, a, b = self.bones, *(int(n) for n in self.elements.first[element : element + 2])
        body = int(np.searchsorted(bones.first_point, self._lowest[element], side="right")) - 1
        points = self.elements.corner[a:b].astype(np.int64) - bones.first_point[body]
        return bones.names[body], f"element with the points {', '.join(map(str, points))}"

    def wrong(self, state: State) -> Iterator[tuple[str, str]]:
        turned = state.blocks[f"{self.name}.turned"]
        size = np.linalg.norm(turned + np.array([1.0, 0.0, 0.0, 0.0]), axis=1)
        if not (np.abs(size - 1.0) <= UNIT).all():
            yield (
                "turned",
                f"must hold rotations, quaternions of length 1 less (1, 0, 0, 0) (got a length of {size[np.abs(size - 1.0).argmax()]:g})",
            )
