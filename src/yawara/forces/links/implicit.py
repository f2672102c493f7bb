"""The laws at the end of a step of backward Euler: what an implicit integrator asks of a block of links.

Given are the length and its rate at the END of the step, d' and ldot', and the memories at its BEGINNING. The memories go along:

    memory' = memory + dt rate(d', ldot', memory'),   f' = f(d', ldot', memory')

Each family solves this for itself, without iterating, but for the force-dependent damper. It writes

    factor = f'/l' [N/m],   memory_rate = (memory' - memory)/dt [m/s],   slope = df'/d ldot' [N s/m] with dd' = dt dldot'

The slope is never negative: each law resists a faster motion. With dt = 0 all is as in `tension`. Where a law has a corner, the slope
is that of one side.
"""

from yawara.forces.links import flow, force_dependent, friction, limited, parallel, series, tie
from yawara.forces.links.constants import FLOW, FORCE_DEPENDENT, FRICTION, LIMITED, PARALLEL, SERIES, TIE
from yawara.jit import kernel

_flow, _series, _parallel, _force_dependent, _friction, _limited, _tie = (
    family.implicit for family in (flow, series, parallel, force_dependent, friction, limited, tie)
)


@kernel
def implicit_response(
    family, count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate
):
    """`implicit` of the block's family."""
    if family == FLOW:
        _flow(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate)
    elif family == SERIES:
        _series(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate)
    elif family == PARALLEL:
        _parallel(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate)
    elif family == FORCE_DEPENDENT:
        _force_dependent(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate)
    elif family == FRICTION:
        _friction(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate)
    elif family == LIMITED:
        _limited(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate)
    elif family == TIE:
        _tie(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate)
