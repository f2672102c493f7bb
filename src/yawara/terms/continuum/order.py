"""Whether the cells of bodies are in order.

What keeps cells from turning inside out must be high for a body that is pressed to a tenth. For one that begins crushed, inside out or with
its points anywhere it must be mild: rings of cells that have unfolded twice around an edge must turn cells inside out to come apart. So a
body that is CRUSHED where a run begins has a mild guard until it is in order again: every corner has half of its volume. No guard
pushes then, so no energy changes with that. Modes of boxes and the stabiliser of nodal elements are stiffer meanwhile, so that neighbours
agree how they are turned; what they stored more is booked as dissipated.

A body that is brought there by its drives or tools, of which a part LOST of the cells is inside out, has a mild guard from then on, too.
That is looked for now and then.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yawara.core.piece import Piece
from yawara.kernels.kinds import Floats, Words
from yawara.meshes.facets import cell_sizes
from yawara.terms.continuum.constants import BEGAN

CRUSHED, IN_ORDER = 0.05, 0.5  # least volume at a corner, over that at rest
LOST, LOOKS = 0.1, 128  # of a body's cells; steps between two looks for that
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

    def is_lost(self, position: Floats) -> bool:
        """By the first corner of each cell."""
        return bool((_sizes(position, self.simplices[:, :1]) < 0.0).mean() > LOST)


def _sizes(position: Floats, simplices: Words) -> Floats:
    return cell_sizes(position, simplices.reshape(-1, simplices.shape[2])).reshape(simplices.shape[:2])


def are_crushed(bodies: Sequence[Corners], position: Floats) -> Floats:
    """(body_count,), 0 or BEGAN."""
    return np.array([BEGAN if (body.ratios(position) < CRUSHED).any() else 0.0 for body in bodies])


def are_in_order(bodies: Sequence[Corners], position: Floats) -> Floats:
    """(body_count,), 0 or 1."""
    found = (body.ratios(position) for body in bodies)
    return np.array([float((one > IN_ORDER).all() and (one > EVEN * one.max(axis=1, keepdims=True)).all()) for one in found])
