"""What memory leaves of an energy's stress: a Prony series upon its deviator, in the axes that turn along with the body.

    tau = g_inf x + sum g_i (x - q_i),    q_i' = (x - q_i)/tau_i,    g_inf = 1 - sum g_i

with the stress at once x. This is finite linear viscoelasticity: for any stretches, tau is the convolution of x with G(t)/G(0). A branch
stores g_i |x - q_i|^2/(4 mu) and dissipates g_i |x - q_i|^2/(2 mu tau_i), as it does at small strains. At large ones it takes beyond that

    sum g_i (x - q_i) : (D - x'/(2 mu)),

with the rate of stretching D: more or, on some paths, less than nothing.
"""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.terms.continuum.constants import AT_ONCE, BORNE, DRIVEN, DRIVEN_RATE, DRIVEN_START, FIRST_SHARE, LANES, STEADY
from yawara.terms.continuum.passing import passing

L = U(LANES)


@inner
def share_that_stays(block):
    """g_inf"""
    left = 1.0
    for n in range(block.branches):
        left -= block.parameter[block.column + U(FIRST_SHARE) + U(2) * n]
    return max(left, 0.0)


@inner
def _find_rate_over_step(block):
    """DRIVEN_RATE of a step over which the stress at once changes evenly; other ways do without."""
    w, part = block.w, 1.0 / block.ahead if block.way == STEADY else 0.0
    for k in range(U(6) * L):
        w[U(DRIVEN_RATE) * L + k] = part * (w[U(DRIVEN) * L + k] - w[U(DRIVEN_START) * L + k])


@inner
def remember(block):
    """BORNE from DRIVEN, and the rates of what relaxes. All are over the shear modulus at once, but for what is borne."""
    w, parameter, c, internal, rate, place = block.w, block.parameter, block.column, block.internal, block.rate, block.place
    mu = parameter[c + U(AT_ONCE)]
    stays = mu * share_that_stays(block)
    if block.branches > U(0):
        _find_rate_over_step(block)
    for k in range(U(6) * L):
        w[U(BORNE) * L + k] = stays * w[U(DRIVEN) * L + k]
    for n in range(block.branches):
        g, k = parameter[c + U(FIRST_SHARE) + U(2) * n], parameter[c + U(FIRST_SHARE) + U(2) * n + U(1)]
        alpha, beta, kappa, lag = passing(block.way, block.ahead, k)
        q, to, g = place + U(6) * n * L, U(6) * n * L, mu * g
        for t in range(U(6) * L):
            away, speed = w[U(DRIVEN) * L + t] - internal[q + t], w[U(DRIVEN_RATE) * L + t]
            w[U(BORNE) * L + t] += g * (alpha * away + beta * speed)
            rate[to + t] = kappa * away - lag * speed


@inner
def memory_energy(block, t):
    """([Pa] stored, [W/m^3] dissipated) of a lane's branches."""
    w, parameter, c, internal, place = block.w, block.parameter, block.column, block.internal, block.place
    mu, stored, power = parameter[c + U(AT_ONCE)], 0.0, 0.0
    for n in range(block.branches):
        g, k = parameter[c + U(FIRST_SHARE) + U(2) * n], parameter[c + U(FIRST_SHARE) + U(2) * n + U(1)]
        alpha, beta, _, _ = passing(block.way, block.ahead, k)
        for m in range(U(6)):
            away = w[(U(DRIVEN) + m) * L + t] - internal[place + (U(6) * n + m) * L + t]
            away = alpha * away + beta * w[(U(DRIVEN_RATE) + m) * L + t]
            size = (1.0 if m < U(3) else 2.0) * mu * g * away * away
            stored += 0.25 * size
            power += 0.5 * k * size
    return stored, power
