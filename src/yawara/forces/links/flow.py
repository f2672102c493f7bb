"""One Voigt part and one linear damper in series: Voigt, Maxwell, three-element and single damper.

Memory: the extension q of the serial damper [m], which is what stays when the load has gone. With d = l - l0 and e = d - q,

    f = k1 e + c1 (ldot - qdot),   qdot = f / c2        Tomokuni et al., eqs. (1)-(4), tension positive

solved for f once and for all: f = a e + b ldot, qdot = phi f with phi = 1/c2, a = k1/(1 + c1 phi), b = c1/(1 + c1 phi).
Keeping q instead of the Voigt extension makes an elastic link (phi = 0) depend on its true length: no drift.

Coefficients per link: rest length l0 [m], a [N/m], b [N s/m], phi [m/(N s)].
"""

from numba import uint64 as U

from yawara.forces.links.constants import SMALLEST_LENGTH2
from yawara.jit import inlined, kernel
from yawara.vector import inverse_sqrt

COLUMNS = 4


@inlined
def tension(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """factor = f / l [N/m] and memory_rate = qdot [m/s] of the links of one block."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - memory[m + t]
        f = coefficient[c + stride + t] * e + coefficient[c + U(2) * stride + t] * (stretching[t] * inverse)
        memory_rate[t] = coefficient[c + U(3) * stride + t] * f
        factor[t] = f * inverse


@kernel
def energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`: k1 e^2/2 and c1 (ldot - qdot)^2 + f qdot."""
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length = length2[t] * inverse
        e = length - coefficient[c + t] - memory[m + t]
        b, phi = coefficient[c + U(2) * stride + t], coefficient[c + U(3) * stride + t]
        widening = 1.0 / (1.0 - b * phi)  # = 1 + c1 phi: from a, b back to k1, c1
        rate = stretching[t] * inverse - memory_rate[t]
        stored += 0.5 * coefficient[c + stride + t] * widening * e * e
        power += b * widening * rate * rate + factor[t] * length * memory_rate[t]
    return stored, power


@kernel
def implicit(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate):
    """`tension` at the end of a step that the memory makes along: q' = q + dt phi f'. See implicit.py."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        e = length2[t] * inverse - coefficient[c + t] - memory[m + t]
        a, b = coefficient[c + stride + t], coefficient[c + U(2) * stride + t]
        phi = coefficient[c + U(3) * stride + t]
        # f' = a (d' - q - dt phi f') + b ldot'
        softening = 1.0 / (1.0 + a * dt * phi)
        f = (a * e + b * (stretching[t] * inverse)) * softening
        slope[t] = (a * dt + b) * softening
        memory_rate[t] = phi * f
        factor[t] = f * inverse
