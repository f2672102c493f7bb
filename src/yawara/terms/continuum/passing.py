"""How internal variables go along in a step: one rule for all laws."""

import math

from yawara.kernels.decay import mean_decay
from yawara.kernels.jit import inlined
from yawara.terms.continuum.constants import BACKWARD, FROZEN, STEADY


@inlined
def passing(way, ahead, k):
    """How a variable q' = k (e - q) goes along: numbers alpha, beta, kappa, mu.

    At the time that counts, e - q is alpha (e - q) + beta e', and its rate is kappa (e - q) - mu e'.
    """
    if way == BACKWARD:
        alpha = 1.0 / (1.0 + ahead * k)
        return alpha, 0.0, alpha * k, 0.0
    if way == STEADY:
        psi, left = mean_decay(ahead * k), math.exp(-ahead * k)
        return left, ahead * (psi - left), k * psi, psi - left
    if way == FROZEN:
        return 1.0, 0.0, 0.0, 0.0
    return 1.0, 0.0, k, 0.0
