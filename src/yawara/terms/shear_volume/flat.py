"""What elements of flat bodies measure, in the plane z = 0.

Every element has strains g, their rates, and two rows of vectors at its corners: the gradient J of each strain, and the push h, which gives
the force -tau h where tau is the strain's stress. Only where h is J times a size do forces have a potential.
"""

import math

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.shear_volume.constants import COT, THINNEST, TINY
from yawara.terms.shear_volume.rotation import rotation_2d


@inlined
def _edge(points, p, q, place):
    i, j = U(8) * U(p) + U(place), U(8) * U(q) + U(place)
    return points[j] - points[i], points[j + U(1)] - points[i + U(1)]


@inlined
def put(row, place, x, y):
    row[place], row[place + 1], row[place + 2] = x, y, 0.0


@inner
def corner_shear(code, corner, n, points, natural, factor, measured):
    """gamma = cot(theta) - cot(theta_0) at corner i, between its edges to j and k; returns how much flatter it is than at rest.

    As printed, f_i = tau (l_ij e_ij + l_ik e_ik) / 2, and minus half of that at j and k: Hirai 2005, eqs. (4.1)-(4.5), with the sign that
    restores, as in (4.13); l_va is a length, without sign. In the form `cot` the shear has the corner's sign, and f = -A0 w tau grad gamma.
    """
    g, rate, J, h = measured.strain, measured.rate, measured.along, measured.push
    (ux, uy), (vx, vy) = _edge(points, corner[n], corner[n + U(1)], 0), _edge(points, corner[n], corner[n + U(2)], 0)
    area, least = ux * vy - uy * vx, THINNEST * natural
    sign = 1.0 if area >= 0.0 else -1.0
    free = 1.0 if abs(area) > least else 0.0  # below, the height does not change any more
    d = max(abs(area), least)
    if code == COT:
        d, sign = sign * d, 1.0
    c = (ux * vx + uy * vy) / d
    turn = free * c * sign
    jx, jy = (vx - turn * vy) / d, (vy + turn * vx) / d
    kx, ky = (ux + turn * uy) / d, (uy - turn * ux) / d
    put(J, 0, -(jx + kx), -(jy + ky))
    put(J, 3, jx, jy)
    put(J, 6, kx, ky)
    (ax, ay), (bx, by) = _edge(points, corner[n], corner[n + U(1)], 4), _edge(points, corner[n], corner[n + U(2)], 4)
    g[0], rate[0] = c, jx * ax + jy * ay + kx * bx + ky * by
    if code == COT:
        for k in range(9):
            h[k] = factor * J[k]
    else:
        mx, my = 0.5 * factor * (ux + vx), 0.5 * factor * (uy + vy)
        put(h, 0, -mx, -my)
        put(h, 3, 0.5 * mx, 0.5 * my)
        put(h, 6, 0.5 * mx, 0.5 * my)
    return natural / abs(d)


@inner
def triangle_area(corner, n, points, rest, factor, measured):
    """g = (S - S0)/S0 with the signed area, f = P grad S: Hirai 2005, eqs. (4.30)-(4.32)."""
    (ux, uy), (vx, vy) = _edge(points, corner[n], corner[n + U(1)], 0), _edge(points, corner[n], corner[n + U(2)], 0)
    h = measured.push
    put(h, 3, 0.5 * vy, -0.5 * vx)
    put(h, 6, -0.5 * uy, 0.5 * ux)
    put(h, 0, 0.5 * (uy - vy), 0.5 * (vx - ux))
    _of_content(0.5 * (ux * vy - uy * vx), corner, n, 3, points, rest, factor, measured)


@inner
def square_area(corner, n, points, rest, factor, measured):
    """The same of a square: S = p x q / 2 with its diagonals p and q."""
    (px, py), (qx, qy) = _edge(points, corner[n], corner[n + U(2)], 0), _edge(points, corner[n + U(1)], corner[n + U(3)], 0)
    h = measured.push
    put(h, 0, -0.5 * qy, 0.5 * qx)
    put(h, 3, 0.5 * py, -0.5 * px)
    put(h, 6, 0.5 * qy, -0.5 * qx)
    put(h, 9, -0.5 * py, 0.5 * px)
    _of_content(0.5 * (px * qy - py * qx), corner, n, 4, points, rest, factor, measured)


@inner
def _of_content(content, corner, n, corners, points, rest, factor, measured):
    J, h, rate = measured.along, measured.push, 0.0
    for a in range(corners):
        at = U(8) * U(corner[n + U(a)]) + U(4)
        for axis in range(3):
            rate += h[3 * a + axis] * points[at + U(axis)]
            J[3 * a + axis] = h[3 * a + axis] / rest
            h[3 * a + axis] *= factor
    measured.strain[0], measured.rate[0] = (content - rest) / rest, rate / rest


@inner
def deviatoric_triangle(corner, n, points, inverse, s, factor, measured):
    """e = dev(U), F = R U, and f_a = -R tau R^T a_a with the gradients a_a of the signed area, tau = 2 G e: xx, yy, xy in the own frame.

    The rate is that of U: R^T F' = w J U + U', where w is how fast the frame turns.
    """
    g, rate, J, h = measured.strain, measured.rate, measured.along, measured.push
    (ux, uy), (vx, vy) = _edge(points, corner[n], corner[n + U(1)], 0), _edge(points, corner[n], corner[n + U(2)], 0)
    (ax, ay), (bx, by) = _edge(points, corner[n], corner[n + U(1)], 4), _edge(points, corner[n], corner[n + U(2)], 4)
    p, q, r, t = inverse[s], inverse[s + U(1)], inverse[s + U(2)], inverse[s + U(3)]
    xx, xy, yx, yy = ux * p + vx * r, ux * q + vx * t, uy * p + vy * r, uy * q + vy * t
    C, S, trace = rotation_2d(xx, xy, yx, yy)
    Uxx, Uxy, Uyy = C * xx + S * yx, C * xy + S * yy, C * yy - S * xy
    dxx, dxy, dyx, dyy = ax * p + bx * r, ax * q + bx * t, ay * p + by * r, ay * q + by * t
    Axx, Axy, Ayx, Ayy = C * dxx + S * dyx, C * dxy + S * dyy, C * dyx - S * dxx, C * dyy - S * dxy
    w = (Ayx - Axy) / trace if trace > TINY else 0.0
    Dxx, Dxy, Dyy = Axx + w * Uxy, 0.5 * (Axy + Ayx + w * (Uyy - Uxx)), Ayy - w * Uxy
    g[0], g[1], g[2] = 0.5 * (Uxx - Uyy), 0.5 * (Uyy - Uxx), Uxy
    rate[0], rate[1], rate[2] = 0.5 * (Dxx - Dyy), 0.5 * (Dyy - Dxx), Dxy
    sx = (uy - vy, vy, -uy)
    sy = (vx - ux, -vx, ux)
    bX = (-p - r, p, r)
    bY = (-q - t, q, t)
    for a in range(3):
        # gradients of the area in the element's frame, then tau times them, turned back
        X, Y = 0.5 * factor * (C * sx[a] + S * sy[a]), 0.5 * factor * (C * sy[a] - S * sx[a])
        put(h, 3 * a, C * X + S * Y, S * X - C * Y)  # 2 dev of xx: (X, -Y)
        put(h, 9 + 3 * a, -C * X - S * Y, C * Y - S * X)
        put(h, 18 + 3 * a, 2.0 * (C * Y - S * X), 2.0 * (S * Y + C * X))
        put(J, 3 * a, 0.5 * (C * bX[a] + S * bY[a]), 0.5 * (S * bX[a] - C * bY[a]))
        put(J, 9 + 3 * a, -0.5 * (C * bX[a] + S * bY[a]), -0.5 * (S * bX[a] - C * bY[a]))
        put(J, 18 + 3 * a, 0.5 * (C * bY[a] - S * bX[a]), 0.5 * (S * bY[a] + C * bX[a]))


@inlined
def length(x, y, z):
    return math.sqrt(x * x + y * y + z * z)
