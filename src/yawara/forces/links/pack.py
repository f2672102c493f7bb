"""From lists of links to the blocks, slots and runs that the kernels read."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yawara.forces.links.constants import BLOCK_LINKS, LANES
from yawara.model import Floats, Indices, LinkArrays


@dataclass(frozen=True)
class LinkGroup:
    """Links of one law family."""

    links: Indices  # (link_count, 2) points; start < end
    family: int
    parts: int  # memories per link
    coefficient: Floats  # (column_count, link_count), see the family's file


@dataclass(frozen=True)
class PackedGroup:
    """Where the links of a group went, in the group's own order."""

    slot: Indices  # (link_count,)
    coefficient_index: NDArray[np.uint64]  # (column_count, link_count)
    memory_index: NDArray[np.uint64]  # (link_count, parts)


def pack(groups: list[LinkGroup]) -> tuple[LinkArrays, list[PackedGroup], int]:
    """The kernel arrays, the place of every link, and the number of memories."""
    cuts = [_cut_into_blocks(group) for group in groups]
    block_group = np.concatenate([np.full(len(cut.count), g) for g, cut in enumerate(cuts)])
    by_point = np.argsort(np.concatenate([cut.first_point for cut in cuts]), kind="stable")
    place = np.empty_like(by_point)  # new number of each block
    place[by_point] = np.arange(len(by_point))
    block_group = block_group[by_point]
    padded = -(-np.concatenate([cut.count for cut in cuts])[by_point] // LANES) * LANES
    parts = np.array([group.parts for group in groups])
    columns = np.array([len(group.coefficient) for group in groups])
    block_slot = np.append(0, np.cumsum(padded))
    stride = np.bincount(block_group, padded, minlength=len(groups)).astype(np.int64)  # slots of each group
    first_coefficient, first_memory = (np.append(0, np.cumsum(stride * per_slot)) for per_slot in (columns, parts))
    block_coefficient, block_memory = np.empty_like(padded), np.empty_like(padded)

    first_point = np.concatenate([cut.first_point for cut in cuts])[by_point]
    start = np.repeat(first_point, padded).astype(np.uint32)  # padding: links from a point to itself
    end, coefficient = start.copy(), np.zeros(first_coefficient[-1])
    packed, runs, first_block = [], [], 0
    for g, (group, cut) in enumerate(zip(groups, cuts, strict=True)):
        own_blocks = place[first_block : first_block + len(cut.count)]
        within = np.append(0, np.cumsum(padded[own_blocks]))[:-1]
        block_coefficient[own_blocks], block_memory[own_blocks] = first_coefficient[g] + within, first_memory[g] + within
        first_block += len(cut.count)
        block = own_blocks[cut.block]
        slot = block_slot[block] + cut.position
        start[slot], end[slot] = group.links.T
        column = np.arange(len(group.coefficient))[:, None] * stride[g]
        coefficient_index = block_coefficient[block] + cut.position + column
        coefficient[coefficient_index] = group.coefficient
        # Padding behaves like a link of the group without length: no force, no energy, and no division by zero.
        for spare in range(1, LANES):
            short = own_blocks[padded[own_blocks] - cut.count >= spare]
            at = block_coefficient[short] + padded[short] - spare + column
            coefficient[at] = np.append(0.0, group.coefficient[1:, 0])[:, None]
        memory_index = (block_memory[block] + cut.position)[:, None] + np.arange(group.parts) * stride[g]
        packed.append(PackedGroup(slot.astype(np.uint32), coefficient_index.astype(np.uint64), memory_index.astype(np.uint64)))
        runs.append(np.stack([block[cut.run_link], group.links[cut.run_link, 0], cut.run_length]))
    run = np.concatenate(runs, axis=1)
    run = run[:, np.lexsort((run[1], run[0]))]
    arrays = LinkArrays(
        start, end, coefficient,
        np.array([group.family for group in groups])[block_group].astype(np.int64),
        parts[block_group].astype(np.uint32),
        block_slot.astype(np.uint32),
        block_coefficient.astype(np.uint64),
        block_memory.astype(np.uint64),
        stride[block_group].astype(np.uint64),
        np.searchsorted(run[0], np.arange(len(by_point) + 1)).astype(np.uint32),
        *(row.astype(np.uint32) for row in run[1:]),
        np.array([padded.max(initial=LANES), parts.max(initial=1)], np.int64),
    )  # fmt: skip
    return arrays, packed, int(first_memory[-1])


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
