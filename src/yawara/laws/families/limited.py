"""A Voigt part in series with a damper whose travel has limits: the Voigt part keeps a share a_min..a_max of the link's length.

Internal variable: the damper's extension q [m]. With the length l, the rest length l0, the Voigt part's natural share a, d = l - l0,
e = d - q:

    a_min l <= a l0 + e <= a_max l     or    lo <= q <= hi,  hi = (1 - a_min) l - (1 - a) l0,  lo = (1 - a_max) l - (1 - a) l0
    free:                     qdot = (k1 e + c1 ldot) / (c1 + c2)             Hirai 2005 (particle-based modelling), eqs. (2.18)-(2.20)
    at hi and flowing out:    qdot = (1 - a_min) ldot, but neither below 0 nor above the free rate; at lo likewise, inward
    f = k1 e + c1 (ldot - qdot)

So the damper stops at a limit, slides along one that moves away, and always flows back freely. Setting q to the limit instead, as
the source does, would feed or lose energy; here c1 (ldot - qdot)^2 + f qdot >= 0, as qdot lies between 0 and the free rate.

Where a limit has come in over the damper, the damper waits for it to come back: the slide fades out over a BAND beyond the limit. A
slide that did not would let every small vibration carry the damper further. A step that ends beyond the limit does so by its own
flow only, and the fade brings it back.

damper_rest is (1 - a) l0 [m], share_min = 1 - a_min, share_max = 1 - a_max.
"""

import math
from collections.abc import Mapping

from numba import uint64 as U

from yawara.core.response import Response, damped_response
from yawara.kernels.jit import inner
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column
from yawara.laws.families.force_dependent import (
    energy as energy,  # same stored energy and power: k1, c1 stand in the same columns
)
from yawara.laws.families.force_dependent import instant as instant
from yawara.laws.families.force_dependent import residual as residual

BAND = 1e-2  # of the rest length: how far beyond a limit the slide has faded out
TOUCH = 1e-12  # of the rest length: this close to a limit counts as at it, so that rounding frees nothing

REST, K1, C1, C2, DAMPER_REST, SHARE_MIN, SHARE_MAX = range(7)


def columns(parts: int) -> tuple[Column, ...]:
    limits = Column("damper_rest", "m", None), Column("share_min", "1", None), Column("share_max", "1", None)
    return Column("rest_length", "m", None), Column("k1", "N/m", 1), Column("c1", "N s/m", 1), Column("c2", "N s/m", 1), *limits


@inner
def _limited_rate(beyond, opening, band):
    """Largest outward rate [m/s] of a damper `beyond` its limit [m] that moves outwards by `opening` [m/s]."""
    if beyond < 0.0:
        return math.inf
    return max(opening, 0.0) * max(band - beyond, 0.0) / band


@inner
def _limited_rate_at_end(beyond, opening, band, dt):
    """The same at the end of a step of dt [s] which a damper at rest would end `beyond` its limit; and d rate/d opening.

    rate = opening (1 - (beyond + dt rate)/band), if that is still beyond; else the damper flows until it is at the limit.
    """
    if beyond + dt * max(opening, 0.0) < 0.0:
        return (-beyond / dt, 1.0) if dt > 0.0 else (math.inf, 0.0)
    if beyond >= band or opening <= 0.0:
        return 0.0, 0.0
    room, width = band - beyond, band + dt * opening
    return opening * room / width, (room * band / width + dt * opening) / width  # `beyond` falls by dt per opening


@inner
def damper_rate(free, q, length, ldot, rest, damper_rest, share_min, share_max):
    """qdot [m/s] from the free rate; `share_min` = 1 - a_min, `share_max` = 1 - a_max."""
    if free > 0.0:
        beyond = q - (share_min * length - damper_rest) + TOUCH * rest
        return min(free, _limited_rate(beyond, share_min * ldot, BAND * rest))
    if free < 0.0:
        beyond = share_max * length - damper_rest - q + TOUCH * rest
        return max(free, -_limited_rate(beyond, -share_max * ldot, BAND * rest))
    return free


def tension(block):
    """factor = f / l [N/m] and internal_rate = qdot [m/s] of the links of one block."""
    count, c, m, stride = block.count, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate = block.factor, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length, ldot, rest, q = length2[t] * inverse, stretching[t] * inverse, coefficient[c + t], internal[m + t]
        c1, c2 = coefficient[c + U(C1) * stride + t], coefficient[c + U(C2) * stride + t]
        blocked = coefficient[c + U(K1) * stride + t] * (length - rest - q) + c1 * ldot
        damper_rest, share_min = coefficient[c + U(DAMPER_REST) * stride + t], coefficient[c + U(SHARE_MIN) * stride + t]
        share_max = coefficient[c + U(SHARE_MAX) * stride + t]
        rate = damper_rate(blocked / (c1 + c2), q, length, ldot, rest, damper_rest, share_min, share_max)
        internal_rate[t] = rate
        factor[t] = (blocked - c1 * rate) * inverse


@inner
def damper_rate_at_end(free, gain, q, length, ldot, rest, damper_rest, share_min, share_max, dt):
    """The same at the end of a step of dt [s], q being at its beginning; and d qdot/d ldot, which is `gain` for the free rate."""
    if free > 0.0:
        beyond = q - (share_min * length - damper_rest) + TOUCH * rest
        limited, pull = _limited_rate_at_end(beyond, share_min * ldot, BAND * rest, dt)
        if limited < free:
            return limited, share_min * pull
    elif free < 0.0:
        beyond = share_max * length - damper_rest - q + TOUCH * rest
        limited, pull = _limited_rate_at_end(beyond, -share_max * ldot, BAND * rest, dt)
        if limited < -free:
            return -limited, share_max * pull
    return free, gain


def implicit(block):
    """`tension` at the end of a step that the internal variable makes along: q' = q + dt qdot', which the limits at the end allow."""
    count, c, m, stride, dt = block.count, block.column, block.place, block.stride, block.dt
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, internal_rate = block.factor, block.slope, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length, ldot, rest, q = length2[t] * inverse, stretching[t] * inverse, coefficient[c + t], internal[m + t]
        k1, c1, c2 = coefficient[c + U(K1) * stride + t], coefficient[c + U(C1) * stride + t], coefficient[c + U(C2) * stride + t]
        damper_rest, share_min = coefficient[c + U(DAMPER_REST) * stride + t], coefficient[c + U(SHARE_MIN) * stride + t]
        share_max = coefficient[c + U(SHARE_MAX) * stride + t]
        # f' = k1 (d' - q - dt qdot') + c1 (ldot' - qdot') = F - (c1 + k1 dt) qdot', and f' = c2 qdot' when free
        blocked, firmness = k1 * (length - rest - q) + c1 * ldot, c1 + k1 * dt
        free, gain = blocked / (firmness + c2), firmness / (firmness + c2)
        rate, pull = damper_rate_at_end(free, gain, q, length, ldot, rest, damper_rest, share_min, share_max, dt)
        slope[t] = firmness * (1.0 - pull)
        internal_rate[t] = rate
        factor[t] = (blocked - firmness * rate) * inverse


def responses(column: Mapping[str, float]) -> list[Response]:
    """Stopped, and free. A damper that slides along a limit leaves a share of the stopped law's force and viscosity: a slower mode."""
    return [damped_response(column["k1"], column["c1"], c2) for c2 in (math.inf, column["c2"])]
