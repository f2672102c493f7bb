"""Small holes of a surface: the loops of its open edges, closed by clipping ears."""

import numpy as np

from yawara.meshes.facets import all_facets
from yawara.meshes.rows import Floats, Integers, grouped

Ear = tuple[bool, bool, bool, float]
LARGEST = 100  # edges of the longest loop that is closed


def open_edges(triangles: Integers) -> Integers:
    """Edges of one face only, in the direction of that face."""
    edges = all_facets(triangles)
    first, _, count = grouped(np.sort(edges, axis=1))
    return edges[np.sort(first[count == 1])]


def patches(position: Floats, triangles: Integers) -> tuple[Integers, int]:
    """Faces that close the small holes of consistently wound faces, wound like them, and the number of these holes."""
    edges = open_edges(triangles)
    loops = [loop for loop in _loops(edges) if len(loop) <= LARGEST]
    if not loops:
        return np.zeros((0, 3), np.int64), 0
    taken = {(int(a), int(b)) for a, b in np.sort(all_facets(triangles), axis=1)}
    faces = [face for loop in loops for face in _clipped(position, loop[::-1], taken)]
    return np.array(faces, np.int64), len(loops)


def _loops(edges: Integers) -> list[list[int]]:
    """Simple loops of directed edges; where loops touch in a point, the walk is cut there."""
    onward: dict[int, list[int]] = {}
    for start, end in edges.tolist():
        onward.setdefault(start, []).append(end)
    loops = []
    for start in list(onward):
        path = [start]
        while onward.get(path[-1]):
            point = onward[path[-1]].pop()
            if point in path:
                cut = path.index(point)
                loops.append(path[cut:])
                del path[cut:]
            path.append(point)
    return loops


def _clipped(position: Floats, loop: list[int], taken: set[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Triangles over a loop: of the ears that are convex and empty, always the one with the shortest cut."""
    faces = []
    loop = list(loop)
    flat = dict(zip(loop, _flattened(position[loop]), strict=True))
    ears: list[Ear] = []
    while len(loop) > 3:
        if not ears or any(min(ears)[:3]):  # none is good any more: ears left from before may have become empty
            ears = [_ear(position, flat, loop, n, taken) for n in range(len(loop))]
        n = ears.index(min(ears))
        before, tip, after = loop[n - 1], loop[n], loop[(n + 1) % len(loop)]
        faces.append((before, tip, after))
        taken.add((min(before, after), max(before, after)))
        del loop[n], ears[n]
        for neighbour in (n - 1, n % len(loop)):
            ears[neighbour] = _ear(position, flat, loop, neighbour % len(loop), taken)
    return [*faces, (loop[0], loop[1], loop[2])]


def _flattened(points: Floats) -> Floats:
    """Coordinates in the plane that shows most of the loop's area, so that it runs counter-clockwise."""
    relative = points - points.mean(axis=0)
    normal = np.cross(relative, np.roll(relative, -1, axis=0)).sum(axis=0)
    length = np.linalg.norm(normal)
    normal = normal / length if length > 0.0 else np.array([0.0, 0.0, 1.0])
    first = np.cross(normal, np.eye(3)[np.argmin(np.abs(normal))])
    first /= np.linalg.norm(first)
    flat: Floats = relative @ np.stack([first, np.cross(normal, first)], axis=1)
    return flat


def _ear(position: Floats, flat: dict[int, Floats], loop: list[int], n: int, taken: set[tuple[int, int]]) -> Ear:
    """How bad an ear is: cuts along an edge that exists, is not convex, is not empty; length of the cut [m]."""
    before, tip, after = loop[n - 1], loop[n], loop[(n + 1) % len(loop)]
    a, b, c = flat[before], flat[tip], flat[after]
    others = np.array([flat[point] for point in loop if point not in (before, tip, after)]).reshape(-1, 2)
    full = (_turns(a, b, others) >= 0.0) & (_turns(b, c, others) >= 0.0) & (_turns(c, a, others) >= 0.0)
    exists = (min(before, after), max(before, after)) in taken
    hollow = bool(_turns(a, b, c[None])[0] <= 0.0)
    return exists, hollow, bool(full.any()), float(np.linalg.norm(position[after] - position[before]))


def _turns(a: Floats, b: Floats, points: Floats) -> Floats:
    """Positive for points to the left of the way from a to b."""
    return (b[0] - a[0]) * (points[:, 1] - a[1]) - (b[1] - a[1]) * (points[:, 0] - a[0])
