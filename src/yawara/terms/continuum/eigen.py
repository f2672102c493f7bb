"""Eigenvalues and eigenvectors of symmetric 3x3 matrices in lanes, by Jacobi's rotations: no branches, so that lanes go together."""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import AXES, EIGEN, LANES

L = U(LANES)
SWEEPS = 5  # to rounding, as each squares what is left
TINY = 1e-300


@inlined
def _turn(w, t, p, q, pq, pr, qr, axis_p, axis_q):
    """Turn the axes p and q so that the entry between them vanishes; rows of entries, and of the first numbers of both axes."""
    a = U(EIGEN) * L + t
    p, q, pq, pr, qr = a + U(p) * L, a + U(q) * L, a + U(pq) * L, a + U(pr) * L, a + U(qr) * L
    d, off = w[q] - w[p], 2.0 * w[pq]
    # tan of the smaller one of the angles that do it      Golub and Van Loan 2013, 8.5.2
    tan = math.copysign(1.0, d) * off / (abs(d) + math.sqrt(d * d + off * off) + TINY)
    cos = 1.0 / math.sqrt(1.0 + tan * tan)
    sin, step = tan * cos, tan * w[pq]
    w[p], w[q], w[pq] = w[p] - step, w[q] + step, 0.0
    one, two = w[pr], w[qr]
    w[pr], w[qr] = cos * one - sin * two, sin * one + cos * two
    for i in range(3):
        at_p, at_q = (U(AXES + axis_p) + U(i)) * L + t, (U(AXES + axis_q) + U(i)) * L + t
        one, two = w[at_p], w[at_q]
        w[at_p], w[at_q] = cos * one - sin * two, sin * one + cos * two


@inner
def find_axes(w):
    """Rows EIGEN become diagonal, AXES the eigenvectors."""
    for n in range(U(9)):
        own = 1.0 if n % U(4) == U(0) else 0.0
        for t in range(L):
            w[(U(AXES) + n) * L + t] = own
    for _ in range(SWEEPS):
        for t in range(L):
            _turn(w, t, 0, 1, 5, 4, 3, 0, 3)
        for t in range(L):
            _turn(w, t, 1, 2, 3, 5, 4, 3, 6)
        for t in range(L):
            _turn(w, t, 0, 2, 4, 5, 3, 0, 6)
