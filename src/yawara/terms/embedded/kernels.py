"""Embedded nodes: points without mass that go where the weighted mean of others goes, their hosts, and hand their forces on by the same
weights.

Both together conserve momentum and energy: sum F . v is the same before and after. (A cell's centre: Hirai 2005, ch. 3, model 2, whose
papers leave the reaction on the centre open; a place on an edge: Hirai 2005 (particle-based modelling), sec. 2.7; a surface that is drawn
on coarse cells.) Positions, velocities and forces are linear in each other, so an embedded node adds no unknowns to any scheme.

The first `working` ones are reached by force terms and follow at every stage of a step; the others only have to be right when somebody
looks.
"""

from typing import NamedTuple

from numba import uint64 as U

from yawara.kernels.jit import inner
from yawara.kernels.kinds import Floats, Indices, Natural


class Arrays(NamedTuple):
    node: Indices  # points, (node_count,)
    first: Indices  # first host, (node_count + 1,)
    host: Indices  # points, (host_count,)
    weight: Floats  # (host_count,), sums to 1 for each node
    working: Natural  # number of those that forces reach
    first_own: Natural  # the thread's own nodes
    last_own: Natural
    tally: Floats


@inner
def _follow(mine, first, last, values, width):
    """Set the nodes number first..last in an array with `width` entries per point, of which three in every four count."""
    node, first_host, host, weight = mine.node, mine.first, mine.host, mine.weight
    for n in range(first, last):
        p = width * U(node[n])
        for part in range(width):
            if part % U(4) != U(3):
                value = 0.0
                for k in range(U(first_host[n]), U(first_host[n + U(1)])):
                    value += weight[k] * values[width * U(host[k]) + part]
                values[p + part] = value


def begin(ctx, mine):
    """Somebody may have moved the hosts."""
    _follow(mine, mine.first_own, mine.last_own, ctx.points, U(8))


def follow(ctx, mine):
    _follow(mine, mine.first_own, min(mine.last_own, mine.working), ctx.points, U(8))


def end(ctx, mine):
    _follow(mine, max(mine.first_own, mine.working), mine.last_own, ctx.points, U(8))


def lead(ctx, mine):
    _follow(mine, mine.first_own, min(mine.last_own, mine.working), ctx.direction, U(4))


def hand_on(ctx, mine):
    """Share the forces on working nodes among their hosts, in the thread's own buffer."""
    node, first_host, host, weight, forces, own = mine.node, mine.first, mine.host, mine.weight, ctx.forces, ctx.own
    for n in range(mine.working):
        p = own + U(4) * U(node[n])
        x, y, z = forces[p], forces[p + U(1)], forces[p + U(2)]
        if x != 0.0 or y != 0.0 or z != 0.0:
            for k in range(U(first_host[n]), U(first_host[n + U(1)])):
                at, w = own + U(4) * U(host[k]), weight[k]
                forces[at] += w * x
                forces[at + U(1)] += w * y
                forces[at + U(2)] += w * z
            forces[p] = forces[p + U(1)] = forces[p + U(2)] = 0.0
