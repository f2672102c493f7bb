"""Refined blocks and the points that hang in them."""

from itertools import combinations

import numpy as np
import pytest

from yawara import Truss, Voigt
from yawara.meshes.errors import MeshError
from yawara.meshes.facets import cell_sizes, edges_of
from yawara.meshes.hanging import hanging_face_points, hanging_points
from yawara.meshes.refine import refined_sheet, refined_truss


def brute_force(position, cells):
    """All points in the open middle of any edge of any cell."""
    edges = edges_of(cells)
    a, b = position[edges[:, 0]], position[edges[:, 1]]
    found = set()
    for n, point in enumerate(position):
        detour = np.linalg.norm(point - a, axis=1) + np.linalg.norm(point - b, axis=1) - np.linalg.norm(b - a, axis=1)
        on = (detour < 1e-9) & (edges != n).all(axis=1)
        found |= {n} if on.any() else set()
    return found


BLOCKS = {
    "corner": [((0.0, 0.0, 0.0), (0.2, 0.2, 0.2))],
    "middle": [((0.1, 0.1, 0.1), (0.3, 0.2, 0.3))],
    "two": [((0.0, 0.0, 0.0), (0.1, 0.4, 0.1)), ((0.2, 0.2, 0.2), (0.4, 0.4, 0.4))],
    "touching in an edge": [((0.0, 0.0, 0.0), (0.1, 0.1, 0.4)), ((0.1, 0.1, 0.0), (0.2, 0.2, 0.4))],
}


@pytest.mark.parametrize("name", BLOCKS)
def test_all_hanging_points_are_found(name):
    position, tetrahedra = refined_truss((5, 5, 5), 0.1, BLOCKS[name])
    assert cell_sizes(position, tetrahedra).min() > 0.0
    assert cell_sizes(position, tetrahedra).sum() == pytest.approx(0.4**3)
    point, edge, ratio = hanging_points(position, tetrahedra)
    assert set(point.tolist()) == brute_force(position, tetrahedra)
    assert len(point) > 0
    assert np.array_equal(point, np.unique(point))
    assert ratio == pytest.approx(np.full(len(point), 0.5), abs=1e-12)
    middle = (1.0 - ratio[:, None]) * position[edge[:, 0]] + ratio[:, None] * position[edge[:, 1]]
    assert middle == pytest.approx(position[point], abs=1e-12)
    assert len(hanging_face_points(position, tetrahedra)[0]) == 0  # every face centre is on a diagonal


def test_one_fine_cube_in_the_middle():
    """12 edge middles and 6 face centres, each on a face diagonal; its own middle hangs on nothing."""
    position, tetrahedra = refined_truss((4, 4, 4), 1.0, [((1.0, 1.0, 1.0), (2.0, 2.0, 2.0))])
    point, edge, _ = hanging_points(position, tetrahedra)
    assert (len(position), len(tetrahedra), len(point)) == (64 + 19, 26 * 5 + 8 * 5, 18)
    length = np.linalg.norm(position[edge[:, 1]] - position[edge[:, 0]], axis=1)
    assert np.count_nonzero(np.isclose(length, np.sqrt(2.0))) == 6


@pytest.mark.parametrize("boxes", [[], [((-1.0, -1.0, -1.0), (9.0, 9.0, 9.0))]])
def test_uniform_blocks_are_trusses(boxes):
    position, tetrahedra = refined_truss((4, 3, 5), 0.1, boxes)
    counts, spacing = ((7, 5, 9), 0.05) if boxes else ((4, 3, 5), 0.1)
    truss = Truss(counts=counts, spacing=spacing, density=1.0, law=Voigt(k=1.0, c=1.0)).geometry()
    assert position == pytest.approx(truss.position)
    assert {tuple(cell) for cell in np.sort(tetrahedra)} == {tuple(cell) for cell in np.sort(truss.cells["tetra"])}
    assert cell_sizes(position, tetrahedra).min() == pytest.approx(cell_sizes(position, truss.cells["tetra"]).min())
    assert len(hanging_points(position, tetrahedra)[0]) == 0


@pytest.mark.parametrize("boxes", [[((0.0, 0.0), (0.2, 0.2))], [((0.1, 0.1), (0.3, 0.2)), ((0.3, 0.2), (0.4, 0.3))]])
def test_sheets(boxes):
    position, triangles = refined_sheet((6, 5), 0.1, boxes)
    assert np.all(position[:, 2] == 0.0)
    assert cell_sizes(position, triangles).min() > 0.0
    assert cell_sizes(position, triangles).sum() == pytest.approx(0.5 * 0.4)
    point, _, ratio = hanging_points(position, triangles)
    assert set(point.tolist()) == brute_force(position, triangles)
    assert ratio == pytest.approx(np.full(len(point), 0.5), abs=1e-12)


def test_sheet_diagonals_meet_in_even_points():
    position, triangles = refined_sheet((6, 5), 1.0, [])
    edges = np.sort(np.concatenate([triangles[:, pair] for pair in combinations(range(3), 2)]), axis=1)
    slanting = np.all(np.abs(position[edges[:, 1]] - position[edges[:, 0]])[:, :2] > 0.5, axis=1)
    assert np.all(position[edges[slanting]].sum(axis=2) % 2 == 0)


def test_point_inside_a_face():
    """A small tetrahedron standing with its tip on a large one's face."""
    large = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, -1.0)])
    tip = np.array([0.2, 0.3, 0.0])
    small = tip + 0.1 * np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 1.0), (0.0, 1.0, 1.0), (-1.0, -1.0, 1.0)])
    position, cells = np.concatenate([large, small]), np.array([(0, 2, 1, 3), (4, 5, 6, 7)])
    point, face, weights = hanging_face_points(position, cells)
    assert point.tolist() == [4]
    assert sorted(face[0]) == [0, 1, 2]
    assert weights[0] @ position[face[0]] == pytest.approx(tip, abs=1e-12)
    assert weights.sum() == pytest.approx(1.0)
    assert len(hanging_points(position, cells)[0]) == 0


def test_point_on_two_collinear_edges_is_given_with_the_shorter():
    position = np.array(
        [(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (0.0, -1.0, 0.0), (2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (1.0, 0.5, 0.0)]
    )
    triangles = np.array([(0, 2, 1), (0, 3, 4), (5, 6, 4)])
    point, edge, ratio = hanging_points(position, triangles)
    found = {int(p): (tuple(e), r) for p, e, r in zip(point, edge.tolist(), ratio, strict=True)}
    assert found[3] == ((0, 1), 0.5)
    assert found[5] == ((0, 3), 0.5)


def test_points_at_uneven_ratios():
    position = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.25, 0.0, 0.0), (0.25, 1.0, 0.0), (0.0, 1.0, 0.0)])
    point, edge, ratio = hanging_points(position, np.array([(0, 2, 1), (0, 3, 5), (3, 4, 5)]))
    assert (point.tolist(), edge.tolist(), ratio.tolist()) == ([3], [[0, 1]], [0.25])


def test_bad_blocks_are_refused():
    with pytest.raises(MeshError, match="counts must be 3 numbers of points, each at least 2"):
        refined_truss((3, 1, 3), 0.1, [])
    with pytest.raises(MeshError, match="spacing must be > 0 m"):
        refined_sheet((3, 3), 0.0, [])
