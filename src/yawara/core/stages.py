"""The stages that explicit schemes are made of, as they act on a range of variables.

A scheme is a table of stages (see `scheme.py`); the kernels know only these, so a new explicit scheme is a new table.
`value` holds the stage's value, `start` that of the beginning of the step, `total` the weighted sum of rates so far.
"""

from numba import uint64 as U

from yawara.kernels.jit import inlined, inner
from yawara.kernels.vector import combine_four

FREEZE = -1  # evaluate only: nothing moves
EULER = 0  # value += step * rate
SEMI_IMPLICIT = 1  # the same, but positions move with the new velocity
RK_FIRST, RK_MIDDLE, RK_LAST = 2, 3, 4


@inlined
def integrate_range(stage, value, start, total, first, rate, rate_first, count, step, weight):
    """Move `count` variables from index `first` on; the stage is chosen outside the loops, so that they vectorise."""
    if stage == RK_FIRST:
        for t in range(count):
            start[first + t] = value[first + t]
        for t in range(count):
            total[first + t] = value[first + t] + weight * rate[rate_first + t]
            value[first + t] += step * rate[rate_first + t]
    elif stage == RK_MIDDLE:
        for t in range(count):
            total[first + t] += weight * rate[rate_first + t]
            value[first + t] = start[first + t] + step * rate[rate_first + t]
    elif stage == RK_LAST:
        for t in range(count):
            value[first + t] = total[first + t] + weight * rate[rate_first + t]
    else:
        for t in range(count):
            value[first + t] += step * rate[rate_first + t]


@inner
def move_points(stage, points, start, total, first, last, forces, base, inverse_mass, gravity, step, weight):
    """Newton's law for the points first..last (x y z 0 vx vy vz 0 each) by one stage.

    Their forces, 4 entries per point from `base` on, become accelerations in place and are then reset: one pass over memory.
    """
    for p in range(first, last):
        x, v, a = U(8) * p, U(8) * p + U(4), base + U(4) * p
        combine_four(forces, a, gravity, U(0), inverse_mass[p], forces, a)
        if stage == SEMI_IMPLICIT:
            combine_four(points, v, points, v, step, forces, a)
            combine_four(points, x, points, x, step, points, v)
        elif stage == EULER:
            combine_four(points, x, points, x, step, points, v)
            combine_four(points, v, points, v, step, forces, a)
        elif stage == RK_FIRST:
            combine_four(start, x, points, x, 0.0, points, x)
            combine_four(start, v, points, v, 0.0, points, v)
            combine_four(total, x, points, x, weight, points, v)
            combine_four(total, v, points, v, weight, forces, a)
            combine_four(points, x, points, x, step, points, v)
            combine_four(points, v, points, v, step, forces, a)
        elif stage == RK_MIDDLE:
            combine_four(total, x, total, x, weight, points, v)
            combine_four(total, v, total, v, weight, forces, a)
            combine_four(points, x, start, x, step, points, v)
            combine_four(points, v, start, v, step, forces, a)
        else:
            combine_four(points, x, total, x, weight, points, v)
            combine_four(points, v, total, v, weight, forces, a)
        forces[a] = forces[a + U(1)] = forces[a + U(2)] = forces[a + U(3)] = 0.0
