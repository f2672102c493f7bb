"""Weights of links: together they are an isotropic solid of unit shear modulus."""

from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.sparse import coo_matrix
from scipy.sparse.linalg import spsolve

from yawara.laws import Voigt
from yawara.scene.bodies import Lattice, Sheet, Truss
from yawara.scene.bodies.weights import (
    bcc_weights,
    chain_weights,
    lattice_weights,
    sheet_weights,
    sum_over_cells,
    tetrahedra_weights,
    triangle_weights,
    truss_weights,
)

LAW = Voigt(k=1.0, c=0.0)
SIZES = [(2, 2, 2), (3, 2, 4), (4, 4, 4), (5, 3, 6)]


def stiffness(position, links, weight, volume):
    step = position[links[:, 1]] - position[links[:, 0]]
    length = np.linalg.norm(step, axis=1)
    n = step / length[:, None]
    return np.einsum("p,pi,pj,pk,pl->ijkl", weight * length**2, n, n, n, n) / volume


def cauchy(dimension):
    """Isotropic, lambda = mu = 1 Pa."""
    d = np.diag([1.0] * dimension + [0.0] * (3 - dimension))
    pairs = ("ij,kl->ijkl", "ik,jl->ijkl", "il,jk->ijkl")
    return sum(np.einsum(pair, d, d) for pair in pairs)


def block(kind, counts, spacing):
    geometry = kind(counts=counts, spacing=spacing, law=LAW, density=1.0).geometry()
    weights = {Lattice: lattice_weights, Truss: truss_weights}[kind]
    return geometry, weights(counts, spacing, geometry.links)


@pytest.mark.parametrize("counts", SIZES)
@pytest.mark.parametrize("kind", [Lattice, Truss])
def test_a_block_with_its_surfaces_is_isotropic(kind, counts):
    geometry, weight = block(kind, counts, 0.3)
    C = stiffness(geometry.position, geometry.links, weight, geometry.rest_size)
    np.testing.assert_allclose(C, cauchy(3), rtol=0, atol=1e-12)


def test_weights_inside():
    for kind, expected in ((Lattice, {1: 4 / 3, 2: 2 / 3, 3: 1 / 4}), (Truss, {1: 1.0, 2: 2.0})):
        geometry, weight = block(kind, (5, 5, 5), 0.5)
        ends = geometry.position[geometry.links]
        inside = ((ends > 0.1) & (ends < 1.9)).all(axis=(1, 2))
        axes = (ends[:, 0] != ends[:, 1]).sum(axis=1)
        for count, value in expected.items():
            np.testing.assert_allclose(weight[inside & (axes == count)], 0.5 * value, rtol=1e-14)


@pytest.mark.parametrize("counts", [(2, 2), (3, 5), (6, 4)])
def test_a_braced_sheet_is_isotropic(counts):
    geometry = Sheet(counts=counts, spacing=0.2, law=LAW, density=1.0, pattern="braced").geometry()
    weight = sheet_weights(counts, 0.01, geometry.links, braced=True)
    C = stiffness(geometry.position, geometry.links, weight, 0.01 * geometry.rest_size)
    np.testing.assert_allclose(C, cauchy(2), rtol=0, atol=1e-12)


@pytest.mark.parametrize("counts", [(3, 3), (3, 5), (7, 4)])  # as many squares of one kind as of the other
def test_an_alternating_sheet_is_isotropic(counts):
    geometry = Sheet(counts=counts, spacing=0.2, law=LAW, density=1.0, pattern="alternating").geometry()
    weight = sheet_weights(counts, 0.01, geometry.links, braced=False)
    C = stiffness(geometry.position, geometry.links, weight, 0.01 * geometry.rest_size)
    np.testing.assert_allclose(C, cauchy(2), rtol=0, atol=1e-12)


def test_a_sheet_with_all_diagonals_the_same_way_couples_shear_and_stretch():
    geometry = Sheet(counts=(4, 4), spacing=0.2, law=LAW, density=1.0).geometry()
    weight = sheet_weights((4, 4), 0.01, geometry.links, braced=False)
    C = stiffness(geometry.position, geometry.links, weight, 0.01 * geometry.rest_size)
    assert np.isclose(C[0, 0, 0, 0], 3.0)
    assert np.isclose(C[0, 0, 1, 1], 1.0)
    assert np.isclose(C[0, 0, 0, 1], 1.0)


def bcc_block(n, spacing):
    """The tetrahedra around all lines between neighbouring cube centres of a block of n^3 cubes."""
    corners, cells = {}, []
    for centre in product(range(1, 2 * n, 2), repeat=3):
        for axis in range(3):
            other = np.array(centre) + 2 * np.eye(3, dtype=int)[axis]
            if other[axis] > 2 * n:
                continue
            u, v = (np.eye(3, dtype=int)[k] for k in range(3) if k != axis)
            middle = (np.array(centre) + other) // 2
            ring = [middle + s * u + t * v for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            cells += [(centre, tuple(other), tuple(ring[k - 1]), tuple(ring[k])) for k in range(4)]
    for point in (point for cell in cells for point in cell):
        corners.setdefault(tuple(map(int, point)), len(corners))
    tetrahedra = np.array([[corners[tuple(map(int, point))] for point in cell] for cell in cells])
    return np.array(list(corners)) * spacing / 2, tetrahedra, edges(tetrahedra)


def edges(cells):
    pairs = [cells[:, pair] for pair in combinations(range(cells.shape[1]), 2)]
    return np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)


def test_bcc_tetrahedra_are_isotropic_in_equal_numbers_of_all_three_directions():
    spacing = 0.2
    position, tetrahedra, links = bcc_block(4, spacing)
    weight = bcc_weights(position, tetrahedra, links, spacing)
    C = stiffness(position, links, weight, len(tetrahedra) * spacing**3 / 12)
    np.testing.assert_allclose(C, cauchy(3), rtol=0, atol=1e-12)
    centre = np.linalg.norm(position[links].mean(axis=1) - 2 * spacing, axis=1) < spacing
    length = np.linalg.norm(np.diff(position[links], axis=1)[:, 0], axis=1)
    np.testing.assert_allclose(weight[centre], np.where(length > 0.95 * spacing, 1.0, 1.5)[centre] * spacing, rtol=1e-12)


def test_bcc_refuses_other_lengths():
    position, tetrahedra, links = bcc_block(2, 0.2)
    with pytest.raises(ValueError, match=r"0\.3 m or 0\.259808 m long \(got 0\.2 m\)|got 0\.173205 m"):
        bcc_weights(position, tetrahedra, links, 0.3)


def test_any_tetrahedra_are_right_on_average_over_directions():
    geometry, _ = block(Truss, (3, 3, 3), 0.2)
    tetrahedra = geometry.cells["tetra"]
    weight = tetrahedra_weights(geometry.position, tetrahedra, geometry.links)
    C = stiffness(geometry.position, geometry.links, weight, geometry.rest_size)
    # the average over all rotations of a tensor that is symmetric in all indices has C_iijj / 15 for lambda = mu
    assert np.isclose(np.einsum("iijj", C) / 15.0, 1.0, rtol=1e-12)


def test_any_triangles_are_right_on_average_over_directions():
    geometry = Sheet(counts=(4, 5), spacing=0.2, law=LAW, density=1.0).geometry()
    position = geometry.position * [1.0, 1.7, 0.0]
    weight = triangle_weights(position, geometry.triangles, geometry.links, 0.01)
    C = stiffness(position, geometry.links, weight, 0.01 * 1.7 * geometry.rest_size)
    assert np.isclose(np.einsum("iijj", C) / 8.0, 1.0, rtol=1e-12)


def test_equilateral_triangles_are_isotropic():
    rows = [(i + 0.5 * j, j * np.sqrt(0.75), 0.0) for j in range(2) for i in range(2)]
    triangles = np.array([[0, 1, 2], [1, 3, 2]])
    links = edges(triangles)
    weight = triangle_weights(np.array(rows), triangles, links, 2.0)
    C = stiffness(np.array(rows), links, weight, 2.0 * np.sqrt(0.75))
    np.testing.assert_allclose(C, cauchy(2), rtol=0, atol=1e-12)


def test_a_chain_is_a_bar():
    # E A / l with E = 2.5 mu for nu = 1/4
    np.testing.assert_allclose(chain_weights(np.array([0.1, 0.2]), 1e-4, 0.25), [2.5e-3, 1.25e-3], rtol=1e-14)


def test_cells_and_links_must_belong_together():
    triangle, links = np.array([[0, 1, 2]]), np.array([[0, 1], [1, 2], [0, 2]])
    np.testing.assert_array_equal(sum_over_cells(links[:, ::-1], triangle, np.array([3.0])), [3.0, 3.0, 3.0])
    with pytest.raises(ValueError, match="every edge of a cell must be a link"):
        sum_over_cells(links[:2], triangle, np.ones(1))
    with pytest.raises(ValueError, match="every link must be an edge"):
        sum_over_cells(np.array([[0, 1], [1, 2], [0, 2], [2, 3]]), triangle, np.ones(1))


def test_the_answer_does_not_depend_on_the_order_of_a_cell():
    geometry, _ = block(Truss, (2, 3, 2), 0.2)
    tetrahedra = geometry.cells["tetra"]
    expected = tetrahedra_weights(geometry.position, tetrahedra, geometry.links)
    for order in permutations(range(4)):
        np.testing.assert_allclose(
            tetrahedra_weights(geometry.position, tetrahedra[:, order], geometry.links), expected, rtol=1e-13
        )


def assembled(position, links, weight):
    """Stiffness matrix of all points, for small displacements."""
    step = position[links[:, 1]] - position[links[:, 0]]
    n = step / np.linalg.norm(step, axis=1)[:, None]
    part = weight[:, None, None] * n[:, :, None] * n[:, None, :]
    start, end = links.T
    entries = [
        (3 * p + i, 3 * q + j, sign * part[:, i, j])
        for p, q, sign in ((start, start, 1), (end, end, 1), (start, end, -1), (end, start, -1))
        for i in range(3)
        for j in range(3)
    ]
    rows, columns, values = (np.concatenate(parts) for parts in zip(*entries, strict=True))
    return coo_matrix((values, (rows, columns)), shape=(position.size, position.size)).tocsr()


@pytest.mark.parametrize("counts", [(2, 2, 3), (3, 4, 5)])
def test_a_pulled_lattice_has_no_force_on_its_sides(counts):
    geometry, weight = block(Lattice, counts, 0.2)
    displacement = geometry.position * [-0.25, -0.25, 1.0]  # nu = 1/4
    force = (assembled(geometry.position, geometry.links, weight) @ displacement.ravel()).reshape(-1, 3)
    top = geometry.position[:, 2] > geometry.position[:, 2].max() - 1e-9
    bottom = geometry.position[:, 2] < 1e-9
    np.testing.assert_allclose(force[:, :2], 0.0, atol=1e-13)
    np.testing.assert_allclose(force[~top & ~bottom], 0.0, atol=1e-13)
    area = (counts[0] - 1) * (counts[1] - 1) * 0.04
    assert np.isclose(force[top, 2].sum(), 2.5 * area, rtol=1e-12)  # E = 2.5 mu


def pulled(geometry, weight, counts, spacing):
    """Young's modulus over the shear modulus, and Poisson's ratio, of a bar whose ends slide on plates."""
    position = geometry.position
    K = assembled(position, geometry.links, weight)
    ends = [np.abs(position[:, 2] - z) < 1e-9 for z in (0.0, (counts[2] - 1) * spacing)]
    displacement, fixed = np.zeros_like(position), np.zeros(position.shape, bool)
    fixed[ends[0] | ends[1], 2] = True
    displacement[ends[1], 2] = position[ends[1], 2]
    fixed[0, :2], fixed[counts[0] - 1, 1] = True, True  # neither shifted nor turned
    free, fixed = ~fixed.ravel(), fixed.ravel()
    values = displacement.ravel().copy()
    values[free] = spsolve(K[free][:, free].tocsc(), -(K[free][:, fixed] @ values[fixed]))
    force, values = (K @ values).reshape(-1, 3), values.reshape(-1, 3)
    width = (counts[0] - 1) * spacing
    sides = [np.average(values[side, 0], weights=geometry.share[side]) for side in _sides(position[:, 0], width)]
    return force[ends[1], 2].sum() / width**2, (sides[0] - sides[1]) / width


def _sides(x, width):
    return np.abs(x) < 1e-9, np.abs(x - width) < 1e-9


def test_a_pulled_truss_has_a_soft_skin():
    # 6.1 % over the number of cells across, because points of odd index sum in a face hang on one link across it
    for n in (4, 5, 6):
        counts = (n, n, 2 * n - 1)
        geometry, weight = block(Truss, counts, 0.2)
        youngs, poisson = pulled(geometry, weight, counts, 0.2)
        assert np.isclose(youngs, 2.5 * (1 - 0.0605 / (n - 1)), rtol=1e-3)
        assert np.isclose(poisson, 0.25 - 0.0252 / (n - 1), rtol=3e-3)
