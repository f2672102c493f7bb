"""A closed surface as the skin of a filling: with no edge much longer than the spacing, so that it can take the shape of a dent.

Every long edge is halved, in both of its faces at once: the surface stays closed, and its shape the same.
"""

import numpy as np

from yawara.meshes.errors import MeshError, count_of
from yawara.meshes.facets import all_facets
from yawara.meshes.rows import Floats, Integers, grouped
from yawara.meshes.surface import Surface

LONGEST = 0.6  # of the spacing; a ball of that radius feels 1 to 6 % more or less than on half of it, 4 to 12 % with edges of 1.0
MOST = 2_000_000  # faces that may be added
THIN = 0.01  # of spacing^2: smaller faces, on the mean, are thin ones


def subdivided(surface: Surface, spacing: float, most: int = MOST) -> Surface:
    """The same shape of faces whose edges are at most 0.6 of the spacing [m]; all points of the surface stay where they are.

    A face is cut in two, three or four, by how many of its edges are halved. The longest edge shrinks by sqrt(3)/2 or more in every
    round: the median to a halved edge, or the shorter one of two, is at most so long. Refuses to add more than `most` faces.
    """
    position, triangles = surface.position, surface.triangles
    while True:
        edges, of_face = _edges(triangles)
        length = np.linalg.norm(position[edges[:, 1]] - position[edges[:, 0]], axis=1)
        halved = length > LONGEST * spacing
        if not halved.any():
            break
        if len(triangles) + np.count_nonzero(halved[of_face]) - len(surface.triangles) > most:
            raise _too_many(len(surface.triangles), spacing, float(length.max()), most)
        middle = np.where(halved, len(position) + np.cumsum(halved) - 1, -1)
        position = np.concatenate([position, position[edges[halved]].mean(axis=1)])
        triangles = _cut(position, triangles, middle[of_face])
    return Surface(position, triangles, (*surface.notices, *_notices(surface, triangles, spacing)))


def _edges(triangles: Integers) -> tuple[Integers, Integers]:
    """Edges (edge_count, 2), and the numbers of those of each face (triangle_count, 3), opposite to its corners."""
    facets = np.sort(all_facets(triangles), axis=1)
    first, group, _ = grouped(facets)
    return facets[first], group.reshape(3, -1).T


def _cut(position: Floats, triangles: Integers, middle: Integers) -> Integers:
    """All faces, cut where `middle` (triangle_count, 3) has a point on the edge opposite to the corner, and no -1."""
    count = (middle >= 0).sum(axis=1)
    one, two, three = count == 1, count == 2, count == 3
    pieces = [
        triangles[count == 0],
        *_in_two(*_turned(triangles[one], middle[one], np.argmax(middle[one], axis=1))),
        *_in_three(position, *_turned(triangles[two], middle[two], np.argmin(middle[two], axis=1))),
        *_in_four(triangles[three], middle[three]),
    ]
    return np.concatenate(pieces)


def _turned(triangles: Integers, middle: Integers, first: Integers) -> tuple[Integers, Integers]:
    """The same faces, each beginning with its corner number `first`."""
    order = (first[:, None] + np.arange(3)) % 3
    return np.take_along_axis(triangles, order, axis=1), np.take_along_axis(middle, order, axis=1)


def _in_two(triangles: Integers, middle: Integers) -> list[Integers]:
    """From the first corner to the middle of the opposite edge."""
    a, b, c = triangles.T
    x = middle[:, 0]
    return [np.stack([a, b, x], axis=1), np.stack([a, x, c], axis=1)]


def _in_three(position: Floats, triangles: Integers, middle: Integers) -> list[Integers]:
    """The two edges at the first corner are halved; what is left, a quadrilateral, is cut along its shorter diagonal."""
    a, b, c = triangles.T
    on_ca, on_ab = middle[:, 1], middle[:, 2]
    from_b = np.linalg.norm(position[on_ca] - position[b], axis=1) <= np.linalg.norm(position[on_ab] - position[c], axis=1)
    return [
        np.stack([a, on_ab, on_ca], axis=1),
        np.stack([on_ab, b, np.where(from_b, on_ca, c)], axis=1),
        np.stack([np.where(from_b, b, on_ab), c, on_ca], axis=1),
    ]


def _in_four(triangles: Integers, middle: Integers) -> list[Integers]:
    a, b, c = triangles.T
    on_bc, on_ca, on_ab = middle.T
    corners = [(a, on_ab, on_ca), (on_ab, b, on_bc), (on_ca, on_bc, c), (on_bc, on_ca, on_ab)]
    return [np.stack(piece, axis=1) for piece in corners]


def _too_many(count: int, spacing: float, reached: float, most: int) -> MeshError:
    return MeshError(
        f"spacing {spacing:g} m cuts the surface's {count_of(count, 'face')} into more than {count + most}, for edges of {LONGEST:g} of "
        f"it; raise spacing to {1.01 * reached / LONGEST:.3g} m or more, or give a surface with fewer, rounder faces"
    )


def _notices(surface: Surface, triangles: Integers, spacing: float) -> tuple[str, ...]:
    if len(triangles) == len(surface.triangles):
        return ()
    count, thin = count_of(len(surface.triangles), "face"), surface.area < THIN * len(triangles) * spacing**2
    return (
        f"The surface's {count} cut into {len(triangles)}: no edge is longer than {LONGEST * spacing:.3g} m, {LONGEST:g} of the spacing."
        + (" They are thin: a surface with fewer, rounder faces runs faster." if thin else ""),
    )
