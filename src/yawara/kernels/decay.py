"""What relaxes."""

import math

from yawara.kernels.jit import inlined

FEW = 1e-3  # below, the series is exact to rounding


@inlined
def mean_decay(z):
    """psi = (1 - exp(-z)) / z, the mean of exp(-z s) for s from 0 to 1."""
    if z < FEW:
        return 1.0 - z * (0.5 - z * (1.0 / 6.0 - z * (1.0 / 24.0 - z / 120.0)))
    return (1.0 - math.exp(-z)) / z
