"""One winding for all faces of a shell, outward for bodies, into the hollow for cavities."""

import numpy as np

from yawara.meshes.errors import MeshError, place_of
from yawara.meshes.facets import all_facets, shared_pairs
from yawara.meshes.inside import inside
from yawara.meshes.rows import Booleans, Floats, Integers, components

SAMPLES = 64  # points of a shell that must all lie inside another one


def inconsistent_faces(position: Floats, triangles: Integers) -> Booleans:
    """Faces to turn over so that any two that share an edge run through it in opposite directions; edges of one or two faces only.

    Every face stands for two, itself and itself turned over, and each is joined to what fits it across an edge: a shell then falls
    apart into two copies with opposite windings. Where it does not, it has one side only.
    """
    count = len(triangles)
    edges = all_facets(triangles)
    pairs = shared_pairs(np.sort(edges, axis=1))
    same = edges[pairs[:, 0], 0] == edges[pairs[:, 1], 0]  # both run the same way: one of the two is to be turned over
    first, second = (pairs % count).T
    upright = np.stack([first, second + count * same], axis=1)
    turned = np.stack([first + count, second + count * ~same], axis=1)
    label = components(2 * count, np.concatenate([upright, turned]))
    one_sided = np.flatnonzero(label[:count] == label[count:])
    if len(one_sided):
        place = place_of(position[triangles[one_sided[0]]].mean(axis=0))
        raise MeshError(
            f"{len(one_sided)} faces belong to a one-sided surface (as a Moebius strip), one of them at {place}; "
            "it encloses nothing: make the surface closed in the program that wrote it"
        )
    # Of the two copies take the one with the lower number: it holds the shell's first face as it was given.
    return label[:count] > label[count:]


def shells(triangles: Integers) -> Integers:
    """For each face the number of the shell it belongs to; faces of a shell hang together by edges."""
    return components(len(triangles), shared_pairs(np.sort(all_facets(triangles), axis=1)) % len(triangles))


def shell_volumes(position: Floats, triangles: Integers, shell: Integers) -> Floats:
    """Signed volume [m^3] of every shell, by cones over its faces from a point of its own."""
    first = np.unique(shell, return_index=True)[1]
    a, b, c = np.moveaxis(position[triangles] - position[triangles[first, 0]][shell][:, None], 1, 0)
    return np.bincount(shell, np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0).astype(np.float64)


def outward(position: Floats, triangles: Integers) -> tuple[Booleans, int]:
    """Faces to turn over so that consistently wound shells point outward, those of cavities inward; the number of cavities.

    A shell is a cavity if it lies inside an odd number of others.
    """
    shell = shells(triangles)
    turn = (shell_volumes(position, triangles, shell) < 0.0) ^ (cavity := _depths(position, triangles, shell) % 2 == 1)
    return turn[shell], int(cavity.sum())


def _depths(position: Floats, triangles: Integers, shell: Integers) -> Integers:
    """Inside how many others each shell lies."""
    count = int(shell.max()) + 1
    depth = np.zeros(count, np.int64)
    if count == 1:
        return depth
    order, corners = np.argsort(shell, kind="stable"), position[triangles]
    parts = np.split(order, np.cumsum(np.bincount(shell))[:-1])
    lower = np.stack([corners[part].min(axis=(0, 1)) for part in parts])
    upper = np.stack([corners[part].max(axis=(0, 1)) for part in parts])
    for outer, part in enumerate(parts):
        within = np.all((lower >= lower[outer]) & (upper <= upper[outer]), axis=1)
        for inner in np.flatnonzero(within):
            sample = corners[parts[inner][:: max(1, len(parts[inner]) // SAMPLES)]].mean(axis=1)
            if inner != outer and inside(position, triangles[part], sample).all():
                depth[inner] += 1
    return depth
