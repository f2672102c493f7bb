"""A Voigt element of no natural length, which holds two points together: a point of a fine mesh at its place on a coarse edge.

    f = k d + c (d . v) d / (d^2 + delta^2),   d the vector between the points, v its rate   Hirai 2005 (particle-based modelling), sec. 2.7

The spring acts alike in all directions. The papers damp both directions alike, too; that would leave a torque while the points are apart.
So this damper acts along d only, and fades in over the small length delta, since d has no direction where it vanishes. A family of laws
(see laws/block.py); the internal variable is not used.
"""

from collections.abc import Mapping

from numba import uint64 as U

from yawara.core.response import Response, voigt_response
from yawara.kernels.kinds import Floats
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column

REST, K, C, DELTA2 = range(4)


def columns(parts: int) -> tuple[Column, ...]:
    return Column("rest_length", "m", None), Column("k", "N/m", 1), Column("c", "N s/m", 1), Column("delta2", "m^2", None)


def tension(block):
    """factor = f / d [N/m]."""
    count, c, stride, coefficient = block.count, block.column, block.stride, block.coefficient
    length2, stretching, factor, internal_rate = block.length2, block.stretching, block.factor, block.internal_rate
    for t in range(count):
        damping = coefficient[c + U(C) * stride + t] * stretching[t] / (length2[t] + coefficient[c + U(DELTA2) * stride + t])
        internal_rate[t] = 0.0
        factor[t] = coefficient[c + U(K) * stride + t] + damping


def energy(block):
    """Stored energy [J], dissipated power [W] and the damper's force [N] of one block, after `tension`."""
    count, c, stride, coefficient = block.count, block.column, block.stride, block.coefficient
    length2, stretching, factor, damper = block.length2, block.stretching, block.factor, block.damper
    stored, power = 0.0, 0.0
    for t in range(count):
        k = coefficient[c + U(K) * stride + t]
        stored += 0.5 * k * length2[t]
        power += (factor[t] - k) * stretching[t]
        damper[t] = (factor[t] - k) * length2[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
    block.stored, block.power = stored, power


def implicit(block):
    """`tension` at the end of a step; its slope along the element."""
    count, c, stride, dt, coefficient = block.count, block.column, block.stride, block.dt, block.coefficient
    length2, stretching, factor, slope, internal_rate = (
        block.length2,
        block.stretching,
        block.factor,
        block.slope,
        block.internal_rate,
    )
    for t in range(count):
        k, viscosity = coefficient[c + U(K) * stride + t], coefficient[c + U(C) * stride + t]
        spread = length2[t] + coefficient[c + U(DELTA2) * stride + t]
        internal_rate[t] = 0.0
        factor[t] = k + viscosity * stretching[t] / spread
        slope[t] = k * dt + viscosity * length2[t] / spread


def instant(column: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    return column["k"], column["c"]


def responses(column: Mapping[str, float]) -> list[Response]:
    return [voigt_response(column["k"], column["c"])]


def residual(column: Mapping[str, Floats], internal: Floats) -> Floats:
    return 0.0 * column["k"]
