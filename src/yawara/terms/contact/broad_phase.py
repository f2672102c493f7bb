"""Which sides a node, and which edges an edge, could run into: a spatial hash, linear in the number of elements.

Each element is entered into every cell that its box reaches; a node looks into its own cell, an edge into those of its box. What is
really near enough is kept, and sorted, so that the order of sums, and with it every bit of a run, does not depend on when the search was
made.
"""

import numpy as np
from numba import types

from yawara.kernels.closest import closest_between_segments, closest_on_segment, closest_on_triangle
from yawara.kernels.entries import kernel
from yawara.kernels.jit import inner
from yawara.kernels.kinds import INT, REAL, Floats
from yawara.kernels.records import Bound, opener
from yawara.terms.contact.arrays import Candidates, Surface

SKIN = 0.5  # of the reach: how much further apart things may be that are candidates
CELL = 1.5  # of an element's mean extent, at least
PLACES = types.Array(types.float64, 2, "C")

open_surface = opener(Surface)


@inner
def _hash(i, j, k, mask):
    return ((i * 73856093) ^ (j * 19349663) ^ (k * 83492791)) & mask


@inner
def _cell(value, size):
    return np.int64(np.floor(value / size))


@inner
def boxes(position, elements, wide, low, high):
    """Least and largest coordinates of each element (its nodes), widened."""
    for e in range(elements.shape[0]):
        for axis in range(3):
            least = most = position[elements[e, 0], axis]
            for corner in range(1, elements.shape[1]):
                value = position[elements[e, corner], axis]
                least, most = min(least, value), max(most, value)
            low[e, axis], high[e, axis] = least - wide, most + wide


@inner
def enter(low, high, size, mask):
    """Elements by bucket: first[bucket], member[...]."""
    first = np.zeros(mask + 2, np.int64)
    for turn in range(2):
        if turn == 1:
            total = 0
            for bucket in range(mask + 2):
                count = first[bucket]
                first[bucket] = total
                total += count
            member = np.empty(total, np.int64)
            place = first.copy()
        for e in range(low.shape[0]):
            for i in range(_cell(low[e, 0], size), _cell(high[e, 0], size) + 1):
                for j in range(_cell(low[e, 1], size), _cell(high[e, 1], size) + 1):
                    for k in range(_cell(low[e, 2], size), _cell(high[e, 2], size) + 1):
                        bucket = _hash(i, j, k, mask)
                        if turn == 0:
                            first[bucket] += 1
                        else:
                            member[place[bucket]] = e
                            place[bucket] += 1
    return first, member


@inner
def _longer(array, count):
    if count < array.size:
        return array
    longer = np.empty(2 * array.size + 16, array.dtype)
    longer[: array.size] = array
    return longer


@inner
def _sort_distinct(found, begin, end):
    """Sort found[begin:end], few numbers, and drop repeated ones; the new end."""
    for n in range(begin + 1, end):
        value, m = found[n], n
        while m > begin and found[m - 1] > value:
            found[m] = found[m - 1]
            m -= 1
        found[m] = value
    last = begin
    for n in range(begin, end):
        if n == begin or found[n] != found[last - 1]:
            found[last] = found[n]
            last += 1
    return last


@inner
def _may_touch(contact, one, two):
    if one == two:
        return contact.itself[one]
    return contact.between[0] and (contact.dimension[one] == 2) == (contact.dimension[two] == 2)


@inner
def _square_from_side(position, x, y, z, a, b, c):
    """[m^2], from a place to a face, or to an edge whose last corner is repeated."""
    ax, ay, az = position[a, 0], position[a, 1], position[a, 2]
    bx, by, bz = position[b, 0], position[b, 1], position[b, 2]
    if b == c:
        t = closest_on_segment(x, y, z, ax, ay, az, bx, by, bz)
        return (ax + t * (bx - ax) - x) ** 2 + (ay + t * (by - ay) - y) ** 2 + (az + t * (bz - az) - z) ** 2
    cx, cy, cz = position[c, 0], position[c, 1], position[c, 2]
    u, v, w, _ = closest_on_triangle(x, y, z, ax, ay, az, bx, by, bz, cx, cy, cz)
    return (u * ax + v * bx + w * cx - x) ** 2 + (u * ay + v * by + w * cy - y) ** 2 + (u * az + v * bz + w * cz - z) ** 2


@inner
def _square_between_edges(position, a, b, c, d):
    """[m^2]"""
    ax, ay, az = position[a, 0], position[a, 1], position[a, 2]
    bx, by, bz = position[b, 0], position[b, 1], position[b, 2]
    cx, cy, cz = position[c, 0], position[c, 1], position[c, 2]
    dx, dy, dz = position[d, 0], position[d, 1], position[d, 2]
    s, t, _ = closest_between_segments(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)
    x, y, z = (
        ax + s * (bx - ax) - cx - t * (dx - cx),
        ay + s * (by - ay) - cy - t * (dy - cy),
        az + s * (bz - az) - cz - t * (dz - cz),
    )
    return x * x + y * y + z * z


@kernel(INT, PLACES, REAL, REAL, INT)
def sides_near_nodes(surface, position, wide, size, mask):
    """For each node that can run into sides: those that are nearer than `wide` [m], and of which it is no corner."""
    contact = open_surface(surface)
    sides = contact.side.shape[0]
    low, high = np.empty((sides, 3)), np.empty((sides, 3))
    boxes(position, contact.side, wide, low, high)
    first, member = enter(low, high, size, mask)
    result_first = np.zeros(contact.pair_node.size + 1, np.int64)
    result, count = np.empty(4 * contact.pair_node.size + 16, np.uint32), 0
    for number in range(contact.pair_node.size):
        n = contact.pair_node[number]
        x, y, z = position[n, 0], position[n, 1], position[n, 2]
        bucket, begin = _hash(_cell(x, size), _cell(y, size), _cell(z, size), mask), count
        for m in range(first[bucket], first[bucket + 1]):
            s = member[m]
            if not (low[s, 0] <= x <= high[s, 0] and low[s, 1] <= y <= high[s, 1] and low[s, 2] <= z <= high[s, 2]):
                continue
            if n in (contact.side[s, 0], contact.side[s, 1], contact.side[s, 2]):
                continue
            if not _may_touch(contact, contact.node_body[n], contact.side_body[s]):
                continue
            if _square_from_side(position, x, y, z, contact.side[s, 0], contact.side[s, 1], contact.side[s, 2]) > wide * wide:
                continue
            result = _longer(result, count)
            result[count] = s
            count += 1
        count = _sort_distinct(result, begin, count)
        result_first[number + 1] = count
    return result_first, result[:count].copy()


@kernel(INT, PLACES, REAL, REAL, INT)
def edges_near_edges(surface, position, wide, size, mask):
    """For each edge the later ones that are nearer than `wide` [m], and with which it shares no node."""
    contact = open_surface(surface)
    edges = contact.pair_edge.shape[0]
    low, high = np.empty((edges, 3)), np.empty((edges, 3))
    boxes(position, contact.pair_edge, 0.5 * wide, low, high)
    first, member = enter(low, high, size, mask)
    result_first = np.zeros(edges + 1, np.int64)
    result, count = np.empty(4 * edges + 16, np.uint32), 0
    for e in range(edges):
        a, b, begin = contact.pair_edge[e, 0], contact.pair_edge[e, 1], count
        for i in range(_cell(low[e, 0], size), _cell(high[e, 0], size) + 1):
            for j in range(_cell(low[e, 1], size), _cell(high[e, 1], size) + 1):
                for k in range(_cell(low[e, 2], size), _cell(high[e, 2], size) + 1):
                    bucket = _hash(i, j, k, mask)
                    for m in range(first[bucket], first[bucket + 1]):
                        o = member[m]
                        if o <= e or contact.pair_edge[o, 0] in (a, b) or contact.pair_edge[o, 1] in (a, b):
                            continue
                        if not _may_touch(contact, contact.pair_edge_body[e], contact.pair_edge_body[o]):
                            continue
                        meet = True
                        for axis in range(3):
                            meet = meet and low[e, axis] <= high[o, axis] and low[o, axis] <= high[e, axis]
                        if (
                            meet
                            and _square_between_edges(position, a, b, contact.pair_edge[o, 0], contact.pair_edge[o, 1]) <= wide**2
                        ):
                            result = _longer(result, count)
                            result[count] = o
                            count += 1
        count = _sort_distinct(result, begin, count)
        result_first[e + 1] = count
    return result_first, result[:count].copy()


def find_skin(surface: Surface) -> float:
    """[m]: when a node has moved by half of it, the search must be made again."""
    return SKIN * float(surface.reach.max())


def find_candidates(bound: Bound, surface: Surface, position: Floats) -> Candidates:
    """With the nodes at these positions [m], (node_count, 3); `bound` is the surface's record."""
    position = np.ascontiguousarray(position)
    reach = float(surface.reach.max())
    wide, mask = (1.0 + SKIN) * reach, _mask(len(surface.side))
    size = max(CELL * _extent(position, surface), 2.0 * wide)
    first_side, side = sides_near_nodes(bound.address, position, wide, size, mask)
    first_edge, edge = edges_near_edges(bound.address, position, wide, size, _mask(len(surface.pair_edge)))
    return Candidates(first_side, side, first_edge, edge, position.ravel().copy(), np.array([find_skin(surface)]))


def _mask(elements: int) -> int:
    return (1 << max(4, int(2 * elements).bit_length())) - 1


def _extent(position: Floats, surface: Surface) -> float:
    """[m], mean of the sides' largest extents."""
    corners = position[surface.side]
    return float(np.ptp(corners, axis=1).max(axis=1).mean())
