"""Rotations of a block's deformation gradients, F = R U with det R = +1, without a state.

With n = |F|^2, d = det F and m = |cof F|^2, tr U is the largest root of

    l^4 - 2 n l^2 - 8 d l + n^2 - 4 m = 0,

which Newton's method finds from above, l = sqrt(3 n), and R is its derivative, dl/dF:

    R = ((l^2 + n) F + 2 l cof F - 2 F F^T F) / (l^3 - n l - 2 d).

The denominator is 2 (s1 + s2)(s2 + s3)(s3 + s1) of the signed stretches: it vanishes for what has fallen together to a line or a point, and
for exact mirror images. These few take any rotation that is not the worst one.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.kernels.rotation import matrix_of
from yawara.terms.continuum.constants import LANES, ROTATION

FEW, MANY = 4, 14  # passes: to rounding for strains of a tenth, and for all that have a rotation
CLOSE = 1e-13  # of |R|^2 from 3, on average over a block: else it takes more passes
TINY = 1e-300
ODD = 1e-6  # of |R|^2 from 3: then the formula has failed
TRIALS = 31  # turns towards the nearest rotation
L = U(LANES)


@inlined
def cofactors(a0, a1, a2, b0, b1, b2, c0, c1, c2):
    """d(det F)/dF, row by row, of F given row by row."""
    return (
        b1 * c2 - b2 * c1, b2 * c0 - b0 * c2, b0 * c1 - b1 * c0,
        c1 * a2 - c2 * a1, c2 * a0 - c0 * a2, c0 * a1 - c1 * a0,
        a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0,
    )  # fmt: skip


@inlined
def gradient(w, t):
    """F of lane t, row by row."""
    return (
        w[t], w[U(6) * L + t], w[U(12) * L + t],
        w[L + t], w[U(7) * L + t], w[U(13) * L + t],
        w[U(2) * L + t], w[U(8) * L + t], w[U(14) * L + t],
    )  # fmt: skip


@inlined
def gradient_rate(w, t):
    return (
        w[U(3) * L + t], w[U(9) * L + t], w[U(15) * L + t],
        w[U(4) * L + t], w[U(10) * L + t], w[U(16) * L + t],
        w[U(5) * L + t], w[U(11) * L + t], w[U(17) * L + t],
    )  # fmt: skip


@inlined
def rotation(w, t):
    at = U(ROTATION) * L + t
    return (
        w[at], w[at + L], w[at + U(2) * L], w[at + U(3) * L], w[at + U(4) * L], w[at + U(5) * L],
        w[at + U(6) * L], w[at + U(7) * L], w[at + U(8) * L],
    )  # fmt: skip


@inlined
def _keep(w, t, r):
    at = U(ROTATION) * L + t
    w[at], w[at + L], w[at + U(2) * L] = r[0], r[1], r[2]
    w[at + U(3) * L], w[at + U(4) * L], w[at + U(5) * L] = r[3], r[4], r[5]
    w[at + U(6) * L], w[at + U(7) * L], w[at + U(8) * L] = r[6], r[7], r[8]


@inlined
def _closed_form(a0, a1, a2, b0, b1, b2, c0, c1, c2, passes):
    k = cofactors(a0, a1, a2, b0, b1, b2, c0, c1, c2)
    d = a0 * k[0] + a1 * k[1] + a2 * k[2]
    g00, g11, g22 = a0 * a0 + a1 * a1 + a2 * a2, b0 * b0 + b1 * b1 + b2 * b2, c0 * c0 + c1 * c1 + c2 * c2
    g01, g02, g12 = a0 * b0 + a1 * b1 + a2 * b2, a0 * c0 + a1 * c1 + a2 * c2, b0 * c0 + b1 * c1 + b2 * c2
    n = g00 + g11 + g22
    m = (
        k[0] * k[0] + k[1] * k[1] + k[2] * k[2] + k[3] * k[3] + k[4] * k[4] + k[5] * k[5]
        + k[6] * k[6] + k[7] * k[7] + k[8] * k[8]
    )  # fmt: skip
    l = math.sqrt(3.0 * n) + TINY  # noqa: E741
    z = n * n - 4.0 * m
    for _ in range(passes):
        l2 = l * l
        l -= ((l2 - 2.0 * n) * l2 - 8.0 * d * l + z) / (4.0 * (l * (l2 - n) - 2.0 * d) + TINY)  # noqa: E741
    q = 1.0 / (l * (l * l - n) - 2.0 * d + TINY)
    p, r, s = (l * l + n) * q, 2.0 * l * q, 2.0 * q
    h00, h11, h22, h01, h02, h12 = p - s * g00, p - s * g11, p - s * g22, -s * g01, -s * g02, -s * g12
    return (
        h00 * a0 + h01 * b0 + h02 * c0 + r * k[0], h00 * a1 + h01 * b1 + h02 * c1 + r * k[1], h00 * a2 + h01 * b2 + h02 * c2 + r * k[2],
        h01 * a0 + h11 * b0 + h12 * c0 + r * k[3], h01 * a1 + h11 * b1 + h12 * c1 + r * k[4], h01 * a2 + h11 * b2 + h12 * c2 + r * k[5],
        h02 * a0 + h12 * b0 + h22 * c0 + r * k[6], h02 * a1 + h12 * b1 + h22 * c1 + r * k[7], h02 * a2 + h12 * b2 + h22 * c2 + r * k[8],
    )  # fmt: skip


@inner
def _any_rotation(f):
    """Climbs tr(R^T F), from a rotation that no symmetric start is stuck at (after Müller et al. 2016)."""
    w, x, y, z = 0.98, 0.1, 0.13, 0.08
    r = matrix_of(1.0, 0.0, 0.0, 0.0)
    for _ in range(TRIALS):
        size = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
        w, x, y, z = size * w, size * x, size * y, size * z
        r = matrix_of(w, x, y, z)
        trace = (
            r[0] * f[0] + r[3] * f[3] + r[6] * f[6] + r[1] * f[1] + r[4] * f[4] + r[7] * f[7]
            + r[2] * f[2] + r[5] * f[5] + r[8] * f[8]
        )  # fmt: skip
        # sum of r_j x f_j over the columns
        p = r[3] * f[6] - r[6] * f[3] + r[4] * f[7] - r[7] * f[4] + r[5] * f[8] - r[8] * f[5]
        q = r[6] * f[0] - r[0] * f[6] + r[7] * f[1] - r[1] * f[7] + r[8] * f[2] - r[2] * f[8]
        s = r[0] * f[3] - r[3] * f[0] + r[1] * f[4] - r[4] * f[1] + r[2] * f[5] - r[5] * f[2]
        part = 0.5 / (abs(trace) + 1e-9)
        p, q, s = part * p, part * q, part * s
        w, x, y, z = w - p * x - q * y - s * z, x + p * w + q * z - s * y, y + q * w + s * x - p * z, z + s * w + p * y - q * x
    return r


@inlined
def _size(r):
    return (
        r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3] + r[4] * r[4] + r[5] * r[5] + r[6] * r[6] + r[7] * r[7] + r[8] * r[8]
    )  # fmt: skip


@inner
def find_rotations(w, live):
    odd = 0.0
    for t in range(L):
        f = gradient(w, t)
        r = _closed_form(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], FEW)
        _keep(w, t, r)
        odd += abs(_size(r) - 3.0)
    if not odd < CLOSE * float(L):
        _try_harder(w, live)


@inner
def _try_harder(w, live):
    for t in range(L):
        f = gradient(w, t)
        _keep(w, t, _closed_form(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], MANY))
    for t in range(live):
        if not abs(_size(rotation(w, t)) - 3.0) < ODD:
            _keep(w, t, _any_rotation(gradient(w, t)))


@inner
def find_plane_rotations(w):
    """R of F in the plane: tan theta = (F_yx - F_xy)/(F_xx + F_yy)."""
    for t in range(L):
        f = gradient(w, t)
        c, s = f[0] + f[4], f[3] - f[1]
        size2 = c * c + s * s
        known = size2 > TINY  # a point, and an exact mirror image, have none
        size = 1.0 / math.sqrt(size2 if known else 1.0)
        c, s = c * size if known else 1.0, s * size if known else 0.0
        _keep(w, t, (c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))
