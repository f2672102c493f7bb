"""Maxwell arms in parallel (generalised Maxwell), beside one spring and one damper.

Internal variable: the damper extensions q_i [m] of the arms.

    f = k d + c ldot + sum_i k_i (d - q_i),   dq_i/dt = r_i (d - q_i),  r_i = k_i/c_i     Hirai 2005 (particle-based modelling), sec. 2.1

"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import uint64 as U

from yawara.core.response import Response, parallel_response
from yawara.kernels.decay import mean_decay
from yawara.kernels.kinds import Floats
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column

REST, K, C, FIRST = range(4)  # from the first arm on, k_i and r_i take turns


def columns(parts: int) -> tuple[Column, ...]:
    own = Column("rest_length", "m", None), Column("k", "N/m", 1), Column("c", "N s/m", 1)
    pairs = ((Column(f"k_{i}", "N/m", 1), Column(f"r_{i}", "1/s", 0)) for i in range(1, parts + 1))
    return (*own, *(column for pair in pairs for column in pair))


def tension(block):
    """factor = f / l [N/m] and internal_rate = dq_i/dt [m/s] of the links of one block."""
    count, parts, c, m, stride = block.count, block.parts, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate = block.factor, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        d = length2[t] * inverse - coefficient[c + t]
        factor[t] = coefficient[c + U(K) * stride + t] * d + coefficient[c + U(C) * stride + t] * (stretching[t] * inverse)
    for part in range(parts):
        q, k, r = m + part * stride, c + (U(FIRST) + U(2) * part) * stride, c + (U(FIRST + 1) + U(2) * part) * stride
        for t in range(count):
            d = length2[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2) - coefficient[c + t]
            e = d - internal[q + t]
            factor[t] += coefficient[k + t] * e
            internal_rate[part * count + t] = coefficient[r + t] * e
    for t in range(count):
        factor[t] *= inverse_sqrt(length2[t] + SMALLEST_LENGTH2)


def energy(block):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`."""
    count, parts, c, m, stride = block.count, block.parts, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    internal_rate, damper = block.internal_rate, block.damper
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length = length2[t] * inverse
        d, rate = length - coefficient[c + t], stretching[t] * inverse
        stored += 0.5 * coefficient[c + U(K) * stride + t] * d * d
        damper[t] = coefficient[c + U(C) * stride + t] * rate
        power += damper[t] * rate
        for part in range(parts):
            k = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            e = d - internal[m + part * stride + t]
            stored += 0.5 * k * e * e
            power += k * e * internal_rate[part * count + t]  # the arm's force times its damper's rate
    block.stored, block.power = stored, power


def implicit(block):
    """`tension` at the end of a step that the internal variables make along: d' - q_i' = (d' - q_i) / (1 + dt r_i).

    Steady, e_i = d - q_i relaxes from e_0 = d' - dt ldot - q_i: e' = exp(-z) e_0 + dt psi ldot, z = dt r_i, psi = (1 - exp(-z))/z.
    """
    count, parts, c, m, stride, dt = block.count, block.parts, block.column, block.place, block.stride, block.dt
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, internal_rate = block.factor, block.slope, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        k, viscosity = coefficient[c + U(K) * stride + t], coefficient[c + U(C) * stride + t]
        factor[t] = k * (length2[t] * inverse - coefficient[c + t]) + viscosity * (stretching[t] * inverse)
        slope[t] = k * dt + viscosity
    for part in range(parts):
        q, k, r = m + part * stride, c + (U(FIRST) + U(2) * part) * stride, c + (U(FIRST + 1) + U(2) * part) * stride
        for t in range(count):
            d = length2[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2) - coefficient[c + t]
            if block.steady != 0:
                ldot, z = stretching[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2), dt * coefficient[r + t]
                psi, e0 = mean_decay(z), d - dt * ldot - internal[q + t]
                factor[t] += coefficient[k + t] * ((1.0 - z * psi) * e0 + dt * psi * ldot)
                slope[t] += coefficient[k + t] * dt * psi
                internal_rate[part * count + t] = coefficient[r + t] * psi * e0 + (1.0 - psi) * ldot
                continue
            softening = 1.0 / (1.0 + dt * coefficient[r + t])
            e = (d - internal[q + t]) * softening
            factor[t] += coefficient[k + t] * e
            slope[t] += coefficient[k + t] * dt * softening
            internal_rate[part * count + t] = coefficient[r + t] * e
    for t in range(count):
        factor[t] *= inverse_sqrt(length2[t] + SMALLEST_LENGTH2)


def _arms(column: Mapping[str, Any], kind: str) -> list[Any]:
    return [value for name, value in column.items() if name.startswith(f"{kind}_")]


def instant(column: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    return column["k"] + sum(_arms(column, "k")), column["c"]


def responses(column: Mapping[str, float]) -> list[Response]:
    return [parallel_response(column["k"], column["c"], np.array(_arms(column, "k")), np.array(_arms(column, "r")))]


def residual(column: Mapping[str, Floats], internal: Floats) -> Floats:
    """Where the arms' springs and the bare one hold each other: k d + sum k_i (d - q_i) = 0."""
    arms = np.array(_arms(column, "k")).reshape(internal.shape)
    total = column["k"] + arms.sum(axis=0)
    return np.divide((arms * internal).sum(axis=0), total, out=np.zeros_like(total), where=total > 0.0)
