"""From lists of links to the blocks, slots and runs that the kernels read."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yawara.forces.links.constants import BLOCK_LINKS, LANES
from yawara.model import Floats, Indices, LinkArrays


@dataclass(frozen=True)
class LinkGroup:
    """Links of one law family; coefficients may differ from link to link."""

    links: Indices  # (link_count, 2) points; start < end
    family: int
    parts: int  # memories per link
    coefficient: Floats  # (column_count, link_count), see the family's file
    samples: tuple[int, ...] = ()  # one link of each law, if the laws are known to differ by more than a factor


@dataclass(frozen=True)
class PackedGroup:
    """Where the links of a group went, in the group's own order."""

    slot: Indices  # (link_count,)
    memory_index: NDArray[np.uint64]  # (link_count, parts)


PackedLinks = tuple[tuple[LinkGroup, PackedGroup], ...]  # of one body


def pack(groups: list[LinkGroup]) -> tuple[LinkArrays, list[PackedGroup], int]:
    """The kernel arrays, the place of every link, and the number of memories."""
    cuts = [_cut_into_blocks(group) for group in groups]
    layout = _lay_out(groups, cuts)
    start = np.repeat(layout.first_point, layout.padded).astype(np.uint32)  # padding: links from a point to itself
    end, coefficient = start.copy(), np.zeros(layout.coefficient_count)
    packed, runs = [], []
    for g, (group, cut) in enumerate(zip(groups, cuts, strict=True)):
        block = layout.own_blocks[g][cut.block]
        slot = layout.block_slot[block] + cut.position
        start[slot], end[slot] = group.links.T
        _fill_coefficients(coefficient, layout, g, group, cut)
        memory_index = (layout.block_memory[block] + cut.position)[:, None] + np.arange(group.parts) * layout.stride[g]
        packed.append(PackedGroup(slot.astype(np.uint32), memory_index.astype(np.uint64)))
        runs.append(np.stack([block[cut.run_link], group.links[cut.run_link, 0], cut.run_length]))
    run = np.concatenate(runs, axis=1)
    run = run[:, np.lexsort((run[1], run[0]))]
    family, parts = (np.array([getattr(group, name) for group in groups]) for name in ("family", "parts"))
    arrays = LinkArrays(
        start, end, coefficient,
        family[layout.block_group].astype(np.int64),
        parts[layout.block_group].astype(np.uint32),
        layout.block_slot.astype(np.uint32),
        layout.block_coefficient.astype(np.uint64),
        layout.block_memory.astype(np.uint64),
        layout.stride[layout.block_group].astype(np.uint64),
        np.searchsorted(run[0], np.arange(len(layout.padded) + 1)).astype(np.uint32),
        *(row.astype(np.uint32) for row in run[1:]),
        np.array([layout.padded.max(initial=LANES), parts.max(initial=1)], np.int64),
    )  # fmt: skip
    return arrays, packed, layout.memory_count


@dataclass(frozen=True)
class _Layout:
    """Blocks of all groups in the order of their first points; each group's columns one after another."""

    own_blocks: list[NDArray[np.int64]]  # numbers of each group's blocks
    block_group: NDArray[np.int64]
    padded: NDArray[np.int64]  # slots of each block
    first_point: NDArray[np.int64]  # of each block
    block_slot: NDArray[np.int64]  # first slot, (block_count + 1,)
    stride: NDArray[np.int64]  # slots of each group
    block_coefficient: NDArray[np.int64]
    block_memory: NDArray[np.int64]
    coefficient_count: int
    memory_count: int


def _lay_out(groups: list[LinkGroup], cuts: "list[_Cut]") -> _Layout:
    first_point = np.concatenate([cut.first_point for cut in cuts])
    order = np.argsort(first_point, kind="stable")
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    own_blocks = np.split(number, np.cumsum([len(cut.count) for cut in cuts])[:-1])
    block_group = np.repeat(np.arange(len(groups)), [len(cut.count) for cut in cuts])[order]
    padded = -(-np.concatenate([cut.count for cut in cuts])[order] // LANES) * LANES
    stride = np.bincount(block_group, padded, minlength=len(groups)).astype(np.int64)
    columns, parts = (np.array(sizes) for sizes in zip(*((len(group.coefficient), group.parts) for group in groups), strict=True))
    first_coefficient, first_memory = (np.append(0, np.cumsum(stride * per_slot)) for per_slot in (columns, parts))
    block_coefficient, block_memory = np.empty_like(padded), np.empty_like(padded)
    for g, blocks in enumerate(own_blocks):
        within = np.cumsum(padded[blocks]) - padded[blocks]
        block_coefficient[blocks], block_memory[blocks] = first_coefficient[g] + within, first_memory[g] + within
    block_slot = np.append(0, np.cumsum(padded))
    return _Layout(own_blocks, block_group, padded, first_point[order], block_slot, stride, block_coefficient, block_memory,
                   int(first_coefficient[-1]), int(first_memory[-1]))  # fmt: skip


def _fill_coefficients(coefficient: Floats, layout: _Layout, g: int, group: LinkGroup, cut: "_Cut") -> None:
    """Each link's column values, and padding that behaves like a link without length: no force, no energy, no division by zero."""
    blocks = layout.own_blocks[g]
    column = np.arange(len(group.coefficient))[:, None] * layout.stride[g]
    coefficient[layout.block_coefficient[blocks[cut.block]] + cut.position + column] = group.coefficient
    for spare in range(1, LANES):
        short = blocks[layout.padded[blocks] - cut.count >= spare]
        at = layout.block_coefficient[short] + layout.padded[short] - spare + column
        coefficient[at] = np.append(0.0, group.coefficient[1:, 0])[:, None]


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
