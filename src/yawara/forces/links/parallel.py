"""Maxwell arms in parallel (generalised Maxwell), beside one spring and one damper.

Memory: the damper extensions q_i [m] of the arms.

    f = k d + c ldot + sum_i k_i (d - q_i),   dq_i/dt = r_i (d - q_i),  r_i = k_i/c_i     Hirai, particle-based modelling, sec. 2.1

Coefficients per link: l0 [m], k [N/m], c [N s/m], then k_i [N/m] and r_i [1/s] for each arm.
"""

from numba import uint64 as U

from yawara.forces.links.constants import SMALLEST_LENGTH2
from yawara.jit import kernel
from yawara.vector import inverse_sqrt


@kernel
def tension(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """factor = f / l [N/m] and memory_rate = dq_i/dt [m/s] of the links of one block."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        d = length2[t] * inverse - coefficient[c + t]
        factor[t] = coefficient[c + stride + t] * d + coefficient[c + U(2) * stride + t] * (stretching[t] * inverse)
    for part in range(parts):
        q, k, r = m + part * stride, c + (U(3) + U(2) * part) * stride, c + (U(4) + U(2) * part) * stride
        for t in range(count):
            d = length2[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2) - coefficient[c + t]
            e = d - memory[q + t]
            factor[t] += coefficient[k + t] * e
            memory_rate[part * count + t] = coefficient[r + t] * e
    for t in range(count):
        factor[t] *= inverse_sqrt(length2[t] + SMALLEST_LENGTH2)


@kernel
def energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`."""
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length = length2[t] * inverse
        d, rate = length - coefficient[c + t], stretching[t] * inverse
        stored += 0.5 * coefficient[c + stride + t] * d * d
        power += coefficient[c + U(2) * stride + t] * rate * rate
        for part in range(parts):
            k = coefficient[c + (U(3) + U(2) * part) * stride + t]
            e = d - memory[m + part * stride + t]
            stored += 0.5 * k * e * e
            power += k * e * memory_rate[part * count + t]  # the arm's force times its damper's rate
    return stored, power


@kernel
def implicit(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate):
    """`tension` at the end of a step that the memories make along: d' - q_i' = (d' - q_i) / (1 + dt r_i). See implicit.py."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        k, viscosity = coefficient[c + stride + t], coefficient[c + U(2) * stride + t]
        factor[t] = k * (length2[t] * inverse - coefficient[c + t]) + viscosity * (stretching[t] * inverse)
        slope[t] = k * dt + viscosity
    for part in range(parts):
        q, k, r = m + part * stride, c + (U(3) + U(2) * part) * stride, c + (U(4) + U(2) * part) * stride
        for t in range(count):
            d = length2[t] * inverse_sqrt(length2[t] + SMALLEST_LENGTH2) - coefficient[c + t]
            softening = 1.0 / (1.0 + dt * coefficient[r + t])
            e = (d - memory[q + t]) * softening
            factor[t] += coefficient[k + t] * e
            slope[t] += coefficient[k + t] * dt * softening
            memory_rate[part * count + t] = coefficient[r + t] * e
    for t in range(count):
        factor[t] *= inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
