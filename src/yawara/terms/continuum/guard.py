"""What keeps boxes from turning their corners inside out while their mean is still in order.

At a corner the gradient is F (I + Z), with Z from modes: (2/h) F^-1 Y of the modes Y = y / sqrt(f) along each axis, f as in cells.py.
Corners stay in order as long as Z is small. So a mode whose share |cof(F)^T y| / J = |F^-1 y| passes a limit costs

    W = kappa/6 w^2 V (1 - (1 - o^2)^3),    o = (c |u| - zeta J)_+ / w,    u = cof(F)^T y,    c^2 = 4 / (h^2 f),

which has no division by J, grows where cells are flat, and is zero else. It does not change where the body turns. Beyond o = 1 it stays
as it is: a cell whose corners are thrown anywhere must find its way back, and is not held where it is.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import GUARD, LANES, OUT, STIFFNESS
from yawara.terms.continuum.rotation import cofactors, gradient

L = U(LANES)
LIMIT = 0.25  # zeta: of three modes along each axis, all of which may add up
WIDTH = 0.3  # w: how far beyond the limit it pushes
SHARPNESS = 3.53  # c^2 V of a cube
TINY = 1e-300


@inlined
def _flat(f, is_flat):
    """F as the guard sees it: nothing changes across a flat body."""
    return f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], 1.0 if is_flat else f[8]


@inner
def guard(block):
    """Adds to V P, to forces upon modes, and to what is stored."""
    kappa = block.parameter[block.column + U(GUARD)]
    if kappa > 0.0 and block.modes > U(0) and _is_needed(block):
        for m in range(block.modes):
            _guard_mode(block, kappa, m)


@inlined
def _beyond(w, t, V, y2, is_flat):
    """Whether a lane may be beyond its limit, by |cof(F)^T y| <= |cof F| |y|: then more than 0."""
    f = _flat(gradient(w, t), is_flat)
    k = cofactors(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8])
    size = (
        k[0] * k[0]
        + k[1] * k[1]
        + k[2] * k[2]
        + k[3] * k[3]
        + k[4] * k[4]
        + k[5] * k[5]
        + k[6] * k[6]
        + k[7] * k[7]
        + k[8] * k[8]
    )
    least = LIMIT * max(f[0] * k[0] + f[1] * k[1] + f[2] * k[2], 0.0)
    return max(SHARPNESS * size * y2 - least * least * V, 0.0)


@inlined
def _size(w, m, t):
    at = U(6 * (3 + m)) * L + t
    return w[at] * w[at] + w[at + L] * w[at + L] + w[at + U(2) * L] * w[at + U(2) * L]


@inner
def _is_needed(block):
    w, volume, slot, total = block.w, block.volume, block.slot, 0.0
    if block.modes == U(4):
        for t in range(L):
            total += _beyond(w, t, volume[slot + t], _size(w, 0, t) + _size(w, 1, t) + _size(w, 2, t) + _size(w, 3, t), False)
    else:
        for t in range(L):
            total += _beyond(w, t, volume[slot + t], _size(w, 0, t), True)
    return total > 0.0


@inner
def _guard_mode(block, kappa, m):
    w, volume, slot, stored, live, most = block.w, block.volume, block.slot, 0.0, block.live, kappa * WIDTH * WIDTH / 6.0
    y, to = U(6) * (U(3) + m) * L, (U(OUT) + U(3) * (U(3) + m)) * L
    for t in range(live):
        f, V = _flat(gradient(w, t), block.plane), volume[slot + t]
        k = cofactors(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8])
        J, a, b, c = f[0] * k[0] + f[1] * k[1] + f[2] * k[2], w[y + t], w[y + L + t], w[y + U(2) * L + t]
        u0, u1, u2 = k[0] * a + k[3] * b + k[6] * c, k[1] * a + k[4] * b + k[7] * c, k[2] * a + k[5] * b + k[8] * c
        size, sharp = math.sqrt(u0 * u0 + u1 * u1 + u2 * u2), math.sqrt(SHARPNESS / V)
        over = (sharp * size - LIMIT * J) / WIDTH
        if not 0.0 < over < 1.0:
            stored += most * V if over >= 1.0 else 0.0
            continue
        left = 1.0 - over * over
        stored += most * V * (1.0 - left * left * left)
        push = kappa * WIDTH * V * over * left * left
        part = push * sharp / (size + TINY)
        g0, g1, g2 = part * u0, part * u1, part * u2
        w[to + t] += k[0] * g0 + k[1] * g1 + k[2] * g2
        w[to + L + t] += k[3] * g0 + k[4] * g1 + k[5] * g2
        w[to + U(2) * L + t] += k[6] * g0 + k[7] * g1 + k[8] * g2
        even = -push * LIMIT
        # u_j = f_k . (f_l x y) of the columns f of F, cyclically: f_0 takes part in u_1 = f_2 . (f_0 x y) and u_2 = f_0 . (f_1 x y)
        d0 = _cross(f[1], f[4], f[7], a, b, c)
        d1 = _cross(f[2], f[5], f[8], a, b, c)
        d2 = _cross(f[0], f[3], f[6], a, b, c)
        at = U(OUT) * L + t
        for i in range(U(3)):
            w[at + i * L] += g2 * d0[i] - g1 * d1[i] + even * k[U(3) * i]
            w[at + (U(3) + i) * L] += g0 * d1[i] - g2 * d2[i] + even * k[U(3) * i + U(1)]
            w[at + (U(6) + i) * L] += g1 * d2[i] - g0 * d0[i] + even * k[U(3) * i + U(2)]
        w[U(STIFFNESS) * L + t] += kappa * SHARPNESS * (k[0] * k[0] + k[4] * k[4] + k[8] * k[8])
    block.stored += stored


@inlined
def _cross(p, q, r, a, b, c):
    return q * c - r * b, r * a - p * c, p * b - q * a
