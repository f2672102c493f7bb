"""The corotated law: linear in what stretches a stress point, once it is forgotten how it has turned (F = R U), with branches that relax.

    W = G |e|^2 + a/2 (tr U - 3)^2 + (K - a)/2 (J - 1)^2 + sum G_i |e - q_i|^2,    e = dev U,    q_i' = (e - q_i)/tau_i

and dampers 2 eta e', zeta J'. Near a state without a rotation (a line, a mirror image) the frame turns at any speed: there dampers fade.
Without branches and with a = 2/3 G this is the fixed corotated energy G |F - R|^2 + lambda/2 (J - 1)^2
(Stomakhin et al. 2012), whose moduli at rest are G and K = lambda + 2/3 G, which is finite everywhere and restores what was turned inside
out. A part of the bulk modulus acts upon tr U, so that even a body whose shear stress relaxes wholly comes back from a point.

Stress follows from the work upon U, T = dW/dU + dampers. As dU = sym(R^T dF - ...) turns with F, for T that is not coaxial with U (memory
never is)

    P = R (T + [x]) + p cof F,    (tr U I - U) x = axl(U T - T U) + m,

with [x] the cross product's matrix: then P F^T is symmetric, so that angular momentum is conserved, and P : F' = T : U' + p J'.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import (
    AT_ONCE,
    FADING,
    FIRST_BRANCH,
    LANES,
    LEVER,
    MOMENT,
    OUT,
    PLANE_STRESS,
    PLANE_VISCOSITY,
    SHEAR,
    SHEAR_VISCOSITY,
    SOLID,
    SPIN,
    STIFFNESS,
    STRETCH,
    STRETCHING,
    TENSION,
    TRACE,
    VOLUME,
    VOLUME_VISCOSITY,
)
from yawara.terms.continuum.guard import guard
from yawara.terms.continuum.modes import bend
from yawara.terms.continuum.passing import passing
from yawara.terms.continuum.rotation import cofactors, find_plane_rotations, find_rotations, gradient, gradient_rate, rotation
from yawara.terms.continuum.symmetric import put_six, six, times_symmetric

L = U(LANES)
THIRD = 1.0 / 3.0
LEAST_LEVER = 0.02  # of the determinant of tr(U) I - U, 8 at rest: below, what turns is not known
ZZ = 14  # row of F_zz
CLOSE_PACKED, PACKING = 0.6, 3.0  # part of the volume below which a body stiffens, and how fast


@inlined
def pressure(J, packing):
    """dU/dJ over K: J - 1, and more where little is left.

    Without that, a body pressed from all sides to less than 0.4 of its volume would give way: (1 - J) J^(2/3) falls.
    """
    low = min(max(CLOSE_PACKED - J, 0.0), CLOSE_PACKED)
    return J - 1.0 - packing * low * low


@inlined
def steepness(J, packing):
    """Its slope."""
    return 1.0 + (2.0 * packing * max(CLOSE_PACKED - J, 0.0) if J > 0.0 else 0.0)


@inlined
def compression(J, packing):
    """U over K."""
    low = min(max(CLOSE_PACKED - J, 0.0), CLOSE_PACKED)
    return 0.5 * (J - 1.0) ** 2 + packing * low * low * (low / 3.0 + max(-J, 0.0))


@inner
def _complete_plane(block):
    """F_zz of flat blocks: 1 under plane strain; under plane stress that which leaves no stress across, and its rate.

        (4/3 G0 + a + (K - a) J2^2) s = (2/3 G0 - a) tr2 + 3 a + (K - a) J2 + sum 2 G_i q_i,zz

    with the area J2, tr2 = U_xx + U_yy, and G0 as stiff as the branches are in this way.
    """
    w, parameter, c = block.w, block.parameter, block.column
    for t in range(L):
        w[U(ZZ) * L + t], w[U(ZZ + 3) * L + t] = 1.0, 0.0
    if block.plane != PLANE_STRESS:
        return
    internal, place, G0, a, K = (
        block.internal,
        block.place,
        parameter[c + U(SHEAR)],
        parameter[c + U(TRACE)],
        parameter[c + U(VOLUME)],
    )
    for t in range(L):
        w[U(MOMENT) * L + t] = 0.0
    for n in range(block.branches):
        at = c + U(FIRST_BRANCH) + U(2) * n
        alpha, _, _, _ = passing(block.way, block.ahead, parameter[at + U(1)])
        g = alpha * parameter[at]
        G0 += g
        for t in range(L):
            w[U(MOMENT) * L + t] += g * internal[place + (U(6) * n + U(2)) * L + t]
    for t in range(L):
        f, d, r = gradient(w, t), gradient_rate(w, t), rotation(w, t)
        tr2 = r[0] * f[0] + r[3] * f[3] + r[1] * f[1] + r[4] * f[4]
        tr2_rate = r[0] * d[0] + r[3] * d[3] + r[1] * d[1] + r[4] * d[4]
        J2 = f[0] * f[4] - f[1] * f[3]
        J2_rate = d[0] * f[4] + f[0] * d[4] - d[1] * f[3] - f[1] * d[3]
        part = 1.0 / (2.0 * THIRD * G0 + a + K * J2 * J2)
        slope = THIRD * G0 - a
        s = part * (slope * tr2 + 3.0 * a + K * J2 + w[U(MOMENT) * L + t])
        w[U(ZZ) * L + t] = s
        w[U(ZZ + 3) * L + t] = part * (slope * tr2_rate + K * J2_rate * (1.0 - 2.0 * s * J2))


@inner
def stretch(block):
    """U, its rate, the inverse of tr(U) I - U, and what T has without memory."""
    w, parameter, c = block.w, block.parameter, block.column
    G2, a, eta2, across = parameter[c + U(SHEAR)], parameter[c + U(TRACE)], parameter[c + U(SHEAR_VISCOSITY)], 1.0
    if block.plane == PLANE_STRESS:
        across = 0.0  # dampers act in the plane alone, so that nothing pushes across
    plane_viscosity = parameter[c + U(PLANE_VISCOSITY)] if block.plane == PLANE_STRESS else 0.0
    for t in range(L):
        f, d, r = gradient(w, t), gradient_rate(w, t), rotation(w, t)
        xx, yy, zz = (
            r[0] * f[0] + r[3] * f[3] + r[6] * f[6],
            r[1] * f[1] + r[4] * f[4] + r[7] * f[7],
            r[2] * f[2] + r[5] * f[5] + r[8] * f[8],
        )
        xy, zx, yz = (
            r[0] * f[1] + r[3] * f[4] + r[6] * f[7],
            r[0] * f[2] + r[3] * f[5] + r[6] * f[8],
            r[1] * f[2] + r[4] * f[5] + r[7] * f[8],
        )
        # A = R^T F' = [w] U + U', where w is how fast the frame turns: (tr U I - U) w = 2 axl(A)
        a00, a01, a02 = (
            r[0] * d[0] + r[3] * d[3] + r[6] * d[6],
            r[0] * d[1] + r[3] * d[4] + r[6] * d[7],
            r[0] * d[2] + r[3] * d[5] + r[6] * d[8],
        )
        a10, a11, a12 = (
            r[1] * d[0] + r[4] * d[3] + r[7] * d[6],
            r[1] * d[1] + r[4] * d[4] + r[7] * d[7],
            r[1] * d[2] + r[4] * d[5] + r[7] * d[8],
        )
        a20, a21, a22 = (
            r[2] * d[0] + r[5] * d[3] + r[8] * d[6],
            r[2] * d[1] + r[5] * d[4] + r[8] * d[7],
            r[2] * d[2] + r[5] * d[5] + r[8] * d[8],
        )
        A0, A1, A2 = yy + zz, zz + xx, xx + yy
        i00, i11, i22 = A1 * A2 - yz * yz, A0 * A2 - zx * zx, A0 * A1 - xy * xy
        i01, i02, i12 = zx * yz + xy * A2, xy * yz + zx * A1, xy * zx + A0 * yz
        size = A0 * i00 - xy * i01 - zx * i02
        part, fading = 1.0 / max(size, LEAST_LEVER), min(max(size, 0.0), 1.0) ** 2
        w[U(FADING) * L + t] = fading
        lever = part * i00, part * i11, part * i22, part * i12, part * i02, part * i01
        p, q, s = times_symmetric(lever, a21 - a12, a02 - a20, a10 - a01)
        v_xx, v_yy, v_zz = a00 + s * xy - q * zx, a11 + p * yz - s * xy, a22 + q * zx - p * yz
        v_xy = 0.5 * (a01 + a10 + s * yy - q * yz + p * zx - s * xx)
        v_zx = 0.5 * (a02 + a20 + s * yz - q * zz + q * xx - p * xy)
        v_yz = 0.5 * (a12 + a21 + p * zz - s * zx + q * xy - p * yy)
        put_six(w, STRETCH, t, (xx, yy, zz, yz, zx, xy))
        put_six(w, STRETCHING, t, (v_xx, v_yy, v_zz, v_yz, v_zx, v_xy))
        put_six(w, LEVER, t, lever)
        w[U(SPIN) * L + t] = r[0] * p + r[1] * q + r[2] * s
        w[U(SPIN + 1) * L + t] = r[3] * p + r[4] * q + r[5] * s
        w[U(SPIN + 2) * L + t] = r[6] * p + r[7] * q + r[8] * s
        mean = THIRD * (xx + yy + zz)
        even = a * (3.0 * mean - 3.0)
        slow = across * THIRD * (v_xx + v_yy + v_zz)
        eta, flat = fading * eta2, fading * plane_viscosity * (v_xx + v_yy)
        put_six(
            w, TENSION, t,
            (
                G2 * (xx - mean) + even + eta * (v_xx - slow) + flat, G2 * (yy - mean) + even + eta * (v_yy - slow) + flat,
                G2 * (zz - mean) + even + across * eta * (v_zz - slow),
                G2 * yz + eta * v_yz, G2 * zx + eta * v_zx, G2 * xy + eta * v_xy,
            ),
        )  # fmt: skip


@inner
def _remember(block):
    """What branches add to T, and the rates of their variables."""
    w, parameter, c, internal, rate, place = block.w, block.parameter, block.column, block.internal, block.rate, block.place
    stored, power, account, live, volume, slot = 0.0, 0.0, block.account, block.live, block.volume, block.slot
    for n in range(block.branches):
        at = c + U(FIRST_BRANCH) + U(2) * n
        g, k = parameter[at], parameter[at + U(1)]
        alpha, beta, kappa, mu = passing(block.way, block.ahead, k)
        for m in range(U(6)):
            even = THIRD if m < U(3) else 0.0
            u, v, T = (U(STRETCH) + m) * L, (U(STRETCHING) + m) * L, (U(TENSION) + m) * L
            q, to = place + (U(6) * n + m) * L, (U(6) * n + m) * L
            for t in range(L):
                mean = even * (w[U(STRETCH) * L + t] + w[U(STRETCH + 1) * L + t] + w[U(STRETCH + 2) * L + t])
                slow = even * (w[U(STRETCHING) * L + t] + w[U(STRETCHING + 1) * L + t] + w[U(STRETCHING + 2) * L + t])
                away, speed = w[u + t] - mean - internal[q + t], w[v + t] - slow
                w[T + t] += g * (alpha * away + beta * speed)
                rate[to + t] = kappa * away - mu * speed
            if account:
                often = 1.0 if m < U(3) else 2.0
                for t in range(live):
                    mean = even * (w[U(STRETCH) * L + t] + w[U(STRETCH + 1) * L + t] + w[U(STRETCH + 2) * L + t])
                    slow = even * (w[U(STRETCHING) * L + t] + w[U(STRETCHING + 1) * L + t] + w[U(STRETCHING + 2) * L + t])
                    away = alpha * (w[u + t] - mean - internal[q + t]) + beta * (w[v + t] - slow)
                    stored += 0.5 * often * g * volume[slot + t] * away * away
                    power += often * g * k * volume[slot + t] * away * away
    block.stored, block.power = block.stored + stored, block.power + power


@inner
def push(block):
    """V P, from T, the moments of modes and the pressure."""
    w, parameter, c, volume, slot = block.w, block.parameter, block.column, block.volume, block.slot
    K, zeta, packing = parameter[c + U(VOLUME)], parameter[c + U(VOLUME_VISCOSITY)], PACKING
    if block.plane == PLANE_STRESS:
        zeta = packing = 0.0  # a thin sheet gives way across
    for t in range(L):
        f, d, r, V = gradient(w, t), gradient_rate(w, t), rotation(w, t), volume[slot + t]
        u, T, lever = six(w, STRETCH, t), six(w, TENSION, t), six(w, LEVER, t)
        k = cofactors(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8])
        J = f[0] * k[0] + f[1] * k[1] + f[2] * k[2]
        J_rate = (
            d[0] * k[0]
            + d[1] * k[1]
            + d[2] * k[2]
            + d[3] * k[3]
            + d[4] * k[4]
            + d[5] * k[5]
            + d[6] * k[6]
            + d[7] * k[7]
            + d[8] * k[8]
        )
        p = V * (K * pressure(J, packing) + zeta * J_rate)
        # K p'(J) |cof F n|^2 + 4/3 G of a wave along n, over K + 4/3 G: the largest |cof F n|^2 is about |cof F|^2 - 2
        size = (
            k[0] * k[0]
            + k[1] * k[1]
            + k[2] * k[2]
            + k[3] * k[3]
            + k[4] * k[4]
            + k[5] * k[5]
            + k[6] * k[6]
            + k[7] * k[7]
            + k[8] * k[8]
        )
        w[U(STIFFNESS) * L + t] = K * steepness(J, packing) * max(size - 2.0, 0.0)
        # axl(U T - T U), rows xx yy zz yz zx xy
        a0 = u[4] * T[5] + u[3] * T[1] + u[2] * T[3] - (T[4] * u[5] + T[3] * u[1] + T[2] * u[3])
        a1 = u[0] * T[4] + u[5] * T[3] + u[4] * T[2] - (T[0] * u[4] + T[5] * u[3] + T[4] * u[2])
        a2 = u[5] * T[0] + u[1] * T[5] + u[3] * T[4] - (T[5] * u[0] + T[1] * u[5] + T[3] * u[4])
        m0, m1, m2 = w[U(MOMENT) * L + t], w[U(MOMENT + 1) * L + t], w[U(MOMENT + 2) * L + t]
        x, y, z = times_symmetric(
            lever, V * a0 + r[0] * m0 + r[3] * m1 + r[6] * m2, V * a1 + r[1] * m0 + r[4] * m1 + r[7] * m2,
            V * a2 + r[2] * m0 + r[5] * m1 + r[8] * m2,
        )  # fmt: skip
        T0, T1, T2, T3, T4, T5 = V * T[0], V * T[1], V * T[2], V * T[3], V * T[4], V * T[5]
        s01, s10, s02, s20, s12, s21 = T5 - z, T5 + z, T4 + y, T4 - y, T3 - x, T3 + x
        to = U(OUT) * L + t
        w[to] = r[0] * T0 + r[1] * s10 + r[2] * s20 + p * k[0]
        w[to + L] = r[3] * T0 + r[4] * s10 + r[5] * s20 + p * k[3]
        w[to + U(2) * L] = r[6] * T0 + r[7] * s10 + r[8] * s20 + p * k[6]
        w[to + U(3) * L] = r[0] * s01 + r[1] * T1 + r[2] * s21 + p * k[1]
        w[to + U(4) * L] = r[3] * s01 + r[4] * T1 + r[5] * s21 + p * k[4]
        w[to + U(5) * L] = r[6] * s01 + r[7] * T1 + r[8] * s21 + p * k[7]
        w[to + U(6) * L] = r[0] * s02 + r[1] * s12 + r[2] * T2 + p * k[2]
        w[to + U(7) * L] = r[3] * s02 + r[4] * s12 + r[5] * T2 + p * k[5]
        w[to + U(8) * L] = r[6] * s02 + r[7] * s12 + r[8] * T2 + p * k[8]


@inner
def book(block):
    """Energy that is stored without branches and modes, and what dampers take."""
    w, parameter, c, volume, slot, stored, power = block.w, block.parameter, block.column, block.volume, block.slot, 0.0, 0.0
    G2, a, K = parameter[c + U(SHEAR)], parameter[c + U(TRACE)], parameter[c + U(VOLUME)]
    eta2, zeta, plane = parameter[c + U(SHEAR_VISCOSITY)], parameter[c + U(VOLUME_VISCOSITY)], 0.0
    across, packing = 1.0, PACKING
    if block.plane == PLANE_STRESS:
        packing, zeta, plane, across = 0.0, 0.0, parameter[c + U(PLANE_VISCOSITY)], 0.0
    for t in range(block.live):
        f, d, u, v = gradient(w, t), gradient_rate(w, t), six(w, STRETCH, t), six(w, STRETCHING, t)
        k = cofactors(f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8])
        J = f[0] * k[0] + f[1] * k[1] + f[2] * k[2]
        J_rate = (
            d[0] * k[0]
            + d[1] * k[1]
            + d[2] * k[2]
            + d[3] * k[3]
            + d[4] * k[4]
            + d[5] * k[5]
            + d[6] * k[6]
            + d[7] * k[7]
            + d[8] * k[8]
        )
        trace, flat = u[0] + u[1] + u[2], v[0] + v[1]
        e2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + 2.0 * (u[3] * u[3] + u[4] * u[4] + u[5] * u[5]) - THIRD * trace * trace
        slow = flat + v[2]
        v2 = v[0] * v[0] + v[1] * v[1] + across * v[2] * v[2] + 2.0 * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5])
        v2 -= across * THIRD * slow * slow
        V = volume[slot + t]
        stored += V * (0.5 * G2 * e2 + 0.5 * a * (trace - 3.0) ** 2 + K * compression(J, packing))
        power += V * (w[U(FADING) * L + t] * (eta2 * v2 + plane * flat * flat) + zeta * J_rate * J_rate)
    block.stored, block.power = stored, power


@inner
def note_stiffness(block):
    w, most, c, parameter = block.w, 0.0, block.column, block.parameter
    for t in range(block.live):
        most = max(most, w[U(STIFFNESS) * L + t])
    shear = 4.0 * THIRD * parameter[c + U(AT_ONCE)]
    block.stiffening = (most + shear) / (parameter[c + U(VOLUME)] + shear)


def stress(block):
    """V P, forces upon modes, rates of internal variables; energies if somebody follows them."""
    if block.plane == SOLID:
        find_rotations(block.w, block.live)
    else:
        find_plane_rotations(block.w)
        _complete_plane(block)
    stretch(block)
    block.stored, block.power = 0.0, 0.0
    if block.account:
        book(block)
    _remember(block)
    bend(block)
    push(block)
    guard(block)
    note_stiffness(block)
