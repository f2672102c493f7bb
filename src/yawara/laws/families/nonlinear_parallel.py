"""A nonlinear spring beside a damper and any number of Maxwell arms: generalised Maxwell with a spring that stiffens.

Internal variables: the damper extensions q_i [m] of the arms.

    f = k l0 g(d/l0) + c ldot + sum_i k_i (d - q_i),   q_i' = r_i (d - q_i),  r_i = k_i/c_i
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba import uint64 as U

from yawara.core.response import Response, parallel_response
from yawara.kernels.jit import inner
from yawara.kernels.kinds import Floats
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column
from yawara.laws.families.spring import curve_of, spring, spring_columns, stiffest

REST, K, C, FIRST = range(4)  # then k_i and r_i take turns, then the spring's own
STIFFENS = True


def columns(parts: int, entries: int) -> tuple[Column, ...]:
    own = Column("rest_length", "m", None), Column("k", "N/m", 1), Column("c", "N s/m", 1)
    pairs = ((Column(f"k_{i}", "N/m", 1), Column(f"r_{i}", "1/s", 0)) for i in range(1, parts + 1))
    return (*own, *(column for pair in pairs for column in pair), *spring_columns(entries))


@inner
def _spring_of(block, t):
    """Where the spring's own coefficients of link t begin."""
    return block.column + (U(FIRST) + U(2) * block.parts) * block.stride + t


@inner
def _respond(block, dt):
    """Tension, slope and rates at the end of a step of `dt` [s], or with 0 as they are now; the largest slope of the springs."""
    count, parts, c, m, stride = block.count, block.parts, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, internal_rate, stiffening = block.factor, block.slope, block.internal_rate, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        rest, k, viscosity = coefficient[c + t], coefficient[c + U(K) * stride + t], coefficient[c + U(C) * stride + t]
        d = length2[t] * inverse - rest
        at, scale, rate = _spring_of(block, t), 1.0 / (rest + SMALLEST_LENGTH2), stretching[t] * inverse
        g, stiffness, _ = spring(coefficient, at, stride, d * scale)
        f, response = k * rest * g + viscosity * rate, k * stiffness * dt + viscosity
        stiffening = max(stiffening, stiffest(coefficient, at, stride, d * scale, stiffness, block.dt * rate * scale))
        for part in range(parts):
            k_i = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            r_i = coefficient[c + (U(FIRST + 1) + U(2) * part) * stride + t]
            softening = 1.0 / (1.0 + dt * r_i)
            e = (d - internal[m + part * stride + t]) * softening
            f, response = f + k_i * e, response + k_i * dt * softening
            internal_rate[part * count + t] = r_i * e
        slope[t] = response
        factor[t] = f * inverse
    return stiffening


def tension(block):
    block.stiffening = _respond(block, 0.0)


def implicit(block):
    _respond(block, block.dt)


def energy(block):
    count, parts, c, m, stride = block.count, block.parts, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    internal_rate, damper, stored, power = block.internal_rate, block.damper, 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        rest, k = coefficient[c + t], coefficient[c + U(K) * stride + t]
        d, rate = length2[t] * inverse - rest, stretching[t] * inverse
        _, _, energy_of_spring = spring(coefficient, _spring_of(block, t), stride, d / (rest + SMALLEST_LENGTH2))
        damper[t] = coefficient[c + U(C) * stride + t] * rate
        stored += k * rest * rest * energy_of_spring
        power += damper[t] * rate
        for part in range(parts):
            k_i = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            e = d - internal[m + part * stride + t]
            stored += 0.5 * k_i * e * e
            power += k_i * e * internal_rate[part * count + t]  # the arm's force times its damper's rate
    block.stored, block.power = stored, power


def _arms(column: Mapping[str, Any], kind: str) -> list[Any]:
    return [value for name, value in column.items() if name.startswith(f"{kind}_") and name.removeprefix(f"{kind}_").isdigit()]


def instant(column: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    return column["k"] + sum(_arms(column, "k")), column["c"]


def responses(column: Mapping[str, float]) -> list[Response]:
    """At rest; how it stiffens is followed."""
    return [parallel_response(column["k"], column["c"], np.array(_arms(column, "k")), np.array(_arms(column, "r")))]


def residual(column: Mapping[str, Floats], internal: Floats) -> Floats:
    """Where the arms' springs and the bare one hold each other: k l0 g(d/l0) + sum k_i (d - q_i) = 0, by Newton's method."""
    arms, rest, k = np.array(_arms(column, "k")).reshape(internal.shape), column["rest_length"], column["k"]
    total = k + arms.sum(axis=0)
    d = np.divide((arms * internal).sum(axis=0), total, out=np.zeros_like(total), where=total > 0.0)
    curve = curve_of(column)
    for _ in range(20):
        g, slope = curve(d / rest)
        d = d - (k * rest * g + (arms * (d - internal)).sum(axis=0)) / (k * slope + arms.sum(axis=0))
    return d
