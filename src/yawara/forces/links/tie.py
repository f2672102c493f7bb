"""A Voigt element of no natural length, which holds two points together: a point of a fine mesh at its place on a coarse edge.

    f = k d + c (d . v) d / (d^2 + delta^2),   d the vector between the points, v its rate      particle-based modelling, sec. 2.7

The spring acts alike in all directions. The papers damp both directions alike, too; that would leave a torque while the points are apart.
So this damper acts along d only, and fades in over the small length delta, since d has no direction where it vanishes.

Coefficients per link: 0 [m], k [N/m], c [N s/m], delta^2 [m^2]. The memory is not used.
"""

from numba import uint64 as U

from yawara.jit import kernel

COLUMNS = 4


@kernel
def tension(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """factor = f / d [N/m]."""
    for t in range(count):
        damping = coefficient[c + U(2) * stride + t] * stretching[t] / (length2[t] + coefficient[c + U(3) * stride + t])
        memory_rate[t] = 0.0
        factor[t] = coefficient[c + stride + t] + damping


@kernel
def energy(count, parts, coefficient, c, memory, m, stride, length2, stretching, factor, memory_rate):
    """Stored energy [J] and dissipated power [W] of one block, after `tension`."""
    stored, power = 0.0, 0.0
    for t in range(count):
        stored += 0.5 * coefficient[c + stride + t] * length2[t]
        power += (factor[t] - coefficient[c + stride + t]) * stretching[t]
    return stored, power


@kernel
def implicit(count, parts, coefficient, c, memory, m, stride, length2, stretching, dt, factor, slope, memory_rate):
    """`tension` at the end of a step; its slope along the element. See implicit.py."""
    for t in range(count):
        k, viscosity = coefficient[c + stride + t], coefficient[c + U(2) * stride + t]
        spread = length2[t] + coefficient[c + U(3) * stride + t]
        memory_rate[t] = 0.0
        factor[t] = k + viscosity * stretching[t] / spread
        slope[t] = k * dt + viscosity * length2[t] / spread
