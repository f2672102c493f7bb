"""One Voigt part and one linear damper in series: Voigt, Maxwell, three-element and single damper.

Internal variable: the extension q of the serial damper [m], which is what stays when the load has gone. With d = l - l0 and e = d - q,

    f = k1 e + c1 (ldot - qdot),   qdot = f / c2        Tomokuni et al. 2003, eqs. (1)-(4), tension positive

solved for f once and for all: f = a e + b ldot, qdot = phi f with phi = 1/c2, a = k1/(1 + c1 phi), b = c1/(1 + c1 phi).
Keeping q instead of the Voigt extension makes an elastic link (phi = 0) depend on its true length: no drift.

"""

from collections.abc import Mapping

import numpy as np
from numba import uint64 as U

from yawara.core.response import Response, series_response
from yawara.kernels.decay import mean_decay
from yawara.kernels.kinds import Floats
from yawara.kernels.vector import inverse_sqrt
from yawara.laws.block import SMALLEST_LENGTH2, Column

REST, A, B, PHI = range(4)


def columns(parts: int) -> tuple[Column, ...]:
    return Column("rest_length", "m", None), Column("a", "N/m", 1), Column("b", "N s/m", 1), Column("phi", "m/(N s)", -1)


def tension(block):
    """factor = f / l [N/m] and internal_rate = qdot [m/s] of the links of one block."""
    count, c, m, stride = block.count, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate = block.factor, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - internal[m + t]
        f = coefficient[c + U(A) * stride + t] * e + coefficient[c + U(B) * stride + t] * (stretching[t] * inverse)
        internal_rate[t] = coefficient[c + U(PHI) * stride + t] * f
        factor[t] = f * inverse


def energy(block):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`: k1 e^2/2 and c1 (ldot - qdot)^2 + f qdot."""
    count, c, m, stride = block.count, block.column, block.place, block.stride
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, internal_rate, damper = block.factor, block.internal_rate, block.damper
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length = length2[t] * inverse
        e = length - coefficient[c + t] - internal[m + t]
        b, phi = coefficient[c + U(B) * stride + t], coefficient[c + U(PHI) * stride + t]
        widening = 1.0 / (1.0 - b * phi)  # = 1 + c1 phi: from a, b back to k1, c1
        rate = stretching[t] * inverse - internal_rate[t]
        stored += 0.5 * coefficient[c + U(A) * stride + t] * widening * e * e
        damper[t] = b * widening * rate
        power += damper[t] * rate + factor[t] * length * internal_rate[t]
    block.stored, block.power = stored, power


def implicit(block):
    """`tension` at the end of a step that the internal variable makes along: q' = q + dt phi f'.

    Steady, f relaxes to ldot/phi with the rate a phi, from f_0 = a (e - dt ldot) + b ldot; with z = a phi dt and psi = (1 - exp(-z))/z,
    f' = exp(-z) f_0 + a dt psi ldot, and the mean of qdot = phi f is phi psi f_0 + (1 - psi) ldot.
    """
    count, c, m, stride, dt = block.count, block.column, block.place, block.stride, block.dt
    coefficient, internal, length2, stretching = block.coefficient, block.internal, block.length2, block.stretching
    factor, slope, internal_rate = block.factor, block.slope, block.internal_rate
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - internal[m + t]
        a, b = coefficient[c + U(A) * stride + t], coefficient[c + U(B) * stride + t]
        phi = coefficient[c + U(PHI) * stride + t]
        if block.steady != 0:
            ldot, z = stretching[t] * inverse, a * dt * phi
            psi, f0 = mean_decay(z), a * (e - dt * (stretching[t] * inverse)) + b * (stretching[t] * inverse)
            decay = 1.0 - z * psi
            slope[t] = decay * b + a * dt * psi
            internal_rate[t] = phi * psi * f0 + (1.0 - psi) * ldot
            factor[t] = (decay * f0 + a * dt * psi * ldot) * inverse
            continue
        # f' = a (d' - q - dt phi f') + b ldot'
        softening = 1.0 / (1.0 + a * dt * phi)
        f = (a * e + b * (stretching[t] * inverse)) * softening
        slope[t] = (a * dt + b) * softening
        internal_rate[t] = phi * f
        factor[t] = f * inverse


def instant(column: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    return column["a"], column["b"]


def responses(column: Mapping[str, float]) -> list[Response]:
    return [series_response(column["a"], column["b"], np.array([column["phi"]]), np.zeros(1))]


def residual(column: Mapping[str, Floats], internal: Floats) -> Floats:
    return internal[0]
