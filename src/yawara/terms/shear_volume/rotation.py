"""The rotation of an element, also of one that is inside out: that with determinant +1 which is nearest to F.

R maximises tr(R^T F). Of all quaternions, the largest eigenvector of a symmetric 4x4 matrix does (Horn 1987, sec. 4); its eigenvalue is
found by Newton's method on the characteristic polynomial from above (Theobald 2005), where it cannot miss the largest root. A last step
on the rotation itself, R exp(w) with (tr U - U) w = axis of R^T F, takes what rounding left.
"""

import math

from yawara.kernels.jit import inlined, inner
from yawara.terms.shear_volume.constants import TINY

MOST_STEPS = 60
CLOSE = 1e-15


@inlined
def rotation_2d(a, b, c, d):
    """(cos, sin) of F = [[a, b], [c, d]]: angle atan2(F21 - F12, F11 + F22), and the trace of U."""
    x, y = a + d, c - b
    size = math.sqrt(x * x + y * y)
    if size < TINY:
        return 1.0, 0.0, 0.0
    return x / size, y / size, size


@inlined
def _minor(a, b, c, d, e, f, g, h, i):
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)


@inner
def _quaternion(F):
    """Largest eigenvector of Horn's matrix of F (9 entries, row by row), and its eigenvalue."""
    xx, xy, xz, yx, yy, yz, zx, zy, zz = F[0], F[1], F[2], F[3], F[4], F[5], F[6], F[7], F[8]
    a, b, c, d = xx + yy + zz, zy - yz, xz - zx, yx - xy
    e, f, g = xx - yy - zz, xy + yx, zx + xz
    h, i, j = yy - xx - zz, yz + zy, zz - xx - yy
    # det(K - s I) = s^4 + p s^2 + q s + r, as K has no trace
    square = xx * xx + xy * xy + xz * xz + yx * yx + yy * yy + yz * yz + zx * zx + zy * zy + zz * zz
    p, q = -2.0 * square, -8.0 * _minor(xx, xy, xz, yx, yy, yz, zx, zy, zz)
    r = (
        a * _minor(e, f, g, f, h, i, g, i, j)
        - b * _minor(b, f, g, c, h, i, d, i, j)
        + c * _minor(b, e, g, c, f, i, d, g, j)
        - d * _minor(b, e, f, c, f, h, d, g, i)
    )
    s = math.sqrt(3.0 * square)  # s_1 + s_2 + s_3 <= sqrt(3) |F|
    for _ in range(MOST_STEPS):
        slope = (4.0 * s * s + 2.0 * p) * s + q
        if slope <= TINY:
            break
        step = (((s * s + p) * s + q) * s + r) / slope
        s -= step
        if abs(step) <= CLOSE * s:
            break
    a, e, h, j = a - s, e - s, h - s, j - s
    # any row of the adjugate of K - s I is the vector; that with the largest diagonal entry is the most exact one
    A, B, C, D = _minor(e, f, g, f, h, i, g, i, j), _minor(a, c, d, c, h, i, d, i, j), 0.0, 0.0
    C, D = _minor(a, b, d, b, e, g, d, g, j), _minor(a, b, c, b, e, f, c, f, h)
    if abs(A) >= max(abs(B), abs(C), abs(D)):
        return A, -_minor(b, f, g, c, h, i, d, i, j), _minor(b, e, g, c, f, i, d, g, j), -_minor(b, e, f, c, f, h, d, g, i)
    if abs(B) >= max(abs(C), abs(D)):
        return -_minor(b, c, d, f, h, i, g, i, j), B, -_minor(a, b, d, c, f, i, d, g, j), _minor(a, b, c, c, f, h, d, g, i)
    if abs(C) >= abs(D):
        return _minor(b, c, d, e, f, g, g, i, j), -_minor(a, c, d, b, f, g, d, i, j), C, -_minor(a, b, c, b, e, f, d, g, i)
    return -_minor(b, c, d, e, f, g, f, h, i), _minor(a, c, d, b, f, g, c, h, i), -_minor(a, b, d, b, e, g, c, f, i), D


@inner
def spin(U, x, y, z):
    """w of (tr U - U) w = (x, y, z), for a symmetric U: how fast the frame turns if that is the axis of R^T F'. None where it is free."""
    a, b, c = U[4] + U[8], -U[1], -U[2]
    d, e, f = U[0] + U[8], -U[5], U[0] + U[4]
    A, B, C = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * A + b * B + c * C
    size = abs(U[0]) + abs(U[4]) + abs(U[8])
    if abs(det) <= 1e-9 * size * size * size + TINY:
        return 0.0, 0.0, 0.0
    D, E, G = a * f - c * c, b * c - a * e, a * d - b * b
    return (A * x + B * y + C * z) / det, (B * x + D * y + E * z) / det, (C * x + E * y + G * z) / det


@inner
def turn_back(R, F, U):
    """U = R^T F; nine entries each, row by row."""
    for i in range(3):
        for j in range(3):
            U[3 * i + j] = R[i] * F[j] + R[3 + i] * F[3 + j] + R[6 + i] * F[6 + j]


@inner
def _set_rotation(R, w, x, y, z):
    size = math.sqrt(w * w + x * x + y * y + z * z)
    if size < TINY:
        w, x, y, z, size = 1.0, 0.0, 0.0, 0.0, 1.0
    w, x, y, z = w / size, x / size, y / size, z / size
    R[0], R[1], R[2] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    R[3], R[4], R[5] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    R[6], R[7], R[8] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


@inner
def rotation_3d(F, R, U):
    """Writes R and U = R^T F, which is symmetric to rounding."""
    w, x, y, z = _quaternion(F)
    size = math.sqrt(w * w + x * x + y * y + z * z) + TINY
    w, x, y, z = w / size, x / size, y / size, z / size
    _set_rotation(R, w, x, y, z)
    turn_back(R, F, U)
    p, q, r = spin(U, U[7] - U[5], U[2] - U[6], U[3] - U[1])
    if p * p + q * q + r * r < 1e-4:  # else the rotation is not a matter of rounding
        p, q, r = 0.5 * p, 0.5 * q, 0.5 * r
        _set_rotation(
            R, w - x * p - y * q - z * r, x + w * p + y * r - z * q, y + w * q + z * p - x * r, z + w * r + x * q - y * p
        )
        turn_back(R, F, U)
