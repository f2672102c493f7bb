"""Skins cut to the spacing: closed as before, of the same shape, without long edges, or refused."""

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree

from surfaces import icosphere, torus_knot
from yawara.meshes.distance import signed_distance
from yawara.meshes.errors import MeshError
from yawara.meshes.facets import all_facets, edges_of
from yawara.meshes.rows import grouped
from yawara.meshes.subdivide import LONGEST, subdivided
from yawara.meshes.surface import clean_surface


def of(mesh):
    return clean_surface(np.array(mesh.vertices), np.array(mesh.faces, np.int64))


def lopsided():
    """A tetrahedron of large and small edges, none alike."""
    return clean_surface(
        np.array([(0.0, 0.0, 0.0), (1.0, 0.1, 0.0), (0.2, 0.03, 0.01), (0.4, 0.2, 0.7)]),
        np.array([(0, 1, 2), (0, 3, 1), (1, 3, 2), (2, 3, 0)]),
    )


SHAPES = {
    "box": lambda: of(trimesh.creation.box((0.06, 0.04, 0.03))),
    "fans": lambda: of(trimesh.creation.cylinder(radius=0.03, height=0.06)),
    "thin": lambda: of(trimesh.creation.cylinder(radius=0.03, height=0.06, sections=500)),
    "needles": lambda: of(trimesh.creation.cone(radius=0.002, height=0.1, sections=60)),
    "lopsided": lopsided,
    "knot": lambda: clean_surface(*torus_knot(segments=40, sides=6)),
    "hollow": lambda: of(trimesh.creation.annulus(0.01, 0.04, height=0.02, sections=17)),
}
SPACINGS = {"box": 0.01, "fans": 0.01, "thin": 0.02, "needles": 0.01, "lopsided": 0.05, "knot": 0.01, "hollow": 0.004}


def lengths(surface):
    edges = edges_of(surface.triangles)
    return np.linalg.norm(surface.position[edges[:, 1]] - surface.position[edges[:, 0]], axis=1)


@pytest.mark.parametrize("name", SHAPES)
def test_no_edge_is_long_and_the_surface_is_closed(name):
    surface, spacing = SHAPES[name](), SPACINGS[name]
    skin = subdivided(surface, spacing)
    assert lengths(surface).max() > LONGEST * spacing >= lengths(skin).max()
    facets = all_facets(skin.triangles)
    assert (grouped(np.sort(facets, axis=1))[2] == 2).all()  # two faces at every edge
    assert (grouped(facets)[2] == 1).all()  # which run through it in opposite directions
    euler = [len(each.position) - len(edges_of(each.triangles)) + len(each.triangles) for each in (surface, skin)]
    assert euler[0] == euler[1]


@pytest.mark.parametrize("name", SHAPES)
def test_the_shape_is_the_same(name):
    """The file's points stay; volume and area are sums of as many terms as there are faces, of rounded middles."""
    surface, spacing = SHAPES[name](), SPACINGS[name]
    skin = subdivided(surface, spacing)
    assert (skin.position[: len(surface.position)] == surface.position).all()
    rounding = len(skin.triangles) * np.finfo(float).eps
    assert skin.volume == pytest.approx(surface.volume, rel=rounding)
    assert skin.area == pytest.approx(surface.area, rel=rounding)
    assert np.abs(signed_distance(surface.position, surface.triangles, skin.position[::20])).max() < 1e-12


@pytest.mark.parametrize("name", SHAPES)
def test_faces_keep_their_directions(name):
    """Every new face lies in one of the old ones and has its normal; corners between faces stay as sharp as they are."""
    surface, spacing = SHAPES[name](), SPACINGS[name]
    skin = subdivided(surface, spacing)
    new, old = (trimesh.Trimesh(each.position, each.triangles, process=False) for each in (skin, surface))
    assert new.area_faces.min() > 0.0
    assert cKDTree(old.face_normals).query(new.face_normals)[0].max() < 1e-9  # rounding of 1e-17 m in faces of 1e-5 m and more
    assert np.abs(signed_distance(surface.position, surface.triangles, new.triangles_center[::20])).max() < 1e-12


def test_a_fine_surface_is_left_alone():
    ball = clean_surface(*icosphere(3, 0.05))
    skin = subdivided(ball, 0.02)
    assert skin.triangles is ball.triangles
    assert skin.notices == ball.notices


def test_what_was_done_is_told():
    cylinder = SHAPES["fans"]()
    skin = subdivided(cylinder, 0.01)
    told = f"The surface's 128 faces cut into {len(skin.triangles)}: no edge is longer than 0.006 m, 0.6 of the spacing."
    assert skin.notices[-1] == told
    assert subdivided(SHAPES["thin"](), 0.02).notices[-1].endswith("a surface with fewer, rounder faces runs faster.")


@pytest.mark.parametrize("name", SHAPES)
def test_far_too_many_faces_are_refused_with_a_spacing_that_does(name):
    surface, spacing = SHAPES[name](), SPACINGS[name]
    most = (len(subdivided(surface, spacing).triangles) - len(surface.triangles)) // 2
    with pytest.raises(MeshError, match=rf"^spacing {spacing:g} m cuts .* faces into more than .*; raise spacing to ") as error:
        subdivided(surface, spacing, most)
    remedy = float(str(error.value).split("raise spacing to ")[1].split(" m")[0])
    assert remedy > spacing
    assert len(subdivided(surface, remedy, most).triangles) <= len(surface.triangles) + most
