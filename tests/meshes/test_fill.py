"""Fillings: shape and orientation of the cells, volume, numbering, crumbs and refusals."""

from itertools import combinations

import numpy as np
import pytest

from surfaces import icosphere, torus_knot
from yawara.meshes.errors import MeshError
from yawara.meshes.facets import all_facets, boundary_facets, cell_sizes, facet_components
from yawara.meshes.fill import fill_bcc, fill_lattice
from yawara.meshes.rows import grouped
from yawara.meshes.surface import Surface, clean_surface

BALL = clean_surface(*icosphere(4, 0.1))
FILLS = {"bcc": (fill_bcc, 12), "lattice": (fill_lattice, 1)}


def box(lower, upper):
    """A closed box [m] as points and outward triangles."""
    corners = np.array([(x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)])
    quads = np.array([(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)])
    position = np.array(lower) + corners * (np.array(upper) - lower)
    return position, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def joined(*parts):
    offsets = np.cumsum([0, *(len(position) for position, _ in parts)])
    return np.concatenate([p for p, _ in parts]), np.concatenate([t + o for (_, t), o in zip(parts, offsets, strict=False)])


@pytest.mark.parametrize("kind", FILLS)
def test_cells_are_positive_and_alike(kind):
    fill, _ = FILLS[kind]
    filling = fill(BALL, 0.02)
    volumes = cell_sizes(filling.position, filling.tetrahedra)
    expected = (
        np.full(len(volumes), 0.02**3 / 12) if kind == "bcc" else np.tile(0.02**3 / np.array([3, 6, 6, 6, 6]), len(volumes) // 5)
    )
    assert volumes == pytest.approx(expected, rel=1e-9)
    assert filling.cell_edge == 0.02
    assert filling.notices == ()


@pytest.mark.parametrize("kind", FILLS)
def test_volume_converges_to_the_surfaces(kind):
    """Cells on the surface are in or out by chance, eight at a time by symmetry.

    Of N = (4/3) pi r^3 cells, r the radius in spacings, S = 4 pi r^2 are on the surface: the error is sqrt(8 S) / N = 2.4 / r^2.
    """
    for spacing in (0.04, 0.02, 0.01, 0.005):
        filling = FILLS[kind][0](BALL, spacing)
        volume = cell_sizes(filling.position, filling.tetrahedra).sum()
        assert volume == pytest.approx(BALL.volume, rel=2.4 * (spacing / 0.1) ** 2)


@pytest.mark.parametrize("kind", FILLS)
def test_surface_of_the_cells_is_closed_and_outward(kind):
    fill, _ = FILLS[kind]
    filling = fill(BALL, 0.02)
    faces = boundary_facets(filling.tetrahedra)
    a, b, c = np.moveaxis(filling.position[faces], 1, 0)
    enclosed = np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0
    assert enclosed == pytest.approx(cell_sizes(filling.position, filling.tetrahedra).sum(), rel=1e-12)
    _, _, count = grouped(np.sort(all_facets(filling.tetrahedra), axis=1))
    assert count.max() == 2
    assert facet_components(filling.tetrahedra).max() == 0


def test_bcc_edges():
    """A long edge inside belongs to 4 tetrahedra, a short one to 6."""
    filling = fill_bcc(BALL, 0.02)
    edges = np.sort(np.concatenate([filling.tetrahedra[:, pair] for pair in combinations(range(4), 2)]), axis=1)
    first, _, count = grouped(edges)
    edges = edges[first]
    length = np.linalg.norm(filling.position[edges[:, 1]] - filling.position[edges[:, 0]], axis=1)
    long = length > 0.019
    assert length[long] == pytest.approx(np.full(long.sum(), 0.02))
    assert length[~long] == pytest.approx(np.full((~long).sum(), 0.02 * np.sqrt(3) / 2))
    boundary = {
        tuple(edge) for pair in ([0, 1], [1, 2], [2, 0]) for edge in np.sort(boundary_facets(filling.tetrahedra)[:, pair], axis=1)
    }
    within = np.array([tuple(edge) not in boundary for edge in edges])
    assert set(count[long & within]) == {4}
    assert set(count[~long & within]) == {6}


@pytest.mark.parametrize("kind", FILLS)
def test_numbering_runs_along_x(kind):
    fill, _ = FILLS[kind]
    filling = fill(BALL, 0.02)
    half = np.rint((filling.position - filling.position.min(axis=0)) / 0.01).astype(int)
    assert np.array_equal(np.lexsort(half.T), np.arange(len(half)))
    assert len(grouped(half)[0]) == len(half)
    assert np.array_equal(np.unique(filling.tetrahedra), np.arange(len(half)))


def test_box_of_whole_cubes_is_met_exactly():
    surface = clean_surface(*box((0.1, 0.0, -0.3), (0.6, 0.4, 0.0)))
    filling = fill_lattice(surface, 0.1)
    assert filling.cells["hexahedron"].shape == (60, 8)
    assert filling.tetrahedra.shape == (300, 4)
    assert filling.position.min(axis=0) == pytest.approx(surface.position.min(axis=0), abs=1e-12)
    assert filling.position.max(axis=0) == pytest.approx(surface.position.max(axis=0), abs=1e-12)
    corners = filling.position[filling.cells["hexahedron"]]
    assert corners[:, 1] - corners[:, 0] == pytest.approx(np.tile([0.1, 0, 0], (60, 1)))
    assert corners[:, 2] - corners[:, 1] == pytest.approx(np.tile([0, 0.1, 0], (60, 1)))
    assert corners[:, 7] - corners[:, 0] == pytest.approx(np.tile([0, 0.1, 0.1], (60, 1)))


@pytest.mark.parametrize("error", [0.0, 1e-8])  # as of single precision
@pytest.mark.parametrize("spacing", [0.1, 0.05])
def test_box_with_faces_through_centroids_keeps_its_volume(spacing, error):
    position, triangles = box((0.1, 0.0, -0.3), (0.6, 0.4, 0.0))
    surface = clean_surface(position + np.random.default_rng(9).uniform(-error, error, position.shape), triangles)
    filling = fill_bcc(surface, spacing)
    assert cell_sizes(filling.position, filling.tetrahedra).sum() == pytest.approx(0.06, rel=1e-9)
    assert filling.notices == ()


def test_step_through_centres_of_cubes_is_even():
    """An L-shaped body whose inner step lies in the plane of the cubes' centres: all of a layer are in, or none."""
    low, high = box((0.0, 0.0, 0.0), (0.6, 0.4, 0.25)), box((0.0, 0.0, 0.25), (0.2, 0.4, 0.5))
    surface = Surface(*joined(low, high))
    filling = fill_lattice(surface, 0.1)
    assert len(filling.cells["hexahedron"]) in (24 * 2 + 8 * 3, 24 * 3 + 8 * 2)


def test_knot_stays_in_one_piece():
    surface = clean_surface(*torus_knot())
    for filling in (fill_bcc(surface, 0.006), fill_lattice(surface, 0.004)):
        assert filling.notices == ()
        assert facet_components(filling.tetrahedra).max() == 0
        assert cell_sizes(filling.position, filling.tetrahedra).sum() == pytest.approx(surface.volume, rel=0.01)


@pytest.mark.parametrize("kind", FILLS)
def test_cavity_stays_empty(kind):
    surface = clean_surface(*joined(icosphere(3, 0.1), icosphere(3, 0.05)))
    filling = FILLS[kind][0](surface, 0.012)
    centre = filling.position[filling.tetrahedra].mean(axis=1)
    assert np.linalg.norm(centre, axis=1).min() > 0.04
    assert cell_sizes(filling.position, filling.tetrahedra).sum() == pytest.approx(surface.volume, rel=0.05)


@pytest.mark.parametrize("kind", FILLS)
def test_parts_are_all_kept(kind):
    small = icosphere(2, 0.02)
    surface = clean_surface(*joined((BALL.position, BALL.triangles), (small[0] + 0.2, small[1])))
    filling = FILLS[kind][0](surface, 0.01)
    assert facet_components(filling.tetrahedra).max() == 1  # the small one has less than 1 % of the cells
    assert filling.notices == ()


def test_part_without_a_cell_is_refused():
    small = icosphere(2, 0.001)
    surface = clean_surface(*joined((BALL.position, BALL.triangles), (small[0] + np.array([0.2, 0.0005, 0.0]), small[1])))
    with pytest.raises(MeshError, match=r"no cell fits into one of the 2 parts .* lower spacing to 0\.001 m"):
        fill_lattice(surface, 0.02)


def turned_on_a_lathe(height, radius, sides=24):
    """A closed surface of revolution [m] with pointed ends."""
    angle = np.linspace(0.0, 2.0 * np.pi, sides, endpoint=False)
    circle = np.stack([np.cos(angle), np.sin(angle), np.zeros(sides)], axis=1)
    rings = np.array(radius)[:, None, None] * circle + np.array(height)[:, None, None] * np.array([0.0, 0.0, 1.0])
    i, j = np.meshgrid(np.arange(len(radius) - 1), np.arange(sides), indexing="ij")
    k = (j + 1) % sides
    a, b, c, d = i * sides + j, i * sides + k, (i + 1) * sides + k, (i + 1) * sides + j
    return clean_surface(rings.reshape(-1, 3), np.concatenate([np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))]))


@pytest.mark.parametrize("kind", FILLS)
def test_parts_that_come_apart_are_refused(kind):
    dumb_bell = turned_on_a_lathe([0.0, 0.01, 0.1, 0.11, 0.2, 0.21, 0.3, 0.31], [0.0, 0.06, 0.06, 0.003, 0.003, 0.06, 0.06, 0.0])
    with pytest.raises(
        MeshError, match=r"parts come apart at this spacing \(0\.02 m\): 1 loose piece, .*; lower spacing to 0\.01 m"
    ):
        FILLS[kind][0](dumb_bell, 0.02)


@pytest.mark.parametrize("kind", FILLS)
def test_crumbs_are_dropped(kind):
    tailed = turned_on_a_lathe([0.0, 0.01, 0.2, 0.21, 0.25, 0.253, 0.277, 0.28], [0.0, 0.1, 0.1, 0.002, 0.002, 0.015, 0.015, 0.0])
    filling = FILLS[kind][0](tailed, 0.016)
    assert len(filling.notices) == 1
    assert filling.notices[0].endswith("in loose pieces dropped.")
    assert facet_components(filling.tetrahedra).max() == 0
    assert filling.position[:, 2].max() < 0.24
    assert np.array_equal(np.unique(filling.tetrahedra), np.arange(len(filling.position)))


@pytest.mark.parametrize("kind", FILLS)
def test_spacings_that_are_refused(kind):
    fill, _ = FILLS[kind]
    with pytest.raises(MeshError, match=r"only \d+ cells? fit inside at spacing .* lower spacing to"):
        fill(BALL, 0.2)
    with pytest.raises(MeshError, match=r"more than 5e\+06; raise spacing to"):
        fill(BALL, 1e-4)
    for spacing in (0.0, -1.0, np.nan):
        with pytest.raises(MeshError, match="spacing must be > 0 m"):
            fill(BALL, spacing)
