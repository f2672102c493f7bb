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

    def __init__(self, hosts: csr_array) -> None:
        """(point_count, point_count): weights of the hosts, in the rows of the nodes."""
        self._hosts = hosts
        self.take_reached(np.zeros(0, np.uint32))

    @classmethod
    def build(cls, request: Request) -> "list[Embedded]":
        kinds = [(piece.offset, place, kind) for piece in request.pieces for place, kind in _kinds(piece)]
        if not kinds:
            return []
        node = np.concatenate([np.repeat(place + np.arange(len(kind.host)), kind.host.shape[1]) for _, place, kind in kinds])
        host = np.concatenate([(kind.host + offset).ravel() for offset, _, kind in kinds])
        weight = np.concatenate([kind.weight.ravel() for _, _, kind in kinds])
        return [cls(csr_array(coo_array((weight, (node, host)), shape=(request.point_count, request.point_count))))]

    def take_reached(self, points: Indices) -> None:
        """Nodes that somebody pushes come first: they follow at every stage of a step."""
        counts = np.diff(self._hosts.indptr)
        nodes = np.flatnonzero(counts)
        pushed = np.isin(nodes, points)
        nodes, self.working = np.concatenate([nodes[pushed], nodes[~pushed]]), int(pushed.sum())
        rows = self._hosts[nodes]
        self.node, self.first = nodes.astype(np.uint32), rows.indptr.astype(np.uint32)
        self.host, self.weight = rows.indices.astype(np.uint32), rows.data

    def refill(self, request: Request) -> Callable[[], None]:
        return lambda: None  # places are all it has

    def cost(self, point_count: int) -> Floats:
        return COST * np.bincount(self.node[: self.working], minlength=point_count).astype(float)

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        cut = np.linspace(0, len(self.node), team.threads + 1).round().astype(int)
        common = (self.node, self.first, self.host, self.weight, self.working)
        return [kernels.Arrays(*common, int(cut[me]), int(cut[me + 1]), team.tally[me]) for me in range(team.threads)]

    def carriers(self, point_count: int) -> csr_array:
        return self._hosts


def _kinds(piece: Piece) -> Iterator[tuple[int, EmbeddedNodes]]:
    """(place of its first node, kind) of each kind of embedded nodes."""
    place = piece.offset + len(piece.geometry.position)
    for kind in piece.geometry.embedded:
        yield place, kind
        place += len(kind.host)
