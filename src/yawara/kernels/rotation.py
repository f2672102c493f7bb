"""The rotation that brings a shape nearest to another: what is left of a deformation once it is forgotten that the shape has turned.

A shape at rest has its corners at Ro, from their mean; now they are at r, from theirs. M Ro is nearest to r where

    sum r x (M Ro) = 0                                                     Miyazaki et al. 1999, eqs. (5), (6)

All ways need the corners only through S = sum Ro r^T (rows of S are axes at rest), whatever their number is. Rotations are unit
quaternions (w, x, y, z). A shape that has fallen together to a line or a point, and a mirrored one, have no nearest rotation, or many: they
keep the one that they had, so the forces that follow from it unfold them again, and never inside out.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner

ATAN, LINEAR, POLAR, PLANE = 0, 1, 2, 3  # ways to find it, see `turn`
SINGULAR = 1e-9  # of what it would be at rest
SWEEPS = 8  # of Jacobi's rotations, each of which squares what is left
WORK = 32  # numbers that POLAR needs for itself


@inlined
def matrix_of(w, x, y, z):
    """Of a unit quaternion, row by row."""
    return (
        1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y),
        2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x),
        2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y),
    )  # fmt: skip


@inlined
def times(m, s):
    """Product of two matrices."""
    return (
        m[0] * s[0] + m[1] * s[3] + m[2] * s[6], m[0] * s[1] + m[1] * s[4] + m[2] * s[7], m[0] * s[2] + m[1] * s[5] + m[2] * s[8],
        m[3] * s[0] + m[4] * s[3] + m[5] * s[6], m[3] * s[1] + m[4] * s[4] + m[5] * s[7], m[3] * s[2] + m[4] * s[5] + m[5] * s[8],
        m[6] * s[0] + m[7] * s[3] + m[8] * s[6], m[6] * s[1] + m[7] * s[4] + m[8] * s[7], m[6] * s[2] + m[7] * s[5] + m[8] * s[8],
    )  # fmt: skip


@inlined
def joined(a, b):
    """The rotation b, then a; of length 1 again, whatever rounding did."""
    w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3]
    x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2]
    y = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3]
    z = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1]
    s = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    return s * w, s * x, s * y, s * z


@inner
def solved(s, least):
    """w of A w = b, A = tr(S) I - S, b = sum R x r: eq. (13), theta u = w. And whether A has an inverse: |det A| > least."""
    trace = s[0] + s[4] + s[8]
    a, b, c, d, e, f, g, h, i = trace - s[0], -s[1], -s[2], -s[3], trace - s[4], -s[5], -s[6], -s[7], trace - s[8]
    x, y, z = s[5] - s[7], s[6] - s[2], s[1] - s[3]
    p, q, r = e * i - f * h, f * g - d * i, d * h - e * g
    det = a * p + b * q + c * r
    if not abs(det) > least:
        return False, 0.0, 0.0, 0.0
    n = 1.0 / det
    return (
        True,
        n * (p * x + (c * h - b * i) * y + (b * f - c * e) * z),
        n * (q * x + (a * i - c * g) * y + (c * d - a * f) * z),
        n * (r * x + (b * g - a * h) * y + (a * e - b * d) * z),
    )


@inlined
def _by_tangent(x, y, z):
    """The rotation about w by atan |w|: exact for a shape that has only turned, as (13) then finds the tangent of the angle."""
    c = 1.0 / math.sqrt(1.0 + x * x + y * y + z * z)
    return 1.0 + c, c * x, c * y, c * z


@inner
def _by_length(x, y, z):
    """The rotation about w by |w|, as printed: eq. (10) with the solution of (13)."""
    angle = math.sqrt(x * x + y * y + z * z)
    s = 0.5 - angle * angle / 48.0 if angle < 1e-4 else math.sin(0.5 * angle) / angle
    return math.cos(0.5 * angle), s * x, s * y, s * z


@inner
def _in_passes(way, passes, s, q, rest2):
    """(11) to (13), each time from the shape as it was turned before."""
    least = SINGULAR * rest2 * rest2 * rest2
    for _ in range(passes):
        found, x, y, z = solved(times(matrix_of(q[0], q[1], q[2], q[3]), s), least)
        if not found:
            return q
        q = joined(_by_tangent(x, y, z) if way == ATAN else _by_length(x, y, z), q)
    return q


@inner
def _in_plane(s, q, rest2):
    """tan theta = sum (X y - Y x) / sum (X x + Y y), eq. (9), with the branch that is nearest and not farthest: that of atan2."""
    num, den = s[1] - s[3], s[0] + s[4]
    size = math.hypot(num, den)
    if not size > SINGULAR * rest2:
        return q
    c, sine = den / size, num / size
    return joined(
        (1.0 + c, 0.0, 0.0, sine) if c > 0.0 else (abs(sine), 0.0, 0.0, math.copysign(1.0 - c, sine)), (1.0, 0.0, 0.0, 0.0)
    )


@inner
def _turn_columns(work, first, i, j, cosine, sine):
    for n in range(U(4)):
        at = first + U(4) * n
        x, y = work[at + i], work[at + j]
        work[at + i], work[at + j] = cosine * x - sine * y, sine * x + cosine * y


@inner
def _diagonalise(work, i, j):
    """One of Jacobi's rotations: of the symmetric matrix N (4 x 4, first in `work`), and of its vectors (the columns after it)."""
    off = work[U(4) * i + j]
    if off == 0.0:
        return
    t = (work[U(5) * j] - work[U(5) * i]) / (2.0 * off)
    t = math.copysign(1.0, t) / (abs(t) + math.sqrt(1.0 + t * t))
    cosine = 1.0 / math.sqrt(1.0 + t * t)
    sine = t * cosine
    _turn_columns(work, U(0), i, j, cosine, sine)
    _turn_columns(work, U(16), i, j, cosine, sine)
    for n in range(U(4)):
        x, y = work[U(4) * i + n], work[U(4) * j + n]
        work[U(4) * i + n], work[U(4) * j + n] = cosine * x - sine * y, sine * x + cosine * y


@inner
def _top(work, size):
    """Of all vectors of N's largest eigenvalue the one nearest to (1, 0, 0, 0); `size` of N at rest."""
    for n in range(U(16)):
        work[U(16) + n] = 1.0 if n % U(5) == U(0) else 0.0
    for _ in range(SWEEPS):
        left = abs(work[1]) + abs(work[2]) + abs(work[3]) + abs(work[6]) + abs(work[7]) + abs(work[11])
        if left <= 1e-17 * size:
            break
        for i in range(U(3)):
            for j in range(i + U(1), U(4)):
                _diagonalise(work, i, j)
    largest = max(work[0], work[5], work[10], work[15])
    w, x, y, z = 0.0, 0.0, 0.0, 0.0
    for i in range(U(4)):
        if work[U(5) * i] >= largest - SINGULAR * size:
            along = work[U(16) + i]
            w, x, y, z = w + along * along, x + along * work[U(20) + i], y + along * work[U(24) + i], z + along * work[U(28) + i]
    if w > SINGULAR:  # the part of (1, 0, 0, 0) among these vectors
        return w, x, y, z
    for i in range(U(4)):
        if work[U(5) * i] == largest:
            w, x, y, z = work[U(16) + i], work[U(20) + i], work[U(24) + i], work[U(28) + i]
    return w, x, y, z


@inner
def _nearest_of_all(s, q, rest2, work):
    """The vector of N's largest eigenvalue, with N as in Horn 1987.

    S is seen from the rotation that was, which is (1, 0, 0, 0) there: small turns leave N nearly diagonal.
    """
    a = times(matrix_of(q[0], q[1], q[2], q[3]), s)
    x, y, z, yz, zx, xy = a[5] - a[7], a[6] - a[2], a[1] - a[3], a[5] + a[7], a[6] + a[2], a[1] + a[3]
    work[0], work[1], work[2], work[3] = a[0] + a[4] + a[8], x, y, z
    work[4], work[5], work[6], work[7] = x, a[0] - a[4] - a[8], xy, zx
    work[8], work[9], work[10], work[11] = y, xy, a[4] - a[0] - a[8], yz
    work[12], work[13], work[14], work[15] = z, zx, yz, a[8] - a[0] - a[4]
    return joined(_top(work, rest2), q)


@inner
def turn(way, passes, s, q, rest2, work):
    """The rotation nearest to S, from the one that was, q; `rest2` is sum |Ro|^2 [m^2].

    ATAN and LINEAR make so many passes; POLAR finds the best of all rotations, from any other; PLANE is for flat shapes in x, y.
    """
    if way == PLANE:
        return _in_plane(s, q, rest2)
    if way == POLAR:
        return _nearest_of_all(s, q, rest2, work)
    return _in_passes(way, passes, s, q, rest2)
