"""Forces on a few points with no sum and a given torque: they make up for the distance between the places of two bodies that touch."""

from yawara.kernels.jit import inner


@inner
def couple(x0, y0, z0, x1, y1, z1, x2, y2, z2, x3, y3, z3, count, tx, ty, tz):
    """The middle c of the first `count` places, and a: forces a x (r - c) on them have the torque t, (sum |r|^2 1 - r r^T) a = t.

    Two places are of a flat body, whose torque is along z. Nothing (a = 0) for places on one line.
    """
    cx, cy, cz = 0.0, 0.0, 0.0
    for n in range(count):
        x, y, z = (x0, y0, z0) if n == 0 else (x1, y1, z1) if n == 1 else (x2, y2, z2) if n == 2 else (x3, y3, z3)
        cx, cy, cz = cx + x / count, cy + y / count, cz + z / count
    xx, yy, zz, xy, xz, yz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for n in range(count):
        x, y, z = (x0, y0, z0) if n == 0 else (x1, y1, z1) if n == 1 else (x2, y2, z2) if n == 2 else (x3, y3, z3)
        x, y, z = x - cx, y - cy, z - cz
        xx, yy, zz, xy, xz, yz = xx + y * y + z * z, yy + x * x + z * z, zz + x * x + y * y, xy - x * y, xz - x * z, yz - y * z
    if count == 2:
        return cx, cy, cz, 0.0, 0.0, tz / zz if zz > 0.0 else 0.0
    i, j, k = yy * zz - yz * yz, xz * yz - xy * zz, xy * yz - xz * yy
    det = xx * i + xy * j + xz * k
    if det <= 1e-12 * (xx + yy + zz) ** 3:
        return cx, cy, cz, 0.0, 0.0, 0.0
    m, n_, o = xx * zz - xz * xz, xy * xz - xx * yz, xx * yy - xy * xy
    ax, ay, az = (i * tx + j * ty + k * tz) / det, (j * tx + m * ty + n_ * tz) / det, (k * tx + n_ * ty + o * tz) / det
    return cx, cy, cz, ax, ay, az
