"""Closest points of a point and a triangle, of a point and a segment, of two segments: kernels on bare coordinates [m].

After Ericson, Real-Time Collision Detection (2005), sec. 5.1. He sorts out by signs in which of the seven parts of a triangle, or nine
parts of a pair of segments, the closest points lie. Rounding can make these signs contradict each other where a triangle is thin or
segments are nearly parallel. Here the answer is either in the interior, or the best of the few candidates on the border, which cannot
contradict each other. In the interior, a cross product gives the one parameter that is hard to find, and the other follows as the
best that belongs to it: what the first lacks in digits then hardly moves the distance.
"""

from yawara.kernels.jit import inner

POINT2 = 1e-200  # [m^2] a segment of no more squared length is a point
FLAT2 = 1e-24  # squared sine of two edges, or segments, between which nothing lies: 1e-12 of their length is no width
PARALLEL2 = 1e-8  # squared sine of segments that are called parallel: 1e-4 rad
FACE, EDGE, CORNER = 0, 1, 2  # where on a triangle


@inner
def dot(ax, ay, az, bx, by, bz):
    return ax * bx + ay * by + az * bz


@inner
def cross(ax, ay, az, bx, by, bz):
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@inner
def _along(x, y, z, ux, uy, uz):
    """Parameter in [0, 1] of the point of a segment u from the origin that is closest to (x, y, z), and its squared distance [m^2]."""
    length2 = dot(ux, uy, uz, ux, uy, uz)
    t = 0.0
    if length2 > POINT2:
        t = min(max(dot(x, y, z, ux, uy, uz) / length2, 0.0), 1.0)  # Ericson, sec. 5.1.2
    x, y, z = x - t * ux, y - t * uy, z - t * uz
    return t, dot(x, y, z, x, y, z)


@inner
def closest_on_segment(px, py, pz, ax, ay, az, bx, by, bz):
    """t in [0, 1]: a + t (b - a) is the point of the segment closest to p; 0 where the segment is a point."""
    return _along(px - ax, py - ay, pz - az, bx - ax, by - ay, bz - az)[0]


@inner
def closest_on_triangle(px, py, pz, ax, ay, az, bx, by, bz, cx, cy, cz):
    """(u, v, w, region): u a + v b + w c is the point of the triangle closest to p; in its face (0), on an edge (1), at a corner (2).

    The weights are not negative, and their sum is 1 to rounding. A triangle without area has edges and corners only.
    """
    ex, ey, ez = bx - ax, by - ay, bz - az
    fx, fy, fz = cx - bx, cy - by, cz - bz
    gx, gy, gz = ax - cx, ay - cy, az - cz
    kx, ky, kz = px - ax, py - ay, pz - az
    e2 = dot(ex, ey, ez, ex, ey, ez)
    longest2 = max(e2, dot(fx, fy, fz, fx, fy, fz), dot(gx, gy, gz, gx, gy, gz))
    nx, ny, nz = cross(ex, ey, ez, fx, fy, fz)
    n2 = dot(nx, ny, nz, nx, ny, nz)
    if n2 > FLAT2 * longest2 * longest2:
        # The weight of c is the part of the area that the edge e has with p; then v e is the rest of the way along e. Sec. 5.1.5.
        w = dot(nx, ny, nz, *cross(ex, ey, ez, kx, ky, kz)) / n2
        v = dot(kx + w * gx, ky + w * gy, kz + w * gz, ex, ey, ez) / e2
        u = 1.0 - v - w
        if min(u, v, w) > 0.0:
            return u, v, w, FACE
    t, best = _along(kx, ky, kz, ex, ey, ez)
    u, v, w, at = 1.0 - t, t, 0.0, t
    t, distance2 = _along(px - bx, py - by, pz - bz, fx, fy, fz)
    if distance2 < best:
        best, u, v, w, at = distance2, 0.0, 1.0 - t, t, t
    t, distance2 = _along(px - cx, py - cy, pz - cz, gx, gy, gz)
    if distance2 < best:
        u, v, w, at = t, 0.0, 1.0 - t, t
    return u, v, w, EDGE if 0.0 < at < 1.0 else CORNER


@inner
def closest_between_segments(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz):
    """(s, t, parallel): a + s (b - a) and c + t (d - c) are the points of two segments closest to each other.

    `parallel` where the segments are within 1e-4 rad of it, or one is a point: their common normal is then no use. Where they lie side
    by side, to rounding, the middle of the stretch that they share is taken.
    """
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = dx - cx, dy - cy, dz - cz
    rx, ry, rz = cx - ax, cy - ay, cz - az
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    n2 = dot(nx, ny, nz, nx, ny, nz)
    v2 = dot(vx, vy, vz, vx, vy, vz)
    lengths2 = dot(ux, uy, uz, ux, uy, uz) * v2
    if n2 <= FLAT2 * lengths2:
        s, t = _side_by_side(ux, uy, uz, vx, vy, vz, rx, ry, rz)
        return s, t, True
    # n . (r x v) / n^2 is where the first line is closest to the second: sec. 5.1.9, by Lagrange's identity; t belongs to it.
    s = dot(nx, ny, nz, *cross(rx, ry, rz, vx, vy, vz)) / n2
    t = dot(s * ux - rx, s * uy - ry, s * uz - rz, vx, vy, vz) / v2
    if not (0.0 < s < 1.0 and 0.0 < t < 1.0):
        s, t = _from_ends(ux, uy, uz, vx, vy, vz, rx, ry, rz)
    return s, t, n2 <= PARALLEL2 * lengths2


@inner
def _side_by_side(ux, uy, uz, vx, vy, vz, rx, ry, rz):
    """Parameters of the middles of what segments in the same direction share, or of their nearest ends; r = c - a."""
    first = _along(rx, ry, rz, ux, uy, uz)[0]
    last = _along(rx + vx, ry + vy, rz + vz, ux, uy, uz)[0]
    s = 0.5 * (first + last)
    return s, _along(s * ux - rx, s * uy - ry, s * uz - rz, vx, vy, vz)[0]


@inner
def _from_ends(ux, uy, uz, vx, vy, vz, rx, ry, rz):
    """Parameters of the closest points if one of them is an end: of a, b, c, d the one that is closest to the other segment."""
    t, best = _along(-rx, -ry, -rz, vx, vy, vz)
    s = 0.0
    other, distance2 = _along(ux - rx, uy - ry, uz - rz, vx, vy, vz)
    if distance2 < best:
        s, t, best = 1.0, other, distance2
    other, distance2 = _along(rx, ry, rz, ux, uy, uz)
    if distance2 < best:
        s, t, best = other, 0.0, distance2
    other, distance2 = _along(rx + vx, ry + vy, rz + vz, ux, uy, uz)
    if distance2 < best:
        s, t = other, 1.0
    return s, t
