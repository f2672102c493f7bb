"""What all force terms answer to a small change of velocity, as a product with a vector: y = sum s g (g . u).

Every element (link, cell, guard, closed surface) acts along the gradient g of a number that it measures: its length, content, height,
volume. With the slope s of its force this is its part of the tangent. The implicit scheme solves with it, and the step control looks for
its largest eigenvalue. Vectors have four entries per point, like forces.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import uint64 as U

from yawara.forces.cells.constants import CORNERS_2D, CORNERS_3D, GUARD, PRESSURE, SMALLEST_GRADIENT2
from yawara.forces.cells.guard import add_along, along, dot, shares
from yawara.forces.cells.measure import add_along_gradients, measure, measure_rate
from yawara.forces.cells.term import least_slack
from yawara.forces.enclosed import add_along_faces, faces_along
from yawara.jit import kernel
from yawara.model import Floats, KernelArrays


class Slopes(NamedTuple):
    """One number per element: force over velocity [N s/m] in the implicit scheme, stiffness [N/m] or less for eigenvalues."""

    link: Floats  # (slot_count,), along the link
    transverse: Floats  # (slot_count,), across it: what its tension adds, or all that a tie has; empty if there is none
    tetrahedron: Floats  # (cell_count,), of the pressure
    tetrahedron_guard: Floats  # (cell_count,)
    triangle: Floats
    triangle_guard: Floats
    surface: Floats  # (surface_count,)
    tetrahedron_low: Floats  # (block_count,): whether a guard acts in the block, not 0 if so
    triangle_low: Floats


def no_slopes(arrays: KernelArrays) -> Slopes:
    """All zero, without transverse part."""
    tetrahedra, triangles = len(arrays.tetrahedron.rest), len(arrays.triangle.rest)
    sizes = (len(arrays.link.start), 0, tetrahedra, tetrahedra, triangles, triangles, len(arrays.surface.rest),
             len(arrays.tetrahedron.block_kind), len(arrays.triangle.block_kind))  # fmt: skip
    return Slopes(*(np.zeros(size) for size in sizes))


@kernel
def apply_links(first, last, start, end, points, slope, transverse, u, y, base):
    """Links in the slots first..last, their directions taken from `points`."""
    across = transverse.size > 0
    for n in range(first, last):
        p, q = U(8) * U(start[n]), U(8) * U(end[n])
        a, b = U(4) * U(start[n]), U(4) * U(end[n])
        dx, dy, dz = points[q] - points[p], points[q + U(1)] - points[p + U(1)], points[q + U(2)] - points[p + U(2)]
        ux, uy, uz = u[a] - u[b], u[a + U(1)] - u[b + U(1)], u[a + U(2)] - u[b + U(2)]
        h = transverse[n] if across else 0.0
        f = (slope[n] - h) * (dx * ux + dy * uy + dz * uz) / (dx * dx + dy * dy + dz * dz + 1e-300)
        x, y_, z = f * dx + h * ux, f * dy + h * uy, f * dz + h * uz
        y[base + a] += x
        y[base + a + U(1)] += y_
        y[base + a + U(2)] += z
        y[base + b] -= x
        y[base + b + U(1)] -= y_
        y[base + b + U(2)] -= z


@kernel
def _apply_guard(t, cell, corner, corners, all_cells, gradient, content, threshold, slope, everyone, u, y, base, share):
    for i in range(corners):
        square = dot(gradient, i, i, t)
        if square <= SMALLEST_GRADIENT2:
            continue
        if not everyone and content[t] > threshold[i * all_cells + cell] * math.sqrt(square):
            continue
        shares(gradient, corners, i, t, share)
        rate = 0.0
        for j in range(corners):
            rate += share[j] * along(gradient, i, t, u, U(4) * U(corner[corners * cell + j]))
        for j in range(corners):
            add_along(gradient, i, t, slope * share[j] * rate / square, y, base + U(4) * U(corner[corners * cell + j]))


@kernel
def apply_cells(cells, corners, first_block, last_block, points, slope, guard_slope, low, everyone, u, y, base, buffers):
    """Pressures and guards of the blocks; of the guards those that act, or `everyone`."""
    corner, threshold, all_cells = cells.corner, cells.threshold, U(cells.rest.size)
    edge, gradient, content, rate, _, _, slack, share = buffers
    for block in range(first_block, last_block):
        first, kind = U(cells.block_cell[block]), cells.block_kind[block]
        count = U(cells.block_cell[block + U(1)]) - first
        measure(corner, corners, first, count, points, edge, gradient, content)
        if kind & PRESSURE:
            measure_rate(corner, corners, first, count, u, U(4), U(0), edge, gradient, rate)
            for t in range(count):
                rate[t] *= slope[first + t]
            add_along_gradients(corner, corners, first, count, gradient, rate, y, base)
        if kind & GUARD and (everyone or low[block] != 0.0):
            least_slack(first, count, corners, all_cells, gradient, content, threshold, slack)
            for t in range(count):
                if everyone or slack[t] <= 0.0:
                    _apply_guard(t, first + t, corner, corners, all_cells, gradient, content, threshold, guard_slope[first + t],
                                 everyone, u, y, base, share)  # fmt: skip


@kernel
def measure_along(me, arrays, shares_, points, u, partial):
    """How fast each surface's content changes under u, as far as the thread's faces go; before `apply`."""
    surfaces = U(arrays.surface.rest.size)
    faces_along(arrays.surface, U(shares_.face[me]), U(shares_.face[me + 1]), points, u, partial, U(me) * surfaces)


@kernel
def apply(me, threads, arrays, shares_, points, slopes, everyone, u, y, base, partial, buffers):
    """Add the thread's part of the product to y[base:]; what followers got is not handed on yet."""
    link = arrays.link
    first, last = U(link.block_slot[shares_.block[me]]), U(link.block_slot[shares_.block[me + 1]])
    apply_links(first, last, link.start, link.end, points, slopes.link, slopes.transverse, u, y, base)
    apply_cells(arrays.tetrahedron, U(CORNERS_3D), U(shares_.tetrahedron[me]), U(shares_.tetrahedron[me + 1]), points,
                slopes.tetrahedron, slopes.tetrahedron_guard, slopes.tetrahedron_low, everyone, u, y, base, buffers)  # fmt: skip
    apply_cells(arrays.triangle, U(CORNERS_2D), U(shares_.triangle[me]), U(shares_.triangle[me + 1]), points,
                slopes.triangle, slopes.triangle_guard, slopes.triangle_low, everyone, u, y, base, buffers)  # fmt: skip
    surfaces = U(arrays.surface.rest.size)
    for n in range(surfaces):
        rate = 0.0
        for thread in range(U(threads)):
            rate += partial[thread * surfaces + n]
        first_face, last_face = U(shares_.face[me]), U(shares_.face[me + 1])
        add_along_faces(arrays.surface, n, first_face, last_face, points, slopes.surface[n] * rate, y, base)
