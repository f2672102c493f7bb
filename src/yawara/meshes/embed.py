"""Where points sit in a mesh of tetrahedra: a surface carried by the cells inside it."""

import numpy as np

from yawara.meshes.errors import MeshError
from yawara.meshes.facets import FACETS
from yawara.meshes.rows import Floats, Integers

CANDIDATES = 16  # tetrahedra looked at first
BATCH = 200_000  # pairs of point and candidate that are looked at together: bounds the memory
SLACK = 1e-9  # of a tetrahedron's radius: as near as makes no difference


def embed(points: Floats, position: Floats, tetrahedra: Integers) -> tuple[Integers, Floats]:
    """For every point [m] its tetrahedron (n,) and its barycentric weights there (n, 4), of sum 1.

    It is the tetrahedron that contains the point; outside of all of them the nearest one, and weights may be negative. Exact: the
    search widens until no tetrahedron further away could be nearer.
    """
    from scipy.spatial import cKDTree

    if len(tetrahedra) == 0:
        raise MeshError("there are no tetrahedra (0) to embed points in; give a mesh with cells")
    corners = position[tetrahedra]
    centre = corners.mean(axis=1)
    radius = np.linalg.norm(corners - centre[:, None], axis=2).max(axis=1)
    tree, count = cKDTree(centre), len(tetrahedra)
    chosen, weights = np.zeros(len(points), np.int64), np.zeros((len(points), 4))
    left, width = np.arange(len(points)), min(CANDIDATES, count)
    while len(left):
        unsure = []
        for some in np.array_split(left, len(left) * width // BATCH + 1):
            distance, candidates = tree.query(points[some], k=range(1, width + 1))
            chosen[some], weights[some], gap = _nearest(points[some], corners, radius, candidates)
            unsure.append(some[distance[:, -1] < gap + radius.max()])
        left, width = np.concatenate(unsure) if width < count else left[:0], min(4 * width, count)
    return chosen, weights


def _nearest(points: Floats, corners: Floats, radius: Floats, candidates: Integers) -> tuple[Integers, Floats, Floats]:
    """The nearest of each point's candidates, the weights there, and the distance [m]; of equally near ones the mildest weights."""
    weights = _weights(points[:, None], corners[candidates])
    mildness = weights.min(axis=2)
    gap = np.zeros(mildness.shape)
    outside = np.flatnonzero(mildness.max(axis=1) < 0.0)
    gap[mildness < 0.0] = np.inf
    gap[outside] = _distances(points[outside, None], corners[candidates[outside]])
    least = gap.min(axis=1, keepdims=True)
    near = gap <= least + SLACK * radius[candidates]
    best = np.argmax(np.where(near, mildness, -np.inf), axis=1)
    row = np.arange(len(points))
    return candidates[row, best], weights[row, best], least[:, 0]


def _weights(points: Floats, corners: Floats) -> Floats:
    """Barycentric weights (..., 4) in tetrahedra (..., 4, 3), by Cramer's rule with the sides from the first corner."""
    a, b, c = np.moveaxis(corners[..., 1:, :] - corners[..., :1, :], -2, 0)
    d = points - corners[..., 0, :]
    bc = np.cross(b, c)
    volume = _dot(a, bc)
    second, third, fourth = _dot(d, bc) / volume, _dot(d, np.cross(c, a)) / volume, _dot(d, np.cross(a, b)) / volume
    return np.stack([1.0 - second - third - fourth, second, third, fourth], axis=-1)


def _distances(points: Floats, corners: Floats) -> Floats:
    """From points to tetrahedra (..., 4, 3) that do not contain them [m]: to the nearest of the faces."""
    distances: Floats = np.min([_face_distance(points, *(corners[..., n, :] for n in face)) for face in FACETS[4]], axis=0)
    return distances


def _face_distance(points: Floats, a: Floats, b: Floats, c: Floats) -> Floats:
    """To the plane where the foot lies on the triangle, otherwise to the nearest edge [m]."""
    u, v, w = b - a, c - a, points - a
    uu, uv, vv, uw, vw = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, w), _dot(v, w)
    scale = uu * vv - uv * uv
    s, t = (vv * uw - uv * vw) / scale, (uu * vw - uv * uw) / scale
    plane = np.linalg.norm(w - s[..., None] * u - t[..., None] * v, axis=-1)
    edges = np.minimum(_edge_distance(points, a, b), np.minimum(_edge_distance(points, b, c), _edge_distance(points, c, a)))
    return np.where((s >= 0.0) & (t >= 0.0) & (s + t <= 1.0), plane, edges)


def _edge_distance(points: Floats, a: Floats, b: Floats) -> Floats:
    u, w = b - a, points - a
    along = np.clip(_dot(u, w) / _dot(u, u), 0.0, 1.0)
    distance: Floats = np.linalg.norm(w - along[..., None] * u, axis=-1)
    return distance


def _dot(a: Floats, b: Floats) -> Floats:
    product: Floats = np.einsum("...i,...i->...", a, b)
    return product
