"""The link forces: gather, law, memory, scatter, block by block.

A block is a set of links of one law family, small enough for the L1 cache, sorted by start point. Its work is kept apart in
three passes, because each then runs at full vector width: the geometry of four links at a time, the law over contiguous arrays,
and the scatter, in which the start point's force stays in registers and the end point gets one 256-bit read-add-write.
"""

import numpy as np
from numba import uint64 as U

from yawara.forces.links import flow, force_dependent, friction, limited, parallel, series, tie
from yawara.forces.links.constants import CACHED_SLOTS, FLOW, FORCE_DEPENDENT, FRICTION, LIMITED, PARALLEL, SERIES, TIE
from yawara.forces.links.mean_rate import by_mean_rate
from yawara.forces.links.vector import measure_four_links, scatter_run
from yawara.jit import inlined, kernel
from yawara.stages import FREEZE, integrate_range
from yawara.vector import prefetch

_flow, _series, _parallel, _force_dependent, _friction, _limited, _tie = (
    family.tension for family in (flow, series, parallel, force_dependent, friction, limited, tie)
)
_flow_energy, _series_energy, _parallel_energy, _force_dependent_energy, _friction_energy, _limited_energy, _tie_energy = (
    family.energy for family in (flow, series, parallel, force_dependent, friction, limited, tie)
)


@kernel
def scratch(links):
    """Block-sized buffers: end-to-end vectors (4 doubles each), squared lengths, stretching, tension per length, memory rates."""
    size = links.largest_block[0]
    return np.empty(4 * size), np.empty(size), np.empty(size), np.empty(size), np.empty(size * links.largest_block[1])


@inlined
def measure_links(start, end, first, t, last, points, delta, length2, stretching):
    """The geometry of a block's links number t to last."""
    while t < last:
        n = first + t
        measure_four_links(
            delta, length2, stretching, t, points,
            U(8) * U(start[n]), U(8) * U(end[n]), U(8) * U(start[n + U(1)]), U(8) * U(end[n + U(1)]),
            U(8) * U(start[n + U(2)]), U(8) * U(end[n + U(2)]), U(8) * U(start[n + U(3)]), U(8) * U(end[n + U(3)]),
        )  # fmt: skip
        t += U(4)


@kernel
def _measure_and_fetch(start, end, first, count, points, delta, length2, stretching, coefficient, c, memory, m, stride):
    """The same for a body that is too large for the cache: meanwhile ask for what the next block needs of memory."""
    t = U(0)
    while t < count:
        measure_links(start, end, first, t, min(t + U(8), count), points, delta, length2, stretching)
        ahead = count + t  # a cache line holds the values of eight links
        prefetch(coefficient, c + ahead)
        prefetch(coefficient, c + stride + ahead)
        prefetch(coefficient, c + U(2) * stride + ahead)
        prefetch(coefficient, c + U(3) * stride + ahead)
        prefetch(memory, m + ahead)
        prefetch(start, first + ahead)
        prefetch(end, first + ahead)
        t += U(8)


@inlined
def _tension(family, count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    if family == FLOW:
        _flow(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    elif family == SERIES:
        _series(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    elif family == PARALLEL:
        _parallel(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    elif family == FORCE_DEPENDENT:
        _force_dependent(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    elif family == FRICTION:
        _friction(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    elif family == LIMITED:
        _limited(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    elif family == TIE:
        _tie(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)


@kernel
def block_energy(family, count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    if family == FLOW:
        return _flow_energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    if family == SERIES:
        return _series_energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    if family == PARALLEL:
        return _parallel_energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    if family == FORCE_DEPENDENT:
        return _force_dependent_energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    if family == FRICTION:
        return _friction_energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    if family == TIE:
        return _tie_energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
    return _limited_energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)


@inlined
def add_tensions(end, run_point, run_length, first_run, last_run, first, forces, base, delta, factor):
    """+f dir on the start point, -f dir on the end point."""
    t = U(0)
    for run in range(first_run, last_run):
        length = U(run_length[run])
        scatter_run(forces, base + U(4) * U(run_point[run]), base, end, first + t, length, delta, factor, t)
        t += length


@kernel
def last_by_mean_rate(links, first_block, last_block, points, buffers, rates):
    """Power [W] by which the last step's dissipation was off, once its points have moved."""
    delta, length2, stretching, _, memory_rate = (
        buffers  # the last steps' rates are kept already: what is kept now counts no more
    )
    power = 0.0
    for block in range(first_block, last_block):
        first, stride = U(links.block_slot[block]), U(links.block_stride[block])
        count, b = U(links.block_slot[block + U(1)]) - first, U(links.block_coefficient[block]) + U(2) * stride
        measure_links(links.start, links.end, first, U(0), count, points, delta, length2, stretching)
        power += by_mean_rate(
            links.block_family[block], count, links.coefficient, b, length2, stretching, memory_rate, rates, first, True
        )
    return power


@kernel
def link_forces(links, first_block, last_block, points, forces, base, memory, memory_start, memory_total,
                buffers, stage, step, weight, account, rates, is_later):  # fmt: skip
    """Add the forces [N] of the blocks to `forces[base:]` and move their memory by one stage.

    Returns stored energy [J] and dissipated power [W] if `account`, else zeros. `rates` and `is_later`: see mean_rate.py.
    """
    # Unpacked once: taking an array out of a tuple costs two atomic reference counts, too much for each block.
    (start, end, coefficient, block_family, block_parts, block_slot, block_coefficient, block_memory, block_stride, block_run,
     run_point, run_length, _) = links  # fmt: skip
    delta, length2, stretching, factor, memory_rate = buffers
    stored, power = 0.0, 0.0
    for block in range(first_block, last_block):
        first, family = U(block_slot[block]), block_family[block]
        count, parts = U(block_slot[block + U(1)]) - first, U(block_parts[block])
        c, m, stride = U(block_coefficient[block]), U(block_memory[block]), U(block_stride[block])
        if stride > CACHED_SLOTS:
            _measure_and_fetch(start, end, first, count, points, delta, length2, stretching, coefficient, c, memory, m, stride)
        else:
            measure_links(start, end, first, U(0), count, points, delta, length2, stretching)
        _tension(family, count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
        if account:
            block_stored, block_power = block_energy(
                family, count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate
            )
            stored += block_stored
            power += block_power
            if rates.size > 0:
                power += by_mean_rate(
                    family, count, coefficient, c + U(2) * stride, length2, stretching, memory_rate, rates, first, is_later
                )
        if stage != FREEZE:
            for part in range(parts):
                place = m + part * stride
                integrate_range(stage, memory, memory_start, memory_total, place, memory_rate, part * count, count, step, weight)
        first_run, last_run = U(block_run[block]), U(block_run[block + U(1)])
        add_tensions(end, run_point, run_length, first_run, last_run, first, forces, base, delta, factor)
    return stored, power
