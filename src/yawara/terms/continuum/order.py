"""Whether the cells of bodies are in order.

What keeps cells from turning inside out must be high for a body that is pressed to a tenth. For one that begins crushed, inside out or with
its points anywhere it must be mild: rings of cells that have unfolded twice around an edge must turn cells inside out to come apart. So a
body that is CRUSHED when a run begins has a mild guard until it is in order again: every corner has half of its volume. No guard
pushes then, so no energy changes with that. The stabiliser of nodal elements is stiffer meanwhile, so that neighbours agree how they are
turned; what it stored more is booked as dissipated.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yawara.core.piece import Piece
from yawara.kernels.kinds import Floats, Words
from yawara.meshes.facets import cell_sizes

CRUSHED, IN_ORDER = 0.05, 0.5  # least volume at a corner, over that at rest
EVEN = 0.5  # and over the largest of its cell: the guard of corners goes by the mean


@dataclass(frozen=True)
class Corners:
    """Of one body: simplices that are positive as long as nothing is inside out, in points of the model."""

    simplices: Words  # (cell_count, number, 3 or 4)
    rest: Floats  # [m^3] or [m^2], (cell_count, number)

    @classmethod
    def of(cls, piece: Piece) -> "Corners":
        simplices = piece.body.family.corners(piece.geometry).astype(np.int64)
        return cls(simplices + piece.offset, _sizes(piece.geometry.position, simplices))

    def ratios(self, position: Floats) -> Floats:
        """(cell_count, number): of volumes to those at rest."""
        return _sizes(position, self.simplices) / self.rest


def _sizes(position: Floats, simplices: Words) -> Floats:
    return cell_sizes(position, simplices.reshape(-1, simplices.shape[2])).reshape(simplices.shape[:2])


def are_crushed(bodies: Sequence[Corners], position: Floats) -> Floats:
    """(body_count,), 0 or 1."""
    return np.array([float((body.ratios(position) < CRUSHED).any()) for body in bodies])


def are_in_order(bodies: Sequence[Corners], position: Floats) -> Floats:
    """(body_count,), 0 or 1."""
    found = (body.ratios(position) for body in bodies)
    return np.array([float((one > IN_ORDER).all() and (one > EVEN * one.max(axis=1, keepdims=True)).all()) for one in found])
