"""What elements of bodies with volume measure; words as in flat.py."""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.shear_volume.constants import LEAST_LEVER, THINNEST, TINY
from yawara.terms.shear_volume.flat import length
from yawara.terms.shear_volume.rotation import rotation_3d, spin, turn_back

ROWS = ((0, 1, 2), (0, 2, 1), (1, 2, 0), (1, 0, 2), (2, 1, 0), (2, 0, 1))  # p, q, and the third: A12 A13 B23 B21 C32 C31
PAIRS = ((0, 0), (1, 1), (2, 2), (1, 2), (2, 0), (0, 1))  # components xx yy zz yz zx xy


@inlined
def _load_edges(points, corner, n, place, edge):
    """From the first corner to the three others, nine entries."""
    i = U(8) * U(corner[n]) + U(place)
    for a in range(3):
        j = U(8) * U(corner[n + U(1 + a)]) + U(place)
        for axis in range(3):
            edge[3 * a + axis] = points[j + U(axis)] - points[i + U(axis)]


@inlined
def _cross(x, i, j, out, k):
    """out[k:k + 3] = x[i:i + 3] x x[j:j + 3]"""
    out[k] = x[i + 1] * x[j + 2] - x[i + 2] * x[j + 1]
    out[k + 1] = x[i + 2] * x[j] - x[i] * x[j + 2]
    out[k + 2] = x[i] * x[j + 1] - x[i + 1] * x[j]


@inlined
def _dot(x, i, y, j):
    return x[i] * y[j] + x[i + 1] * y[j + 1] + x[i + 2] * y[j + 2]


@inlined
def _cofactors(x, out):
    """x2 x x3, x3 x x1, x1 x x2; returns the determinant."""
    _cross(x, 3, 6, out, 0)
    _cross(x, 6, 0, out, 3)
    _cross(x, 0, 3, out, 6)
    return _dot(x, 0, out, 0)


@inner
def volume(corner, n, points, rest, factor, measured):
    """g = (V - V0)/V0 with the signed volume, f = P grad V: Hirai 2005, eqs. (4.33)-(4.35)."""
    x, v, side, J, h = measured.F, measured.U, measured.side, measured.along, measured.push
    _load_edges(points, corner, n, 0, x)
    _load_edges(points, corner, n, 4, v)
    content, rate = _cofactors(x, side) / 6.0, 0.0
    for axis in range(3):
        h[axis] = -(side[axis] + side[3 + axis] + side[6 + axis]) / 6.0
    for k in range(9):
        h[3 + k] = side[k] / 6.0
        rate += h[3 + k] * v[k]
    for k in range(12):
        J[k] = h[k] / rest
        h[k] *= factor
    measured.strain[0], measured.rate[0] = (content - rest) / rest, rate / rest


@inner
def deviatoric_tetrahedron(corner, n, points, inverse, s, factor, measured):
    """e = dev(U), F = R U, and f_a = -R tau R^T a_a with the gradients a_a of the signed volume, tau = 2 G e, in the element's frame.

    The rate is that of U: R^T F' = W U + U', where (tr U - U) w is twice the axis of the skew part of R^T F'.
    """
    g, rate, J, h = measured.strain, measured.rate, measured.along, measured.push
    F, R, S, A, x, side = measured.F, measured.R, measured.U, measured.A, measured.edge, measured.side
    _load_edges(points, corner, n, 4, x)
    _gradient(x, inverse, s, F)
    for k in range(9):
        side[k] = F[k]  # F', for a moment
    _load_edges(points, corner, n, 0, x)
    _gradient(x, inverse, s, F)
    rotation_3d(F, R, S)
    turn_back(R, side, A)
    p, q, r = spin(S, A[7] - A[5], A[2] - A[6], A[3] - A[1])
    for j in range(3):  # U' = R^T F' - w x U, column by column
        u, v, w = S[j], S[3 + j], S[6 + j]
        A[j] -= q * w - r * v
        A[3 + j] -= r * u - p * w
        A[6 + j] -= p * v - q * u
    third, rate_third = (S[0] + S[4] + S[8]) / 3.0, (A[0] + A[4] + A[8]) / 3.0
    _cofactors(x, side)
    for m in range(6):
        i, j = PAIRS[m]
        g[m], rate[m] = 0.5 * (S[3 * i + j] + S[3 * j + i]), 0.5 * (A[3 * i + j] + A[3 * j + i])
        if m < 3:
            g[m] -= third
            rate[m] -= rate_third
        _patterns(m, i, j, inverse, s, side, R, factor / 6.0, h, J)


@inlined
def _gradient(x, inverse, s, F):
    """F = sum of edges times the rows of the inverse of the natural edges."""
    for i in range(3):
        for j in range(3):
            F[3 * i + j] = x[i] * inverse[s + U(j)] + x[3 + i] * inverse[s + U(3 + j)] + x[6 + i] * inverse[s + U(6 + j)]


@inlined
def _patterns(m, i, j, inverse, s, side, R, sixth, h, J):
    """Push and gradient of component m = (i, j) of the deviator at all corners; its first corner has minus the sum of the others."""
    at = 12 * m
    for axis in range(3):
        h[at + axis] = J[at + axis] = 0.0
    for a in range(3):
        ai = R[i] * side[3 * a] + R[3 + i] * side[3 * a + 1] + R[6 + i] * side[3 * a + 2]
        aj = R[j] * side[3 * a] + R[3 + j] * side[3 * a + 1] + R[6 + j] * side[3 * a + 2]
        b0, b1, b2 = inverse[s + U(3 * a)], inverse[s + U(3 * a + 1)], inverse[s + U(3 * a + 2)]
        bi, bj = inverse[s + U(3 * a + i)], inverse[s + U(3 * a + j)]
        for axis in range(3):
            Ri, Rj = R[3 * axis + i], R[3 * axis + j]
            if i == j:
                push = 2.0 * (Ri * ai - side[3 * a + axis] / 3.0)
                along = Ri * bi - (R[3 * axis] * b0 + R[3 * axis + 1] * b1 + R[3 * axis + 2] * b2) / 3.0
            else:
                push, along = 2.0 * (Ri * aj + Rj * ai), 0.5 * (Ri * bj + Rj * bi)
            k = at + 3 * (a + 1) + axis
            h[k], J[k] = sixth * push, along
            h[at + axis] -= h[k]
            J[at + axis] -= J[k]


@inner
def corner_shears(corner, n, points, natural, thirds, measured):
    """Six shears at a corner with edges x_1, x_2, x_3, whose faces have the areas S and the normals n: Hirai 2005, eqs. (4.22)-(4.29).

        gamma_pq = x_p . e_q / (x_p . n_p) = |x_q x x_r| (x_p . x_q) / (|x_q| |det|),    f_i = sum tau_pq (S_p e_q + S_q n_p) / 4

    with the rows of (4.29) in the order of its shears, and the sign that restores. The source gives no reactions. Each row has its own,
    at the three neighbours in the ratios in which its line of action meets the plane through them, which has no torque; or a third each.
    """
    g, rate, J, h = measured.strain, measured.rate, measured.along, measured.push
    x, v, side, size = measured.F, measured.U, measured.side, measured.A
    _load_edges(points, corner, n, 0, x)
    _load_edges(points, corner, n, 4, v)
    det, least = _cofactors(x, side), THINNEST * natural
    sign = 1.0 if det >= 0.0 else -1.0
    free = sign if abs(det) > least else 0.0
    D = max(abs(det), least)
    for a in range(3):
        size[a] = length(x[3 * a], x[3 * a + 1], x[3 * a + 2]) + TINY
        size[3 + a] = length(side[3 * a], side[3 * a + 1], side[3 * a + 2]) + TINY  # twice the area of the face without edge a
    for m in range(6):
        p, q, r = ROWS[m]
        P, N, L = _dot(x, 3 * p, x, 3 * q), size[3 + p], size[q]
        c, at = N * P / (L * D), 12 * m
        # dN/dx_q = x_r x w, dN/dx_r = w x x_q for w = x_q x x_r / N, which is the face's own normal or its opposite
        way = 1.0 if (q + 1) % 3 == r else -1.0
        for k in range(12):
            J[at + k] = 0.0
        for axis in range(3):
            b, e = (axis + 1) % 3, (axis + 2) % 3
            wb, we = way * side[3 * p + b] / N, way * side[3 * p + e] / N
            J[at + 3 + 3 * q + axis] += P / (L * D) * (x[3 * r + b] * we - x[3 * r + e] * wb)
            J[at + 3 + 3 * r + axis] += P / (L * D) * (wb * x[3 * q + e] - we * x[3 * q + b])
            J[at + 3 + 3 * p + axis] += N / (L * D) * x[3 * q + axis]
            J[at + 3 + 3 * q + axis] += N / (L * D) * x[3 * p + axis] - c / (L * L) * x[3 * q + axis]
            for a in range(3):
                J[at + 3 + 3 * a + axis] -= free * c / D * side[3 * a + axis]
        g[m], rate[m] = c, 0.0
        for k in range(9):
            rate[m] += J[at + 3 + k] * v[k]
            J[at + k % 3] -= J[at + 3 + k]
        _row_push(at, p, q, thirds, x, side, size, sign, D, h)
    return natural / D


@inlined
def _row_push(at, p, q, thirds, x, side, size, sign, D, h):
    """Minus a row's force at the corner, and its reactions at the neighbours."""
    for axis in range(3):
        # (S_p e_q + S_q n_p) / 4 with S = N/2
        h[at + axis] = -0.125 * (size[3 + p] * x[3 * q + axis] / size[q] + size[3 + q] * sign * side[3 * p + axis] / size[3 + p])
    total, whole = 0.0, 0.0
    for a in range(3):
        lever = -sign * _dot(h, at, side, 3 * a) / D
        h[at + 3 + 3 * a] = lever
        total += lever
        whole += abs(lever)
    slack = max(LEAST_LEVER * whole - total, 0.0) + TINY
    if thirds:
        total, slack = 0.0, 1.0
    for a in range(3):
        share = ((0.0 if thirds else h[at + 3 + 3 * a]) + slack / 3.0) / (total + slack)
        for axis in range(2, -1, -1):  # the lever is where x will be
            h[at + 3 + 3 * a + axis] = -share * h[at + axis]
