"""Voigt parts in series (generalised Voigt): n parts, n - 1 memories.

Memory: the extensions e_2..e_n [m]; the first part has what is left, e_1 = d - e_2 - ... - e_n, so that the true length rules.

    f = (ldot + sum_i (k_i/c_i) e_i) / sum_i (1/c_i),   de_i/dt = (f - k_i e_i) / c_i      Hirai report, eqs. (2.5)-(2.9)

multiplied by c_1, which may then be zero (a bare spring as first part):
f = a e_1 + b (ldot + sum_{i>1} kappa_i e_i), phi_i = 1/c_i, kappa_i = k_i/c_i, a = k_1/(1 + c_1 sum phi), b = c_1/(1 + c_1 sum phi).

Coefficients per link: l0 [m], a [N/m], b [N s/m], then phi_i [m/(N s)] and kappa_i [1/s] for each memory.
"""

from numba import uint64 as U

from yawara.forces.links.constants import SMALLEST_LENGTH2
from yawara.jit import kernel
from yawara.vector import inverse_sqrt


@kernel
def tension(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """factor = f / l [N/m] and memory_rate = de_i/dt [m/s] of the links of one block."""
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        a, b = coefficient[c + stride + t], coefficient[c + U(2) * stride + t]
        factor[t] = a * (length2[t] * inverse - coefficient[c + t]) + b * (stretching[t] * inverse)
    for part in range(parts):
        q, phi, kappa = m + part * stride, c + (U(3) + U(2) * part) * stride, c + (U(4) + U(2) * part) * stride
        for t in range(count):
            a, b = coefficient[c + stride + t], coefficient[c + U(2) * stride + t]
            factor[t] += (b * coefficient[kappa + t] - a) * memory[q + t]
    for part in range(parts):
        q, phi, kappa = m + part * stride, c + (U(3) + U(2) * part) * stride, c + (U(4) + U(2) * part) * stride
        for t in range(count):
            memory_rate[part * count + t] = coefficient[phi + t] * factor[t] - coefficient[kappa + t] * memory[q + t]
    for t in range(count):
        factor[t] *= inverse_sqrt(length2[t] + SMALLEST_LENGTH2)


@kernel
def energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`: sums of k_i e_i^2/2 and c_i (de_i/dt)^2."""
    stored, power = 0.0, 0.0
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        length = length2[t] * inverse
        e, rate, phi_sum = length - coefficient[c + t], stretching[t] * inverse, 0.0
        for part in range(parts):
            phi = coefficient[c + (U(3) + U(2) * part) * stride + t]
            kappa = coefficient[c + (U(4) + U(2) * part) * stride + t]
            e_i, rate_i = memory[m + part * stride + t], memory_rate[part * count + t]
            e, rate, phi_sum = e - e_i, rate - rate_i, phi_sum + phi
            stored += 0.5 * kappa / phi * e_i * e_i
            power += rate_i * rate_i / phi
        widening = 1.0 / (1.0 - coefficient[c + U(2) * stride + t] * phi_sum)  # = 1 + c_1 sum phi
        stored += 0.5 * coefficient[c + stride + t] * widening * e * e
        power += coefficient[c + U(2) * stride + t] * widening * rate * rate
    return stored, power


@kernel
def implicit(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate):
    """`tension` at the end of a step that the memories make along: e_i' = (e_i + dt phi_i f') / (1 + dt kappa_i). See implicit.py.

    Put into the force: f' (1 + sum (a - b kappa_i) dt phi_i w_i) = a d' + b ldot' - sum (a - b kappa_i) w_i e_i, w_i = 1/(1 + dt kappa_i)
    """
    for t in range(count):
        inverse = inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
        a, b = coefficient[c + stride + t], coefficient[c + U(2) * stride + t]
        factor[t] = a * (length2[t] * inverse - coefficient[c + t]) + b * (stretching[t] * inverse)
        slope[t] = 1.0
    for part in range(parts):
        q, phi, kappa = m + part * stride, c + (U(3) + U(2) * part) * stride, c + (U(4) + U(2) * part) * stride
        for t in range(count):
            a, b = coefficient[c + stride + t], coefficient[c + U(2) * stride + t]
            share = (a - b * coefficient[kappa + t]) / (1.0 + dt * coefficient[kappa + t])
            factor[t] -= share * memory[q + t]
            slope[t] += share * dt * coefficient[phi + t]
    for t in range(count):
        factor[t] /= slope[t]
        slope[t] = (coefficient[c + stride + t] * dt + coefficient[c + U(2) * stride + t]) / slope[t]
    for part in range(parts):
        q, phi, kappa = m + part * stride, c + (U(3) + U(2) * part) * stride, c + (U(4) + U(2) * part) * stride
        for t in range(count):
            rate = coefficient[phi + t] * factor[t] - coefficient[kappa + t] * memory[q + t]
            memory_rate[part * count + t] = rate / (1.0 + dt * coefficient[kappa + t])
    for t in range(count):
        factor[t] *= inverse_sqrt(length2[t] + SMALLEST_LENGTH2)
