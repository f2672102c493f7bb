"""Forces at the end of an implicit step, the slopes that go with them, and the diagonal of the system to be solved."""

import numpy as np
from numba import uint64 as U

from yawara.forces.cells.constants import CORNERS_2D, CORNERS_3D, GUARD, PRESSURE, SMALLEST_GRADIENT2
from yawara.forces.cells.guard import dot, shares
from yawara.forces.cells.measure import SIZE, measure
from yawara.forces.cells.term import least_slack
from yawara.forces.links.implicit import implicit_response
from yawara.forces.links.term import add_tensions, block_energy, measure_links
from yawara.jit import kernel
from yawara.stages import EULER, integrate_range


@kernel
def implicit_link_forces(links, first_block, last_block, points, forces, base, memory, buffers, dt, slope, transverse, finish):
    """Add the link forces [N] for positions and velocities at the end of a step of `dt`, memories being those of its beginning.

    Writes each link's slope along its direction [N s/m], and across it what its pull adds [N s/m]: dt f / l, if it pulls. A link that
    is pressed would take stiffness away across; without that part the system stays positive definite, and Newton's method still converges.
    If `finish`, moves the memories too, and returns dissipated power [W] and the power that goes into the links.
    """
    (start, end, coefficient, block_family, block_parts, block_slot, block_coefficient, block_memory, block_stride, block_run,
     run_point, run_length, _) = links  # fmt: skip
    delta, length2, stretching, factor, memory_rate = buffers
    slopes = np.empty(length2.size)
    power, given = 0.0, 0.0
    for block in range(first_block, last_block):
        first, family = U(block_slot[block]), block_family[block]
        count, parts = U(block_slot[block + U(1)]) - first, U(block_parts[block])
        c, m, stride = U(block_coefficient[block]), U(block_memory[block]), U(block_stride[block])
        measure_links(start, end, first, U(0), count, points, delta, length2, stretching)
        implicit_response(
            family, count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slopes, memory_rate
        )
        for t in range(count):
            slope[first + t] = slopes[t]
            transverse[first + t] = dt * max(factor[t], 0.0)
        if finish:
            for part in range(parts):
                integrate_range(EULER, memory, memory, memory, m + part * stride, memory_rate, part * count, count, dt, 0.0)
            _, p = block_energy(family, count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate)
            power += p
            for t in range(count):
                given += factor[t] * stretching[t]
        add_tensions(
            end, run_point, run_length, U(block_run[block]), U(block_run[block + U(1)]), first, forces, base, delta, factor
        )
    return power, given


@kernel
def _link_diagonal(links, first, last, points, slope, transverse, diagonal, base):
    for n in range(first, last):
        p, q = U(links.start[n]), U(links.end[n])
        if p == q:
            continue  # padding
        length2 = 1e-300
        for axis in range(U(3)):
            length2 += (points[U(8) * q + axis] - points[U(8) * p + axis]) ** 2
        for axis in range(U(3)):
            d = points[U(8) * q + axis] - points[U(8) * p + axis]
            value = transverse[n] + (slope[n] - transverse[n]) * d * d / length2
            diagonal[base + U(4) * p + axis] += value
            diagonal[base + U(4) * q + axis] += value


@kernel
def _cell_diagonal(cells, corners, first_block, last_block, points, slope, guard_slope, low_block, diagonal, base, buffers):
    """Also notes in which blocks guards act."""
    edge, gradient, content, _, _, _, slack, share = buffers
    all_cells = U(cells.rest.size)
    for block in range(first_block, last_block):
        first, kind = U(cells.block_cell[block]), cells.block_kind[block]
        count = U(cells.block_cell[block + U(1)]) - first
        measure(cells.corner, corners, first, count, points, edge, gradient, content)
        if kind & GUARD:
            least_slack(first, count, corners, all_cells, gradient, content, cells.threshold, slack)
            low_block[block] = 1.0 if slack[:count].min() <= 0.0 else 0.0
        for t in range(count):
            cell = first + t
            for i in range(corners):
                square = dot(gradient, i, i, t)
                low = kind & GUARD and slack[t] <= 0.0 and square > SMALLEST_GRADIENT2
                if low and content[t] <= cells.threshold[i * all_cells + cell] * np.sqrt(square):
                    shares(gradient, corners, i, t, share)
                    for j in range(corners):
                        place = base + U(4) * U(cells.corner[corners * cell + j])
                        for axis in range(U(3)):
                            g = gradient[(U(3) * i + axis) * SIZE + t]
                            diagonal[place + axis] += guard_slope[cell] * share[j] * share[j] * g * g / square
                if kind & PRESSURE:
                    place = base + U(4) * U(cells.corner[corners * cell + i])
                    for axis in range(U(3)):
                        g = gradient[(U(3) * i + axis) * SIZE + t]
                        diagonal[place + axis] += slope[cell] * g * g


@kernel
def add_diagonal(me, arrays, shares_, points, slopes, diagonal, base, buffers):
    """The thread's part of the diagonal of the operator [N s/m]; whole surfaces are left out, since they reach many points weakly."""
    link = arrays.link
    first, last = U(link.block_slot[shares_.block[me]]), U(link.block_slot[shares_.block[me + 1]])
    _link_diagonal(link, first, last, points, slopes.link, slopes.transverse, diagonal, base)
    _cell_diagonal(arrays.tetrahedron, U(CORNERS_3D), U(shares_.tetrahedron[me]), U(shares_.tetrahedron[me + 1]), points,
                   slopes.tetrahedron, slopes.tetrahedron_guard, slopes.tetrahedron_low, diagonal, base, buffers)  # fmt: skip
    _cell_diagonal(arrays.triangle, U(CORNERS_2D), U(shares_.triangle[me]), U(shares_.triangle[me + 1]), points,
                   slopes.triangle, slopes.triangle_guard, slopes.triangle_low, diagonal, base, buffers)  # fmt: skip
