"""Symmetric matrices in lanes: six numbers, xx yy zz yz zx xy."""

from numba import uint64 as U

from yawara.kernels.jit import inlined
from yawara.terms.continuum.constants import LANES

L = U(LANES)


@inlined
def six(w, row, t):
    at = U(row) * L + t
    return w[at], w[at + L], w[at + U(2) * L], w[at + U(3) * L], w[at + U(4) * L], w[at + U(5) * L]


@inlined
def put_six(w, row, t, six):
    at = U(row) * L + t
    w[at], w[at + L], w[at + U(2) * L] = six[0], six[1], six[2]
    w[at + U(3) * L], w[at + U(4) * L], w[at + U(5) * L] = six[3], six[4], six[5]


@inlined
def times_symmetric(m, x, y, z):
    return m[0] * x + m[5] * y + m[4] * z, m[5] * x + m[1] * y + m[3] * z, m[4] * x + m[3] * y + m[2] * z


@inlined
def determinant(m):
    return m[0] * (m[1] * m[2] - m[3] * m[3]) - m[5] * (m[5] * m[2] - m[3] * m[4]) + m[4] * (m[5] * m[3] - m[1] * m[4])


@inlined
def cofactors_of(m):
    """det(M) times the inverse."""
    return (
        m[1] * m[2] - m[3] * m[3], m[2] * m[0] - m[4] * m[4], m[0] * m[1] - m[5] * m[5],
        m[4] * m[5] - m[0] * m[3], m[5] * m[3] - m[1] * m[4], m[3] * m[4] - m[2] * m[5],
    )  # fmt: skip


@inlined
def symmetric_product(a, b):
    """(A B + B A)/2; A B where they commute."""
    return (
        a[0] * b[0] + a[5] * b[5] + a[4] * b[4], a[5] * b[5] + a[1] * b[1] + a[3] * b[3], a[4] * b[4] + a[3] * b[3] + a[2] * b[2],
        0.5 * (a[5] * b[4] + a[1] * b[3] + a[3] * b[2] + b[5] * a[4] + b[1] * a[3] + b[3] * a[2]),
        0.5 * (a[4] * b[0] + a[3] * b[5] + a[2] * b[4] + b[4] * a[0] + b[3] * a[5] + b[2] * a[4]),
        0.5 * (a[0] * b[5] + a[5] * b[1] + a[4] * b[3] + b[0] * a[5] + b[5] * a[1] + b[4] * a[3]),
    )  # fmt: skip


@inlined
def congruence(a, b):
    """A B A."""
    x0, x1, x2 = times_symmetric(b, a[0], a[5], a[4])  # columns of B A
    y0, y1, y2 = times_symmetric(b, a[5], a[1], a[3])
    z0, z1, z2 = times_symmetric(b, a[4], a[3], a[2])
    return (
        a[0] * x0 + a[5] * x1 + a[4] * x2, a[5] * y0 + a[1] * y1 + a[3] * y2, a[4] * z0 + a[3] * z1 + a[2] * z2,
        a[5] * z0 + a[1] * z1 + a[3] * z2, a[4] * x0 + a[3] * x1 + a[2] * x2, a[0] * y0 + a[5] * y1 + a[4] * y2,
    )  # fmt: skip


@inlined
def contraction(a, b):
    """A : B."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + 2.0 * (a[3] * b[3] + a[4] * b[4] + a[5] * b[5])
