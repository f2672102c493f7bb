"""Inside or outside, against closed forms and against the solid angle of all faces."""

import numpy as np
import pytest

from surfaces import icosphere, torus_knot
from yawara.meshes.inside import inside

CUBE = np.array([(x, y, z) for z in (0.0, 1.0) for y in (0.0, 1.0) for x in (0.0, 1.0)])
CUBE_FACES = np.array([
    (0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5),
])  # fmt: skip


def solid_angle_windings(position, triangles, points):
    """Winding numbers by the sum of signed solid angles (Van Oosterom and Strackee, 1983)."""
    a, b, c = (position[triangles[:, n]][None] - points[:, None] for n in range(3))
    la, lb, lc = (np.linalg.norm(side, axis=2) for side in (a, b, c))
    ab, bc, ca = (np.einsum("ijk,ijk->ij", u, v) for u, v in ((a, b), (b, c), (c, a)))
    angle = 2.0 * np.arctan2(np.einsum("ijk,ijk->ij", a, np.cross(b, c)), la * lb * lc + ab * lc + bc * la + ca * lb)
    return angle.sum(axis=1) / (4.0 * np.pi)


def test_sphere():
    position, triangles = icosphere(4, 1.0)
    points = np.random.default_rng(1).uniform(-1.1, 1.1, (20_000, 3))
    radius = np.linalg.norm(points, axis=1)
    clear = (radius > 1.0) | (radius < 0.99)  # the faces lie between
    assert np.array_equal(inside(position, triangles, points)[clear], (radius < 1.0)[clear])


def test_ring():
    position, triangles = torus_knot(1, 0, segments=200, sides=60, radius=1.0, tube=0.2)
    points = np.random.default_rng(2).uniform(-1.8, 1.8, (20_000, 3)) * np.array([1.0, 1.0, 0.2])
    distance = np.hypot(np.hypot(points[:, 0], points[:, 1]) - 1.5, points[:, 2])
    clear = (distance > 0.201) | (distance < 0.198)
    assert np.array_equal(inside(position, triangles, points)[clear], (distance < 0.2)[clear])


@pytest.mark.parametrize("offset", [0.0, 1000.0])
def test_knot_against_solid_angles(offset):
    position, triangles = torus_knot(segments=60, sides=8)
    position = position + offset
    points = np.random.default_rng(3).uniform(position.min(axis=0), position.max(axis=0), (2000, 3))
    winding = solid_angle_windings(position, triangles, points)
    assert inside(position, triangles, points).any()
    assert np.array_equal(inside(position, triangles, points), winding > 0.5)


def test_rays_through_vertices_edges_and_walls():
    """Points of a grid that contains all of the cube's edges and the planes of its walls."""
    axis = np.arange(-2, 7) / 4.0
    points = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    off = ~np.any((points == 0.0) | (points == 1.0), axis=1) | np.any((points < 0.0) | (points > 1.0), axis=1)
    expected = np.all((points > 0.0) & (points < 1.0), axis=1)
    assert np.array_equal(inside(CUBE, CUBE_FACES, points)[off], expected[off])


def test_slanting_wall_in_the_plane_of_the_points():
    """Points beside the slanting edge of a vertical face, in its plane, are outside at any distance from the edge."""
    position = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
    triangles = np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    step = np.linspace(0.05, 0.95, 19)
    x, z = (grid.ravel() for grid in np.meshgrid(step, step))
    beside = x + z > 1.01
    points = np.stack([x, np.zeros_like(x), z], axis=1)[beside]
    assert not inside(position, triangles, points).any()


def test_points_on_a_vertical_line_through_a_vertex():
    position, triangles = icosphere(2, 1.0)
    height = np.linspace(-1.5, 1.5, 31)
    for vertex in position[:40]:
        points = np.stack([np.full(31, vertex[0]), np.full(31, vertex[1]), height], axis=1)
        winding = solid_angle_windings(position, triangles, points)
        clear = np.abs(np.abs(height) - np.abs(vertex[2])) > 1e-6
        assert np.array_equal(inside(position, triangles, points)[clear], (winding > 0.5)[clear])


def test_overlapping_and_hollow_shells():
    position, triangles = icosphere(3, 1.0)
    count = len(position)
    two = np.concatenate([position, position + np.array([1.0, 0.0, 0.0])])
    assert inside(two, np.concatenate([triangles, triangles + count]), np.array([[0.5, 0.0, 0.0]]))[0]
    hollow = np.concatenate([position, 0.5 * position])
    faces = np.concatenate([triangles, triangles[:, ::-1] + count])
    assert inside(hollow, faces, np.array([[0.0, 0.0, 0.1], [0.0, 0.1, 0.7]])).tolist() == [False, True]


def test_nothing_is_outside():
    position, triangles = icosphere(1, 1.0)
    assert inside(position, triangles, np.zeros((0, 3))).shape == (0,)
    assert not inside(position, triangles[:0], np.zeros((1, 3)))[0]
