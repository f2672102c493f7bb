"""What has hardly any volume left, or is turned inside out: where an energy of finite strain ends, and what takes its place.

J^(-2/3) and F^-T have no bounds there. Below J0 = 0.1 the first goes on level, the second falls with J and is left out below 0: its stress
fades. Instead the corotated energy G |F - R|^2 appears, which restores what is flat, a line, a point or a mirror image.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.terms.continuum.constants import LANES, RATIO, SHRINK
from yawara.terms.continuum.symmetric import determinant

L = U(LANES)
LEAST = 0.1  # J0
PASSES = 3  # of Newton's method: to rounding for J from 0.6 to 1.7
CLOSE = 1e-14  # of J y^3 from 1, on average over a block: else powers are taken
THIRD = 1.0 / 3.0


@inlined
def thinness(J, y):
    """g; g' J/(2 g), -1/3 above J0; and 1/J as it is above: from y = max(J, J0)^(-1/3)."""
    left, high = max(J, 0.0), max(J, LEAST)
    r2 = (left / high) ** 2
    g = y * y * (1.0 + THIRD * (1.0 - r2))
    return g, -THIRD * r2 * y * y / g, left / (high * high)


@inlined
def fading(J):
    """J times that 1/J, which stresses and energies are multiplied with; and its slope."""
    left = min(max(J, 0.0), LEAST) / LEAST
    return left * left, (2.0 / LEAST * left if left < 1.0 else 0.0)


@inlined
def appearing(J):
    """What the other energy is multiplied with: 1 at 0 and below; and its slope."""
    left = min(max(J, 0.0), LEAST) / LEAST
    return (1.0 - left) ** 2 * (1.0 + 2.0 * left), -6.0 / LEAST * left * (1.0 - left)


@inlined
def keep_ratio(w, t, u):
    """RATIO and SHRINK of the stretch u; `find_shrinks` has to look at the latter."""
    J = determinant(u)
    high = max(J, LEAST)
    y = (2.0 + high) / (1.0 + 2.0 * high)
    for _ in range(PASSES):
        y *= THIRD * (4.0 - high * y * y * y)  # Newton's method for y^-3 = J
    w[U(RATIO) * L + t], w[U(SHRINK) * L + t] = J, y
    return abs(high * y * y * y - 1.0)


@inner
def find_shrinks(w, odd):
    """By powers where Newton's method was not enough, as `odd` tells, the sum of its errors."""
    if not odd < CLOSE * float(L):
        for t in range(L):
            w[U(SHRINK) * L + t] = max(w[U(RATIO) * L + t], LEAST) ** (-THIRD)
