"""Voigt parts in series (generalised Voigt): n parts, n - 1 internal variables.

Internal variables: the extensions e_2..e_n [m]; the first part has what is left, e_1 = d - e_2 - ... - e_n, so that the true length rules.

    f = (ldot + sum_i (k_i/c_i) e_i) / sum_i (1/c_i),   de_i/dt = (f - k_i e_i) / c_i      Hirai 2005, eqs. (2.5)-(2.9)

multiplied by c_1, which may then be zero (a bare spring as first part):
f = a e_1 + b (ldot + sum_{i>1} kappa_i e_i), phi_i = 1/c_i, kappa_i = k_i/c_i, a = k_1/(1 + c_1 sum phi), b = c_1/(1 + c_1 sum phi).

"""

from collections.abc import Mapping

import numpy as np
from numba import uint64 as U

from yawara.core.response import Response, series_response
from yawara.kernels.kinds import Floats
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column

REST, A, B, FIRST = range(4)  # from the first part on, phi_i and kappa_i take turns


def columns(parts: int) -> tuple[Column, ...]:
    own = Column("rest_length", "m", None), Column("a", "N/m", 1), Column("b", "N s/m", 1)
    pairs = ((Column(f"phi_{i}", "m/(N s)", -1), Column(f"kappa_{i}", "1/s", 0)) for i in range(2, parts + 2))
    return (*own, *(column for pair in pairs for column in pair))


def tension(block):
    """factor = f / l [N/m] and internal_rate = de_i/dt [m/s] of the links of one block."""
    count, parts, c, m, stride = block.count, block.parts, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate = block.factor, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        a, b = coefficient[c + U(A) * stride + t], coefficient[c + U(B) * stride + t]
        factor[t] = a * (length2[t] * inverse - coefficient[c + t]) + b * (stretching[t] * inverse)
    for part in range(parts):
        q, phi, kappa = m + part * stride, c + (U(FIRST) + U(2) * part) * stride, c + (U(FIRST + 1) + U(2) * part) * stride
        for t in range(count):
            a, b = coefficient[c + U(A) * stride + t], coefficient[c + U(B) * stride + t]
            factor[t] += (b * coefficient[kappa + t] - a) * internal[q + t]
    for part in range(parts):
        q, phi, kappa = m + part * stride, c + (U(FIRST) + U(2) * part) * stride, c + (U(FIRST + 1) + U(2) * part) * stride
        for t in range(count):
            internal_rate[part * count + t] = coefficient[phi + t] * factor[t] - coefficient[kappa + t] * internal[q + t]
    for t in range(count):
        factor[t] *= inverse_sqrt(length2[t] + SMALLEST_LENGTH2)


def energy(block):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`: sums of k_i e_i^2/2 and c_i (de_i/dt)^2."""
    count, parts, c, m, stride = block.count, block.parts, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    internal_rate, damper = block.internal_rate, block.damper
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length = length2[t] * inverse
        e, rate, phi_sum = length - coefficient[c + t], stretching[t] * inverse, 0.0
        for part in range(parts):
            phi = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            kappa = coefficient[c + (U(FIRST + 1) + U(2) * part) * stride + t]
            e_i, rate_i = internal[m + part * stride + t], internal_rate[part * count + t]
            e, rate, phi_sum = e - e_i, rate - rate_i, phi_sum + phi
            stored += 0.5 * kappa / phi * e_i * e_i
            power += rate_i * rate_i / phi
        widening = 1.0 / (1.0 - coefficient[c + U(B) * stride + t] * phi_sum)  # = 1 + c_1 sum phi
        stored += 0.5 * coefficient[c + U(A) * stride + t] * widening * e * e
        damper[t] = coefficient[c + U(B) * stride + t] * widening * rate
        power += damper[t] * rate
    block.stored, block.power = stored, power


def implicit(block):
    """`tension` at the end of a step that the internal variables make along: e_i' = (e_i + dt phi_i f') / (1 + dt kappa_i).

    Put into the force: f' (1 + sum (a - b kappa_i) dt phi_i w_i) = a d' + b ldot' - sum (a - b kappa_i) w_i e_i, w_i = 1/(1 + dt kappa_i)
    """
    count, parts, c, m, stride, dt = block.count, block.parts, block.column, block.place, block.stride, block.dt
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, internal_rate = block.factor, block.slope, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        a, b = coefficient[c + U(A) * stride + t], coefficient[c + U(B) * stride + t]
        factor[t] = a * (length2[t] * inverse - coefficient[c + t]) + b * (stretching[t] * inverse)
        slope[t] = 1.0
    for part in range(parts):
        q, phi, kappa = m + part * stride, c + (U(FIRST) + U(2) * part) * stride, c + (U(FIRST + 1) + U(2) * part) * stride
        for t in range(count):
            a, b = coefficient[c + U(A) * stride + t], coefficient[c + U(B) * stride + t]
            share = (a - b * coefficient[kappa + t]) / (1.0 + dt * coefficient[kappa + t])
            factor[t] -= share * internal[q + t]
            slope[t] += share * dt * coefficient[phi + t]
    for t in range(count):
        factor[t] /= slope[t]
        slope[t] = (coefficient[c + U(A) * stride + t] * dt + coefficient[c + U(B) * stride + t]) / slope[t]
    for part in range(parts):
        q, phi, kappa = m + part * stride, c + (U(FIRST) + U(2) * part) * stride, c + (U(FIRST + 1) + U(2) * part) * stride
        for t in range(count):
            rate = coefficient[phi + t] * factor[t] - coefficient[kappa + t] * internal[q + t]
            internal_rate[part * count + t] = rate / (1.0 + dt * coefficient[kappa + t])
    for t in range(count):
        factor[t] *= inverse_sqrt(length2[t] + SMALLEST_LENGTH2)


def instant(column: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    return column["a"], column["b"]


def responses(column: Mapping[str, float]) -> list[Response]:
    phi, kappa = (np.array([value for name, value in column.items() if name.startswith(f"{kind}_")]) for kind in ("phi", "kappa"))
    return [series_response(column["a"], column["b"], phi, kappa)]


def residual(column: Mapping[str, Floats], internal: Floats) -> Floats:
    """What all parts but the first have."""
    total: Floats = internal.sum(axis=0)
    return total
