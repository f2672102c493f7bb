"""Dissipation by the mean rate of a step.

In a scheme with one stage, forces act on points that move with (v + v')/2 in the mean, and that is the velocity with which kinetic energy
turns into heat: a damper with the force b takes h b (ldot + ldot')/2, not h b ldot. Where points are caught by a tool, or by dampers near
the limit of stability, ldot changes by its own size in one step. The difference, h b (ldot' - ldot)/2, is booked in the next step, when
ldot' is known, and at the end of a call. Where nothing touches anything, it is next to nothing, and left out.
"""

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2


@inner
def by_mean_rate(count, length2, stretching, damper, rates, first, is_later):
    """Power [W] by which the last step's dissipation in a block was off, if there was one.

    `rates` keeps how fast each link stretches [m/s] and, in its second half, the force of its damper [N].
    """
    power, forces = 0.0, U(rates.size // 2)
    for t in range(count):
        rate = stretching[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        power += rates[forces + first + t] * (rate - rates[first + t])
        rates[first + t], rates[forces + first + t] = rate, damper[t]
    return 0.5 * power if is_later else 0.0
