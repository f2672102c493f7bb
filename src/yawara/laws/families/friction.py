"""A Voigt part in series with a damper that has internal Coulomb friction: it sticks while the force is below the friction.

Internal variable: the damper's extension q [m]. With d = l - l0, e = d - q and the force F = k e + c1 ldot that a stuck damper would feel,

    qdot = sgn(F) max(|F| - friction, 0) / (c1 + c2),   f = F - c1 qdot         Hirai 2005, eqs. (5.5)-(5.6), set-valued at rest

Stick is exact, not smeared: |f| <= friction moves nothing, and a held force tends to the friction value.

"""

import math
from collections.abc import Mapping

from numba import uint64 as U

from yawara.core.response import Response, damped_response
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column
from yawara.laws.families.force_dependent import (
    energy as energy,  # same stored energy and power: k1, c1 stand in the same columns
)
from yawara.laws.families.force_dependent import instant as instant
from yawara.laws.families.force_dependent import residual as residual

REST, K, C1, C2, FRICTION = range(5)


def columns(parts: int) -> tuple[Column, ...]:
    return (Column("rest_length", "m", None), Column("k1", "N/m", 1), Column("c1", "N s/m", 1), Column("c2", "N s/m", 1),
            Column("friction", "N", None))  # fmt: skip


def tension(block):
    """factor = f / l [N/m] and internal_rate = qdot [m/s] of the links of one block."""
    count, c, m, stride = block.count, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate = block.factor, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - internal[m + t]
        c1, c2 = coefficient[c + U(C1) * stride + t], coefficient[c + U(C2) * stride + t]
        stuck = coefficient[c + U(K) * stride + t] * e + c1 * (stretching[t] * inverse)
        slip = max(abs(stuck) - coefficient[c + U(FRICTION) * stride + t], 0.0) / (c1 + c2)
        rate = math.copysign(slip, stuck)
        internal_rate[t] = rate
        factor[t] = (stuck - c1 * rate) * inverse


def implicit(block):
    """`tension` at the end of a step that the internal variable makes along: q' = q + dt qdot'."""
    count, c, m, stride, dt = block.count, block.column, block.place, block.stride, block.dt
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, internal_rate = block.factor, block.slope, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - internal[m + t]
        k, c1, c2 = coefficient[c + U(K) * stride + t], coefficient[c + U(C1) * stride + t], coefficient[c + U(C2) * stride + t]
        # f' = k (d' - q - dt qdot') + c1 (ldot' - qdot') = F - (c1 + k dt) qdot', and |f'| = friction + c2 |qdot'| when slipping
        stuck, firmness = k * e + c1 * (stretching[t] * inverse), c1 + k * dt
        slip = max(abs(stuck) - coefficient[c + U(FRICTION) * stride + t], 0.0) / (firmness + c2)
        rate = math.copysign(slip, stuck)
        slope[t] = firmness * c2 / (firmness + c2) if slip > 0.0 else firmness
        internal_rate[t] = rate
        factor[t] = (stuck - firmness * rate) * inverse


def responses(column: Mapping[str, float]) -> list[Response]:
    """Sticking, and slipping."""
    return [damped_response(column["k1"], column["c1"], c2) for c2 in (math.inf, column["c2"])]
