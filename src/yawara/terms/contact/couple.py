"""Forces on a few points with no sum and a given torque: they make up for the distance between the places of two bodies that touch."""

from yawara.kernels.jit import inlined, inner


@inlined
def _inertia(x, y, z):
    """xx, yy, zz, xy, xz, yz [m^2] of |r|^2 1 - r r^T"""
    return y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z


@inner
def couple(x0, y0, z0, x1, y1, z1, x2, y2, z2, x3, y3, z3, count, tx, ty, tz):
    """The middle c of the first `count` places, and a: forces a x (r - c) on them have the torque t, (sum |r|^2 1 - r r^T) a = t.

    Two places are of a flat body, whose torque is along z. Nothing (a = 0) for places on one line.
    """
    part = 1.0 / count
    cx, cy, cz = x0 + x1, y0 + y1, z0 + z1
    if count > 2:
        cx, cy, cz = cx + x2, cy + y2, cz + z2
    if count > 3:
        cx, cy, cz = cx + x3, cy + y3, cz + z3
    cx, cy, cz = part * cx, part * cy, part * cz
    xx, yy, zz, xy, xz, yz = _inertia(x0 - cx, y0 - cy, z0 - cz)
    a, b, c, d, e, f = _inertia(x1 - cx, y1 - cy, z1 - cz)
    xx, yy, zz, xy, xz, yz = xx + a, yy + b, zz + c, xy + d, xz + e, yz + f
    if count == 2:
        return cx, cy, cz, 0.0, 0.0, tz / zz if zz > 0.0 else 0.0
    a, b, c, d, e, f = _inertia(x2 - cx, y2 - cy, z2 - cz)
    xx, yy, zz, xy, xz, yz = xx + a, yy + b, zz + c, xy + d, xz + e, yz + f
    if count > 3:
        a, b, c, d, e, f = _inertia(x3 - cx, y3 - cy, z3 - cz)
        xx, yy, zz, xy, xz, yz = xx + a, yy + b, zz + c, xy + d, xz + e, yz + f
    i, j, k = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    det = xx * i + xy * j + xz * k
    if det <= 1e-12 * (xx + yy + zz) ** 3:
        return cx, cy, cz, 0.0, 0.0, 0.0
    m, n, o = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    tx, ty, tz = tx / det, ty / det, tz / det
    return cx, cy, cz, i * tx + j * ty + k * tz, j * tx + m * ty + n * tz, k * tx + n * ty + o * tz
