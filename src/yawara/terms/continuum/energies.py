"""Energies of finite strain: what they store, and the stress that they bear, of what has been stretched elastically.

    W(l1, l2, l3),    l_i^2 = g b_i,    b_i eigenvalues of B = U C_p^-1 U (U^2 where nothing flows),    g = J^(-2/3)

Kirchhoff's stress in the axes that turn along is Y - tr(Y)/3 1 with Y = sum f_i n_i n_i^T, f_i = l_i dW/dl_i, and 2 g W'(I) B for energies
of I = l1^2 + l2^2 + l3^2.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import (
    AT_ONCE,
    AXES,
    DRIVEN,
    EIGEN,
    ENERGY,
    INVARIANT,
    KIND,
    LANES,
    LOGARITHMIC,
    MEAN,
    MEASURE,
    NUMBERS,
    RATIO,
    RESISTING,
    SHRINK,
)
from yawara.terms.continuum.eigen import find_axes
from yawara.terms.continuum.symmetric import put_six, six
from yawara.terms.continuum.thinness import thinness

L = U(LANES)
THIRD = 1.0 / 3.0
LEAST, MOST = math.log(0.1), math.log(20.0)  # logarithms of stretches between which powers are taken; beyond, f stays
LEAST_SQUARE = 1e-12  # of a stretch


@inner
def drive(block):
    """DRIVEN, MEAN, ENERGY and RESISTING from MEASURE."""
    if block.parameter[block.column + U(KIND)] == float(INVARIANT):
        _by_invariant(block)
    else:
        _by_stretches(block)


@inner
def _by_invariant(block):
    """W = C1 j + C2 j^2 + C3 j^3, j = I - 3      Yeoh 1993; neo-Hookean with C1 = mu/2 alone"""
    w, parameter, c = block.w, block.parameter, block.column
    C1, C2, C3 = parameter[c + U(NUMBERS)], parameter[c + U(NUMBERS + 1)], parameter[c + U(NUMBERS + 2)]
    part = 1.0 / parameter[c + U(AT_ONCE)]
    for t in range(L):
        b = six(w, MEASURE, t)
        g, _, _ = thinness(w[U(RATIO) * L + t], w[U(SHRINK) * L + t])
        trace = b[0] + b[1] + b[2]
        j = g * trace - 3.0
        slope = 2.0 * g * (C1 + j * (2.0 * C2 + j * 3.0 * C3))
        # d2W/dl2 along the longest stretch: (dI/dl)^2/4 is about I - 2 where it is long, and 0 at rest
        steep = 4.0 * g * min(j + 1.0, 3.0 * max(j, 0.0))
        w[U(RESISTING) * L + t] = part * (abs(slope) + steep * abs(2.0 * C2 + 6.0 * C3 * j))
        mean, size = THIRD * trace, part * slope
        put_six(
            w,
            DRIVEN,
            t,
            (size * (b[0] - mean), size * (b[1] - mean), size * (b[2] - mean), size * b[3], size * b[4], size * b[5]),
        )
        w[U(MEAN) * L + t] = slope * mean
        w[U(ENERGY) * L + t] = j * (C1 + j * (C2 + j * C3))


@inlined
def _powers(parameter, at, count, x):
    """(f, W, df/dx) of a stretch e^x: W = sum 2 mu/a^2 (l^a - 1), with f as it is at the ends beyond them.      Ogden 1972"""
    near = min(max(x, LEAST), MOST)
    f, W, slope = 0.0, 0.0, 0.0
    for n in range(count):
        size, a = parameter[at + U(2) * n], parameter[at + U(2) * n + U(1)]
        power = math.exp(a * near)
        f += size * power
        W += size / a * (power - 1.0)
        slope += a * size * power
    return f, W + f * (x - near), slope


@inner
def _by_stretches(block):
    w, parameter, at = block.w, block.parameter, block.column + U(NUMBERS)
    logarithmic, first = parameter[block.column + U(KIND)] == float(LOGARITHMIC), parameter[at]
    part = 1.0 / parameter[block.column + U(AT_ONCE)]
    for t in range(L):
        put_six(w, EIGEN, t, six(w, MEASURE, t))
    find_axes(w)
    for t in range(L):
        g, _, _ = thinness(w[U(RATIO) * L + t], w[U(SHRINK) * L + t])
        W, mean, most = 0.0, 0.0, 0.0
        for i in range(U(3)):
            square = max(g * w[(U(EIGEN) + i) * L + t], LEAST_SQUARE)
            x = 0.5 * math.log(square)
            if logarithmic:  # W = mu sum ln^2 l      Hencky 1928
                f, stored, slope = 2.0 * first * x, first * x * x, 2.0 * first
            else:
                f, stored, slope = _powers(parameter, at + U(1), U(first), x)
            most = max(most, abs(slope) / square)
            w[(U(EIGEN) + i) * L + t] = f
            W, mean = W + stored, mean + THIRD * f
        w[U(MEAN) * L + t], w[U(ENERGY) * L + t], w[U(RESISTING) * L + t] = mean, W, 0.5 * part * most
    for t in range(L):
        mean, e, a = w[U(MEAN) * L + t], U(EIGEN) * L + t, U(AXES) * L + t
        f0, f1, f2 = part * (w[e] - mean), part * (w[e + L] - mean), part * (w[e + U(2) * L] - mean)
        x0, y0, z0 = w[a], w[a + L], w[a + U(2) * L]
        x1, y1, z1 = w[a + U(3) * L], w[a + U(4) * L], w[a + U(5) * L]
        x2, y2, z2 = w[a + U(6) * L], w[a + U(7) * L], w[a + U(8) * L]
        put_six(
            w, DRIVEN, t,
            (
                f0 * x0 * x0 + f1 * x1 * x1 + f2 * x2 * x2, f0 * y0 * y0 + f1 * y1 * y1 + f2 * y2 * y2,
                f0 * z0 * z0 + f1 * z1 * z1 + f2 * z2 * z2, f0 * y0 * z0 + f1 * y1 * z1 + f2 * y2 * z2,
                f0 * z0 * x0 + f1 * z1 * x1 + f2 * z2 * x2, f0 * x0 * y0 + f1 * x1 * y1 + f2 * x2 * y2,
            ),
        )  # fmt: skip
