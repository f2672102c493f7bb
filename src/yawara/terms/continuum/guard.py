"""What keeps boxes from turning their corners inside out while their mean is still in order.

With A = F M of the cell's own axes (M = dX/dxi at rest, its mean) and the modes Y_m = y_m / sqrt(f_m) of the patterns h_m, f as in
cells.py, a box is x = A xi + sum Y_m h_m(xi). At a corner it has volume over that at rest J_c = det(A + sum Y_m grad h_m) / det M, and
costs

    W = kappa w0 w V/corners sum_c f(o),    f = o^3 (10 - 15 o + 6 o^2),    o = (zeta J - J_c)_+ / w,    w^2 = w0^2 + (b J_+)^2,

J = det F, which is zero as long as no corner has less than a part zeta of the mean, and does not change where the body turns. It begins
without stiffness, so that the watch on the stable step sees it come, and pushes until the corner is well inside out: w grows with the mean.
Beyond o = 1 it stays as it is but for w, which draws the box in: a cell whose corners are thrown anywhere must find its way back, and
is not held where it is.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import GUARD, LANES, OUT, STIFFNESS
from yawara.terms.continuum.rotation import cofactors, gradient

L = U(LANES)
LIMIT = 0.25  # zeta
WIDTH, BROADER = 0.12, 0.48  # w0 and b: how far beyond the limit it pushes
# J_c / J = det(I + Z) >= (1 - |Z|)^3, so a corner is beyond the limit only where |Z| > 1 - zeta^(1/3). A mode's part of Z has at most
# c |cof F| |y| / J along each axis, c^2 = 4 / (h^2 f), with up to three modes along up to three axes:
# |Z|^2 <= 9 c^2 |cof F|^2 sum |y|^2 / J^2
SHARPNESS = 3.53  # c^2 V of a cube
QUIET = (1.0 - LIMIT ** (1.0 / 3.0)) ** 2 / 9.0


@inlined
def _flat(f, is_flat):
    """F as the guard sees it: nothing changes across a flat body."""
    return f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], 1.0 if is_flat else f[8]


@inner
def guard(block):
    """Adds to V P, to forces upon modes, and to what is stored."""
    kappa = block.guarding * block.parameter[block.column + U(GUARD)]
    if kappa > 0.0 and block.modes > U(0) and _is_needed(block):
        for t in range(block.live):
            if _needs(block, t) > 0.0:
                _guard_cell(block, kappa, t)


@inlined
def _norm2(k):
    return (
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


@inlined
def _beyond(w, t, V, y2, is_flat):
    """Whether a lane may have a corner beyond its limit: then more than 0. What is inside out as a whole always has."""
    f = _flat(gradient(w, t), is_flat)
    k = cofactors(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8])
    J = f[0] * k[0] + f[1] * k[1] + f[2] * k[2]
    positive = max(J, 0.0)
    return max(SHARPNESS * _norm2(k) * y2 - QUIET * positive * positive * V, -J, 0.0)


@inlined
def _size(w, m, t):
    at = U(6 * (3 + m)) * L + t
    return w[at] * w[at] + w[at + L] * w[at + L] + w[at + U(2) * L] * w[at + U(2) * L]


@inlined
def _needs(block, t):
    w, V = block.w, block.volume[block.slot + t]
    if block.modes == U(4):
        return _beyond(w, t, V, _size(w, 0, t) + _size(w, 1, t) + _size(w, 2, t) + _size(w, 3, t), False)
    return _beyond(w, t, V, _size(w, 0, t), True)


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


@inlined
def _mode(w, m, t, part):
    """Y of mode m."""
    at = U(6 * (3 + m)) * L + t
    return part * w[at], part * w[at + L], part * w[at + U(2) * L]


@inner
def _guard_cell(block, kappa, t):
    """All corners of one cell."""
    w, solid, frame, at = block.w, block.modes == U(4), block.frame, U(13) * (block.slot + t)
    f, V = _flat(gradient(w, t), not solid), block.volume[block.slot + t]
    # rows of A = F M, by columns of M
    m0, m1, m2, m3, m4 = frame[at], frame[at + U(1)], frame[at + U(2)], frame[at + U(3)], frame[at + U(4)]
    m5, m6, m7, m8 = frame[at + U(5)], frame[at + U(6)], frame[at + U(7)], frame[at + U(8)]
    a00, a10, a20 = f[0] * m0 + f[1] * m3 + f[2] * m6, f[3] * m0 + f[4] * m3 + f[5] * m6, f[6] * m0 + f[7] * m3 + f[8] * m6
    a01, a11, a21 = f[0] * m1 + f[1] * m4 + f[2] * m7, f[3] * m1 + f[4] * m4 + f[5] * m7, f[6] * m1 + f[7] * m4 + f[8] * m7
    a02, a12, a22 = f[0] * m2 + f[1] * m5 + f[2] * m8, f[3] * m2 + f[4] * m5 + f[5] * m8, f[6] * m2 + f[7] * m5 + f[8] * m8
    part0, part1, part2, part3 = frame[at + U(9)], frame[at + U(10)], frame[at + U(11)], frame[at + U(12)]
    y0 = _mode(w, 0, t, part0)
    y1, y2, y3 = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    if solid:
        y1, y2, y3 = _mode(w, 1, t, part1), _mode(w, 2, t, part2), _mode(w, 3, t, part3)
    whole = 1.0 / (m0 * (m4 * m8 - m5 * m7) - m1 * (m3 * m8 - m5 * m6) + m2 * (m3 * m7 - m4 * m6))  # 1 / det M
    k = cofactors(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8])
    J = f[0] * k[0] + f[1] * k[1] + f[2] * k[2]
    positive = max(J, 0.0)
    width = math.sqrt(WIDTH * WIDTH + BROADER * BROADER * positive * positive)
    widening = BROADER * BROADER * positive / width  # dw/dJ
    stored, stiffness, even, each = 0.0, 0.0, 0.0, V / 8.0 if solid else V / 4.0
    # d/dA, nine, row by row, and d/dY of each mode
    d0 = d1 = d2 = d3 = d4 = d5 = d6 = d7 = d8 = 0.0
    e00 = e01 = e02 = e10 = e11 = e12 = e20 = e21 = e22 = e30 = e31 = e32 = 0.0
    for corner in range(8 if solid else 4):
        s0, s1, s2 = 2.0 * (corner & 1) - 1.0, float(corner & 2) - 1.0, 0.5 * (corner & 4) - 1.0
        if solid:  # patterns xi_1 xi_2, xi_0 xi_2, xi_0 xi_1, xi_0 xi_1 xi_2
            b00, b10, b20 = (
                a00 + s2 * y1[0] + s1 * y2[0] + s1 * s2 * y3[0],
                a10 + s2 * y1[1] + s1 * y2[1] + s1 * s2 * y3[1],
                a20 + s2 * y1[2] + s1 * y2[2] + s1 * s2 * y3[2],
            )
            b01, b11, b21 = (
                a01 + s2 * y0[0] + s0 * y2[0] + s0 * s2 * y3[0],
                a11 + s2 * y0[1] + s0 * y2[1] + s0 * s2 * y3[1],
                a21 + s2 * y0[2] + s0 * y2[2] + s0 * s2 * y3[2],
            )
            b02, b12, b22 = (
                a02 + s1 * y0[0] + s0 * y1[0] + s0 * s1 * y3[0],
                a12 + s1 * y0[1] + s0 * y1[1] + s0 * s1 * y3[1],
                a22 + s1 * y0[2] + s0 * y1[2] + s0 * s1 * y3[2],
            )
        else:  # pattern xi_0 xi_1
            b00, b10, b20 = a00 + s1 * y0[0], a10 + s1 * y0[1], a20 + s1 * y0[2]
            b01, b11, b21 = a01 + s0 * y0[0], a11 + s0 * y0[1], a21 + s0 * y0[2]
            b02, b12, b22 = a02, a12, a22
        c = cofactors(b00, b01, b02, b10, b11, b12, b20, b21, b22)
        over = (LIMIT * J - whole * (b00 * c[0] + b01 * c[1] + b02 * c[2])) / width
        if over <= 0.0:
            continue
        if over >= 1.0:
            stored, even = stored + 1.0, even + widening
            continue
        left = 1.0 - over
        cost = over * over * over * (10.0 - 15.0 * over + 6.0 * over * over)
        slope = 30.0 * over * over * left * left  # of the energy, by o
        stored, even = stored + cost, even + slope * (LIMIT - over * widening) + cost * widening
        push = -slope * whole
        c0, c1, c2, c3, c4, c5, c6, c7, c8 = (
            push * c[0], push * c[1], push * c[2], push * c[3], push * c[4], push * c[5], push * c[6], push * c[7], push * c[8]
        )  # fmt: skip
        d0, d1, d2, d3, d4, d5, d6, d7, d8 = d0 + c0, d1 + c1, d2 + c2, d3 + c3, d4 + c4, d5 + c5, d6 + c6, d7 + c7, d8 + c8
        if solid:
            e00, e01, e02 = e00 + s2 * c1 + s1 * c2, e01 + s2 * c4 + s1 * c5, e02 + s2 * c7 + s1 * c8
            e10, e11, e12 = e10 + s2 * c0 + s0 * c2, e11 + s2 * c3 + s0 * c5, e12 + s2 * c6 + s0 * c8
            e20, e21, e22 = e20 + s1 * c0 + s0 * c1, e21 + s1 * c3 + s0 * c4, e22 + s1 * c6 + s0 * c7
            e30 += s1 * s2 * c0 + s0 * s2 * c1 + s0 * s1 * c2
            e31 += s1 * s2 * c3 + s0 * s2 * c4 + s0 * s1 * c5
            e32 += s1 * s2 * c6 + s0 * s2 * c7 + s0 * s1 * c8
        else:
            e00, e01, e02 = e00 + s1 * c0 + s0 * c1, e01 + s1 * c3 + s0 * c4, e02 + s1 * c6 + s0 * c7
        # highest mode of a cell, over that of a wave: as the volume at the corner changes, and as that change turns. In a cube, four points
        # move it, |dJ_c/dx|^2 = 6/h^2, and _across is 3: 6/h^2 over the 4/h^2 of a wave
        turned = 60.0 * over * left * (1.0 - 2.0 * over)
        stiffness += (
            0.5 * WIDTH * (max(turned, 0.0) / width + slope) * whole * whole * _across(c, m0, m1, m2, m3, m4, m5, m6, m7, m8)
        )
    block.stored += kappa * WIDTH * width * each * stored
    if stored == 0.0:
        return
    w[U(STIFFNESS) * L + t] += kappa * stiffness
    size = kappa * WIDTH * each
    to = U(OUT) * L + t
    # d/dF = d/dA M^T, and by J, of zeta J and of w
    same = size * even
    _add(w, to, size * (d0 * m0 + d1 * m1 + d2 * m2) + same * k[0], size * (d3 * m0 + d4 * m1 + d5 * m2) + same * k[3],
         size * (d6 * m0 + d7 * m1 + d8 * m2) + same * k[6])  # fmt: skip
    _add(w, to + U(3) * L, size * (d0 * m3 + d1 * m4 + d2 * m5) + same * k[1], size * (d3 * m3 + d4 * m4 + d5 * m5) + same * k[4],
         size * (d6 * m3 + d7 * m4 + d8 * m5) + same * k[7])  # fmt: skip
    if solid:
        _add(w, to + U(6) * L, size * (d0 * m6 + d1 * m7 + d2 * m8) + same * k[2], size * (d3 * m6 + d4 * m7 + d5 * m8) + same * k[5],
             size * (d6 * m6 + d7 * m7 + d8 * m8) + same * k[8])  # fmt: skip
        _add(w, to + U(12) * L, size * part1 * e10, size * part1 * e11, size * part1 * e12)
        _add(w, to + U(15) * L, size * part2 * e20, size * part2 * e21, size * part2 * e22)
        _add(w, to + U(18) * L, size * part3 * e30, size * part3 * e31, size * part3 * e32)
    _add(w, to + U(9) * L, size * part0 * e00, size * part0 * e01, size * part0 * e02)


@inlined
def _across(c, m0, m1, m2, m3, m4, m5, m6, m7, m8):
    """|cof B M^T|^2, of columns: how much a corner's volume feels a gradient."""
    total = 0.0
    for i in range(3):
        p, q, r = c[3 * i], c[3 * i + 1], c[3 * i + 2]
        total += (p * m0 + q * m1 + r * m2) ** 2 + (p * m3 + q * m4 + r * m5) ** 2 + (p * m6 + q * m7 + r * m8) ** 2
    return total


@inlined
def _add(w, at, x, y, z):
    w[at] += x
    w[at + L] += y
    w[at + U(2) * L] += z
