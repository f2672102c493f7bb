"""A nonlinear spring with a damper beside it, in series with any number of Voigt parts: Voigt, Maxwell, three-element and generalised
Voigt with a spring that stiffens.

Internal variables: the extensions e_i [m] of the other parts; the first part has what is left, e = d - sum e_i.

    f = k l0 g(e/l0) + c (ldot - sum e_i'),   e_i' = phi_i f - kappa_i e_i,   phi_i = 1/c_i, kappa_i = k_i/c_i

solved for f: f (1 + c sum phi_i) = k l0 g(e/l0) + c (ldot + sum kappa_i e_i). A part without a spring (kappa = 0) flows.
"""

from collections.abc import Mapping

import numpy as np
from numba import uint64 as U

from yawara.core.response import Response, series_response
from yawara.kernels.jit import inner
from yawara.kernels.kinds import Floats
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column
from yawara.laws.families.spring import spring, spring_columns, stiffest

REST, K, C, FIRST = range(4)  # then phi_i and kappa_i take turns, then the spring's own
NEWTON_STEPS = 50
STIFFENS = True


def columns(parts: int, entries: int) -> tuple[Column, ...]:
    own = Column("rest_length", "m", None), Column("k", "N/m", 1), Column("c", "N s/m", 1)
    pairs = ((Column(f"phi_{i}", "m/(N s)", -1), Column(f"kappa_{i}", "1/s", 0)) for i in range(1, parts + 1))
    return (*own, *(column for pair in pairs for column in pair), *spring_columns(entries))


@inner
def _spring_of(block, t):
    """Where the spring's own coefficients of link t begin."""
    return block.column + (U(FIRST) + U(2) * block.parts) * block.stride + t


def tension(block):
    count, parts, c, m, stride = block.count, block.parts, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate, dt, stiffening = block.factor, block.internal_rate, block.dt, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        rest, k, viscosity = coefficient[c + t], coefficient[c + U(K) * stride + t], coefficient[c + U(C) * stride + t]
        e, rate, widening = length2[t] * inverse - rest, stretching[t] * inverse, 1.0
        for part in range(parts):
            phi = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            kappa = coefficient[c + (U(FIRST + 1) + U(2) * part) * stride + t]
            e_i = internal[m + part * stride + t]
            e, rate, widening = e - e_i, rate + kappa * e_i, widening + viscosity * phi
        at, scale = _spring_of(block, t), 1.0 / (rest + SMALLEST_LENGTH2)
        g, slope, _ = spring(coefficient, at, stride, e * scale)
        f = (k * rest * g + viscosity * rate) / widening
        stiffening = max(stiffening, stiffest(coefficient, at, stride, e * scale, slope, dt * stretching[t] * inverse * scale))
        for part in range(parts):
            phi = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            kappa = coefficient[c + (U(FIRST + 1) + U(2) * part) * stride + t]
            internal_rate[part * count + t] = phi * f - kappa * internal[m + part * stride + t]
        factor[t] = f * inverse
    block.stiffening = stiffening


def energy(block):
    count, parts, c, m, stride = block.count, block.parts, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    internal_rate, damper, stored, power = block.internal_rate, block.damper, 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        rest, k = coefficient[c + t], coefficient[c + U(K) * stride + t]
        e, rate = length2[t] * inverse - rest, stretching[t] * inverse
        for part in range(parts):
            phi = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            kappa = coefficient[c + (U(FIRST + 1) + U(2) * part) * stride + t]
            e_i, rate_i = internal[m + part * stride + t], internal_rate[part * count + t]
            e, rate = e - e_i, rate - rate_i
            stored += 0.5 * kappa / phi * e_i * e_i
            power += rate_i * rate_i / phi
        _, _, energy_of_spring = spring(coefficient, _spring_of(block, t), stride, e / (rest + SMALLEST_LENGTH2))
        damper[t] = coefficient[c + U(C) * stride + t] * rate
        stored += k * rest * rest * energy_of_spring
        power += damper[t] * rate
    block.stored, block.power = stored, power


def implicit(block):
    """`tension` at the end of a step that the internal variables make along: e_i' = (e_i + dt phi_i f') w_i, w_i = 1/(1 + dt kappa_i).

    f' = k l0 g((d' - sum e_i')/l0) + c (ldot' - sum (phi_i f' - kappa_i e_i) w_i): the left side less the right grows with f', which
    Newton's method finds; where a step leads out of where the root must be, the middle is taken.
    """
    count, parts, c, m, stride, dt = block.count, block.parts, block.column, block.place, block.stride, block.dt
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, internal_rate = block.factor, block.slope, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        rest, k, viscosity = (
            coefficient[c + t] + SMALLEST_LENGTH2,
            coefficient[c + U(K) * stride + t],
            coefficient[c + U(C) * stride + t],
        )
        free, rate, flow, gives = length2[t] * inverse - rest, stretching[t] * inverse, 0.0, 0.0
        for part in range(parts):
            phi = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            kappa = coefficient[c + (U(FIRST + 1) + U(2) * part) * stride + t]
            w = 1.0 / (1.0 + dt * kappa)
            e_i = internal[m + part * stride + t]
            free, rate = free - w * e_i, rate + w * kappa * e_i  # the first part's, if there were no force
            gives, flow = gives + dt * phi * w, flow + phi * w
        at = _spring_of(block, t)
        g, stiffness, _ = spring(coefficient, at, stride, free / rest)
        f = (k * rest * g + viscosity * rate) / (
            1.0 + viscosity * flow
        )  # too far from zero: more force leaves less for the spring
        low, high = min(0.0, f), max(0.0, f)
        for _ in range(NEWTON_STEPS):
            g, stiffness, _ = spring(coefficient, at, stride, (free - gives * f) / rest)
            error = f - k * rest * g - viscosity * (rate - flow * f)
            low, high = (low, f) if error > 0.0 else (f, high)
            step = f - error / (1.0 + k * stiffness * gives + viscosity * flow)
            last, f = f, step if low <= step <= high else 0.5 * (low + high)
            if abs(f - last) <= 1e-15 * abs(f):
                break
        slope[t] = (k * stiffness * dt + viscosity) / (1.0 + k * stiffness * gives + viscosity * flow)
        for part in range(parts):
            phi = coefficient[c + (U(FIRST) + U(2) * part) * stride + t]
            kappa = coefficient[c + (U(FIRST + 1) + U(2) * part) * stride + t]
            internal_rate[part * count + t] = (phi * f - kappa * internal[m + part * stride + t]) / (1.0 + dt * kappa)
        factor[t] = f * inverse


def _pairs(column: Mapping[str, float]) -> tuple[Floats, Floats]:
    phi, kappa = (np.array([value for name, value in column.items() if name.startswith(f"{kind}_")]) for kind in ("phi", "kappa"))
    return phi, kappa


def instant(column: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    return column["k"], column["c"]


def responses(column: Mapping[str, float]) -> list[Response]:
    """At rest; how it stiffens is followed."""
    phi, kappa = _pairs(column)
    widening = 1.0 + column["c"] * float(phi.sum())
    return [series_response(column["k"] / widening, column["c"] / widening, phi, kappa)]


def residual(column: Mapping[str, Floats], internal: Floats) -> Floats:
    """What all parts but the first have."""
    total: Floats = internal.sum(axis=0) if len(internal) else np.zeros_like(column["k"])
    return total
