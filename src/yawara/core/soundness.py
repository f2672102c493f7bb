"""Whether the numbers of a state are still numbers; asked after every frame, of a touched body every millisecond."""

from yawara.kernels.entries import kernel
from yawara.kernels.kinds import REALS


@kernel(REALS)
def farthest(points):
    """The largest coordinate [m] of all points, eight numbers each; not a number if one of them is none, or infinite."""
    spoilt, far = 0.0, 0.0
    for n in range(0, points.size, 8):
        for axis in range(3):
            far = max(far, abs(points[n + axis]))
        for lane in range(8):
            spoilt += 0.0 * points[n + lane]  # not a number times zero is not a number, nor is infinity
    return far + spoilt


@kernel(REALS)
def is_sound(values):
    """Whether all are finite."""
    spoilt = 0.0
    for n in range(values.size):
        spoilt += 0.0 * values[n]
    return spoilt == 0.0
