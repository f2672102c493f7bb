"""Arrays that begin with a cache line: what kernels load as one vector then never lies across two."""

import math

import numpy as np

from yawara.kernels.kinds import Floats

LINE = 64  # bytes


def zeros(*shape: int) -> Floats:
    size = math.prod(shape)
    whole = np.zeros(size + LINE // 8)
    begin = -whole.__array_interface__["data"][0] % LINE // 8
    return whole[begin : begin + size].reshape(shape)


def aligned(values: Floats) -> Floats:
    """A copy."""
    found = zeros(*values.shape)
    found[...] = values
    return found
