"""Dissipation by the mean rate of a step.

In a scheme with one stage, forces act on points that move with the mean of their velocities before and after the step: a damper with the
stress b takes h b times the mean of both rates of its strain. The difference to the rate before is booked in the next step, when the other
is known, and at the end of a call: as for links. Where nothing touches anything, it is next to nothing, and left out.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner


@inlined
def weight_of(corners, m):
    """I_mu = diag(2, 2, 1): stretches of a tensor count twice in what mu stores and dissipates."""
    return 2.0 if U(0) < m < corners else 1.0


@inner
def by_mean_rate(mine, n, is_later):
    """Power [W] by which the last step's dissipation in an element was off, if there was one.

    `rates` keeps how fast each strain changes [1/s] and, in its second half, what its damper bears [J].
    """
    count, corners, laws, rates, rate = mine.strains, mine.corners, mine.laws, mine.rates, mine.measured.rate
    damper, volume, half, power = mine.damper, mine.volume[n], U(mine.rates.size // 2), 0.0
    for m in range(count):
        at, law = count * n + m, laws * n + (U(0) if m == U(0) else U(1))
        power += rates[half + at] * (rate[m] - rates[at])
        rates[at], rates[half + at] = rate[m], volume * weight_of(corners, m) * damper[law] * rate[m]
    return 0.5 * power if is_later else 0.0
