"""From lists of links to the blocks, slots and runs that the kernels read."""

from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yawara.kernels.aligned import zeros
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.laws.block import Column
from yawara.terms.links.constants import BLOCK_LINKS, LANES


class Family(NamedTuple):
    """What links of one family of laws have beside their ends; see `LinkGroup`."""

    number: Words  # in the body's own order
    family: ModuleType
    parts: int
    column: dict[str, Floats]
    columns: tuple[Column, ...]
    samples: tuple[int, ...]


@dataclass(frozen=True)
class LinkGroup:
    """Links of one family of laws; coefficients may differ from link to link."""

    links: Indices  # (link_count, 2) points; start < end
    family: ModuleType  # see laws/block.py
    parts: int  # internal variables per link
    column: dict[str, Floats]  # (link_count,) each, in the family's order
    columns: tuple[Column, ...]  # their names and units
    samples: tuple[int, ...] = ()  # one link of each law, if the laws are known to differ by more than a factor

    @property
    def coefficient(self) -> Floats:
        """(column_count, link_count)"""
        names = [column.name for column in self.columns]
        if list(self.column) != names:
            raise ValueError(
                f"{self.family.__name__} must have the columns {names} (got {list(self.column)}); give each, in this order"
            )
        return np.stack(np.broadcast_arrays(*self.column.values()))

    def is_like(self, other: "LinkGroup | Family") -> bool:
        """Whether their laws differ in numbers only."""
        same = self.parts == other.parts and self.columns == other.columns and self.samples == other.samples
        return same and self.family is other.family


@dataclass(frozen=True)
class PackedGroup:
    """Where the links of a group went, in the group's own order."""

    slot: Indices  # (link_count,)
    place: Words  # (parts, link_count), of internal variables
    column_place: Words  # (column_count, link_count), of coefficients
    spare_place: Words  # (column_count, spare_count), of coefficients of slots that no link takes

    def fill(self, coefficient: Floats, values: Floats) -> None:
        """Each link's column values, and padding that behaves like a link without length: no force, no energy, no division by zero."""
        coefficient[self.column_place] = values
        coefficient[self.spare_place] = np.append(0.0, values[1:, 0])[:, None]


class PackedArrays(NamedTuple):
    """What all threads share; see `Arrays` in kernels.py."""

    start: Indices
    end: Indices
    coefficient: Floats
    block_law: Words
    block_parts: Indices
    block_slot: Indices
    block_column: Words
    block_place: Words
    block_stride: Words
    block_run: Indices
    run_point: Indices
    run_length: Indices


@dataclass(frozen=True)
class Packed:
    arrays: PackedArrays
    families: tuple[ModuleType, ...]  # by number, as in block_law
    groups: tuple[PackedGroup, ...]
    internal_count: int
    largest_block: int  # slots
    most_parts: int


def pack(groups: list[LinkGroup]) -> Packed:
    """The kernel arrays, and the place of every link."""
    cuts, columns = [_cut_into_blocks(group) for group in groups], [group.coefficient for group in groups]
    layout = _lay_out(groups, columns, cuts)
    start = np.repeat(layout.first_point, layout.padded).astype(np.uint32)  # padding: links from a point to itself
    end, coefficient = start.copy(), zeros(layout.coefficient_count)
    packed, runs = [], [np.zeros((3, 0), np.int64)]
    for g, (group, cut) in enumerate(zip(groups, cuts, strict=True)):
        block = layout.own_blocks[g][cut.block]
        slot = layout.block_slot[block] + cut.position
        start[slot], end[slot] = group.links.T
        place = (layout.block_place[block] + cut.position) + np.arange(group.parts)[:, None] * layout.stride[g]
        packed.append(PackedGroup(slot.astype(np.uint32), place, *_column_places(layout, g, len(columns[g]), cut)))
        packed[-1].fill(coefficient, columns[g])
        runs.append(np.stack([block[cut.run_link], group.links[cut.run_link, 0], cut.run_length]))
    run = np.concatenate(runs, axis=1)
    run = run[:, np.lexsort((run[1], run[0]))]
    families = tuple(dict.fromkeys(group.family for group in groups))
    law, parts = (np.array(of_groups, np.int64) for of_groups in
                  ([families.index(group.family) for group in groups], [group.parts for group in groups]))  # fmt: skip
    arrays = PackedArrays(
        start, end, coefficient,
        law[layout.block_group],
        parts[layout.block_group].astype(np.uint32),
        layout.block_slot.astype(np.uint32),
        layout.block_column,
        layout.block_place,
        layout.stride[layout.block_group],
        np.searchsorted(run[0], np.arange(len(layout.padded) + 1)).astype(np.uint32),
        *(row.astype(np.uint32) for row in run[1:]),
    )  # fmt: skip
    most = int(parts.max(initial=1))
    return Packed(arrays, families, tuple(packed), layout.internal_count, int(layout.padded.max(initial=LANES)), most)


@dataclass(frozen=True)
class _Layout:
    """Blocks of all groups in the order of their first points; each group's columns one after another."""

    own_blocks: list[NDArray[np.int64]]  # numbers of each group's blocks
    block_group: NDArray[np.int64]
    padded: NDArray[np.int64]  # slots of each block
    first_point: NDArray[np.int64]  # of each block
    block_slot: NDArray[np.int64]  # first slot, (block_count + 1,)
    stride: NDArray[np.int64]  # slots of each group
    block_column: NDArray[np.int64]
    block_place: NDArray[np.int64]
    coefficient_count: int
    internal_count: int


def _lay_out(groups: list[LinkGroup], columns: list[Floats], cuts: "list[_Cut]") -> _Layout:
    none = np.zeros(0, np.int64)
    first_point = np.concatenate([none, *(cut.first_point for cut in cuts)])
    order = np.argsort(first_point, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    own_blocks = np.split(number, np.cumsum([len(cut.count) for cut in cuts])[:-1])
    block_group = np.repeat(np.arange(len(groups)), np.array([len(cut.count) for cut in cuts], np.int64))[order]
    padded = -(-np.concatenate([none, *(cut.count for cut in cuts)])[order] // LANES) * LANES
    stride = np.bincount(block_group, padded, minlength=len(groups)).astype(np.int64)
    counts, parts = (np.array(sizes, np.int64) for sizes in ([len(one) for one in columns], [group.parts for group in groups]))
    first_coefficient, first_place = (np.append(0, np.cumsum(stride * per_slot)) for per_slot in (counts, parts))
    block_column, block_place = np.empty_like(padded), np.empty_like(padded)
    for g, blocks in enumerate(own_blocks):
        within = np.cumsum(padded[blocks]) - padded[blocks]
        block_column[blocks], block_place[blocks] = first_coefficient[g] + within, first_place[g] + within
    block_slot = np.append(0, np.cumsum(padded))
    return _Layout(own_blocks, block_group, padded, first_point[order], block_slot, stride, block_column, block_place,
                   int(first_coefficient[-1]), int(first_place[-1]))  # fmt: skip


def _column_places(layout: _Layout, g: int, count: int, cut: "_Cut") -> tuple[Words, Words]:
    """Where the coefficients of each link of a group are, (count, link_count), and those of its padding, (count, spare_count)."""
    blocks, column = layout.own_blocks[g], np.arange(count)[:, None] * layout.stride[g]
    end, spare = layout.block_column[blocks] + layout.padded[blocks], layout.padded[blocks] - cut.count
    none = np.zeros(0, np.int64)
    padding = np.concatenate([none, *(end[spare >= back] - back for back in range(1, LANES))])
    return layout.block_column[blocks[cut.block]] + cut.position + column, padding + column


@dataclass(frozen=True)
class _Cut:
    block: NDArray[np.int64]  # of each link, in the group's order
    position: NDArray[np.int64]  # of each link within its block
    count: NDArray[np.int64]  # links of each block
    first_point: NDArray[np.int64]  # of each block
    run_link: NDArray[np.int64]  # first link of each run
    run_length: NDArray[np.int64]


def _cut_into_blocks(group: LinkGroup) -> _Cut:
    order = np.lexsort((group.links[:, 1], group.links[:, 0]))
    points, run_begin, run_length = np.unique(group.links[order, 0], return_index=True, return_counts=True)
    run_block = _whole_runs(run_length)
    block_count = int(run_block[-1]) + 1 if len(run_block) else 0
    count = np.bincount(run_block, run_length, minlength=block_count).astype(np.int64)
    sorted_block = np.repeat(run_block, run_length)
    block, position = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    block[order] = sorted_block
    position[order] = np.arange(len(order)) - np.append(0, np.cumsum(count))[sorted_block]
    first_run = np.searchsorted(run_block, np.arange(block_count))
    return _Cut(block, position, count, points[first_run].astype(np.int64), order[run_begin], run_length)


def _whole_runs(run_length: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number blocks so that none has more than BLOCK_LINKS links, unless a single run has."""
    block, filled, numbers = 0, 0, []
    for length in run_length.tolist():
        if filled and filled + length > BLOCK_LINKS:
            block, filled = block + 1, 0
        filled += length
        numbers.append(block)
    return np.array(numbers, np.int64)
