"""Dissipation by the mean rate of a step.

In a scheme with one stage, forces act on points that move with (v + v')/2 in the mean, and that is the velocity with which kinetic energy
turns into heat: a damper takes h b ldot (ldot + ldot')/2, not h b ldot^2. Where points are caught by a tool, or by dampers near the limit
of stability, ldot changes by its own size in one step. The difference, h b ldot (ldot' - ldot)/2, is booked in the next step, when ldot'
is known, and at the end of a call. Where nothing touches anything, it is next to nothing, and left out.
"""

from yawara.forces.links.constants import SMALLEST_LENGTH2
from yawara.jit import kernel
from yawara.vector import inverse_sqrt


@kernel
def by_mean_rate(count, coefficient, b, length2, stretching, rates, first, is_later):
    """Power [W] by which the last step's dissipation in a block was off, if there was one; `b` is where viscosities [N s/m] begin.

    `rates` [m/s] keeps how fast each link stretches.
    """
    power, share = 0.0, 0.5 if is_later else 0.0
    for t in range(count):
        rate, before = stretching[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2), rates[first + t]
        power += coefficient[b + t] * before * (rate - before)
        rates[first + t] = rate
    return share * power
