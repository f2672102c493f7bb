"""How much of a deformation stays: a three-element material that is pressed at constant speed, held, and let go."""

import math
from functools import lru_cache

from yawara.laws.linear import filled

WIDEST = 1e12  # relaxation times are looked for between the press and hold time over this and the same times this


def residual_share(retardation_time: float, relaxation_time: float, press_time: float, hold_time: float) -> float:
    """What stays for ever, over the deformation; all times in s.

    Let go, the Voigt part returns, and the damper keeps its extension q = (1/c2) integral of f dt. Pressed with the speed v for the
    time T, then held for H, with A = k1/(c1 + c2) and B = c2/(c1 + c2) as in the law,

        f = v B (c1 + c2 (1 - exp(-A t))),    q(T) = v (T - B phi),    phi = (1 - exp(-A T))/A,
        f = v B c2 (1 - exp(-A T)) exp(-A (t - T)),    q(T + H) = v T - v B phi exp(-A H).

    The Voigt part has v B phi at the end of the press and loses it with the rate A. In times, A = 1/tau_R, B = 1 - tau_1/tau_R.
    """
    A, B = 1.0 / relaxation_time, 1.0 - retardation_time / relaxation_time
    return 1.0 - B * float(filled(A, press_time)) / press_time * math.exp(-A * hold_time)


@lru_cache(maxsize=64)
def relaxation_time_for(share: float, retardation_time: float, press_time: float, hold_time: float) -> float:
    """The relaxation time [s] with which `share` stays: the longer it is, the less, from 1 at the retardation time down to 0."""
    from scipy.optimize import brentq

    def error(log_time: float) -> float:
        return residual_share(retardation_time, math.exp(log_time), press_time, hold_time) - share

    duration = press_time + hold_time
    shortest, longest = max(retardation_time, duration / WIDEST), WIDEST * max(retardation_time, duration)
    return math.exp(float(brentq(error, math.log(shortest), math.log(longest), xtol=1e-14, rtol=1e-14)))
