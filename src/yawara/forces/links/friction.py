"""A Voigt part in series with a damper that has internal Coulomb friction: it sticks while the force is below the friction.

Memory: the damper's extension q [m]. With d = l - l0, e = d - q and the force F = k e + c1 ldot that a stuck damper would feel,

    qdot = sgn(F) max(|F| - friction, 0) / (c1 + c2),   f = F - c1 qdot         Hirai report, eqs. (5.5)-(5.6), set-valued at rest

Stick is exact, not smeared: |f| <= friction moves nothing, and a held force tends to the friction value.

Coefficients per link: l0 [m], k [N/m], c1, c2 [N s/m], friction [N].
"""

import math

from numba import uint64 as U

from yawara.forces.links.constants import SMALLEST_LENGTH2
from yawara.forces.links.force_dependent import energy as energy  # same stored energy and power: k, c1 stand in the same columns
from yawara.jit import kernel
from yawara.vector import inverse_sqrt

COLUMNS = 5


@kernel
def tension(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """factor = f / l [N/m] and memory_rate = qdot [m/s] of the links of one block."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - memory[m + t]
        c1, c2 = coefficient[c + U(2) * stride + t], coefficient[c + U(3) * stride + t]
        stuck = coefficient[c + stride + t] * e + c1 * (stretching[t] * inverse)
        slip = max(abs(stuck) - coefficient[c + U(4) * stride + t], 0.0) / (c1 + c2)
        rate = math.copysign(slip, stuck)
        memory_rate[t] = rate
        factor[t] = (stuck - c1 * rate) * inverse


@kernel
def implicit(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate):
    """`tension` at the end of a step that the memory makes along: q' = q + dt qdot'. See implicit.py."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - memory[m + t]
        k, c1, c2 = coefficient[c + stride + t], coefficient[c + U(2) * stride + t], coefficient[c + U(3) * stride + t]
        # f' = k (d' - q - dt qdot') + c1 (ldot' - qdot') = F - (c1 + k dt) qdot', and |f'| = friction + c2 |qdot'| when slipping
        stuck, firmness = k * e + c1 * (stretching[t] * inverse), c1 + k * dt
        slip = max(abs(stuck) - coefficient[c + U(4) * stride + t], 0.0) / (firmness + c2)
        rate = math.copysign(slip, stuck)
        slope[t] = firmness * c2 / (firmness + c2) if slip > 0.0 else firmness
        memory_rate[t] = rate
        factor[t] = (stuck - firmness * rate) * inverse
