"""The forces of cells: a pressure by each cell's content, and the guard that keeps cells from turning inside out.

    p = -(k (V - V0) + c Vdot),  force on corner i = p dV/dx_i              Hirai, particle-based modelling, sec. 2.6, per cell

with a serial damper if the material has one (the same law as a link's, with the content V for the length: forces/links/flow.py). Forces
along the gradients of V have no sum and no torque, and their power is exactly p Vdot.
"""

import numpy as np
from numba import uint64 as U

from yawara.forces.cells.constants import BLOCK_CELLS, GUARD, PRESSURE
from yawara.forces.cells.guard import guard
from yawara.forces.cells.measure import SIZE, add_along_gradients, measure, measure_in_motion
from yawara.jit import kernel
from yawara.stages import FREEZE, integrate_range


@kernel
def cell_scratch():
    """Block-sized buffers: edges, gradients, content, its rate, tension, memory rate, slack, and one for the corners of one cell."""
    size = BLOCK_CELLS
    return (np.empty(9 * size), np.empty(12 * size), np.empty(size), np.empty(size), np.empty(size), np.empty(size), np.empty(size),
            np.empty(4))  # fmt: skip


@kernel
def _tension(first, count, rest, a, b, phi, memory, m, content, rate, tension, memory_rate, ahead):
    """f = a (V - V0 - q) + b Vdot, minus the pressure, and qdot = phi f; with the memory of `ahead` [s] later, q + ahead qdot."""
    for t in range(count):  # one array is written in each loop: with more, the compiler does not dare to vectorise
        n = first + t
        tension[t] = a[n] * (content[t] - rest[n] - memory[m + n]) + b[n] * rate[t]
    if ahead != 0.0:
        for t in range(count):
            tension[t] /= 1.0 + ahead * a[first + t] * phi[first + t]
    for t in range(count):
        memory_rate[t] = phi[first + t] * tension[t]


@kernel
def _energy(first, count, rest, a, b, phi, memory, m, content, rate, tension, memory_rate, ahead):
    """As in forces/links/flow.py; and the power [W] that goes in."""
    stored, power, given = 0.0, 0.0, 0.0
    for t in range(count):
        n = first + t
        e = content[t] - rest[n] - memory[m + n] - ahead * memory_rate[t]
        widening = 1.0 / (1.0 - b[n] * phi[n])
        free = rate[t] - memory_rate[t]
        stored += 0.5 * a[n] * widening * e * e
        power += b[n] * widening * free * free + tension[t] * memory_rate[t]
        given += tension[t] * rate[t]
    return stored, power, given


@kernel
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


@kernel
def cell_forces(cells, corners, first_block, last_block, points, forces, base, memory, memory_start, memory_total,
                buffers, stage, step, weight, account, ahead):  # fmt: skip
    """Add the forces [N] of the blocks' cells and move their memory by one stage; `ahead` [s] is the step of an implicit scheme, or 0.

    Returns stored energy [J] and dissipated power [W] of the pressures, the power that goes into them, if `account`, and the power [W]
    that guards take.
    """
    corner, rest, a, b, phi, threshold, K, C, block_cell, block_kind, first_memory = cells
    edge, gradient, content, rate, tension, memory_rate, slack, share = buffers
    all_cells, m = U(rest.size), U(first_memory[0])
    stored, power, given, guarded = 0.0, 0.0, 0.0, 0.0
    for block in range(first_block, last_block):
        first, kind = U(block_cell[block]), block_kind[block]
        count = U(block_cell[block + U(1)]) - first
        if not kind & PRESSURE:
            measure(corner, corners, first, count, points, edge, gradient, content)
        else:
            measure_in_motion(corner, corners, first, count, points, edge, gradient, content, rate)
            _tension(first, count, rest, a, b, phi, memory, m, content, rate, tension, memory_rate, ahead)
            if account:
                s, p, g = _energy(first, count, rest, a, b, phi, memory, m, content, rate, tension, memory_rate, ahead)
                stored, power, given = stored + s, power + p, given + g
            if stage != FREEZE:
                integrate_range(stage, memory, memory_start, memory_total, m + first, memory_rate, U(0), count, step, weight)
            for t in range(count):
                tension[t] = -tension[t]
            add_along_gradients(corner, corners, first, count, gradient, tension, forces, base)
        if kind & GUARD:
            least_slack(first, count, corners, all_cells, gradient, content, threshold, slack)
            for t in range(count):
                if slack[t] <= 0.0:
                    n = first + t
                    guarded += guard(n, t, corner, corners, all_cells, points, forces, base, gradient, content, threshold, K[n], C[n],
                                 share)  # fmt: skip
    return stored, power, given, guarded
