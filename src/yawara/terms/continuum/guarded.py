"""Cells of nodal elements that are kept from turning inside out, in blocks for the kernels of simplex_guard.py."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yawara.kernels.kinds import Floats, Indices, Words
from yawara.terms.continuum.constants import GUARD_LIMIT, LANES
from yawara.terms.continuum.simplices import gradients

FACTOR = {3: 6.0, 2: 2.0}  # of the volume, of the area: what a determinant of edges is


@dataclass(frozen=True)
class Cells:
    """Of one body and one law; points of the model."""

    corner: Words  # (cell_count, 4), or 3 in the plane
    content: Floats  # at rest: 6 volumes [m^3], or 2 areas [m^2]
    steepness: Floats  # at rest: sum |dJ/dx|^2 over the corners [1/m^2]
    thickness: float  # [m]; 1 in a solid
    strength: float  # kappa [Pa]
    stiffness: float  # [Pa], of a pressure wave


class Guarded(NamedTuple):
    """What all threads share: fields of `Arrays`, see arrays.py."""

    guard_corner: Indices
    guard_limit: Floats
    guard_softness: Floats
    guard_strength: Floats
    guard_live: Words
    guard_flat: Words
    guard_body: Words


def cells_of(position: Floats, simplices: Words, offset: int, thickness: float, strength: float, stiffness: float) -> Cells:
    gradient, size = gradients(position, simplices)
    content = FACTOR[simplices.shape[1] - 1] * size
    return Cells(simplices + offset, content, (gradient**2).sum(axis=(1, 2)), thickness, strength, stiffness)


def blocks_of(cells: Sequence[tuple[int, Cells]]) -> Guarded:
    """Of these bodies, in the order of their lowest points; a block's last lanes may be empty."""
    parts = [(*block, body) for body, one in cells for block in _blocks(one)]
    if not parts:
        none = np.zeros(0)
        return Guarded(none.astype(np.uint32), none, none, none, *[none.astype(np.int64)] * 3)
    corner, limit, softness, strength, live, flat, body = zip(*parts, strict=True)
    return Guarded(
        np.concatenate(corner).astype(np.uint32).ravel(), np.concatenate(limit), np.concatenate(softness), np.array(strength),
        np.array(live, np.int64), np.array(flat, np.int64), np.array(body, np.int64),
    )  # fmt: skip


def _blocks(cells: Cells) -> Iterator[tuple[Words, Floats, Floats, float, int, int]]:
    order, flat = np.argsort(cells.corner.min(axis=1), kind="stable"), cells.corner.shape[1] == 3
    unit = cells.thickness / (FACTOR[2 if flat else 3] * GUARD_LIMIT)  # V over the limit
    for begin in range(0, len(order), LANES):
        mine = order[begin : begin + LANES]
        corner, limit, softness = np.zeros((LANES, 4), np.int64), np.full(LANES, -np.inf), np.zeros(LANES)
        corner[:] = cells.corner[mine[0], 0]
        corner[: len(mine), : cells.corner.shape[1]] = cells.corner[mine]
        limit[: len(mine)] = GUARD_LIMIT * cells.content[mine]
        softness[: len(mine)] = cells.strength / cells.stiffness / (cells.content[mine] ** 2 * cells.steepness[mine])
        yield corner, limit, softness, cells.strength * unit, len(mine), int(flat)
