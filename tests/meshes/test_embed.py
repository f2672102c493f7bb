"""Points in tetrahedra: linear fields are carried over exactly, outside points go to the nearest."""

import numpy as np
import pytest

from surfaces import icosphere
from yawara.meshes.embed import embed
from yawara.meshes.errors import MeshError
from yawara.meshes.fill import fill_bcc
from yawara.meshes.refine import refined_truss
from yawara.meshes.surface import clean_surface


def test_linear_fields_are_reproduced():
    surface = clean_surface(*icosphere(3, 0.1))
    filling = fill_bcc(surface, 0.02)
    matrix, offset = np.random.default_rng(5).normal(size=(3, 3)), np.array([1.0, -2.0, 0.5])
    cell, weights = embed(surface.position, filling.position, filling.tetrahedra)
    assert weights.sum(axis=1) == pytest.approx(np.ones(len(weights)), abs=1e-13)
    field = filling.position @ matrix.T + offset
    carried = np.einsum("ij,ijk->ik", weights, field[filling.tetrahedra[cell]])
    assert np.abs(carried - (surface.position @ matrix.T + offset)).max() < 1e-12
    assert weights.min() < 0.0  # some vertices lie outside
    assert weights.min() > -1.0  # but not far


def test_points_inside_have_no_negative_weights():
    """In a graded mesh, where the containing tetrahedron's centroid is not always among the nearest."""
    position, tetrahedra = refined_truss((4, 4, 4), 1.0, [((0.0, 0.0, 0.0), (2.0, 2.0, 2.0))])
    points = np.random.default_rng(6).uniform(0.0, 3.0, (5000, 3))
    _, weights = embed(points, position, tetrahedra)
    assert weights.min() > -1e-12


def test_containing_tetrahedron_far_from_its_centroid():
    """A large tetrahedron beside many small ones: the search must widen."""
    small, tetrahedra = refined_truss((9, 9, 9), 0.1, [])
    large = np.array([(0.81, -20.0, -20.0), (0.81, 20.0, -20.0), (0.81, 0.0, 30.0), (60.0, 0.0, 0.0)])
    cells = np.concatenate([tetrahedra, len(small) + np.array([[0, 1, 2, 3]])])
    cell, weights = embed(np.array([[0.85, 0.4, 0.4], [0.3, 0.3, 0.3]]), np.concatenate([small, large]), cells)
    assert cell[0] == len(tetrahedra)
    assert cell[1] < len(tetrahedra)
    assert weights.min() >= 0.0


def test_outside_point_goes_to_the_nearest():
    corners = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
    position = np.concatenate([corners, corners + np.array([5.0, 0.0, 0.0])])
    tetrahedra = np.array([(0, 1, 2, 3), (4, 5, 6, 7)])
    points = np.array([(-1.0, 0.2, 0.2), (2.9, 0.0, 0.0), (3.1, 0.0, 0.0), (5.2, 0.2, -3.0), (1.0, 1.0, 1.0)])
    cell, weights = embed(points, position, tetrahedra)
    assert cell.tolist() == [0, 0, 1, 1, 0]
    assert np.einsum("ij,ijk->ik", weights, position[tetrahedra[cell]]) == pytest.approx(points, abs=1e-12)


def test_nearest_against_brute_force():
    """Distance to a tetrahedron by minimising over a fine set of its points."""
    rng = np.random.default_rng(7)
    position, tetrahedra = refined_truss((3, 3, 3), 1.0, [])
    points = rng.uniform(-1.0, 3.0, (40, 3))
    points = points[np.any((points < 0.0) | (points > 2.0), axis=1)]
    cell, _ = embed(points, position, tetrahedra)
    samples = rng.dirichlet(np.full(4, 0.3), 20_000)
    nearest = np.linalg.norm(points - np.clip(points, 0.0, 2.0), axis=1)
    for point, index, distance in zip(points, cell, nearest, strict=True):
        reached = np.linalg.norm(samples @ position[tetrahedra[index]] - point, axis=1).min()
        assert reached == pytest.approx(distance, abs=0.05)


def test_no_cells_is_refused():
    with pytest.raises(MeshError, match="no tetrahedra"):
        embed(np.zeros((1, 3)), np.zeros((4, 3)), np.zeros((0, 4), np.int64))
