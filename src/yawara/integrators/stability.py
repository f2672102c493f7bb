"""The largest stable step of a model, for each explicit scheme.

The stiffest vibration of the body, w^2 = largest eigenvalue of M^-1 K, and the strongest damping, g = that of M^-1 C, are found by
power iteration on the links at rest. The step is then the largest for which no mode of x'' = -w^2 (x - q) - g x' and its memory
q' = r (x - q) + (r g / w^2) x' grows under the scheme; lower modes are those of a fraction of w^2 and g.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import uint64 as U

from yawara.forces.links.bounds import LinkBounds
from yawara.integrators.scheme import Scheme
from yawara.jit import kernel
from yawara.model import Floats, Indices
from yawara.stages import SEMI_IMPLICIT

SAFETY = 0.8  # links turn and tighten as a body deforms
POWER_STEPS = 40
POWER_MARGIN = 1.05  # the iteration approaches the eigenvalue from below; 5 % covers what 40 steps leave on the bodies of the tests
MODES = np.logspace(-4, 0, 9)  # fractions of the highest mode
LARGEST = 1e6  # [s] nothing limits the step


@kernel
def _apply_links(start, end, direction, coefficient, inverse_mass, u, result):  # type: ignore[no-untyped-def]
    """result = M^-1 sum_links coefficient dir (dir . (u_start - u_end)), 3 entries per point."""
    result[:] = 0.0
    for n in range(U(start.size)):
        a, b = U(3) * U(start[n]), U(3) * U(end[n])
        dx, dy, dz = direction[n, 0], direction[n, 1], direction[n, 2]
        f = coefficient[n] * (dx * (u[a] - u[b]) + dy * (u[a + U(1)] - u[b + U(1)]) + dz * (u[a + U(2)] - u[b + U(2)]))
        result[a] += f * dx
        result[a + U(1)] += f * dy
        result[a + U(2)] += f * dz
        result[b] -= f * dx
        result[b + U(1)] -= f * dy
        result[b + U(2)] -= f * dz
    for p in range(U(inverse_mass.size)):
        for axis in range(U(3)):
            result[U(3) * p + axis] *= inverse_mass[p]


def largest_eigenvalue(position: Floats, links: Indices, coefficient: Floats, inverse_mass: Floats) -> float:
    """Of M^-1 times the link operator with these coefficients [1/s^2 for stiffnesses, 1/s for viscosities]."""
    if not coefficient.any():
        return 0.0
    direction = position[links[:, 1]] - position[links[:, 0]]
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    start, end = np.ascontiguousarray(links.T, dtype=np.uint32)
    u = np.random.default_rng(0).standard_normal(3 * len(inverse_mass))
    result = np.empty_like(u)
    mass = np.repeat(1.0 / inverse_mass, 3)
    value = 0.0
    for _ in range(POWER_STEPS):
        u /= np.sqrt(np.dot(u * mass, u))  # M-norm: the operator is symmetric in it
        _apply_links(start, end, direction, coefficient, inverse_mass, u, result)
        value = float(np.sqrt(np.dot(result * mass, result)))
        u, result = result, u
        if value == 0.0:
            return 0.0
    return POWER_MARGIN * value


@dataclass(frozen=True)
class Spectrum:
    """The quickest things a model does."""

    stiffness: float  # [1/s^2], w^2
    viscosity: float  # [1/s], g
    rates: frozenset[float]  # [1/s], of the memories


def spectrum(position: Floats, links: Sequence[Indices], bounds: Sequence[LinkBounds], inverse_mass: Floats) -> Spectrum:
    """Of all links together."""
    everything = np.concatenate(list(links))
    stiffness = np.concatenate([bound.stiffness for bound in bounds])
    viscosity = np.concatenate([bound.viscosity for bound in bounds])
    highest = largest_eigenvalue(position, everything, stiffness, inverse_mass)
    proportional = stiffness.min() > 0 and np.ptp(viscosity / stiffness) <= 1e-12 * (viscosity / stiffness).max()
    if proportional:  # the same modes: no second iteration
        damping = highest * float(viscosity[0] / stiffness[0])
    else:
        damping = largest_eigenvalue(position, everything, viscosity, inverse_mass)
    rates = {float(rate) for bound in bounds for rate in (bound.slowest.min(), bound.slowest.max(), bound.quickest.max())}
    return Spectrum(highest, damping, frozenset(rates))


def stable_step(scheme: Scheme, quickest: Spectrum) -> float:
    """Largest step [s] that keeps every mode from growing, with a margin for large deformations; 0 if none does."""
    return SAFETY * min(
        _limit(scheme, mode * quickest.stiffness, mode * quickest.viscosity, rate) for mode in MODES for rate in quickest.rates
    )


def _limit(scheme: Scheme, stiffness: float, viscosity: float, rate: float) -> float:
    """Largest stable step of one mode, by bisection on its logarithm."""
    quickest = max(np.sqrt(stiffness), viscosity, rate)
    if quickest == 0.0:
        return LARGEST
    low, high = np.log(1e-6 / quickest), np.log(10.0 / quickest)
    if not _is_stable(scheme, stiffness, viscosity, rate, np.exp(low)):
        return 0.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        if _is_stable(scheme, stiffness, viscosity, rate, np.exp(middle)):
            low = middle
        else:
            high = middle
    return float(np.exp(low))


def _is_stable(scheme: Scheme, stiffness: float, viscosity: float, rate: float, dt: float) -> bool:
    through_damper = rate * viscosity / stiffness if stiffness > 0 else 0.0
    A = np.array([[0.0, 1.0, 0.0], [-stiffness, -viscosity, stiffness], [rate, through_damper, -rate]])
    step = np.eye(3) + dt * A
    if scheme.stages[0][0] == SEMI_IMPLICIT:
        step[0] = np.array([1.0, 0.0, 0.0]) + dt * step[1]  # x moves with the new velocity
    power = dt * A
    for order in range(2, scheme.order + 1):  # order 4: 1 + z + z^2/2 + z^3/6 + z^4/24
        power = power @ (dt * A) / order
        step += power
    return bool(np.abs(np.linalg.eigvals(step)).max() <= 1.0 + 1e-9)
