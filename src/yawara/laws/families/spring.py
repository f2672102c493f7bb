"""Nonlinear springs: tension by the strain x = e/l0 of what the spring has of the link, with the stiffness k at rest,

    f = k l0 g(x),   g(0) = 0,   g'(0) = 1 (a table may differ)

so that many links side by side, or links of other lengths, are the same material.

    exponential   g = (exp(a x) - 1)/a               Fung (1967), in one dimension; a > 0 stiffens in tension, a < 0 in compression
    polynomial    g = x + a2 x^2 + ... + a5 x^5
    table         straight lines between given strains, and on beyond the last ones

Coefficients of a link, from the column `first` on: kind, number of entries, and the entries: a; a2..a5; x_1, g_1, x_2, g_2, ...
"""

import math
from collections.abc import Callable, Mapping

import numpy as np
from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.kernels.kinds import Floats
from yawara.laws.block import Column

EXPONENTIAL, POLYNOMIAL, TABLE = 0, 1, 2
NOTABLE_CHANGE = 1e-3  # of the strain in a step: what is less is seen in time by what comes after it
LARGEST_EXPONENT = 600.0  # a link that is torn off must not overflow


@inner
def _exponential(a, x):
    y = min(a * x, LARGEST_EXPONENT)
    slope = math.exp(y)
    if abs(y) < 1e-4:  # else digits cancel
        return x * (1.0 + y * (0.5 + y / 6.0)), slope, x * x * (0.5 + y * (1.0 / 6.0 + y / 24.0))
    return math.expm1(y) / a, slope, (math.expm1(y) - y) / (a * a)


@inner
def _polynomial(coefficient, at, stride, count, x):
    value, slope, energy, power = x, 1.0, 0.5 * x * x, x
    for n in range(count):
        a, order = coefficient[at + n * stride], float(n) + 2.0
        slope += order * a * power
        power *= x
        value += a * power
        energy += a * power * x / (order + 1.0)
    return value, slope, energy


@inner
def _table(coefficient, at, stride, count, x):
    """Energy from x = 0 on, along straight lines; the first and the last go on."""
    knots, energy = count // U(2), 0.0
    n = U(0)
    while n + U(2) < knots and x > coefficient[at + U(2) * (n + U(1)) * stride]:
        n += U(1)
    x0, g0 = coefficient[at + U(2) * n * stride], coefficient[at + (U(2) * n + U(1)) * stride]
    x1, g1 = coefficient[at + (U(2) * n + U(2)) * stride], coefficient[at + (U(2) * n + U(3)) * stride]
    slope = (g1 - g0) / (x1 - x0)
    value = g0 + slope * (x - x0)
    for m in range(knots - U(1)):  # trapezoids between 0 and x
        a, b = coefficient[at + U(2) * m * stride], coefficient[at + (U(2) * m + U(2)) * stride]
        low = min(0.0, x) if m == U(0) else max(a, min(0.0, x))
        high = max(0.0, x) if m + U(2) == knots else min(b, max(0.0, x))
        if high > low:
            ga, gb = coefficient[at + (U(2) * m + U(1)) * stride], coefficient[at + (U(2) * m + U(3)) * stride]
            middle = ga + (gb - ga) * (0.5 * (low + high) - a) / (b - a)
            energy += middle * (high - low)
    return value, slope, energy if x > 0.0 else -energy


@inner
def spring(coefficient, at, stride, x):
    """g, its slope and its integral at the strain x; `at` is the place of the link's first coefficient of the spring."""
    kind, count, entries = coefficient[at], U(coefficient[at + stride]), at + U(2) * stride
    if kind == EXPONENTIAL:
        return _exponential(coefficient[entries], x)
    if kind == POLYNOMIAL:
        return _polynomial(coefficient, entries, stride, count, x)
    return _table(coefficient, entries, stride, count, x)


@inner
def stiffest(coefficient, at, stride, x, slope, change):
    """The slope at the strain x, or where a step takes the spring that changes its strain by so much, if that is more."""
    if abs(change) > NOTABLE_CHANGE:
        _, then, _ = spring(coefficient, at, stride, x + change)
        return max(slope, then)
    return slope


def spring_columns(entries: int) -> tuple[Column, ...]:
    """Kind, number of entries, entries."""
    names = ("spring_kind", "spring_count", *(f"spring_{n}" for n in range(entries)))
    return tuple(Column(name, "1", 0 if name.removeprefix("spring_").isdigit() else None) for name in names)


def curve_of(column: Mapping[str, Floats]) -> Callable[[Floats], tuple[Floats, Floats]]:
    """g and its slope of links with these columns, each at its own strain: in NumPy, beside the kernel."""
    kind, count = int(column["spring_kind"][0]), int(column["spring_count"][0])
    entry = np.array([column[f"spring_{n}"] for n in range(count)])

    def curve(x: Floats) -> tuple[Floats, Floats]:
        if kind == EXPONENTIAL:
            return np.expm1(entry[0] * x) / entry[0], np.exp(entry[0] * x)
        if kind == POLYNOMIAL:
            orders = np.arange(2, count + 2)[:, None]
            return x + (entry * x**orders).sum(axis=0), 1.0 + (orders * entry * x ** (orders - 1)).sum(axis=0)
        knots, values = entry[0::2], entry[1::2]
        n = np.clip((x > knots[1:]).sum(axis=0), 0, len(knots) - 2)
        here = np.arange(x.size)
        slope = (values[n + 1, here] - values[n, here]) / (knots[n + 1, here] - knots[n, here])
        return values[n, here] + slope * (x - knots[n, here]), slope

    return curve
