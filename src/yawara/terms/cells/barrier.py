"""The inversion barrier: a Voigt element between a corner and the opposite side of its cell, while they are closer than a threshold.

    f = K (eps - d) - C ddot   if d <= eps, along the side's normal           Tomokuni et al. 2003, eq. (7), dot restored, push positive
    reaction on the side's corners by R_j = max(r_j, 0) / sum max(r, 0)       eqs. (8)-(10), numerator r_j

d is the signed height of the corner over the side, negative when the cell is inside out, and r_j are the side's barycentric ratios of its
foot. The damper feels the rate at which corner and side approach where the force acts on them, which is ddot while no ratio is clamped:
only so it never feeds energy. With the gradients g of the cell's content V: d_i = V / |g_i|, n_i = g_i / |g_i|, r_j = -g_j . g_i / |g_i|^2.

While the foot lies inside the side, R = r: the force is the gradient of an energy, and has no net torque. Outside, the papers' clamp
leaves a torque, and the work that goes into the barrier is not the change of any energy; nor is it where a side shrinks to nothing and
its normal turns over. So barriers have an account of their own: what they have taken from the motion and not given back.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.cells.constants import SMALLEST_GRADIENT2
from yawara.terms.cells.measure import SIZE


@inner
def dot(gradient, i, j, t):
    """g_i . g_j of the block's cell t."""
    a, b = U(3) * i * SIZE + t, U(3) * j * SIZE + t
    return (
        gradient[a] * gradient[b]
        + gradient[a + SIZE] * gradient[b + SIZE]
        + gradient[a + U(2) * SIZE] * gradient[b + U(2) * SIZE]
    )


@inner
def along(gradient, i, t, values, place):
    """g_i . values[place:place + 3]"""
    a = U(3) * i * SIZE + t
    return (
        gradient[a] * values[place] + gradient[a + SIZE] * values[place + U(1)] + gradient[a + U(2) * SIZE] * values[place + U(2)]
    )


@inner
def add_along(gradient, i, t, factor, values, place):
    """values[place:place + 3] += factor g_i"""
    a = U(3) * i * SIZE + t
    values[place] += factor * gradient[a]
    values[place + U(1)] += factor * gradient[a + SIZE]
    values[place + U(2)] += factor * gradient[a + U(2) * SIZE]


@inner
def shares(gradient, corners, i, t, share):
    """Of a force on corner i: 1 there, and minus the clamped ratios of its foot at the other corners."""
    total = 0.0
    for j in range(corners):
        if j != i:
            share[j] = max(-dot(gradient, i, j, t), 0.0)
            total += share[j]
    for j in range(corners):
        share[j] = 1.0 if j == i else -share[j] / total


@inner
def barrier(cell, t, corner, corners, count, points, forces, base, gradient, content, threshold, K, C, share):
    """Add the barrier forces [N] of one cell; returns the power [W] that they take from the motion."""
    power = 0.0
    for i in range(corners):
        square = dot(gradient, i, i, t)
        if square <= SMALLEST_GRADIENT2:
            continue
        size = math.sqrt(square)
        depth = threshold[i * count + cell] - content[t] / size
        if depth < 0.0:
            continue
        shares(gradient, corners, i, t, share)
        rate = 0.0
        for j in range(corners):
            rate += share[j] * along(gradient, i, t, points, U(8) * U(corner[corners * cell + j]) + U(4)) / size
        f = K * depth - C * rate
        for j in range(corners):
            add_along(gradient, i, t, share[j] * f / size, forces, base + U(4) * U(corner[corners * cell + j]))
        power -= f * rate
    return power
