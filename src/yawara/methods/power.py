"""Power iteration with the tangent, in one call: the highest mode of every body, in the norm of the masses.

    u <- M^-1 B w,   w = u / |u| + share * noise / |noise|,   growth = |M^-1 B w| / |w|,   |u|^2 = u . M u for each body by itself

The growth approaches the largest eigenvalue of M^-1 B from below; noise lets a mode that becomes the highest later be found.
"""

import math

from numba import uint64 as U

from yawara.core.context import open_context
from yawara.kernels.entries import kernel
from yawara.kernels.jit import inner
from yawara.kernels.kinds import INT, REAL, REALS, WORDS
from yawara.methods.linear_systems import tangent_product

NOTHING = 1e-300  # beside which norms of zero do no harm


@inner
def _norm(mass, u, first, last):
    total = 0.0
    for c in range(U(first), U(last)):
        total += mass[c] * u[c] * u[c]
    return math.sqrt(total)


@kernel(INT, REALS, REALS, WORDS, REALS, REALS, REAL, INT, REALS)
def iterate(context, mass, inverse_mass, first, u, noise, share, steps, growth):
    """In place, for one thread. `u`, `noise`, `mass` [kg] and `inverse_mass` [1/kg] have four entries for each point.

    `first` (body_count + 1,) is where the entries of each body begin, and where those of the last one end.
    """
    ctx = open_context(context)
    direction, forces = ctx.direction, ctx.forces
    forces[:] = 0.0
    for _ in range(steps):
        for body in range(growth.size):
            scale = 1.0 / (_norm(mass, u, first[body], first[body + 1]) + NOTHING)
            fresh = share / (_norm(mass, noise, first[body], first[body + 1]) + NOTHING)
            for c in range(U(first[body]), U(first[body + 1])):
                direction[c] = scale * u[c] + fresh * noise[c]
            growth[body] = _norm(mass, direction, first[body], first[body + 1])
        tangent_product(ctx)
        for body in range(growth.size):
            for c in range(U(first[body]), U(first[body + 1])):
                u[c] = forces[c] * inverse_mass[c]
            growth[body] = _norm(mass, u, first[body], first[body + 1]) / (growth[body] + NOTHING)
        forces[:] = 0.0
