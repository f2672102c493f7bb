"""Surfaces: every repair and every refusal."""

import numpy as np
import pytest
import trimesh

from surfaces import icosphere, torus_knot
from yawara.meshes.errors import MeshError
from yawara.meshes.size import check_size
from yawara.meshes.surface import clean_surface, read_surface
from yawara.meshes.winding import shell_volumes, shells

BALL = icosphere(2, 0.1)  # 162 points, 320 faces
VOLUME = clean_surface(*BALL).volume


def write(path, position, triangles, **options):
    trimesh.Trimesh(position, triangles, process=False).export(path, **options)
    return path


@pytest.mark.parametrize("name", ["ball.stl", "ball.stl_ascii", "ball.obj", "ball.ply"])
def test_files(tmp_path, name):
    path = tmp_path / name.removesuffix("_ascii")
    write(path, *BALL, file_type=name.rpartition(".")[2])
    surface = read_surface(path)
    assert (len(surface.position), len(surface.triangles), surface.notices) == (162, 320, ())
    assert surface.volume == pytest.approx(VOLUME, rel=1e-5)  # STL and PLY hold single precision
    assert read_surface(path, scale=0.1).volume == pytest.approx(VOLUME * 1e-3, rel=1e-5)


def test_file_with_quads_groups_and_texture(tmp_path):
    corners = [f"v {x} {y} {z}" for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    quads = ["1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"]
    faces = [
        f"g side{n}\nusemtl m{n}\nf " + " ".join(f"{c}/{k + 1}" for k, c in enumerate(quad.split()))
        for n, quad in enumerate(quads)
    ]
    path = tmp_path / "cube.obj"
    path.write_text("\n".join([*corners, "vt 0 0", "vt 1 0", "vt 1 1", "vt 0 1", *faces]) + "\n")
    surface = read_surface(path)
    assert (len(surface.position), len(surface.triangles), surface.notices) == (8, 12, ())
    assert surface.volume == pytest.approx(1.0)


def test_nearly_coinciding_points_are_merged():
    position, triangles = BALL
    loose = position[triangles].reshape(-1, 3)
    loose += np.random.default_rng(4).uniform(-1e-12, 1e-12, loose.shape)
    surface = clean_surface(loose, np.arange(960).reshape(-1, 3))
    assert (len(surface.position), surface.notices) == (162, ())


def test_degenerate_and_duplicate_faces_are_dropped():
    position, triangles = BALL
    more = np.array([[0, 0, 1], [5, 7, 5], *triangles[:3], triangles[4][::-1]])
    surface = clean_surface(position, np.concatenate([triangles, more]))
    assert surface.notices == ("2 faces without area dropped.", "4 copies of faces dropped.")
    assert np.array_equal(surface.triangles, triangles)


def test_flat_face_that_closes_a_gap_stays():
    """A point in the middle of an edge of one of the two faces only, and a face of no area between them."""
    position = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.5, 0.0, 0.0)])
    triangles = np.array([(0, 2, 4), (4, 2, 1), (0, 1, 3), (0, 4, 1), (0, 3, 2), (1, 2, 3)])
    surface = clean_surface(position, triangles)
    assert (len(surface.triangles), surface.notices) == (6, ())
    assert surface.volume == pytest.approx(1.0 / 6.0)


def test_flat_face_that_closes_nothing_goes():
    position = np.concatenate([BALL[0], [(0.0, 0.0, 0.0), (0.01, 0.0, 0.0), (0.02, 0.0, 0.0)]])
    surface = clean_surface(position, np.concatenate([BALL[1], [(162, 163, 164)]]))
    assert surface.notices == ("1 face without area dropped.",)
    assert len(surface.position) == 162


@pytest.mark.parametrize("chosen", [[0], [3, 77, 200], list(range(0, 320, 2)), list(range(1, 320))])
def test_flipped_faces_are_turned(chosen):
    position, triangles = BALL
    mixed = triangles.copy()
    mixed[chosen] = mixed[chosen][:, [0, 2, 1]]
    surface = clean_surface(position, mixed)
    assert surface.notices == (f"{len(chosen)} face{'s' if len(chosen) > 1 else ''} turned over to point outward.",)
    assert surface.volume == pytest.approx(VOLUME)
    assert np.array_equal(surface.triangles, triangles)


def test_inside_out_surface_is_turned():
    surface = clean_surface(BALL[0], BALL[1][:, ::-1])
    assert surface.notices == ("320 faces turned over to point outward.",)
    assert surface.volume == pytest.approx(VOLUME)


def test_holes_are_filled():
    position, triangles = BALL
    centre = position[triangles].mean(axis=1)
    cap = centre[:, 2] > 0.09
    lone = np.argmin(centre[:, 2])
    kept = ~cap
    kept[lone] = False
    surface = clean_surface(position, triangles[kept])
    assert surface.notices[0].startswith("2 holes filled with ")
    assert len(surface.notices) == 1  # patches are no faces of the user's that were turned over
    assert 0.9 * VOLUME < surface.volume < VOLUME


def test_flat_hole_of_any_outline_is_filled_exactly():
    """The bottom of a star-shaped prism: clipping ears gives the outline's area, a fan would not."""
    angle = np.linspace(0.0, 2.0 * np.pi, 10, endpoint=False)
    radius = np.where(np.arange(10) % 2, 0.2, 1.0)
    star = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(10)], axis=1)
    position = np.concatenate([star, star + np.array([0.0, 0.0, 0.5]), [(0.0, 0.0, 0.5)]])
    n, m = np.arange(10), (np.arange(10) + 1) % 10
    sides = np.concatenate([np.stack([n, m, m + 10], 1), np.stack([n, m + 10, n + 10], 1)])
    top = np.stack([n + 10, m + 10, np.full(10, 20)], 1)
    surface = clean_surface(position, np.concatenate([sides, top]))
    area = 10 / 2 * 0.2 * np.sin(2.0 * np.pi / 10)
    assert surface.notices == ("1 hole filled with 8 faces.",)
    assert surface.volume == pytest.approx(0.5 * area)


def test_hole_of_many_edges_and_any_outline_is_filled_exactly():
    """A prism with 100 corners and its floor missing; its radius is random, so that ears are often not empty."""
    count = 100
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    radius = np.random.default_rng(10).uniform(0.2, 1.0, count)
    rim = np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(count)], axis=1)
    position = np.concatenate([rim, rim + np.array([0.0, 0.0, 0.5]), [(0.0, 0.0, 0.5)]])
    n, m = np.arange(count), (np.arange(count) + 1) % count
    sides = np.concatenate([np.stack([n, m, m + count], 1), np.stack([n, m + count, n + count], 1)])
    surface = clean_surface(position, np.concatenate([sides, np.stack([n + count, m + count, np.full(count, 2 * count)], 1)]))
    assert surface.notices == ("1 hole filled with 98 faces.",)
    floor = surface.triangles[np.all(surface.position[surface.triangles][:, :, 2] == 0.0, axis=1)]
    a, b, c = np.moveaxis(surface.position[floor], 1, 0)
    assert np.cross(b - a, c - a)[:, 2].max() < 0.0  # all face down: none lies over another
    area = 0.5 * np.sum(radius * np.roll(radius, -1)) * np.sin(2.0 * np.pi / count)
    assert surface.volume == pytest.approx(0.5 * area)


def test_hole_over_an_edge_that_exists_is_closed_the_other_way():
    position = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 3.0, 0.0), (0.0, 0.0, 3.0)])
    surface = clean_surface(position, np.array([(0, 2, 1), (0, 1, 3)]))  # the edge 0-1 is the shorter cut
    assert surface.volume == pytest.approx(1.5)


def test_holes_that_touch_in_a_point_are_filled():
    position, triangles = BALL
    vertex = 100
    around = np.flatnonzero(np.any(triangles == vertex, axis=1))
    apart = next(f for f in around if len(np.intersect1d(triangles[f], triangles[around[0]])) == 1)
    surface = clean_surface(position, np.delete(triangles, [around[0], apart], axis=0))
    assert surface.notices == ("2 holes filled with 2 faces.",)
    assert surface.volume == pytest.approx(VOLUME)


def test_several_parts_and_a_cavity():
    position, triangles = BALL
    count, shift = len(position), np.array([0.5, 0.0, 0.0])
    everything = np.concatenate([position, 0.5 * position, 0.2 * position, position + shift])
    faces = np.concatenate([triangles + n * count for n in range(4)])
    surface = clean_surface(everything, faces)
    assert surface.notices == ("320 faces turned over to point outward.", "1 closed part inside another taken as a hollow.")
    volumes = shell_volumes(surface.position, surface.triangles, shells(surface.triangles))
    assert volumes == pytest.approx(VOLUME * np.array([1.0, -0.125, 0.008, 1.0]))
    assert surface.volume == pytest.approx(VOLUME * 1.883)


def test_cavity_that_is_right_stays():
    position, triangles = BALL
    surface = clean_surface(np.concatenate([position, 0.5 * position]), np.concatenate([triangles, triangles[:, ::-1] + 162]))
    assert surface.notices == ("1 closed part inside another taken as a hollow.",)
    assert surface.volume == pytest.approx(0.875 * VOLUME)


def test_loose_face_is_dropped():
    position = np.concatenate([BALL[0], np.eye(3)])
    surface = clean_surface(position, np.concatenate([BALL[1], [(162, 163, 164)]]))
    assert "2 faces of parts without volume dropped." in surface.notices
    assert len(surface.triangles) == 320


def test_unused_points_are_dropped():
    surface = clean_surface(np.concatenate([[(9.0, 9.0, np.nan)], BALL[0]]), BALL[1] + 1)
    assert (len(surface.position), surface.notices) == (162, ())


def refusal(position, triangles):
    with pytest.raises(MeshError) as caught:
        clean_surface(position, triangles)
    return str(caught.value)


def test_refuses_nothing():
    assert "no faces (162 points); give" in refusal(BALL[0], np.zeros((0, 3)))
    assert "none of the 1 faces has an area" in refusal(BALL[0], np.array([[0, 0, 1]]))


def test_refuses_numbers_that_are_none():
    position = BALL[0].copy()
    position[[3, 5], 1] = np.nan, np.inf
    assert "2 points have coordinates that are not finite" in refusal(position, BALL[1])
    assert "faces name point 162 of 162 points" in refusal(BALL[0], BALL[1] + 1)


def test_refuses_large_holes():
    position, triangles = torus_knot(1, 0, segments=200, sides=120)
    message = refusal(position, triangles.reshape(200, 120, 2, 3)[:100].reshape(-1, 3))
    assert "not closed: 240 open edges, one of them at (" in message
    assert "up to 100 edges are filled" in message


def test_refuses_inner_walls():
    position = np.concatenate([BALL[0], [(0.0, 0.0, 0.0)]])
    wall = [(*sorted(BALL[1][0])[:2], 162)]
    assert "1 edge has more than two faces, one of them at (" in refusal(position, np.concatenate([BALL[1], wall]))


def test_refuses_one_sided():
    n, m = np.arange(12), (np.arange(12) + 1) % 12
    angle = np.pi * np.arange(12) / 6.0
    half = 0.3 * np.stack([np.cos(angle / 2) * np.cos(angle), np.cos(angle / 2) * np.sin(angle), np.sin(angle / 2)], axis=1)
    middle = np.stack([np.cos(angle), np.sin(angle), np.zeros(12)], axis=1)
    low, high = n, n + 12
    next_low, next_high = np.where(m == 0, 12, m), np.where(m == 0, 0, m + 12)
    triangles = np.concatenate([np.stack([low, next_low, next_high], 1), np.stack([low, next_high, high], 1)])
    message = refusal(np.concatenate([middle - half, middle + half]), triangles)
    assert "24 faces belong to a one-sided surface" in message


def test_refuses_flat():
    square = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)])
    assert "encloses no volume" in refusal(square, np.array([(0, 1, 2), (0, 2, 3)]))


@pytest.mark.parametrize("name", ["bad.stl", "bad.obj", "bad.ply"])
@pytest.mark.parametrize("content", [b"", b"solid nothing\nendsolid\n", b"\x00\xff this is no mesh \n" * 20])
def test_refuses_unreadable_files(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(MeshError, match=r"bad\.\w+: .*;"):
        read_surface(path)


def test_refuses_unknown_and_absent_files(tmp_path):
    with pytest.raises(MeshError, match=r"read from \.stl, \.obj, \.ply"):
        read_surface(tmp_path / "ball.step")
    with pytest.raises(MeshError, match="no such file"):
        read_surface(tmp_path / "ball.stl")


def test_units(tmp_path):
    path = write(tmp_path / "ball.stl", BALL[0] * 1e3, BALL[1])  # 200 mm wide
    with pytest.raises(MeshError, match=r'346\.\d m across, .* say unit = "mm" \(0\.346\d m\)'):
        read_surface(path)
    assert read_surface(path, scale=1e-3).notices == ()
    with pytest.raises(MeshError, match='if its file is written in m, say unit = "m"'):
        read_surface(write(tmp_path / "small.stl", *BALL), scale=1e-6)
    path = write(tmp_path / "box.stl", BALL[0] * 250, BALL[1])  # 50 "m" wide
    assert 'say unit = "mm"' in read_surface(path).notices[0]


@pytest.mark.parametrize(("across", "notice"), [(0.0002, 1), (0.0011, 0), (4.9, 0), (6.0, 1), (99.0, 1)])
def test_size_notices(across, notice):
    position = np.array([[0.0, 0.0, 0.0], [across, 0.0, 0.0]])
    assert len(check_size(position, "the surface")) == notice
