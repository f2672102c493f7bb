"""Files for other programs hold what was given to them, and are whole or not there."""

import os
import xml.etree.ElementTree as ET
from pathlib import Path

import meshio
import numpy as np
import pytest
import trimesh

import yawara
from glb_file import valid
from yawara.files import atomic_path, write_text
from yawara.methods.fields import Fields
from yawara.methods.tensors import FIELDS, TENSORS
from yawara.observe.export.glb import GlbMesh, key_frames, still, write_glb
from yawara.observe.export.glb_motion import GlbRigid
from yawara.observe.export.normals import vertex_normals
from yawara.observe.export.ply import write_ply
from yawara.observe.export.vtu import write_pvd, write_vtu
from yawara.scene.file import read_scene

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1], [0.1, 0.2, 0.3]]) / 3.0
TETRAHEDRON = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], np.uint32)


def film(frame_count: int, point_count: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(7)
    return np.linspace(2.0, 3.0, frame_count), rng.normal(size=(frame_count, point_count, 3))


# --- VTU and PVD


def test_vtu_keeps_points_cells_data_and_time(tmp_path: Path) -> None:
    cells = {"tetra": np.array([[0, 1, 2, 3]], np.uint32), "line": np.array([[3, 4], [4, 5]], np.uint32), "triangle": ()}
    data = {"velocity [m/s]": POINTS * 2, 'a <"µ"> & b': np.arange(6.0), "held": np.arange(6) > 3}
    write_vtu(tmp_path / "frame.vtu", POINTS, cells, point_data=data, time=0.125)
    assert (tmp_path / "frame.vtu").read_bytes().isascii()  # the same in every locale
    mesh = meshio.read(tmp_path / "frame.vtu")
    np.testing.assert_array_equal(mesh.points, POINTS)
    assert {block.type: block.data.tolist() for block in mesh.cells} == {"tetra": [[0, 1, 2, 3]], "line": [[3, 4], [4, 5]]}
    assert set(mesh.point_data) == set(data)
    np.testing.assert_array_equal(mesh.point_data["velocity [m/s]"], POINTS * 2)
    np.testing.assert_array_equal(mesh.point_data["held"], [0, 0, 0, 0, 1, 1])
    assert mesh.field_data["TimeValue"] == [0.125]


def test_vtu_without_cells_shows_its_points(tmp_path: Path) -> None:
    write_vtu(tmp_path / "cloud.vtu", POINTS, {})
    mesh = meshio.read(tmp_path / "cloud.vtu")
    assert [(block.type, len(block.data)) for block in mesh.cells] == [("vertex", 6)]


def test_pvd_lists_times_and_files(tmp_path: Path) -> None:
    write_pvd(tmp_path / "film.pvd", [(0.0, "film/a & b.vtu"), (0.1, "film/1.vtu")])
    sets = ET.parse(tmp_path / "film.pvd").getroot().findall("Collection/DataSet")
    assert [(float(item.attrib["timestep"]), item.attrib["file"]) for item in sets] == [
        (0.0, "film/a & b.vtu"),
        (0.1, "film/1.vtu"),
    ]


@pytest.mark.parametrize(
    ("position", "cells", "said"),
    [
        (POINTS, {"triangle": [[0, 1, 6]]}, r"cells\['triangle'\] must be indices from 0 to 5 \(got 6\)"),
        (POINTS[:, :2], {}, r"position must have the shape \(point_count, 3\) \(got \(6, 2\)\)"),
        (POINTS * np.nan, {}, "position must be finite"),
    ],
)
def test_bad_input_is_named(tmp_path: Path, position: np.ndarray, cells: dict[str, list[list[int]]], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        write_vtu(tmp_path / "bad.vtu", position, cells)
    assert list(tmp_path.iterdir()) == []


# --- PLY


def test_ply_keeps_every_point_in_its_place(tmp_path: Path) -> None:
    doubled = np.concatenate([POINTS, POINTS[:2]])  # equal and unused points alike
    write_ply(tmp_path / "surface.ply", doubled, TETRAHEDRON)
    mesh = trimesh.load(tmp_path / "surface.ply", process=False)
    np.testing.assert_array_equal(mesh.vertices, doubled.astype(np.float32))
    np.testing.assert_array_equal(mesh.faces, TETRAHEDRON)
    assert b"format binary_little_endian" in (tmp_path / "surface.ply").read_bytes()[:60]


# --- GLB


PRESSED = {
    "time": {"end": 0.02, "frame": 0.01},
    "body": {"b": {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, "density": 1000.0,
                   "law": {"type": "three_element", "k1": 60.0, "c1": 1.0, "c2": 3.0}}},
    "fix": [{"body": "b", "points": "bottom"}],
    "drive": [{"body": "b", "points": "top", "times": [0.0, 0.02], "displacement": [[0, 0, 0], [0.002, 0, -0.003]]}],
    "output": {"vtu": True, "ply": True, "report": False},
}  # fmt: skip


def test_files_of_a_run_have_the_fields(tmp_path: Path) -> None:
    """In VTU files tensors as ParaView has them, xx yy zz xy yz zx; in PLY files what colours show."""
    result = yawara.run_scene(read_scene(PRESSED), tmp_path / "run").result
    fields, state = Fields(result.compiled.model), result.state
    data = meshio.read(tmp_path / "run" / "frames" / "frame_000002.vtu").point_data
    for name in TENSORS:
        tensor = fields.tensor(name, state)
        assert np.abs(tensor).max() > 0.0
        assert data[name].shape == (27, 6)
        for column, (i, j) in enumerate([(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (2, 0)]):
            np.testing.assert_allclose(data[name][:, column], tensor[:, i, j], rtol=1e-6)
    np.testing.assert_allclose(data["equivalent_stress"], fields.of("stress", state).values, rtol=1e-6)
    mesh = trimesh.load(tmp_path / "run" / "b.ply", process=False)
    vertices = mesh.metadata["_ply_raw"]["vertex"]["data"]
    points = np.unique(result.compiled.model.bodies[0].triangles)
    assert vertices.dtype.names == ("x", "y", "z", *(name.replace(" ", "_") for name in FIELDS))
    for name in FIELDS:
        np.testing.assert_allclose(vertices[name.replace(" ", "_")], fields.of(name, state).values[points], rtol=1e-6)


def test_ply_names_numbers_that_do_not_fit(tmp_path: Path) -> None:
    said = r"point_data\['heat'\] must have the shape \(6,\) \(got \(3,\)\); give one number per point"
    with pytest.raises(ValueError, match=said):
        write_ply(tmp_path / "a.ply", POINTS, [[0, 1, 2]], point_data={"heat": [1.0, 2.0, 3.0]})


def test_glb_shows_the_key_frames(tmp_path: Path) -> None:
    times, frames = film(5)
    write_glb(tmp_path / "film.glb", times, [GlbMesh("a", frames, TETRAHEDRON), GlbMesh("b", frames + 1, TETRAHEDRON)])
    glb = valid((tmp_path / "film.glb").read_bytes())
    sampler = glb.json["animations"][0]["samplers"][0]
    assert sampler["interpolation"] == "LINEAR"
    np.testing.assert_allclose(glb.array(sampler["input"])[:, 0], times - 2.0, atol=1e-7)
    scale = 4.0 * np.abs(frames).max()  # base and displacement are rounded once each, and their sum once more
    for key in range(5):
        for mesh in (0, 1):
            np.testing.assert_allclose(glb.frame(key, mesh), frames[key] + mesh, atol=3 * scale * np.finfo(np.float32).eps)
        normals = vertex_normals(frames[key], TETRAHEDRON.astype(np.int64))
        np.testing.assert_allclose(glb.frame(key, name="NORMAL"), normals, atol=1e-6)


def test_normals_look_outward() -> None:
    ball = trimesh.creation.icosphere(subdivisions=2)
    outward = np.array(ball.vertices)
    np.testing.assert_allclose(
        vertex_normals(outward, np.array(ball.faces)), outward, atol=0.03
    )  # 320 triangles: not quite round


def test_glb_moves_tools_as_a_whole(tmp_path: Path) -> None:
    times, frames = film(5)
    half = 0.5**0.5
    turns = [[0, 0, 0, 1], [half, 0, 0, half], [1, 0, 0, 0]]
    wheel = GlbRigid("wheel", POINTS, TETRAHEDRON, [2.0, 2.5, 3.0], [[0, 0, 0], [0, 0, 1], [0, 0, 2]], turns)
    wall = GlbRigid("wall", POINTS, TETRAHEDRON, [2.0], [[5, 0, 0]], [[0, 0, 0, 1]])
    write_glb(tmp_path / "film.glb", times, [GlbMesh("a", frames, TETRAHEDRON)], rigid=[wheel, wall])
    glb = valid((tmp_path / "film.glb").read_bytes())
    assert glb.json["nodes"][0]["children"] == [1, 2, 3]
    assert [glb.json["meshes"][node["mesh"]]["name"] for node in glb.json["nodes"][1:]] == ["a", "wheel", "wall"]
    assert glb.json["nodes"][3]["translation"] == [5, 0, 0]
    animation = glb.json["animations"][0]
    found = {
        (item["target"]["node"], item["target"]["path"]): animation["samplers"][item["sampler"]] for item in animation["channels"]
    }
    assert set(found) == {(1, "weights"), (2, "translation"), (2, "rotation")}
    np.testing.assert_allclose(glb.array(found[2, "rotation"]["input"])[:, 0], [0.0, 0.5, 1.0])
    np.testing.assert_allclose(glb.array(found[2, "rotation"]["output"]), turns, atol=1e-7)
    np.testing.assert_allclose(glb.array(found[2, "translation"]["output"])[:, 2], [0, 1, 2])
    assert glb.json["materials"][glb.json["meshes"][1]["primitives"][0]["material"]]["name"] == "wheel"
    scene = trimesh.load(tmp_path / "film.glb", process=False)
    assert set(scene.geometry) == {"a", "wheel", "wall"}


def test_glb_names_what_is_wrong_with_tools(tmp_path: Path) -> None:
    times, frames = film(2)
    lame = GlbRigid("wheel", POINTS, TETRAHEDRON, [2.0, 3.0], [[0, 0, 0]], [[0, 0, 0, 1]])
    with pytest.raises(ValueError, match="'wheel' must have as many positions and rotations as times"):
        write_glb(tmp_path / "film.glb", times, [GlbMesh("a", frames, TETRAHEDRON)], rigid=[lame])


def test_glb_keeps_the_number_of_points(tmp_path: Path) -> None:
    times, frames = film(3)
    frames[:, 5] = frames[:, 0]
    write_glb(tmp_path / "film.glb", times, [GlbMesh("body <1>", frames, TETRAHEDRON)])
    (mesh,) = trimesh.load(tmp_path / "film.glb", process=False, merge_primitives=False).geometry.values()
    assert len(mesh.vertices) == 6


def test_glb_turns_z_up(tmp_path: Path) -> None:
    times, frames = film(1)
    write_glb(tmp_path / "one.glb", times, [GlbMesh("a", frames, TETRAHEDRON)])
    x, y, z, w = valid((tmp_path / "one.glb").read_bytes()).json["nodes"][0]["rotation"]
    # z axis turned by a unit quaternion: (2(xz + wy), 2(yz - wx), 1 - 2(x^2 + y^2))
    np.testing.assert_allclose([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], [0, 1, 0], atol=1e-12)


@pytest.mark.parametrize("name", ["a", "ab", "abc", "abcd"])
def test_glb_chunks_are_aligned(tmp_path: Path, name: str) -> None:
    times, frames = film(2)
    write_glb(tmp_path / "a.glb", times, [GlbMesh(name, frames, TETRAHEDRON)])
    assert valid((tmp_path / "a.glb").read_bytes()).json["meshes"][0]["name"] == name


def test_a_still_may_be_left_as_it_lies(tmp_path: Path) -> None:
    """Viewers whose z is up take coordinates as they are; all others get them turned."""
    mesh = GlbMesh("a", POINTS[None], TETRAHEDRON, roughness=0.95, both_sides=False)
    lying, standing = (valid(still([mesh], y_up=y_up)) for y_up in (False, True))
    assert "rotation" not in lying.json["nodes"][0]
    assert standing.json["nodes"][0]["rotation"][0] == pytest.approx(-(0.5**0.5))
    assert lying.json["materials"][0]["doubleSided"] is False
    assert lying.json["materials"][0]["pbrMetallicRoughness"]["roughnessFactor"] == 0.95


def test_glb_of_one_frame_has_no_animation(tmp_path: Path) -> None:
    times, frames = film(1)
    write_glb(tmp_path / "one.glb", times, [GlbMesh("a", frames, (), lines=[[0, 1], [1, 2]])])
    glb = valid((tmp_path / "one.glb").read_bytes())
    assert "animations" not in glb.json
    assert glb.json["meshes"][0]["primitives"][0]["mode"] == 1


def test_glb_colours_are_linear(tmp_path: Path) -> None:
    times, frames = film(2)
    colours = np.full((6, 4), [255, 188, 0, 255], np.uint8)  # 188/255 in sRGB is half the light
    write_glb(tmp_path / "c.glb", times, [GlbMesh("a", frames, TETRAHEDRON, colours=colours)])
    glb = valid((tmp_path / "c.glb").read_bytes())
    stored = glb.array(glb.json["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"]) / 65535
    np.testing.assert_allclose(stored[0], [1.0, 0.5, 0.0, 1.0], atol=0.003)


@pytest.mark.parametrize("frame_count", [1, 2, 59, 60, 61, 1000])
def test_key_frames_are_few_even_and_hold_both_ends(frame_count: int) -> None:
    keys = key_frames(frame_count, 60)
    assert (keys[0], keys[-1], len(keys)) == (0, frame_count - 1, min(frame_count, 60))
    if frame_count > 1:
        assert np.ptp(np.diff(keys)) <= 1


def test_glb_names_what_is_wrong(tmp_path: Path) -> None:
    times, frames = film(3)
    with pytest.raises(ValueError, match=r"'dough' frames must be \(3, point_count, 3\) \(got \(2, 6, 3\)\)"):
        write_glb(tmp_path / "x.glb", times, [GlbMesh("dough", frames[:2], TETRAHEDRON)])
    with pytest.raises(ValueError, match="times must be finite and increasing"):
        write_glb(tmp_path / "x.glb", times[::-1], [GlbMesh("dough", frames, TETRAHEDRON)])
    with pytest.raises(ValueError, match="must have triangles or lines"):
        write_glb(tmp_path / "x.glb", times, [GlbMesh("dough", frames, ())])


# --- whole or nothing


WRITERS = {
    "a.vtu": lambda path: write_vtu(path, POINTS, {"triangle": TETRAHEDRON}, time=1.0),
    "a.pvd": lambda path: write_pvd(path, [(0.0, "a.vtu")]),
    "a.ply": lambda path: write_ply(path, POINTS, TETRAHEDRON),
    "a.glb": lambda path: write_glb(path, *_one()),
}


def _one() -> tuple[np.ndarray, list[GlbMesh]]:
    times, frames = film(2)
    return times, [GlbMesh("a", frames, TETRAHEDRON)]


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_old_file_and_nothing_else(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError("disk full")

    (tmp_path / name).write_text("old")
    with monkeypatch.context() as patch:
        patch.setattr("yawara.files.os.fsync", full)
        with pytest.raises(OSError, match="disk full"):
            WRITERS[name](tmp_path / name)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "old")]
    WRITERS[name](tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_vtu_that_breaks_midway_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def half(path: Path, *_: object, **__: object) -> None:
        path.write_text("<VTKFile")
        raise RuntimeError("halfway")

    monkeypatch.setattr(meshio, "write", half)
    with pytest.raises(RuntimeError, match="halfway"):
        write_vtu(tmp_path / "a.vtu", POINTS, {})
    assert list(tmp_path.iterdir()) == []


def test_whoever_reads_the_old_file_keeps_it(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "old")
    with (tmp_path / "a.txt").open() as reader:
        write_text(tmp_path / "a.txt", "new")
        assert reader.read() == "old"


def test_temporary_keeps_the_suffix_and_makes_the_folder(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "new" / "a.vtu") as temporary:
        assert (temporary.suffix, temporary.parent) == (".vtu", tmp_path / "new")
        temporary.write_text("x")
    assert (tmp_path / "new" / "a.vtu").read_text() == "x"


@pytest.mark.skipif(os.name != "posix", reason="file modes are those of POSIX")
def test_files_can_be_read_by_whom_the_umask_allows(tmp_path: Path) -> None:
    write_text(tmp_path / "a.txt", "µ\n")
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o666 & ~umask
    assert (tmp_path / "a.txt").read_bytes() == b"\xc2\xb5\n"
