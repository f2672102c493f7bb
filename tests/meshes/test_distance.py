"""Signed distances against closed forms and against all pairs, and their grid."""

import numpy as np
import pytest

from reference_geometry import mesh_distances
from surfaces import icosphere, torus_knot
from yawara.meshes.boxes import boxes_around
from yawara.meshes.distance import distance_grid, signed_distance
from yawara.meshes.errors import MeshError
from yawara.meshes.inside import inside

SIDES = np.array([0.3, 0.2, 0.1])  # [m], of a box around the origin
CORNERS = np.array([(x, y, z) for z in (-0.5, 0.5) for y in (-0.5, 0.5) for x in (-0.5, 0.5)]) * SIDES
FACES = np.array([
    (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
])  # fmt: skip
BALL, KNOT = icosphere(3, 1.0), torus_knot(segments=80, sides=8)


def box_distance(points):
    """[m], of the box: to the nearest wall inside, else to the nearest point of it."""
    beyond = np.abs(points) - 0.5 * SIDES
    return np.minimum(beyond.max(axis=1), 0.0) + np.linalg.norm(np.maximum(beyond, 0.0), axis=1)


def around(position, count, part=0.3):
    """Points in a box that is larger by this part on each side."""
    lower, upper = position.min(axis=0), position.max(axis=0)
    return np.random.default_rng(5).uniform(lower - part * (upper - lower), upper + part * (upper - lower), (count, 3))


def test_box():
    points = np.concatenate([around(CORNERS, 20_000), 100.0 * around(CORNERS, 1000)])
    assert np.abs(signed_distance(CORNERS, FACES, points) - box_distance(points)).max() < 1e-14 * 100.0


@pytest.mark.parametrize(("position", "triangles"), [BALL, KNOT, icosphere(0, 1.0)], ids=["ball", "knot", "icosahedron"])
def test_against_all_pairs(position, triangles):
    points = np.concatenate([around(position, 800), position[:50], position[triangles[:50]].mean(axis=1), np.zeros((1, 3))])
    distance = signed_distance(position, triangles, points)
    assert np.abs(np.abs(distance) - mesh_distances(position, triangles, points)).max() < 1e-12 * np.ptp(position)
    assert np.array_equal(np.signbit(distance), inside(position, triangles, points))


def test_ball():
    """Between the distances from the spheres around and in the faces; those of a regular face are its corners' and its centre's."""
    position, triangles = BALL
    points = around(position, 20_000)
    radius, hollow = np.linalg.norm(points, axis=1), 1.0 - np.linalg.norm(position[triangles].mean(axis=1), axis=1).min()
    distance = signed_distance(position, triangles, points)
    assert np.all(distance >= radius - 1.0 - 1e-14)
    assert np.all(
        distance <= radius - 1.0 + hollow + 1e-3 * hollow
    )  # faces are not quite regular: the foot is not quite the centre


def test_far_from_the_origin():
    position, triangles = KNOT
    points = around(position, 500)
    there = signed_distance(position + 1000.0, triangles, points + 1000.0)
    assert there == pytest.approx(signed_distance(position, triangles, points), abs=1e-12)  # the rounding of 1000 m is 1e-13 m


def test_hollow_and_overlapping_balls():
    position, triangles = BALL
    count = len(position)
    hollow = np.concatenate([position, 0.5 * position]), np.concatenate([triangles, triangles[:, ::-1] + count])
    points = np.array([(0.0, 0.0, 0.0), (0.0, 0.0, 0.6), (0.0, 0.0, 1.5)])
    assert signed_distance(*hollow, points) == pytest.approx([0.5, -0.1, 0.5], abs=0.01)
    two = np.concatenate([position, position + np.array([1.0, 0.0, 0.0])]), np.concatenate([triangles, triangles + count])
    assert signed_distance(*two, np.array([(0.5, 0.0, 0.0)]))[0] == pytest.approx(-0.5, abs=0.01)


def test_no_points():
    assert signed_distance(CORNERS, FACES, np.zeros((0, 3))).shape == (0,)


@pytest.mark.parametrize("turn", [1, -1])
def test_grid_of_a_box(turn):
    """Also inside out."""
    grid = distance_grid(CORNERS, FACES[:, ::turn], cells=24)
    assert grid.spacing == pytest.approx(0.0125)
    assert grid.counts.tolist() == [24 + 5, 16 + 5, 8 + 5]
    assert grid.origin == pytest.approx(-0.5 * SIDES - 2 * 0.0125)
    assert grid.values == pytest.approx(box_distance(grid.nodes), abs=1e-15)
    beyond = (np.abs(grid.nodes) - 0.5 * SIDES).max(axis=1)
    clear = np.abs(beyond) > 1e-9  # many nodes lie on the walls
    assert clear.sum() > 5000
    assert np.array_equal((grid.values < 0.0)[clear], (beyond < 0.0)[clear])


@pytest.mark.parametrize(("position", "triangles"), [BALL, KNOT], ids=["ball", "knot"])
def test_grid_holds_the_distances_of_its_nodes(position, triangles):
    grid = distance_grid(position, triangles, cells=20, margin=1)
    nx, ny, _ = grid.counts
    i, j, k = np.random.default_rng(6).integers(0, grid.counts, (200, 3)).T
    points = grid.origin + grid.spacing * np.stack([i, j, k], axis=1)
    assert grid.values[(k * ny + j) * nx + i] == pytest.approx(signed_distance(position, triangles, points), abs=1e-14)
    lower, upper = grid.origin, grid.origin + grid.spacing * (grid.counts - 1)
    for gap in (position.min(axis=0) - lower, upper - position.max(axis=0)):
        assert np.all((gap > 0.999 * grid.spacing) & (gap < 1.5 * grid.spacing))


@pytest.mark.parametrize(("position", "triangles"), [BALL, KNOT, (CORNERS, FACES)], ids=["ball", "knot", "box"])
def test_slope(position, triangles):
    """1 but at places that are equally far from several parts of the surface: on the grid nowhere more, at a point nearly always 1."""
    grid = distance_grid(position, triangles, cells=48)
    values = grid.values.reshape(grid.counts[::-1])
    assert max(np.abs(np.diff(values, axis=axis)).max() for axis in range(3)) <= grid.spacing * (1.0 + 1e-12)
    points, step = around(position, 5000), 1e-5 * grid.spacing
    ends = (points + sign * step * axis for axis in np.eye(3) for sign in (1.0, -1.0))
    right, left = np.array([signed_distance(position, triangles, end) for end in ends]).reshape(3, 2, -1).swapaxes(0, 1)
    slope = np.linalg.norm(right - left, axis=0) / (2.0 * step)
    assert np.mean(np.abs(slope - 1.0) < 1e-6) > 0.995
    assert slope.max() < 1.0 + 1e-6


def missing_face():
    return BALL[0], BALL[1][1:], r"not closed: 3 edges lack the face on the other side, one of them at \(.*\) m; read it"


def turned_face():
    return BALL[0], np.concatenate([BALL[1][1:], BALL[1][:1, ::-1]]), "not closed: 3 edges lack"


def loose_faces():
    return BALL[0][BALL[1]].reshape(-1, 3), np.arange(3840).reshape(-1, 3), "not closed: 3840 edges lack"


def no_faces():
    return BALL[0], BALL[1][:0], "there are no faces; give"


def not_finite():
    return np.where(np.arange(len(BALL[0]))[:, None] == 7, np.nan, BALL[0]), BALL[1], "not finite; write"


@pytest.mark.parametrize("case", [missing_face, turned_face, loose_faces, no_faces, not_finite])
@pytest.mark.parametrize(
    "of", [distance_grid, lambda position, triangles: signed_distance(position, triangles, np.zeros((1, 3)))]
)
def test_unusable_surfaces_are_refused(case, of):
    position, triangles, words = case()
    with pytest.raises(MeshError, match=words):
        of(position, triangles)


def test_unusable_grids_are_refused():
    with pytest.raises(MeshError, match="at least 1 cell"):
        distance_grid(*BALL, cells=0)
    with pytest.raises(MeshError, match="no negative margin"):
        distance_grid(*BALL, margin=-1)
    with pytest.raises(MeshError, match="all points of the surface are one"):
        distance_grid(0.0 * BALL[0], BALL[1])


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 8, 100, 1280])
def test_boxes(count):
    """Every triangle is in one leaf, which is in all boxes above it."""
    position, triangles = BALL[0], BALL[1][:count]
    tree = boxes_around(position, triangles)
    leaves = len(tree.start) - 1
    assert sorted(tree.order.tolist()) == list(range(count))
    assert len(tree.lower) == len(tree.upper) == 2 * leaves
    for n in range(leaves):
        corners = position[triangles[tree.order[tree.start[n] : tree.start[n + 1]]]].reshape(-1, 3)
        assert 0 < len(corners) <= 3 * 4
        assert np.array_equal(tree.lower[leaves + n], corners.min(axis=0))
        assert np.array_equal(tree.upper[leaves + n], corners.max(axis=0))
    for n in range(1, leaves):
        halves = [2 * n, 2 * n + 1]
        assert np.array_equal(tree.lower[n], tree.lower[halves].min(axis=0))
        assert np.array_equal(tree.upper[n], tree.upper[halves].max(axis=0))
