"""Signed distance from a closed surface, negative inside, at points and on a grid."""

from dataclasses import dataclass

import numpy as np

from yawara.kernels.closest import closest_on_triangle
from yawara.kernels.entries import kernel
from yawara.kernels.jit import inner
from yawara.kernels.kinds import PLACES, WORDS
from yawara.meshes.boxes import boxes_around
from yawara.meshes.errors import MeshError, count_of, place_of
from yawara.meshes.facets import all_facets
from yawara.meshes.inside import inside
from yawara.meshes.rows import Floats, Integers, grouped

DEEPEST = 64  # boxes that wait at most: one for each level of the tree
ROUNDING = 1e-9  # of a cell: less does not need one more


@dataclass(frozen=True)
class DistanceGrid:
    """Signed distances at the nodes of a regular grid around a surface."""

    origin: Floats  # [m], (3,), of node (0, 0, 0)
    spacing: float  # [m], in all directions
    counts: Integers  # (3,), nodes in x, y, z
    values: Floats  # [m], flat: node (i, j, k) at (k * counts[1] + j) * counts[0] + i

    @property
    def nodes(self) -> Floats:
        """Positions [m] in the order of the values, (node_count, 3)."""
        return _nodes(self.origin, self.spacing, self.counts)


def signed_distance(position: Floats, triangles: Integers, points: Floats) -> Floats:
    """Distance [m] of each point from the nearest triangle, negative inside; the surface must be closed, its faces wound consistently.

    Points nearer to the surface than 1e-9 of its size may come out on either side. Neighbours in the list that lie near each other in
    space are found quickest.
    """
    _refuse_open(position, triangles)
    return _signed(position, triangles, points)


def _signed(position: Floats, triangles: Integers, points: Floats) -> Floats:
    middle = position[triangles].mean(axis=(0, 1))  # where numbers are small, their rounding is
    tree = boxes_around(position - middle, triangles)
    corners = np.ascontiguousarray((position - middle)[triangles[tree.order]].reshape(-1, 9))
    distance = _distances(corners, tree.start, tree.lower, tree.upper, np.ascontiguousarray(points - middle))
    return np.where(inside(position, triangles, points), -distance, distance)


def distance_grid(position: Floats, triangles: Integers, cells: int = 48, margin: int = 2) -> DistanceGrid:
    """Signed distances on a grid of `cells` along the longest side of a closed surface, and `margin` cells more all around it."""
    if cells < 1 or margin < 0:
        raise MeshError(
            f"a grid of {cells} cells with a margin of {margin} has no inside; give at least 1 cell and no negative margin"
        )
    _refuse_open(position, triangles)
    corners = position[triangles].reshape(-1, 3)
    lower, upper = corners.min(axis=0), corners.max(axis=0)
    spacing = float((upper - lower).max()) / cells
    if spacing == 0.0:
        raise MeshError(f"all points of the surface are one, at {place_of(lower)}; check the file and its unit")
    counts = np.ceil((upper - lower) / spacing - ROUNDING).astype(np.int64) + 2 * margin + 1
    origin = (lower + upper) / 2.0 - (counts - 1) * (spacing / 2.0)
    return DistanceGrid(origin, spacing, counts, _signed(position, triangles, _nodes(origin, spacing, counts)))


def _nodes(origin: Floats, spacing: float, counts: Integers) -> Floats:
    x, y, z = (origin[axis] + spacing * np.arange(counts[axis]) for axis in range(3))
    return np.stack(np.broadcast_arrays(x, y[:, None], z[:, None, None]), axis=-1).reshape(-1, 3)


def _refuse_open(position: Floats, triangles: Integers) -> None:
    """Inside and outside have a meaning only where every edge is run through as often forth as back."""
    if len(triangles) == 0:
        raise MeshError("there are no faces; give a closed surface of triangles")
    if not np.isfinite(position[triangles]).all():
        raise MeshError("points have coordinates that are not finite; write the file again")
    edges = all_facets(triangles)
    first, group, _ = grouped(np.sort(edges, axis=1))
    balance = np.bincount(group, np.sign(edges[:, 1] - edges[:, 0]))
    gaps = edges[first[balance != 0]]
    if len(gaps):
        place = place_of(position[gaps[0]].mean(axis=0))
        raise MeshError(
            f"the surface is not closed: {count_of(len(gaps), 'edge lacks', 'edges lack')} the face on the other side, one of them at "
            f"{place}; read it from a file, which fills small holes and turns faces over, or close it in the program that wrote it"
        )


@kernel(PLACES, WORDS, PLACES, PLACES, PLACES)
def _distances(corners: Floats, start: Integers, lower: Floats, upper: Floats, points: Floats) -> Floats:
    """From the nearest triangle to each point. The one of the point before is the first guess: it mostly leaves little to look at."""
    result = np.empty(len(points))
    waiting, near = np.empty(DEEPEST, np.int64), np.empty(DEEPEST)
    leaves = len(start) - 1
    nearest = 0
    for n in range(len(points)):
        x, y, z = points[n]
        best = _to_triangle2(corners[nearest], x, y, z)
        waiting[0], near[0] = 1, _to_box2(lower[1], upper[1], x, y, z)
        count = 1
        while count > 0:
            count -= 1
            box = waiting[count]
            if near[count] >= best:
                continue
            if box >= leaves:
                for m in range(start[box - leaves], start[box - leaves + 1]):
                    distance2 = _to_triangle2(corners[m], x, y, z)
                    if distance2 < best:
                        best, nearest = distance2, m
                continue
            first, second = 2 * box, 2 * box + 1
            a, b = _to_box2(lower[first], upper[first], x, y, z), _to_box2(lower[second], upper[second], x, y, z)
            if a < b:
                first, second, a, b = second, first, b, a
            waiting[count], near[count], waiting[count + 1], near[count + 1] = first, a, second, b  # the last one is next
            count += 2
        result[n] = np.sqrt(best)
    return result


@inner
def _to_box2(lower: Floats, upper: Floats, x: float, y: float, z: float) -> float:
    """Squared distance from a box, 0 inside [m^2]."""
    dx, dy, dz = max(lower[0] - x, x - upper[0], 0.0), max(lower[1] - y, y - upper[1], 0.0), max(lower[2] - z, z - upper[2], 0.0)
    return dx * dx + dy * dy + dz * dz


@inner
def _to_triangle2(c: Floats, x: float, y: float, z: float) -> float:
    """Squared distance from a triangle of nine coordinates [m^2]."""
    u, v, w, _ = closest_on_triangle(x, y, z, c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8])
    dx = u * (c[0] - x) + v * (c[3] - x) + w * (c[6] - x)
    dy = u * (c[1] - y) + v * (c[4] - y) + w * (c[7] - y)
    dz = u * (c[2] - z) + v * (c[5] - z) + w * (c[8] - z)
    return dx * dx + dy * dy + dz * dz
