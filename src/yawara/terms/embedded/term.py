"""Embedded nodes of all bodies as a term: they bear no force of their own."""

from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.sparse import coo_array, csr_array

from yawara.core.contribution import Contribution
from yawara.core.geometry import EmbeddedNodes
from yawara.core.piece import Piece, Request
from yawara.core.term import ForceTerm, Team
from yawara.kernels.kinds import Floats, Indices
from yawara.terms.embedded import kernels

COST = 8.0  # [ns], of a node


class Embedded(ForceTerm):
    name = "embedded"
    kernels: ClassVar[ModuleType] = kernels
    order = 90  # after all forces
    hands_on = True
    depends_on_numbers = False

    def contributions(self, steps: Sequence[float]) -> Sequence[Contribution]:
        return ()

    def __init__(self, node: Indices, first: Indices, host: Indices, weight: Floats, working: int) -> None:
        self.node, self.first, self.host, self.weight, self.working = node, first, host, weight, working

    @classmethod
    def build(cls, request: Request) -> "list[Embedded]":
        node, host, weight, count, working = [], [], [], [], 0
        for wanted in (True, False):  # those at work first
            for piece in request.pieces:
                for place, kind in _kinds(piece):
                    if kind.working is wanted:
                        node.append(place + np.arange(len(kind.host)))
                        host.append((kind.host + piece.offset).ravel())
                        weight.append(kind.weight.ravel())
                        count.append(np.full(len(kind.host), kind.host.shape[1]))
                        working += len(kind.host) if wanted else 0
        if not node:
            return []
        nodes, hosts, counts = (np.concatenate(parts).astype(np.uint32) for parts in (node, host, count))
        return [cls(nodes, np.append(0, np.cumsum(counts)).astype(np.uint32), hosts, np.concatenate(weight), working)]

    def refill(self, request: Request) -> Callable[[], None]:
        return lambda: None  # places are all it has

    def cost(self, point_count: int) -> Floats:
        return COST * np.bincount(self.node[: self.working], minlength=point_count).astype(float)

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        cut = np.linspace(0, len(self.node), team.threads + 1).round().astype(int)
        common = (self.node, self.first, self.host, self.weight, self.working)
        return [kernels.Arrays(*common, int(cut[me]), int(cut[me + 1]), team.tally[me]) for me in range(team.threads)]

    def carriers(self, point_count: int) -> csr_array:
        rows = np.repeat(self.node, np.diff(self.first).astype(int))
        return csr_array(coo_array((self.weight, (rows, self.host)), shape=(point_count, point_count)))


def _kinds(piece: Piece) -> Iterator[tuple[int, EmbeddedNodes]]:
    """(place of its first node, kind) of each kind of embedded nodes."""
    place = piece.offset + len(piece.geometry.position)
    for kind in piece.geometry.embedded:
        yield place, kind
        place += len(kind.host)
