"""Points that follow others: they go where the weighted mean of their leaders goes, and hand their forces on by the same weights.

Both together conserve momentum and energy: sum F . v is the same before and after. (A cell's centre: chapter 3, model 2, whose papers
leave the reaction on the centre open; a place on an edge: particle-based modelling, sec. 2.7.)
"""

from numba import uint64 as U

from yawara.jit import kernel


@kernel
def follow(follower, first, last, points, width):
    """Set the followers number first..last in an array with `width` entries per point, of which three in every four count."""
    for n in range(first, last):
        p = width * U(follower.point[n])
        for part in range(width):
            if part % U(4) != U(3):
                value = 0.0
                for k in range(U(follower.first[n]), U(follower.first[n + U(1)])):
                    value += follower.weight[k] * points[width * U(follower.leader[k]) + part]
                points[p + part] = value


@kernel
def hand_on(follower, forces, base):
    """Share the forces on working followers among their leaders, in one thread's buffer."""
    for n in range(U(follower.working[0])):
        p = base + U(4) * U(follower.point[n])
        x, y, z = forces[p], forces[p + U(1)], forces[p + U(2)]
        if x != 0.0 or y != 0.0 or z != 0.0:
            for k in range(U(follower.first[n]), U(follower.first[n + U(1)])):
                place, w = base + U(4) * U(follower.leader[k]), follower.weight[k]
                forces[place] += w * x
                forces[place + U(1)] += w * y
                forces[place + U(2)] += w * z
            forces[p] = forces[p + U(1)] = forces[p + U(2)] = 0.0
