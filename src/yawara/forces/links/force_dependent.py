"""A Voigt part in series with a damper that softens under load: c2(|f|) = c_max, A exp(-B |f|), c_min.

Memory: the damper's extension q [m]. With d = l - l0, e = d - q and the force F = k1 e + c1 ldot that a blocked damper would feel,

    f + c1 f / c2(|f|) = F,   qdot = f / c2(|f|)            Kimura et al., sec. 3.3 (c2 as a function of the magnitude of f)

The left side grows with f, so f is unique: explicit where c2 is constant, by Newton's method between f1 and f2. (The papers
leave this loop open; taking the last step's force instead would cost an order of accuracy.)

Coefficients per link: l0 [m], k1 [N/m], c1 [N s/m], c_max, c_min [N s/m], f1, f2 [N].
"""

import math

from numba import uint64 as U

from yawara.forces.links.constants import SMALLEST_LENGTH2
from yawara.jit import kernel
from yawara.vector import inverse_sqrt

COLUMNS = 7
NEWTON_STEPS = 60  # convex and monotone: converges from the right in about ln(c_max/c_min) + 5 steps


@kernel
def fluidity(f, c_max, c_min, f1, f2):
    """1/c2 at the force magnitude f [m/(N s)]; continuous at f1 and f2."""
    if f <= f1:
        return 1.0 / c_max
    if f >= f2:
        return 1.0 / c_min
    return math.exp(math.log(c_max / c_min) * (f - f1) / (f2 - f1)) / c_max


@kernel
def force_magnitude(blocked, c1, c_max, c_min, f1, f2):
    """|f| from |F| >= 0."""
    if blocked <= f1 * (1.0 + c1 / c_max):
        return blocked / (1.0 + c1 / c_max)
    if blocked >= f2 * (1.0 + c1 / c_min):
        return blocked / (1.0 + c1 / c_min)
    f = min(blocked, f2)
    slope = math.log(c_max / c_min) / (f2 - f1)
    for _ in range(NEWTON_STEPS):
        flow = c1 * math.exp(slope * (f - f1)) / c_max
        change = (f * (1.0 + flow) - blocked) / (1.0 + flow * (1.0 + slope * f))
        f -= change
        if abs(change) <= 1e-15 * f:
            break
    return f


@kernel
def tension(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """factor = f / l [N/m] and memory_rate = qdot [m/s] of the links of one block."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - memory[m + t]
        c1 = coefficient[c + U(2) * stride + t]
        c_max, c_min = coefficient[c + U(3) * stride + t], coefficient[c + U(4) * stride + t]
        f1, f2 = coefficient[c + U(5) * stride + t], coefficient[c + U(6) * stride + t]
        blocked = coefficient[c + stride + t] * e + c1 * (stretching[t] * inverse)
        magnitude = force_magnitude(abs(blocked), c1, c_max, c_min, f1, f2)
        f = math.copysign(magnitude, blocked)
        memory_rate[t] = f * fluidity(magnitude, c_max, c_min, f1, f2)
        factor[t] = f * inverse


@kernel
def energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`: k1 e^2/2 and c1 (ldot - qdot)^2 + f qdot."""
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length = length2[t] * inverse
        e = length - coefficient[c + t] - memory[m + t]
        rate = stretching[t] * inverse - memory_rate[t]
        stored += 0.5 * coefficient[c + stride + t] * e * e
        power += coefficient[c + U(2) * stride + t] * rate * rate + factor[t] * length * memory_rate[t]
    return stored, power


@kernel
def steepness(f, c_max, c_min, f1, f2):
    """d(f/c2)/df at the force magnitude f [m/(N s)]: fluidity (1 + B f) where the damper softens."""
    softening = math.log(c_max / c_min) / (f2 - f1) if f1 < f < f2 else 0.0
    return fluidity(f, c_max, c_min, f1, f2) * (1.0 + softening * f)


@kernel
def implicit(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate):
    """`tension` at the end of a step that the memory makes along: q' = q + dt f'/c2(|f'|). See implicit.py."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - memory[m + t]
        k1, c1 = coefficient[c + stride + t], coefficient[c + U(2) * stride + t]
        c_max, c_min = coefficient[c + U(3) * stride + t], coefficient[c + U(4) * stride + t]
        f1, f2 = coefficient[c + U(5) * stride + t], coefficient[c + U(6) * stride + t]
        # f' + (c1 + k1 dt) f'/c2(|f'|) = k1 (d' - q) + c1 ldot': the spring gives way by the step's flow as the damper c1 does
        blocked, firmness = k1 * e + c1 * (stretching[t] * inverse), c1 + k1 * dt
        magnitude = force_magnitude(abs(blocked), firmness, c_max, c_min, f1, f2)
        f = math.copysign(magnitude, blocked)
        slope[t] = firmness / (1.0 + firmness * steepness(magnitude, c_max, c_min, f1, f2))
        memory_rate[t] = f * fluidity(magnitude, c_max, c_min, f1, f2)
        factor[t] = f * inverse
