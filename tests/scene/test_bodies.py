"""Bodies: counts, masses, volumes, surfaces."""

import numpy as np
import pytest

from helpers import LAWS, SHAPES, body_of
from yawara import Chain, Fix, Lattice, Scene, Sheet, Time, Truss, compile_scene
from yawara.meshes.facets import cell_sizes
from yawara.observe.measure import enclosed_volume, surface_area
from yawara.scene.bodies import MassSharing

LAW = LAWS["voigt"]


@pytest.mark.parametrize(
    ("counts", "edges"),
    [((7, 7, 6), 1385), ((9, 8, 8), 2857), ((4, 4, 4), 252), ((6, 5, 5), 661), ((15, 15, 16), 19531)],
)
def test_truss_edges_are_the_papers(counts, edges):
    """Table 1.1 of chapter 1, and the FPGA block of chapter 2."""
    block = Truss(counts=counts, spacing=0.01, density=1000.0, law=LAW)
    assert len(block.geometry().links) == edges
    assert block.size() == (np.prod(counts), edges)


@pytest.mark.parametrize(("counts", "links"), [((6, 4, 6), 1208), ((30, 30, 30), 327236)])
def test_lattice_links_all_26_neighbours(counts, links):
    block = Lattice(counts=counts, spacing=0.01, density=1000.0, law=LAW)
    geometry = block.geometry()
    assert len(geometry.links) == links == block.size()[1]
    ends = geometry.position[geometry.links] / 0.01
    assert np.abs(ends[:, 1] - ends[:, 0]).max() == pytest.approx(1.0)
    degree = np.bincount(geometry.links.ravel())
    assert degree.max() == 26


def test_sheet_of_the_pressing_experiment():
    """16 x 6 squares in two triangles each: 119 points, 310 edges, 192 triangles (Hirai, Fig. 2.17)."""
    sheet = Sheet(counts=(17, 7), spacing=1.0, mass=30.0, law=LAW)
    geometry = sheet.geometry()
    assert (len(geometry.position), len(geometry.links), len(geometry.triangles)) == (119, 310, 192)


@pytest.mark.parametrize("shape", SHAPES)
def test_counts_are_known_before_building(shape):
    body = body_of(shape, LAW)
    geometry = body.geometry()
    assert body.size() == (len(geometry.position), len(geometry.links))


@pytest.mark.parametrize("shape", SHAPES)
def test_links_are_distinct_and_run_upwards(shape):
    links = body_of(shape, LAW).geometry().links
    assert (links[:, 0] < links[:, 1]).all()
    assert len(np.unique(links, axis=0)) == len(links)


@pytest.mark.parametrize("sharing", ["by_volume", "equal"])
@pytest.mark.parametrize(
    "body",
    [
        Truss(counts=(5, 4, 6), spacing=0.013, density=1234.5, law=LAW),
        Lattice(counts=(5, 4, 6), spacing=0.013, density=1234.5, law=LAW),
        Sheet(counts=(5, 4), spacing=0.013, thickness=0.002, density=1234.5, law=LAW),
        Sheet(counts=(5, 4), spacing=0.013, thickness=0.002, density=1234.5, law=LAW, pattern="alternating"),
        Sheet(counts=(5, 4), spacing=0.013, thickness=0.002, density=1234.5, law=LAW, pattern="braced"),
        Chain(counts=(7,), spacing=0.013, cross_section=3e-4, density=1234.5, law=LAW),
    ],
    ids=["truss", "lattice", "sheet", "alternating", "braced", "chain"],
)
def test_mass_is_density_times_volume_exactly(body, sharing):
    geometry = body.geometry()
    extent = np.ptp(geometry.position, axis=0)
    cross = {1: (extent[0], 3e-4), 2: (extent[0], extent[1], 0.002), 3: tuple(extent)}[geometry.dimension]
    mass = body.model_copy(update={"mass_sharing": MassSharing(sharing)}).point_mass(geometry)
    assert mass.sum() == pytest.approx(1234.5 * np.prod(cross), rel=1e-14)
    assert (mass > 0).all()


@pytest.mark.parametrize("shape", [Lattice, Truss])
def test_surfaces_are_closed_and_face_outwards(shape):
    block = shape(counts=(4, 5, 3), spacing=0.1, density=1.0, law=LAW)
    geometry = block.geometry()
    edges = np.concatenate([geometry.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))])
    directed = {tuple(edge) for edge in edges.tolist()}
    assert len(directed) == len(edges)
    assert all((b, a) in directed for a, b in directed)
    assert enclosed_volume(geometry.position, geometry.triangles) == pytest.approx(block.box_volume, rel=1e-13)
    assert surface_area(geometry.position, geometry.triangles) == pytest.approx(2 * (12 + 8 + 6) * 0.01, rel=1e-13)


@pytest.mark.parametrize("counts", [(3, 3, 3), (4, 3, 2), (2, 2, 2)])
def test_truss_tetrahedra_fill_the_box_and_their_edges_are_the_links(counts):
    block = Truss(counts=counts, spacing=0.5, density=1.0, law=LAW)
    geometry = block.geometry()
    tetrahedra = geometry.cells["tetra"]
    volumes = cell_sizes(geometry.position, tetrahedra)
    assert (volumes > 0).all()
    assert volumes.sum() == pytest.approx(block.box_volume, rel=1e-13)
    assert len(tetrahedra) == 5 * block.cell_count()
    pairs = np.sort(np.concatenate([tetrahedra[:, [a, b]] for a in range(4) for b in range(a)]), axis=1)
    assert {tuple(pair) for pair in pairs.tolist()} == {tuple(link) for link in geometry.links.tolist()}


@pytest.mark.parametrize("pattern", ["triangles", "alternating"])
def test_sheet_edges_are_those_of_its_triangles(pattern):
    geometry = Sheet(counts=(5, 4), spacing=1.0, mass=1.0, law=LAW, pattern=pattern).geometry()
    pairs = np.sort(np.concatenate([geometry.triangles[:, [a, b]] for a, b in ((0, 1), (1, 2), (2, 0))]), axis=1)
    assert {tuple(pair) for pair in pairs.tolist()} == {tuple(link) for link in geometry.links.tolist()}
    assert surface_area(geometry.position, geometry.triangles) == pytest.approx(12.0)


def test_points_share_the_mass_as_asked():
    """By volume: in a cube of five tetrahedra an even corner has 5/24, an odd one 1/24; in a hexahedron all have 1/8."""
    cube = {"counts": (2, 2, 2), "spacing": 0.1, "density": 1000.0, "law": LAWS["voigt"]}
    even = np.array([1, 0, 0, 1, 0, 1, 1, 0], bool)
    truss = Truss(**cube)
    assert truss.point_mass(truss.geometry()) == pytest.approx(np.where(even, 5 / 24, 1 / 24))
    alike = Truss(**cube, mass_sharing="equal")
    assert alike.point_mass(alike.geometry()) == pytest.approx(np.full(8, 1 / 8))
    row = Lattice(**cube | {"counts": (3, 2, 2)})
    assert row.point_mass(row.geometry()) == pytest.approx(np.tile([1 / 8, 1 / 4, 1 / 8], 4))


@pytest.mark.parametrize("shape", SHAPES)
def test_faces_are_where_their_names_say(shape):
    body = body_of(shape, LAWS["voigt"])
    position, faces = body.geometry().position, body.geometry().faces
    flat = shape not in ("lattice", "truss")
    names = {"left": (0, 0), "right": (0, 1), "bottom": (1 if flat else 2, 0), "top": (1 if flat else 2, 1), "front": (1, 0),
             "back": (1, 1), "first": (0, 0), "last": (0, 1)}  # fmt: skip
    for name in faces:
        axis, far = names[name]
        scene = Scene(time=Time(end=1.0), body={"body": body}, fix=[Fix(body="body", points=name)])
        points = compile_scene(scene).control.drives[0].points
        goal = position[:, axis].max() if far else position[:, axis].min()
        assert set(points.tolist()) == set(np.flatnonzero(np.abs(position[:, axis] - goal) < 1e-9).tolist()), name


def test_hexahedra_have_the_corners_in_vtk_order():
    geometry = Lattice(counts=(3, 4, 2), spacing=1.0, mass=1.0, law=LAWS["voigt"]).geometry()
    corners = geometry.position[geometry.cells["hexahedron"]]
    unit = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    assert (corners - corners[:, :1] == np.array(unit, float)).all()
