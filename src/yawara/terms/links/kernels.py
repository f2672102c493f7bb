"""The forces of links: three passes over a block of links of one law.

Geometry of four links at a time, the law over contiguous columns, scatter. Which law a block has is an address: laws are compiled by
themselves, and the links call whatever is there (see laws/block.py).
"""

from typing import NamedTuple

from numba import uint64 as U

from yawara.core.context import DISSIPATED, GIVEN, STIFFENED, STORED
from yawara.core.stages import EULER, FREEZE, integrate_range
from yawara.core.threads import ask_to_stop
from yawara.kernels.calls import address_of, call_with_one
from yawara.kernels.jit import inlined, inner
from yawara.kernels.kinds import Floats, Indices, Natural, Words
from yawara.kernels.vector import prefetch
from yawara.laws.block import SMALLEST_LENGTH2, Block
from yawara.terms.links.constants import CACHED_SLOTS
from yawara.terms.links.mean_rate import by_mean_rate
from yawara.terms.links.vector import measure_four_links, scatter_run


class Arrays(NamedTuple):
    """Links in blocks of one law, sorted by start point; a block's slots are padded to whole vectors.

    The link in slot s of a block has its coefficient j at `coefficient[block_column + j * block_stride + s]` and its internal variable i
    at `internal[block_place + i * block_stride + s]`: each column is contiguous over all blocks of a body, because long streams are what
    a processor fetches ahead. A run is the links of a block that share a start point; they are neighbours.
    """

    start: Indices  # point, (slot_count,)
    end: Indices  # point, (slot_count,); start < end, except padding
    coefficient: Floats  # units and order: see the law's family
    block_law: Words  # number of the law, (block_count,)
    block_parts: Indices  # internal variables per link, (block_count,)
    block_slot: Indices  # first slot, (block_count + 1,)
    block_column: Words  # place of the first coefficient, (block_count,)
    block_place: Words  # place of the first internal variable, (block_count,)
    block_stride: Words  # slots of all blocks of the body, (block_count,)
    block_run: Indices  # first run, (block_count + 1,)
    run_point: Indices  # (run_count,)
    run_length: Indices  # links, (run_count,)
    law_tension: Words  # addresses of the laws' kernels, (law_count,)
    law_energy: Words
    law_implicit: Words
    first_block: Natural  # the thread's own
    last_block: Natural
    internal: Floats  # internal variables [m]
    internal_start: Floats
    internal_total: Floats
    delta: Floats  # [m], scratch: end-to-end vectors of a block, four entries each
    block: Block
    rates: Floats  # see mean_rate.py; empty if nobody needs it
    slope: Floats  # [N s/m], (slot_count,): tangent along the link
    transverse: Floats  # [N s/m], (slot_count,): across it, what its pull adds
    noted: Floats  # [N/m], (slot_count,): what is noted for stresses; empty if nobody asks
    tally: Floats


@inlined
def _open_block(mine, n, block):
    """Let the law's record show block n; returns its first slot."""
    first = U(mine.block_slot[n])
    block.count = U(mine.block_slot[n + U(1)]) - first
    block.parts, block.stride = U(mine.block_parts[n]), U(mine.block_stride[n])
    block.column, block.place, block.stiffening = U(mine.block_column[n]), U(mine.block_place[n]), 0.0
    return first


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


@inner
def _measure_and_fetch(start, end, first, count, points, delta, length2, stretching, coefficient, c, internal, m, stride):
    """The same for a body that is too large for the cache: meanwhile ask for what the next block needs of memory."""
    t = U(0)
    while t < count:
        measure_links(start, end, first, t, min(t + U(8), count), points, delta, length2, stretching)
        ahead = count + t  # a cache line holds the values of eight links
        prefetch(coefficient, c + ahead)
        prefetch(coefficient, c + stride + ahead)
        prefetch(coefficient, c + U(2) * stride + ahead)
        prefetch(coefficient, c + U(3) * stride + ahead)
        prefetch(internal, m + ahead)
        prefetch(start, first + ahead)
        prefetch(end, first + ahead)
        t += U(8)


@inlined
def add_tensions(end, run_point, run_length, first_run, last_run, first, forces, base, delta, factor):
    """+f dir on the start point, -f dir on the end point."""
    t = U(0)
    for run in range(first_run, last_run):
        length = U(run_length[run])
        scatter_run(forces, base + U(4) * U(run_point[run]), base, end, first + t, length, delta, factor, t)
        t += length


def add_forces(ctx, mine):
    """Add the forces [N] of the thread's blocks and move their internal variables by one stage."""
    # Taken out once: for all the compiler knows, a store could change a record.
    start, end, coefficient, internal = mine.start, mine.end, mine.coefficient, mine.internal
    block_law, block_run, run_point, run_length = mine.block_law, mine.block_run, mine.run_point, mine.run_length
    internal_start, internal_total, delta, rates = mine.internal_start, mine.internal_total, mine.delta, mine.rates
    law_tension, law_energy, block = mine.law_tension, mine.law_energy, mine.block
    length2, stretching, factor, internal_rate = block.length2, block.stretching, block.factor, block.internal_rate
    points, forces, own = ctx.points, ctx.forces, ctx.own
    stage, step, weight, account, is_later = ctx.stage, ctx.step, ctx.weight, ctx.account, ctx.made > 0
    stored, power, stiffened = 0.0, 0.0, 0.0
    block.dt = ctx.dt
    for n in range(mine.first_block, mine.last_block):
        first = _open_block(mine, n, block)
        count, parts, m, stride = block.count, block.parts, block.place, block.stride
        if stride > U(CACHED_SLOTS):
            _measure_and_fetch(start, end, first, count, points, delta, length2, stretching, coefficient, block.column, internal, m,
                               stride)  # fmt: skip
        else:
            measure_links(start, end, first, U(0), count, points, delta, length2, stretching)
        call_with_one(law_tension[block_law[n]], address_of(block))
        stiffened = max(stiffened, block.stiffening)
        if account:
            call_with_one(law_energy[block_law[n]], address_of(block))
            stored, power = stored + block.stored, power + block.power
            if rates.size > 0:
                power += by_mean_rate(count, length2, stretching, block.damper, rates, first, is_later)
        if stage != FREEZE:
            for part in range(parts):
                place = m + part * stride
                integrate_range(
                    stage, internal, internal_start, internal_total, place, internal_rate, part * count, count, step, weight
                )
        add_tensions(end, run_point, run_length, U(block_run[n]), U(block_run[n + U(1)]), first, forces, own, delta, factor)
    tally = mine.tally
    tally[STIFFENED] = stiffened
    if account:
        tally[STORED] = stored
        tally[DISSIPATED] += weight * power


def look_around(ctx, mine):
    """A step that was stable need not stay so."""
    if mine.tally[STIFFENED] > ctx.allowed:
        ask_to_stop(ctx)


def end(ctx, mine):
    """The last step's dissipation, once its points have moved."""
    if not ctx.account or mine.rates.size == 0 or ctx.made == 0:
        return
    block, power = mine.block, 0.0
    for n in range(mine.first_block, mine.last_block):
        first = _open_block(mine, n, block)
        measure_links(mine.start, mine.end, first, U(0), block.count, ctx.points, mine.delta, block.length2, block.stretching)
        power += by_mean_rate(block.count, block.length2, block.stretching, block.damper, mine.rates, first, True)
    mine.tally[DISSIPATED] += ctx.dt * power


def add_end_forces(ctx, mine):
    """Forces [N] for positions and velocities at the end of a step of `ahead`, internal variables being those of its beginning.

    Writes the tangent: each link's slope along its direction, and across it what its pull adds: dt f / l. A link that is pressed takes
    stiffness away across; where a tangent is wanted that is never negative (`ctx.exact` is 0), that part is left out.
    """
    start, end, slope, transverse = mine.start, mine.end, mine.slope, mine.transverse
    block_law, law_implicit, law_energy, block, delta = mine.block_law, mine.law_implicit, mine.law_energy, mine.block, mine.delta
    length2, stretching, factor, slopes = block.length2, block.stretching, block.factor, block.slope
    points, forces, own, dt, finish, exact = ctx.points, ctx.forces, ctx.own, ctx.ahead, ctx.finish, ctx.exact != 0
    block.dt, block.steady = dt, ctx.steady
    stored, power, given = 0.0, 0.0, 0.0
    for n in range(mine.first_block, mine.last_block):
        first = _open_block(mine, n, block)
        count, parts, m, stride = block.count, block.parts, block.place, block.stride
        measure_links(start, end, first, U(0), count, points, delta, length2, stretching)
        call_with_one(law_implicit[block_law[n]], address_of(block))
        for t in range(count):
            slope[first + t] = slopes[t]
            transverse[first + t] = dt * (factor[t] if exact else max(factor[t], 0.0))
        if finish:
            for part in range(parts):
                integrate_range(EULER, mine.internal, mine.internal, mine.internal, m + part * stride, block.internal_rate,
                                part * count, count, dt, 0.0)  # fmt: skip
            call_with_one(law_energy[block_law[n]], address_of(block))
            stored, power = stored + block.stored, power + block.power
            for t in range(count):
                given += factor[t] * stretching[t]
        add_tensions(end, mine.run_point, mine.run_length, U(mine.block_run[n]), U(mine.block_run[n + U(1)]), first, forces, own, delta,
                     factor)  # fmt: skip
    if finish:
        tally = mine.tally
        tally[STORED] = stored
        tally[DISSIPATED] += dt * power
        tally[GIVEN] += dt * given


def add_product(ctx, mine):
    """Tangent times `direction`, links along their directions as the points are."""
    start, end, slope, transverse = mine.start, mine.end, mine.slope, mine.transverse
    points, u, y, own = ctx.points, ctx.direction, ctx.forces, ctx.own
    for n in range(U(mine.block_slot[mine.first_block]), U(mine.block_slot[mine.last_block])):
        p, q = U(8) * U(start[n]), U(8) * U(end[n])
        a, b = U(4) * U(start[n]), U(4) * U(end[n])
        dx, dy, dz = points[q] - points[p], points[q + U(1)] - points[p + U(1)], points[q + U(2)] - points[p + U(2)]
        ux, uy, uz = u[a] - u[b], u[a + U(1)] - u[b + U(1)], u[a + U(2)] - u[b + U(2)]
        h = transverse[n]
        f = (slope[n] - h) * (dx * ux + dy * uy + dz * uz) / (dx * dx + dy * dy + dz * dz + SMALLEST_LENGTH2)
        x, y_, z = f * dx + h * ux, f * dy + h * uy, f * dz + h * uz
        a, b = own + a, own + b
        y[a], y[a + U(1)], y[a + U(2)] = y[a] + x, y[a + U(1)] + y_, y[a + U(2)] + z
        y[b], y[b + U(1)], y[b + U(2)] = y[b] - x, y[b + U(1)] - y_, y[b + U(2)] - z


def add_diagonal(ctx, mine):
    start, end, slope, transverse = mine.start, mine.end, mine.slope, mine.transverse
    points, diagonal, own = ctx.points, ctx.forces, ctx.own
    for n in range(U(mine.block_slot[mine.first_block]), U(mine.block_slot[mine.last_block])):
        p, q = U(start[n]), U(end[n])
        if p == q:
            continue  # padding
        length2, across = SMALLEST_LENGTH2, max(transverse[n], 0.0)  # it divides, and must not come near zero
        for axis in range(U(3)):
            length2 += (points[U(8) * q + axis] - points[U(8) * p + axis]) ** 2
        for axis in range(U(3)):
            d = points[U(8) * q + axis] - points[U(8) * p + axis]
            value = across + (slope[n] - across) * d * d / length2
            diagonal[own + U(4) * p + axis] += value
            diagonal[own + U(4) * q + axis] += value


def note(ctx, mine):
    """Tension over length [N/m] of every link."""
    block, noted, law_tension = mine.block, mine.noted, mine.law_tension
    for n in range(mine.first_block, mine.last_block):
        first = _open_block(mine, n, block)
        measure_links(mine.start, mine.end, first, U(0), block.count, ctx.points, mine.delta, block.length2, block.stretching)
        call_with_one(law_tension[mine.block_law[n]], address_of(block))
        for t in range(block.count):
            noted[first + t] = block.factor[t]
