"""The forces of cells: a pressure by each cell's content, and the barrier that keeps cells from turning inside out.

    p = -(k (V - V0) + c Vdot),  force on corner i = p dV/dx_i              Hirai 2005 (particle-based modelling), sec. 2.6, per cell

with a serial damper if the material has one (the same law as a link's, with the content V for the length: laws/families/flow.py). Forces
along the gradients of V have no sum and no torque, and their power is exactly p Vdot.
"""

import math
from typing import NamedTuple

from numba import uint64 as U

from yawara.core.context import DISSIPATED, GIVEN, STORED, TAKEN
from yawara.core.stages import EULER, FREEZE, integrate_range
from yawara.kernels.decay import mean_decay
from yawara.kernels.jit import inner
from yawara.kernels.kinds import Floats, Indices, Natural, Words
from yawara.terms.cells.barrier import add_along, along, barrier, dot, shares
from yawara.terms.cells.constants import BARRIER, PRESSURE, SMALLEST_GRADIENT2
from yawara.terms.cells.measure import SIZE, add_along_gradients, measure, measure_in_motion, measure_rate
from yawara.terms.cells.turning import add_turning


class Scratch(NamedTuple):
    """Of a thread; one block's measures, see measure.py."""

    edge: Floats
    gradient: Floats
    content: Floats
    rate: Floats
    tension: Floats  # minus the pressure
    internal_rate: Floats
    slack: Floats
    share: Floats  # of the corners of one cell


class Arrays(NamedTuple):
    """Tetrahedra, or triangles of 2-D bodies, in blocks of one body, sorted by lowest corner; columns have one entry per cell.

    A cell's content (volume [m^3], or area [m^2]) follows a law like a link's length; its corners keep off the opposite sides.
    """

    corner: Indices  # points, (corners * cell_count,), corner by corner within a cell
    rest: Floats  # content in the natural state
    a: Floats  # [Pa/m^3] for volumes, [N/m^3] for areas; a, b, phi as in laws/families/flow.py, with the content for the length
    b: Floats
    phi: Floats
    threshold: Floats  # [m], (corners * cell_count,): height below which the barrier acts, corner by corner in columns
    stiffness: Floats  # [N/m], of the barrier
    damping: Floats  # [N s/m], of the barrier
    block_cell: Indices  # first cell, (block_count + 1,)
    block_kind: Words  # (block_count,): PRESSURE + BARRIER
    corners: Natural  # of a cell: 4 or 3
    first_block: Natural  # the thread's own
    last_block: Natural
    flowed: Floats  # internal variables: what has flowed [m^3], [m^2]
    flowed_start: Floats
    flowed_total: Floats
    scratch: Scratch
    slope: Floats  # tangent of each cell's pressure
    barrier_slope: Floats  # and of its barrier
    bears: Floats  # (cell_count,): its tension times the step, see turning.py; 0 where the tangent must not be negative
    low: Floats  # (block_count,): whether a barrier acts in the block, not 0 if so
    noted: Floats  # (cell_count,): what is noted for stresses; empty if nobody asks
    tally: Floats


@inner
def _tension(first, count, rest, a, b, phi, flowed, content, rate, tension, internal_rate, ahead, steady):
    """f = a (V - V0 - q) + b Vdot, minus the pressure, and qdot = phi f; with q as it is `ahead` [s] later, q + ahead qdot.

    In a `steady` step as in laws/families/flow.py.
    """
    for t in range(count):  # one array is written in each loop: with more, the compiler does not dare to vectorise
        n = first + t
        tension[t] = a[n] * (content[t] - rest[n] - flowed[n]) + b[n] * rate[t]
    if steady != 0:
        for t in range(count):
            n = first + t
            z = ahead * a[n] * phi[n]
            psi, f0 = mean_decay(z), tension[t] - ahead * a[n] * rate[t]
            tension[t] = (1.0 - z * psi) * f0 + a[n] * ahead * psi * rate[t]
            internal_rate[t] = phi[n] * psi * f0 + (1.0 - psi) * rate[t]
        return
    if ahead != 0.0:
        for t in range(count):
            tension[t] /= 1.0 + ahead * a[first + t] * phi[first + t]
    for t in range(count):
        internal_rate[t] = phi[first + t] * tension[t]


@inner
def _energy(first, count, rest, a, b, phi, flowed, content, rate, tension, internal_rate, ahead):
    """As in laws/families/flow.py; and the power [W] that goes in."""
    stored, power, given = 0.0, 0.0, 0.0
    for t in range(count):
        n = first + t
        e = content[t] - rest[n] - flowed[n] - ahead * internal_rate[t]
        widening = 1.0 / (1.0 - b[n] * phi[n])
        free = rate[t] - internal_rate[t]
        stored += 0.5 * a[n] * widening * e * e
        power += b[n] * widening * free * free + tension[t] * internal_rate[t]
        given += tension[t] * rate[t]
    return stored, power, given


@inner
def least_slack(first, count, corners, all_cells, gradient, content, threshold, slack):
    """slack <= 0: at least one corner of the cell is below its threshold. Without divisions and roots: V |V| < (eps |g|)^2."""
    for t in range(count):
        slack[t] = content[t] * abs(content[t])
    for i in range(corners):
        place, eps = U(3) * i * SIZE, i * all_cells + first
        for t in range(count):
            x, y, z = gradient[place + t], gradient[place + SIZE + t], gradient[place + U(2) * SIZE + t]
            least = threshold[eps + t] * threshold[eps + t] * (x * x + y * y + z * z)
            slack[t] = min(slack[t], content[t] * abs(content[t]) - least)


@inner
def _add_forces(ctx, mine, stage, ahead, account):
    """Add the forces [N] of the thread's cells and move what has flowed by one stage; `ahead` [s] is the step of an implicit scheme."""
    corner, corners, rest, a, b, phi = mine.corner, mine.corners, mine.rest, mine.a, mine.b, mine.phi
    threshold, K, C, block_cell, block_kind = mine.threshold, mine.stiffness, mine.damping, mine.block_cell, mine.block_kind
    flowed, flowed_start, flowed_total, scratch = mine.flowed, mine.flowed_start, mine.flowed_total, mine.scratch
    edge, gradient, content, rate = scratch.edge, scratch.gradient, scratch.content, scratch.rate
    tension, internal_rate, slack, share = scratch.tension, scratch.internal_rate, scratch.slack, scratch.share
    points, forces, own, step, weight = ctx.points, ctx.forces, ctx.own, ctx.step, ctx.weight
    all_cells, stored, power, given, taken = U(rest.size), 0.0, 0.0, 0.0, 0.0
    for block in range(mine.first_block, mine.last_block):
        first, kind = U(block_cell[block]), block_kind[block]
        count = U(block_cell[block + U(1)]) - first
        if not kind & PRESSURE:
            measure(corner, corners, first, count, points, edge, gradient, content)
        else:
            measure_in_motion(corner, corners, first, count, points, edge, gradient, content, rate)
            _tension(
                first,
                count,
                rest,
                a,
                b,
                phi,
                flowed,
                content,
                rate,
                tension,
                internal_rate,
                ahead,
                ctx.steady if ahead != 0.0 else 0,
            )
            if account:
                s, p, g = _energy(first, count, rest, a, b, phi, flowed, content, rate, tension, internal_rate, ahead)
                stored, power, given = stored + s, power + p, given + g
            if stage != FREEZE:
                integrate_range(stage, flowed, flowed_start, flowed_total, first, internal_rate, U(0), count, step, weight)
            if ahead != 0.0:
                for t in range(count):
                    mine.bears[first + t] = ahead * tension[t] if ctx.exact else 0.0
            for t in range(count):
                tension[t] = -tension[t]
            add_along_gradients(corner, corners, first, count, gradient, tension, forces, own)
        if kind & BARRIER:
            least_slack(first, count, corners, all_cells, gradient, content, threshold, slack)
            for t in range(count):
                if slack[t] <= 0.0:
                    n = first + t
                    taken += barrier(n, t, corner, corners, all_cells, points, forces, own, gradient, content, threshold, K[n], C[n],
                                     share)  # fmt: skip
    if account:
        tally = mine.tally
        tally[STORED] = stored
        tally[DISSIPATED] += weight * power
        tally[GIVEN] += weight * given
        tally[TAKEN] += weight * taken


def add_forces(ctx, mine):
    _add_forces(ctx, mine, ctx.stage, 0.0, ctx.account)


def add_end_forces(ctx, mine):
    a, b, phi, K, C, dt = mine.a, mine.b, mine.phi, mine.stiffness, mine.damping, ctx.ahead
    slope, barrier_slope, block_cell = mine.slope, mine.barrier_slope, mine.block_cell
    for n in range(U(block_cell[mine.first_block]), U(block_cell[mine.last_block])):
        z = dt * a[n] * phi[n]
        psi = mean_decay(z)
        slope[n] = (1.0 - z * psi) * b[n] + a[n] * dt * psi if ctx.steady else (a[n] * dt + b[n]) / (1.0 + z)
        barrier_slope[n] = K[n] * dt + C[n]
    _add_forces(ctx, mine, EULER if ctx.finish else FREEZE, dt, ctx.finish)
    _note_low(ctx, mine)


@inner
def _note_low(ctx, mine):
    """In which blocks barriers act."""
    scratch, all_cells, corners = mine.scratch, U(mine.rest.size), mine.corners
    for block in range(mine.first_block, mine.last_block):
        first, mine.low[block] = U(mine.block_cell[block]), 0.0
        count = U(mine.block_cell[block + U(1)]) - first
        if mine.block_kind[block] & BARRIER:
            measure(mine.corner, corners, first, count, ctx.points, scratch.edge, scratch.gradient, scratch.content)
            least_slack(first, count, corners, all_cells, scratch.gradient, scratch.content, mine.threshold, scratch.slack)
            mine.low[block] = 1.0 if ctx.everyone or scratch.slack[:count].min() <= 0.0 else 0.0


@inner
def _acts(t, cell, i, all_cells, gradient, content, threshold, everyone):
    """Whether the barrier of corner i of a cell acts, or counts as acting; and the square of its gradient."""
    square = dot(gradient, i, i, t)
    if square <= SMALLEST_GRADIENT2:
        return False, square
    return everyone or content[t] <= threshold[i * all_cells + cell] * math.sqrt(square), square


@inner
def _barrier_product(t, cell, corner, corners, all_cells, gradient, content, threshold, slope, everyone, u, y, base, share):
    for i in range(corners):
        acts, square = _acts(t, cell, i, all_cells, gradient, content, threshold, everyone)
        if acts:
            shares(gradient, corners, i, t, share)
            rate = 0.0
            for j in range(corners):
                rate += share[j] * along(gradient, i, t, u, U(4) * U(corner[corners * cell + j]))
            for j in range(corners):
                add_along(gradient, i, t, slope * share[j] * rate / square, y, base + U(4) * U(corner[corners * cell + j]))


def add_product(ctx, mine):
    corner, corners, threshold, all_cells = mine.corner, mine.corners, mine.threshold, U(mine.rest.size)
    slope, barrier_slope, low, everyone, scratch = mine.slope, mine.barrier_slope, mine.low, ctx.everyone != 0, mine.scratch
    edge, gradient, content, rate, slack = scratch.edge, scratch.gradient, scratch.content, scratch.rate, scratch.slack
    points, u, y, own, bears = ctx.points, ctx.direction, ctx.forces, ctx.own, mine.bears
    for block in range(mine.first_block, mine.last_block):
        first, kind = U(mine.block_cell[block]), mine.block_kind[block]
        count = U(mine.block_cell[block + U(1)]) - first
        measure(corner, corners, first, count, points, edge, gradient, content)
        if kind & PRESSURE:
            measure_rate(corner, corners, first, count, u, U(4), U(0), edge, gradient, rate)
            for t in range(count):
                rate[t] *= slope[first + t]
            add_along_gradients(corner, corners, first, count, gradient, rate, y, own)
            for t in range(count):
                if bears[first + t] != 0.0:
                    add_turning(corner, corners, first + t, points, u, bears[first + t], y, own)
        if kind & BARRIER and low[block] != 0.0:
            least_slack(first, count, corners, all_cells, gradient, content, threshold, slack)
            for t in range(count):
                if everyone or slack[t] <= 0.0:
                    _barrier_product(t, first + t, corner, corners, all_cells, gradient, content, threshold, barrier_slope[first + t],
                                     everyone, u, y, own, scratch.share)  # fmt: skip


def add_diagonal(ctx, mine):
    corner, corners, threshold, all_cells = mine.corner, mine.corners, mine.threshold, U(mine.rest.size)
    scratch, diagonal, own, everyone = mine.scratch, ctx.forces, ctx.own, ctx.everyone != 0
    gradient, content, share = scratch.gradient, scratch.content, scratch.share
    for block in range(mine.first_block, mine.last_block):
        first, kind = U(mine.block_cell[block]), mine.block_kind[block]
        count = U(mine.block_cell[block + U(1)]) - first
        measure(corner, corners, first, count, ctx.points, scratch.edge, gradient, content)
        for t in range(count):
            cell = first + t
            for i in range(corners):
                if kind & PRESSURE:
                    _add_squares(gradient, i, t, mine.slope[cell], diagonal, own + U(4) * U(corner[corners * cell + i]))
                if kind & BARRIER and mine.low[block] != 0.0:
                    acts, square = _acts(t, cell, i, all_cells, gradient, content, threshold, everyone)
                    if acts:
                        shares(gradient, corners, i, t, share)
                        for j in range(corners):
                            factor = mine.barrier_slope[cell] * share[j] * share[j] / square
                            _add_squares(gradient, i, t, factor, diagonal, own + U(4) * U(corner[corners * cell + j]))


@inner
def _add_squares(gradient, i, t, factor, diagonal, place):
    for axis in range(U(3)):
        g = gradient[(U(3) * i + axis) * SIZE + t]
        diagonal[place + axis] += factor * g * g


def note(ctx, mine):
    """Kirchhoff's stress in every cell: minus the pressure, times the content over that at rest."""
    scratch, noted = mine.scratch, mine.noted
    content, rate, tension = scratch.content, scratch.rate, scratch.tension
    for block in range(mine.first_block, mine.last_block):
        first = U(mine.block_cell[block])
        count = U(mine.block_cell[block + U(1)]) - first
        measure_in_motion(mine.corner, mine.corners, first, count, ctx.points, scratch.edge, scratch.gradient, content, rate)
        _tension(
            first, count, mine.rest, mine.a, mine.b, mine.phi, mine.flowed, content, rate, tension, scratch.internal_rate, 0.0, 0
        )
        for t in range(count):
            noted[first + t] = tension[t] * content[t] / mine.rest[first + t]
