"""Dissipation by the mean rate of a step.

In a scheme with one stage, forces act on points that move with (v + v')/2 in the mean, and that is the velocity with which kinetic energy
turns into heat: a damper takes h b ldot (ldot + ldot')/2, not h b ldot^2. Where points are caught by a tool, or by dampers near the limit
of stability, ldot changes by its own size in one step. The difference, h b ldot (ldot' - ldot)/2, is booked in the next step, when ldot'
is known, and at the end of a call. Where nothing touches anything, it is next to nothing, and left out.
"""

from numba import uint64 as U

from yawara.forces.links.constants import FORCE_DEPENDENT, FRICTION, LIMITED, SMALLEST_LENGTH2, TIE
from yawara.jit import kernel
from yawara.vector import inverse_sqrt


@kernel
def by_mean_rate(family, count, coefficient, b, length2, stretching, memory_rate, rates, first, is_later):
    """Power [W] by which the last step's dissipation in a block was off, if there was one; `b` is where viscosities [N s/m] begin.

    `rates` keeps how fast each link stretches [m/s] and, in its second half, the force of its damper [N]. Ties are left out.
    """
    if family == TIE:
        return 0.0
    if family in (FORCE_DEPENDENT, FRICTION, LIMITED):  # c1 (ldot - qdot), not solved for f
        return _with_flow(count, coefficient, b, length2, stretching, memory_rate, rates, first, is_later)
    power, share = 0.0, 0.5 if is_later else 0.0
    for t in range(count):
        rate, before = stretching[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2), rates[first + t]
        power += coefficient[b + t] * before * (rate - before)
        rates[first + t] = rate
    return share * power


@kernel
def _with_flow(count, coefficient, b, length2, stretching, memory_rate, rates, first, is_later):
    power, forces = 0.0, U(rates.size // 2)
    for t in range(count):
        rate = stretching[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        power += rates[forces + first + t] * (rate - rates[first + t])
        rates[first + t], rates[forces + first + t] = rate, coefficient[b + t] * (rate - memory_rate[t])
    return 0.5 * power if is_later else 0.0
