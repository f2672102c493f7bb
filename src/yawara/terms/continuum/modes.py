"""What modes push, and how it relaxes: the same under every law.

Modes y resist as H y. Dampers feel how they change in the frame that turns along, c (y' - omega x y), as they would else brake what turns.
Where the law relaxes, a part of H does, too: H_r (y - R q), q' = (R^T y - q)/tau. As R turns with F, the moments of these forces z,
R m = sum z x y, belong to the equation of x.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import (
    BENDING,
    BENDING_RELAXING,
    BENDING_VISCOSITY,
    FADING,
    LANES,
    MODE_RATE,
    MOMENT,
    OUT,
    SPIN,
)
from yawara.terms.continuum.passing import passing
from yawara.terms.continuum.rotation import rotation

L = U(LANES)


@inner
def bend(block):
    """Forces upon modes, and their moments. Rows have numbers that the compiler knows: only then does it take lanes together."""
    w = block.w
    for n in range(U(3) * L):
        w[U(MOMENT) * L + n] = 0.0
    if block.branches > U(0) and block.modes > U(0):
        _bend_for_long(block, 0, 0)
        if block.modes > U(1):
            _bend_for_long(block, 1, 0)
            _bend_for_long(block, 2, 0)
            _bend_for_long(block, 3, 1)
    elif block.modes > U(0):
        _bend_at_once(block, 0, 0)
        if block.modes > U(1):
            _bend_at_once(block, 1, 0)
            _bend_at_once(block, 2, 0)
            _bend_at_once(block, 3, 1)


@inlined
def _mode(w, m, t):
    """y, and how fast it changes beyond what turns it: y' - omega x y."""
    at = U(6 * (3 + m)) * L + t
    x, y, z = w[at], w[at + L], w[at + U(2) * L]
    p, q, s = w[U(SPIN) * L + t], w[U(SPIN + 1) * L + t], w[U(SPIN + 2) * L + t]
    return x, y, z, w[at + U(3) * L] - (q * z - s * y), w[at + U(4) * L] - (s * x - p * z), w[at + U(5) * L] - (p * y - q * x)


@inlined
def _push_mode(w, m, t, y, H, zx, zy, zz):
    """H y + z, and the moment z x y."""
    to = U(OUT + 3 * (3 + m)) * L + t
    w[to], w[to + L], w[to + U(2) * L] = H * y[0] + zx, H * y[1] + zy, H * y[2] + zz
    w[U(MOMENT) * L + t] += zy * y[2] - zz * y[1]
    w[U(MOMENT + 1) * L + t] += zz * y[0] - zx * y[2]
    w[U(MOMENT + 2) * L + t] += zx * y[1] - zy * y[0]


@inlined
def _bend_at_once(block, m, warping):
    w, parameter, at, stored, power = block.w, block.parameter, block.column, 0.0, 0.0
    H, eta = block.steadying * parameter[at + U(BENDING + warping)], parameter[at + U(BENDING_VISCOSITY + warping)]
    for t in range(L):
        y, c = _mode(w, m, t), eta * w[U(FADING) * L + t]
        _push_mode(w, m, t, y, H, c * y[3], c * y[4], c * y[5])
        if block.account:
            kept = 1.0 if t < block.live else 0.0
            stored += 0.5 * H * kept * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2])
            power += c * kept * (y[3] * y[3] + y[4] * y[4] + y[5] * y[5])
    block.stored, block.power = block.stored + stored, block.power + power


@inlined
def _bend_for_long(block, m, warping):
    """The same, with a part that relaxes in the frame that turns along."""
    w, parameter, c = block.w, block.parameter, block.column
    H, damping = block.steadying * parameter[c + U(BENDING + warping)], parameter[c + U(BENDING_VISCOSITY + warping)]
    Hr, k = parameter[c + U(BENDING_RELAXING + warping)], parameter[c + U(MODE_RATE)]
    alpha, beta, kappa, mu = passing(block.way, block.ahead, k)
    internal, rate, first, stored, power = block.internal, block.rate, (U(6) * block.branches + U(3 * m)) * L, 0.0, 0.0
    at = block.place + first
    for t in range(L):
        y, r, eta = _mode(w, m, t), rotation(w, t), damping * w[U(FADING) * L + t]
        q0, q1, q2 = internal[at + t], internal[at + L + t], internal[at + U(2) * L + t]
        a0, a1, a2 = kappa * y[0] - mu * y[3], kappa * y[1] - mu * y[4], kappa * y[2] - mu * y[5]
        rate[first + t] = r[0] * a0 + r[3] * a1 + r[6] * a2 - kappa * q0
        rate[first + L + t] = r[1] * a0 + r[4] * a1 + r[7] * a2 - kappa * q1
        rate[first + U(2) * L + t] = r[2] * a0 + r[5] * a1 + r[8] * a2 - kappa * q2
        b0 = alpha * (y[0] - (r[0] * q0 + r[1] * q1 + r[2] * q2)) + beta * y[3]
        b1 = alpha * (y[1] - (r[3] * q0 + r[4] * q1 + r[5] * q2)) + beta * y[4]
        b2 = alpha * (y[2] - (r[6] * q0 + r[7] * q1 + r[8] * q2)) + beta * y[5]
        _push_mode(w, m, t, y, H, Hr * b0 + eta * y[3], Hr * b1 + eta * y[4], Hr * b2 + eta * y[5])
        if block.account:
            kept, size = 1.0 if t < block.live else 0.0, b0 * b0 + b1 * b1 + b2 * b2
            stored += 0.5 * kept * (H * (y[0] * y[0] + y[1] * y[1] + y[2] * y[2]) + Hr * size)
            power += kept * (eta * (y[3] * y[3] + y[4] * y[4] + y[5] * y[5]) + Hr * k * size)
    block.stored, block.power = block.stored + stored, block.power + power
