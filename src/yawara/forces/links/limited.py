"""A Voigt part in series with a damper whose travel has limits: the Voigt part keeps a share a_min..a_max of the link's length.

Memory: the damper's extension q [m]. With the length l, the rest length l0, the Voigt part's natural share a, d = l - l0, e = d - q:

    a_min l <= a l0 + e <= a_max l     or    lo <= q <= hi,  hi = (1 - a_min) l - (1 - a) l0,  lo = (1 - a_max) l - (1 - a) l0
    free:                     qdot = (k1 e + c1 ldot) / (c1 + c2)             Hirai, particle-based modelling, eqs. (2.18)-(2.20)
    at hi and flowing out:    qdot = (1 - a_min) ldot, but neither below 0 nor above the free rate; at lo likewise, inward
    f = k1 e + c1 (ldot - qdot)

So the damper stops at a limit, slides along one that moves away, and always flows back freely. Setting q to the limit instead, as
the source does, would feed or lose energy; here c1 (ldot - qdot)^2 + f qdot >= 0, as qdot lies between 0 and the free rate.

Where a limit has come in over the damper, the damper waits for it to come back: the slide fades out over a BAND beyond the limit. A
slide that did not would let every small vibration carry the damper further. A step that ends beyond the limit does so by its own
flow only, and the fade brings it back.

Coefficients per link: l0 [m], k1 [N/m], c1, c2 [N s/m], (1 - a) l0 [m], 1 - a_min, 1 - a_max.
"""

import math

from numba import uint64 as U

from yawara.forces.links.constants import SMALLEST_LENGTH2
from yawara.forces.links.force_dependent import energy as energy  # same stored energy and power: k1, c1 stand in the same columns
from yawara.jit import kernel
from yawara.vector import inverse_sqrt

COLUMNS = 7
BAND = 1e-2  # of the rest length: how far beyond a limit the slide has faded out
TOUCH = 1e-12  # of the rest length: this close to a limit counts as at it, so that rounding frees nothing


@kernel
def _limited_rate(beyond, opening, band):
    """Largest outward rate [m/s] of a damper `beyond` its limit [m] that moves outwards by `opening` [m/s]."""
    if beyond < 0.0:
        return math.inf
    return max(opening, 0.0) * max(band - beyond, 0.0) / band


@kernel
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


@kernel
def damper_rate(free, q, length, ldot, rest, damper_rest, share_min, share_max):
    """qdot [m/s] from the free rate; `share_min` = 1 - a_min, `share_max` = 1 - a_max."""
    if free > 0.0:
        beyond = q - (share_min * length - damper_rest) + TOUCH * rest
        return min(free, _limited_rate(beyond, share_min * ldot, BAND * rest))
    if free < 0.0:
        beyond = share_max * length - damper_rest - q + TOUCH * rest
        return max(free, -_limited_rate(beyond, -share_max * ldot, BAND * rest))
    return free


@kernel
def tension(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """factor = f / l [N/m] and memory_rate = qdot [m/s] of the links of one block."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length, ldot, rest, q = length2[t] * inverse, stretching[t] * inverse, coefficient[c + t], memory[m + t]
        c1, c2 = coefficient[c + U(2) * stride + t], coefficient[c + U(3) * stride + t]
        blocked = coefficient[c + stride + t] * (length - rest - q) + c1 * ldot
        damper_rest, share_min = coefficient[c + U(4) * stride + t], coefficient[c + U(5) * stride + t]
        share_max = coefficient[c + U(6) * stride + t]
        rate = damper_rate(blocked / (c1 + c2), q, length, ldot, rest, damper_rest, share_min, share_max)
        memory_rate[t] = rate
        factor[t] = (blocked - c1 * rate) * inverse


@kernel
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


@kernel
def implicit(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate):
    """`tension` at the end of a step that the memory makes along: q' = q + dt qdot', which the limits at the end allow."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length, ldot, rest, q = length2[t] * inverse, stretching[t] * inverse, coefficient[c + t], memory[m + t]
        k1, c1, c2 = coefficient[c + stride + t], coefficient[c + U(2) * stride + t], coefficient[c + U(3) * stride + t]
        damper_rest, share_min = coefficient[c + U(4) * stride + t], coefficient[c + U(5) * stride + t]
        share_max = coefficient[c + U(6) * stride + t]
        # f' = k1 (d' - q - dt qdot') + c1 (ldot' - qdot') = F - (c1 + k1 dt) qdot', and f' = c2 qdot' when free
        blocked, firmness = k1 * (length - rest - q) + c1 * ldot, c1 + k1 * dt
        free, gain = blocked / (firmness + c2), firmness / (firmness + c2)
        rate, pull = damper_rate_at_end(free, gain, q, length, ldot, rest, damper_rest, share_min, share_max, dt)
        slope[t] = firmness * (1.0 - pull)
        memory_rate[t] = rate
        factor[t] = (blocked - firmness * rate) * inverse
