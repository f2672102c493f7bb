"""Cavity pressures of bodies as a force term."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from types import ModuleType
from typing import ClassVar, NamedTuple

import numpy as np

from yawara.core.contribution import Contribution
from yawara.core.geometry import outline
from yawara.core.model import Model
from yawara.core.piece import Piece, Request
from yawara.core.response import voigt_response
from yawara.core.state import State
from yawara.core.term import ForceTerm, Team
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.records import Bound
from yawara.terms.cavity import kernels

COST = 6.0  # [ns], of a face


class CavityPressure(ForceTerm):
    name = "cavity"
    kernels: ClassVar[ModuleType] = kernels
    tangent = ("slope", "bears")

    def __init__(self, faces: Sequence[Words], rows: Floats, bodies: Sequence[tuple[float, float]], names: Sequence[str]) -> None:
        """Of each surface its faces and (dimension, centre, content at rest, stiffness, damping); (stiffness, damping) of each body;

        names of the bodies with surfaces.
        """
        self.corner = np.concatenate(faces).astype(np.uint32).ravel()
        self.face = np.append(0, np.cumsum([len(one) for one in faces])).astype(np.uint32)
        self.dimension, self.centre = rows[:, 0].astype(np.int64), np.ascontiguousarray(rows[:, 1:4]).ravel()
        self.rest, self.stiffness, self.damping = (np.ascontiguousarray(rows[:, n]) for n in (4, 5, 6))
        self.bodies, self.names = bodies, names

    @classmethod
    def build(cls, request: Request) -> "list[CavityPressure]":
        found = [(piece, *_strength(piece)) for piece in request.pieces]
        under = [(piece, k, c) for piece, k, c in found if k > 0.0 or c > 0.0]
        if not under:
            return []
        rows = [
            (
                piece.geometry.dimension,
                *(piece.geometry.position.mean(axis=0) + piece.body.origin),
                piece.geometry.rest_size,
                k,
                c,
            )
            for piece, k, c in under
        ]
        faces, names = [_faces(piece) for piece, *_ in under], [piece.name for piece, *_ in under]
        return [cls(faces, np.array(rows, float), [(k, c) for _, k, c in found], names)]

    @classmethod
    def names_of(cls, request: Request) -> list[str]:
        """Of the terms that `build` would make."""
        return [cls.name] if any(any(_strength(piece)) for piece in request.pieces) else []

    def refill(self, request: Request) -> Callable[[], None] | None:
        bodies = [_strength(piece) for piece in request.pieces]
        under = [(piece.name, k, c) for piece, (k, c) in zip(request.pieces, bodies, strict=True) if k > 0.0 or c > 0.0]
        if [name for name, *_ in under] != list(self.names):
            return None

        def write() -> None:
            self.bodies = bodies
            self.stiffness[:], self.damping[:] = np.array([row[1:] for row in under]).T

        return write

    def cost(self, point_count: int) -> Floats:
        return COST * np.bincount(self.corner[::3], minlength=point_count).astype(float)

    def _cut(self, team: Team) -> list[int]:
        return [int(cut) for cut in np.linspace(0, int(self.face[-1]), team.threads + 1).round()]

    def shares(self, team: Team) -> Sequence[NamedTuple]:
        cut, surfaces = self._cut(team), len(self.rest)
        partial, (slope, bears, noted) = np.zeros(2 * team.threads * surfaces), np.zeros((3, surfaces))
        common = (self.corner, self.face, self.dimension, self.centre, self.rest, self.stiffness, self.damping)
        return [
            kernels.Arrays(*common, cut[me], cut[me + 1], partial, slope, bears, noted, team.tally[me])
            for me in range(team.threads)
        ]

    def reach(self, team: Team) -> Sequence[Indices]:
        cut = self._cut(team)
        return [self.corner[3 * a : 3 * b] for a, b in pairwise(cut)]

    @property
    def rank(self) -> int:  # type: ignore[override]
        return len(self.rest)

    def stress(self, model: Model, record: Bound, state: State) -> Floats:
        """The same in the whole body; a flat one is under plane stress."""
        total = np.zeros((model.point_count, 6))
        for name, tension in zip(self.names, record.values["noted"], strict=True):
            body = model.body(name)
            flat, thickness = body.dimension == 2, float(body.share.sum()) / body.rest_size
            total[body.points] += (
                tension * np.array([1, 1, 0, 0, 0, 0]) / thickness if flat else tension * np.array([1, 1, 1, 0, 0, 0])
            )
        return total

    def contributions(self, steps: Sequence[float]) -> Sequence[Contribution]:
        slope = np.where(self.stiffness > 0.0, self.stiffness, self.damping)
        kinds = tuple(((k or c, voigt_response(k, c)),) if k or c else () for k, c in self.bodies)
        return [Contribution({"slope": slope, "bears": np.zeros(len(slope))}, kinds)]


def _strength(piece: Piece) -> tuple[float, float]:
    """k_vol and c_vol: p = -K (V - V0)/V0, and in a flat body a force per length, p times the thickness."""
    volume, unit = piece.body.volume, piece.geometry.thickness / piece.geometry.rest_size
    return (volume.cavity * unit, volume.cavity_damping * unit) if volume else (0.0, 0.0)


def _faces(piece: Piece) -> Words:
    geometry = piece.geometry
    if geometry.dimension != 3:
        return outline(geometry.elements)[:, [0, 1, 1]] + piece.offset
    return (geometry.triangles if geometry.closed is None else geometry.closed) + piece.offset
