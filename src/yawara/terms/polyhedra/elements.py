"""From bodies to the arrays that the kernels read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yawara.core.piece import Piece
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.kernels.rotation import ATAN, LINEAR, PLANE, POLAR
from yawara.terms.polyhedra.coefficients import coefficients
from yawara.terms.polyhedra.constants import DEFORMING, PRINTED
from yawara.terms.polyhedra.family import DampingForm, Polyhedra, Rotation
from yawara.terms.polyhedra.shapes import cells_of

WAYS = {Rotation.ATAN: ATAN, Rotation.LINEAR: LINEAR, Rotation.POLAR: POLAR}
FORMS = {DampingForm.DEFORMING: DEFORMING, DampingForm.PRINTED: PRINTED}


class Elements(NamedTuple):
    """What all threads share; see `Arrays` in kernels.py."""

    corner: Indices
    first: Indices
    shape: Floats
    shape2: Floats
    k: Floats
    D: Floats
    volume: Floats
    way: Words
    passes: Words
    damping: Words

    @property
    def corner_count(self) -> Words:
        """Of each element."""
        first = self.first.astype(np.int64)
        return first[1:] - first[:-1]

    @property
    def lowest(self) -> Indices:
        """Point with the lowest number of each element."""
        return np.minimum.reduceat(self.corner, self.first[:-1].astype(np.int64)) if len(self.k) else self.corner


@dataclass(frozen=True)
class Group:
    """Elements of one body; each may have a number of corners of its own."""

    corners: Sequence[Words]  # points of the model, of each element
    k: Floats
    D: Floats
    volume: Floats  # [m^3]
    way: int
    passes: int
    damping: int


def group_of(piece: Piece) -> Group | None:
    family, geometry = piece.body.family, piece.geometry
    if not isinstance(family, Polyhedra):
        return None
    corners = [row for cells in cells_of(geometry).values() for row in cells + piece.offset]
    way = PLANE if geometry.dimension == 2 else WAYS[family.rotation]
    return Group(corners, *coefficients(piece), way, family.iterations, FORMS[family.damping_form])


def pack(groups: Sequence[Group], rest_position: Floats) -> Elements:
    """In the order of their lowest points: threads have shares by points, and groups are in the order of theirs."""
    corners = [corner for group in groups for corner in group.corners]
    order = np.argsort([corner.min() for corner in corners], kind="stable")
    corners = [corners[n] for n in order]
    count = np.array([len(corner) for corner in corners], np.int64)
    first, corner = np.append(0, np.cumsum(count)), np.concatenate(corners)
    flat = np.repeat([group.way == PLANE for group in groups], [len(group.corners) for group in groups])[order]
    shape = _shapes(rest_position[corner] * np.where(np.repeat(flat, count)[:, None], [1.0, 1.0, 0.0], 1.0), first, count)
    a, b = np.array([0, 1, 2, 1, 2, 0]), np.array([0, 1, 2, 2, 0, 1])
    sizes = [len(group.corners) for group in groups]
    way, passes, damping = (
        np.repeat([getattr(group, name) for group in groups], sizes)[order].astype(np.int64)
        for name in ("way", "passes", "damping")
    )
    k, D, volume = (
        np.ascontiguousarray(np.concatenate([getattr(group, name) for group in groups])[order]) for name in ("k", "D", "volume")
    )
    shape2 = np.add.reduceat(shape[:, a] * shape[:, b], first[:-1], axis=0)
    return Elements(
        corner.astype(np.uint32), first.astype(np.uint32), shape.ravel(), shape2.ravel(), k, D, volume, way, passes, damping
    )


def _shapes(position: Floats, first: Words, count: Words) -> Floats:
    """[m], (corner_count, 3): Ro, from each element's mean."""
    near = position - np.repeat(position[first[:-1]], count, axis=0)  # far from the origin, means lose digits
    mean = np.add.reduceat(near, first[:-1], axis=0) / count[:, None]
    shape: Floats = near - np.repeat(mean, count, axis=0)
    return shape
