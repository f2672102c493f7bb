"""A Voigt part in series with a damper that softens under load: c2(|f|) = c_max, A exp(-B |f|), c_min.

Internal variable: the damper's extension q [m]. With d = l - l0, e = d - q and the force F = k1 e + c1 ldot that a blocked damper would
feel,

    f + c1 f / c2(|f|) = F,   qdot = f / c2(|f|)            Kimura et al. 2003, sec. 3.3 (c2 as a function of the magnitude of f)

The left side grows with f, so f is unique: explicit where c2 is constant, by Newton's method between f1 and f2. (The papers
leave this loop open; taking the last step's force instead would cost an order of accuracy.)

"""

import math
from collections.abc import Mapping

from numba import uint64 as U

from yawara.core.response import Response, damped_response
from yawara.kernels.jit import inner
from yawara.kernels.kinds import Floats
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column

NEWTON_STEPS = 60  # convex and monotone: converges from the right in about ln(c_max/c_min) + 5 steps

REST, K1, C1, C_MAX, C_MIN, F1, F2 = range(7)


def columns(parts: int) -> tuple[Column, ...]:
    dampers = (Column(name, "N s/m", 1) for name in ("c1", "c_max", "c_min"))
    return Column("rest_length", "m", None), Column("k1", "N/m", 1), *dampers, Column("f1", "N", 1), Column("f2", "N", 1)


@inner
def fluidity(f, c_max, c_min, f1, f2):
    """1/c2 at the force magnitude f [m/(N s)]; continuous at f1 and f2."""
    if f <= f1:
        return 1.0 / c_max
    if f >= f2:
        return 1.0 / c_min
    return math.exp(math.log(c_max / c_min) * (f - f1) / (f2 - f1)) / c_max


@inner
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


def tension(block):
    """factor = f / l [N/m] and internal_rate = qdot [m/s] of the links of one block."""
    count, c, m, stride = block.count, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate = block.factor, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - internal[m + t]
        c1 = coefficient[c + U(C1) * stride + t]
        c_max, c_min = coefficient[c + U(C_MAX) * stride + t], coefficient[c + U(C_MIN) * stride + t]
        f1, f2 = coefficient[c + U(F1) * stride + t], coefficient[c + U(F2) * stride + t]
        blocked = coefficient[c + U(K1) * stride + t] * e + c1 * (stretching[t] * inverse)
        magnitude = force_magnitude(abs(blocked), c1, c_max, c_min, f1, f2)
        f = math.copysign(magnitude, blocked)
        internal_rate[t] = f * fluidity(magnitude, c_max, c_min, f1, f2)
        factor[t] = f * inverse


def energy(block):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`: k1 e^2/2 and c1 (ldot - qdot)^2 + f qdot."""
    count, c, m, stride = block.count, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate, damper = block.factor, block.internal_rate, block.damper
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length = length2[t] * inverse
        e = length - coefficient[c + t] - internal[m + t]
        rate = stretching[t] * inverse - internal_rate[t]
        stored += 0.5 * coefficient[c + U(K1) * stride + t] * e * e
        damper[t] = coefficient[c + U(C1) * stride + t] * rate
        power += damper[t] * rate + factor[t] * length * internal_rate[t]
    block.stored, block.power = stored, power


@inner
def steepness(f, c_max, c_min, f1, f2):
    """d(f/c2)/df at the force magnitude f [m/(N s)]: fluidity (1 + B f) where the damper softens."""
    softening = math.log(c_max / c_min) / (f2 - f1) if f1 < f < f2 else 0.0
    return fluidity(f, c_max, c_min, f1, f2) * (1.0 + softening * f)


def implicit(block):
    """`tension` at the end of a step that the internal variable makes along: q' = q + dt f'/c2(|f'|)."""
    count, c, m, stride, dt = block.count, block.column, block.place, block.stride, block.dt
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, internal_rate = block.factor, block.slope, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - internal[m + t]
        k1, c1 = coefficient[c + U(K1) * stride + t], coefficient[c + U(C1) * stride + t]
        c_max, c_min = coefficient[c + U(C_MAX) * stride + t], coefficient[c + U(C_MIN) * stride + t]
        f1, f2 = coefficient[c + U(F1) * stride + t], coefficient[c + U(F2) * stride + t]
        # f' + (c1 + k1 dt) f'/c2(|f'|) = k1 (d' - q) + c1 ldot': the spring gives way by the step's flow as the damper c1 does
        blocked, firmness = k1 * e + c1 * (stretching[t] * inverse), c1 + k1 * dt
        magnitude = force_magnitude(abs(blocked), firmness, c_max, c_min, f1, f2)
        f = math.copysign(magnitude, blocked)
        slope[t] = firmness / (1.0 + firmness * steepness(magnitude, c_max, c_min, f1, f2))
        internal_rate[t] = f * fluidity(magnitude, c_max, c_min, f1, f2)
        factor[t] = f * inverse


def instant(column: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    return column["k1"], column["c1"]


def responses(column: Mapping[str, float]) -> list[Response]:
    """Where the damper softens, its rate f/c2(f) rises more steeply than f/c2: at f2 by 1 + B f2."""
    c_max, c_min, f1, f2 = (column[name] for name in ("c_max", "c_min", "f1", "f2"))
    steepest = c_min / (1.0 + math.log(c_max / c_min) / (f2 - f1) * f2)
    return [damped_response(column["k1"], column["c1"], c2) for c2 in (c_max, c_min, steepest)]


def residual(column: Mapping[str, Floats], internal: Floats) -> Floats:
    return internal[0]
