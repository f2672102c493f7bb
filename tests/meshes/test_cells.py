"""Meshes of cells: every repair and every refusal."""

import meshio
import numpy as np
import pytest

from yawara.meshes.errors import MeshError
from yawara.meshes.facets import boundary_facets, cell_sizes
from yawara.meshes.refine import refined_sheet, refined_truss
from yawara.meshes.tetra import clean_cells, read_cells

BLOCK = refined_truss((4, 3, 3), 0.1, [])
SHEET = refined_sheet((4, 3), 0.1, [])


def write(path, position, cells, **options):
    meshio.Mesh(position, cells).write(path, **options)
    return path


@pytest.mark.parametrize("name", ["block.vtk", "block.vtu", "block.msh", "block.inp", "block.mesh"])
def test_files(tmp_path, name):
    path = write(tmp_path / name, BLOCK[0], [("tetra", BLOCK[1])])
    mesh = read_cells(path)
    assert mesh.notices == ()
    assert mesh.dimension == 3
    assert mesh.position == pytest.approx(BLOCK[0])
    assert np.array_equal(mesh.cells, BLOCK[1])
    assert {tuple(face) for face in mesh.triangles} == {tuple(face) for face in boundary_facets(BLOCK[1])}
    assert read_cells(path, scale=0.1).size == pytest.approx(1e-3 * mesh.size)


@pytest.mark.parametrize("points", [SHEET[0], SHEET[0][:, :2]])
def test_planar_triangles_are_a_flat_body(tmp_path, points):
    mesh = read_cells(write(tmp_path / "sheet.xdmf", points, [("triangle", SHEET[1])], data_format="XML"))
    assert (mesh.dimension, mesh.notices) == (2, ())
    assert mesh.size == pytest.approx(0.06)
    assert np.array_equal(mesh.triangles, mesh.cells)


def test_planar_triangles_at_another_height():
    mesh = clean_cells(SHEET[0] + np.array([0.0, 0.0, 0.5]), SHEET[1][:, ::-1])
    assert mesh.notices == ("Moved from z = 0.5 m to z = 0.", f"{len(SHEET[1])} cells turned over.")
    assert np.all(mesh.position[:, 2] == 0.0)
    assert mesh.size == pytest.approx(0.06)


def test_other_kinds_are_ignored_with_a_notice(tmp_path):
    cells = [
        ("tetra", BLOCK[1][:50]),
        ("triangle", boundary_facets(BLOCK[1])),
        ("line", BLOCK[1][:7, :2]),
        ("tetra", BLOCK[1][50:]),
    ]
    mesh = read_cells(write(tmp_path / "block.vtk", BLOCK[0], cells))
    assert mesh.notices == (f"Cells of other kinds ignored: {len(boundary_facets(BLOCK[1]))} triangle, 7 line.",)
    assert len(mesh.cells) == len(BLOCK[1])


def test_higher_order_is_taken_by_its_corners(tmp_path):
    position, tetrahedra = BLOCK
    ends = [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)]
    middles = np.concatenate([position[tetrahedra[:, pair]].mean(axis=1) for pair in ends])
    numbers = len(position) + np.arange(len(middles)).reshape(6, -1).T
    path = write(tmp_path / "block.vtu", np.concatenate([position, middles]), [("tetra10", np.hstack([tetrahedra, numbers]))])
    mesh = read_cells(path)
    assert mesh.notices == (f"{len(tetrahedra)} tetra10 cells of higher order taken by their corners.",)
    assert len(mesh.position) == len(position)


def test_copies_of_points_are_merged():
    position, tetrahedra = BLOCK
    loose = position[tetrahedra].reshape(-1, 3) + np.random.default_rng(8).uniform(-1e-12, 1e-12, (4 * len(tetrahedra), 3))
    mesh = clean_cells(loose, np.arange(len(loose)).reshape(-1, 4))
    assert (len(mesh.position), mesh.notices) == (len(position), ())


def test_useless_and_turned_cells():
    position, tetrahedra = BLOCK
    flat = np.array([(0, 1, 4, 5), (3, 3, 7, 9)])  # four corners of a square, and a point twice
    given = np.concatenate([tetrahedra, flat, tetrahedra[:3]])
    given[:5] = given[:5][:, [1, 0, 2, 3]]
    mesh = clean_cells(np.concatenate([position, [(9.0, 9.0, 9.0)]]), given)
    assert mesh.notices == ("2 cells without volume dropped.", "3 copies of cells dropped.", "5 cells turned over.")
    assert len(mesh.position) == len(position)
    assert cell_sizes(mesh.position, mesh.cells).min() > 0.0
    assert mesh.size == pytest.approx(0.3 * 0.2 * 0.2)


def refusal(position, cells):
    with pytest.raises(MeshError) as caught:
        clean_cells(position, cells)
    return str(caught.value)


def test_refuses_overlaps():
    corners = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 0.0, -1.0), (0.1, 0.1, 2.0)])
    three = np.array([(0, 1, 2, 3), (0, 2, 1, 4), (0, 1, 2, 5)])
    assert "1 face belongs to more than two tetrahedra, one of them at (0.3333, 0.3333, 0) m" in refusal(corners, three)
    assert "1 face has two tetrahedra on the same side" in refusal(corners, three[[0, 2]])
    flat = corners[[0, 1, 2, 3]] * np.array([1.0, 1.0, 0.0]) + np.array([[0, 0, 0], [0, 0, 0], [0, 0, 0], [0.2, 0.9, 0.0]])
    assert "1 edge has two triangles on the same side" in refusal(flat, np.array([(0, 1, 2), (0, 1, 3)]))


def test_refuses_what_is_no_mesh():
    position = BLOCK[0].copy()
    assert "there are no cells" in refusal(position, np.zeros((0, 4), np.int64))
    assert "none of the 1 cells has a size" in refusal(position, np.array([(0, 1, 4, 5)]))
    assert "cells name point 40 of 36 points" in refusal(position, np.array([(0, 1, 4, 40)]))
    position[2, 1] = np.inf
    assert "1 point has coordinates that are not finite" in refusal(position, BLOCK[1])


def test_refuses_curved_triangles():
    position = SHEET[0] + np.array([0.0, 0.0, 1.0]) * SHEET[0][:, :1] ** 2
    assert "plane of equal z (z varies by 0.09 m)" in refusal(position, SHEET[1])


@pytest.mark.parametrize("beside", [[], [("tetra", BLOCK[1])], [("triangle", boundary_facets(BLOCK[1]))]])
def test_refuses_other_cells(tmp_path, beside):
    cube = np.array([[0, 1, 5, 4, 12, 13, 17, 16]])
    with pytest.raises(MeshError, match=r"block\.vtk: a mesh must be of tetrahedra, .* 1 hexahedron"):
        read_cells(write(tmp_path / "block.vtk", BLOCK[0], [("hexahedron", cube), *beside]))


def test_refuses_squares_beside_triangles(tmp_path):
    with pytest.raises(MeshError, match="1 quad"):
        read_cells(write(tmp_path / "sheet.vtk", SHEET[0], [("triangle", SHEET[1][:4]), ("quad", np.array([[1, 2, 6, 5]]))]))


@pytest.mark.parametrize("name", ["bad.vtk", "bad.msh", "bad.vtu", "bad.xyz"])
@pytest.mark.parametrize("content", [b"", b"this is no mesh\n"])
def test_refuses_unreadable_files(tmp_path, name, content, capsys):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(MeshError, match=r"bad\.\w+: .*;"):
        read_cells(tmp_path / name)
    assert capsys.readouterr().out == ""


def test_refuses_absent_files(tmp_path):
    with pytest.raises(MeshError, match="no such file"):
        read_cells(tmp_path / "block.vtk")


def test_units(tmp_path):
    path = write(tmp_path / "block.vtk", BLOCK[0] * 1e3, [("tetra", BLOCK[1])])
    with pytest.raises(MeshError, match='say unit = "mm"'):
        read_cells(path)
    assert read_cells(path, scale=1e-3).notices == ()
