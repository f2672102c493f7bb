"""From the cells of bodies to the blocks that the kernels read."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from yawara.kernels.kinds import Floats, Indices, Words
from yawara.terms.cells.constants import BARRIER, BLOCK_CELLS, PRESSURE


@dataclass(frozen=True)
class CellGroup:
    """Tetrahedra or triangles of one body, and what they do."""

    corner: Indices  # (cell_count, corners), points of the model
    rest: Floats  # content [m^3] or [m^2], (cell_count,)
    law: Floats  # rows a, b, phi as in laws/families/flow.py, (3, cell_count); zero without pressure
    threshold: Floats  # [m], (cell_count, corners)
    stiffness: Floats  # [N/m], (cell_count,); zero without barrier
    damping: Floats  # [N s/m], (cell_count,)
    samples: tuple[int, ...] = (0,)  # one cell of each pressure law

    @property
    def kind(self) -> int:
        return (PRESSURE if self.law.any() else 0) + (BARRIER if self.stiffness.any() else 0)


class PackedCells(NamedTuple):
    """What all threads share; see `Arrays` in kernels.py."""

    corner: Indices
    rest: Floats
    a: Floats
    b: Floats
    phi: Floats
    threshold: Floats
    stiffness: Floats
    damping: Floats
    block_cell: Indices
    block_kind: Words


def pack_cells(groups: list[CellGroup], corners: int) -> PackedCells:
    """The kernel arrays; each group's cells in order of their lowest corner, groups one after another."""
    groups = [group for group in groups if group.kind]
    orders = [np.argsort(group.corner.min(axis=1), kind="stable") for group in groups]

    def join(name: str, empty: Floats, axis: int = 0) -> Floats:
        parts = [np.take(getattr(group, name), order, axis) for group, order in zip(groups, orders, strict=True)]
        return np.ascontiguousarray(np.concatenate(parts, axis)) if parts else empty

    a, b, phi = join("law", np.zeros((3, 0)), axis=1)
    sizes = [len(group.rest) for group in groups]
    cuts = [np.arange(0, size, BLOCK_CELLS) + begin for size, begin in zip(sizes, np.cumsum([0, *sizes])[:-1], strict=True)]
    kind = np.repeat([group.kind for group in groups], [len(cut) for cut in cuts])
    return PackedCells(
        join("corner", np.zeros((0, corners))).astype(np.uint32).ravel(),
        join("rest", np.zeros(0)),
        *(np.ascontiguousarray(row) for row in (a, b, phi)),
        np.ascontiguousarray(join("threshold", np.zeros((0, corners))).T).ravel(),
        join("stiffness", np.zeros(0)),
        join("damping", np.zeros(0)),
        np.append(np.concatenate([np.zeros(0), *cuts]), sum(sizes)).astype(np.uint32),
        kind.astype(np.int64),
    )
