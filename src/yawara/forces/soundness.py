"""Whether the numbers of a state are still numbers; asked after every frame, of a touched body every millisecond."""

from yawara.jit import kernel


@kernel
def soundness(points, memory):
    """Whether all are finite, and the largest coordinate [m] of all points, eight numbers each."""
    spoilt, farthest = 0.0, 0.0
    for n in range(0, points.size, 8):
        for axis in range(3):
            farthest = max(farthest, abs(points[n + axis]))
        for lane in range(8):
            spoilt += 0.0 * points[n + lane]  # not a number times zero is not a number, nor is infinity
    for n in range(memory.size):
        spoilt += 0.0 * memory[n]
    return spoilt == 0.0, farthest
