"""How far to follow a Newton step: to where what a step minimises no longer falls (Matthies and Strang 1979).

The residual is minus its gradient, so residual . change is the slope along the step, and no energies are needed. At the beginning it is the
`descent`, which is positive. Contacts make it fall steeply from some place on; there the step has to end a little beyond the edge, where
the contact acts already, or the next step would know nothing of it. So the end is looked for from both sides.
"""

from typing import NamedTuple

from yawara.kernels.jit import inner

ENOUGH = 0.5  # of the slope at the beginning, in size: the step is followed far enough
SHORTEST, LONGEST = 0.1, 0.7  # of a part that is too large, where nothing else is known
INSIDE = 0.01  # of what is left between two places: a guess must be further from both
TRIES = 25
UNKNOWN = 0.0  # slope of a place that nobody has been to


class Search(NamedTuple):
    descent: float  # [J], slope at the beginning
    part: float  # of the step, where we are
    low: float  # where the slope was still positive
    high: float  # where it was negative
    high_slope: float  # [J]
    beyond: float  # further on, where it was negative as well
    beyond_slope: float  # [J]
    tries: int


@inner
def begin_search(search):
    """At the end of the whole step."""
    search.part, search.low, search.high, search.tries = 1.0, 0.0, 0.0, 0
    search.high_slope = search.beyond_slope = UNKNOWN


@inner
def is_far_enough(search, slope):
    """Whether the step can end here; if not, `next_part` tells where to look."""
    if search.tries >= TRIES:
        return True
    search.tries += 1
    if slope < -ENOUGH * search.descent:
        search.beyond, search.beyond_slope = search.high, search.high_slope
        search.high, search.high_slope = search.part, slope
        return False
    if slope > ENOUGH * search.descent and search.high_slope != UNKNOWN:
        search.low, search.beyond_slope = search.part, UNKNOWN
        return False
    return True


@inner
def next_part(search):
    """The zero of the line through the last two places beyond it, else the middle."""
    low, high = search.low, search.high
    if search.beyond_slope != UNKNOWN:
        rise = (search.beyond_slope - search.high_slope) / (search.beyond - high)
        guess = high - search.high_slope / rise if rise != 0.0 else low
        if low + INSIDE * (high - low) < guess < high - INSIDE * (high - low):
            return guess
    if low == 0.0:
        return min(max(high * search.descent / (search.descent - search.high_slope), SHORTEST * high), LONGEST * high)
    return 0.5 * (low + high)
