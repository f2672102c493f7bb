"""Bodies from files of cells and of surfaces, and bodies with finer regions: mass, embedded nodes, momenta, exports, refusals."""

import meshio
import numpy as np
import pytest
import tomli_w
import trimesh

import yawara as yw
from helpers import LAWS, shaken, term
from surfaces import icosphere, torus_knot
from yawara.frame import Frame
from yawara.live.log import height_of
from yawara.meshes.subdivide import subdivided
from yawara.meshes.surface import read_surface
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner

LAW = LAWS["three_element"]
BALL, BALL_SPACING = icosphere(2, 0.05), 0.025  # [m]
KNOT, KNOT_SPACING = torus_knot(segments=60, sides=8, radius=0.05, tube=0.015), 0.012
SURFACES = {"ball": (BALL, BALL_SPACING), "knot": (KNOT, KNOT_SPACING)}
FORMATS = ("stl", "obj", "ply")
CELLS = ("tetrahedra", "lattice")


def write_surface(path, position, triangles):
    trimesh.Trimesh(position, triangles, process=False).export(path)
    return str(path)


def compiled_alone(body, **scene):
    return yw.compile_scene(yw.Scene(time=yw.Time(end=1.0), body={"body": body}, **scene))


def filled(path, name="ball", form="ply", **fields):
    surface, spacing = SURFACES[name]
    file = write_surface(path / f"{name}.{form}", *surface)
    return yw.Filled(**{"file": file, "spacing": spacing, "density": 1200.0, "law": LAW, **fields})


def evaluate(compiled, state):
    return Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation


def followed(compiled, state):
    """The state with all embedded nodes in their places."""
    Runner(compiled.model, SCHEMES["rk4"]).advance(state, compiled.control.stretch(0.0, 1.0), 0, 0, 0.0)
    return state


def order_of(position, other):
    """For each of the other points the number of the same place among the first."""
    distance = np.linalg.norm(other[:, None] - position, axis=2)
    assert distance.min(axis=1).max() < 1e-9
    return distance.argmin(axis=1)


def assert_momenta(state, force):
    scale = np.abs(force).sum()
    assert scale > 0.0
    assert np.abs(force.sum(axis=0)).max() <= 1e-12 * scale
    assert np.abs(np.cross(state.position, force).sum(axis=0)).max() <= 1e-12 * scale


# Files of cells


@pytest.mark.parametrize("form", ["vtu", "vtk", "msh", "mesh", "inp"])
def test_a_mesh_of_a_truss_is_the_truss(tmp_path, form):
    """Written with its points in any order and some cells turned over: the same forces on the same places."""
    truss = yw.Truss(counts=(4, 3, 3), spacing=0.02, law=LAW, mass=0.5)
    geometry, random = truss.geometry(), np.random.default_rng(3)
    shuffle = random.permutation(len(geometry.position))
    cells = np.argsort(shuffle)[geometry.cells["tetra"]]
    cells[::3] = cells[::3][:, [1, 0, 2, 3]]
    path = tmp_path / f"truss.{form}"
    meshio.Mesh(geometry.position[shuffle], [("tetra", cells)]).write(path)

    one, other = compiled_alone(truss), compiled_alone(yw.Mesh(file=str(path), law=LAW, mass=0.5))
    assert any("turned over" in notice for notice in other.notices)
    assert (other.model.point_count, other.model.link_count) == (one.model.point_count, one.model.link_count)
    order = order_of(one.model.rest_position, other.model.rest_position)
    state, same = shaken(one, 2, size=0.003, memory=0.0), other.state.copy()
    same.points[...] = state.points[order]
    force, found = evaluate(one, state), evaluate(other, same)
    np.testing.assert_allclose(found.force, force.force[order], rtol=0, atol=1e-9 * np.abs(force.force).max())
    assert found.stored == pytest.approx(force.stored, rel=1e-9)
    np.testing.assert_allclose(other.model.point.mass, one.model.point.mass[order], rtol=1e-9)


def write_sheet(path, z=0.0):
    geometry = yw.Sheet(counts=(4, 3), spacing=0.02, law=LAW, density=1000.0, pattern="alternating").geometry()
    position = geometry.position + np.array([0.0, 0.0, z])
    meshio.Mesh(position, [("triangle", geometry.triangles)]).write(path)
    return str(path)


def test_triangles_in_a_plane_are_a_sheet(tmp_path):
    sheet = yw.Sheet(counts=(4, 3), spacing=0.02, law=LAW, density=1000.0, pattern="alternating", thickness=0.005)
    mesh = yw.Mesh(file=write_sheet(tmp_path / "sheet.vtu"), law=LAW, density=1000.0, thickness=0.005)
    one, other = compiled_alone(sheet), compiled_alone(mesh)
    assert other.model.bodies[0].dimension == 2
    order = order_of(one.model.rest_position, other.model.rest_position)
    np.testing.assert_allclose(other.model.point.mass, one.model.point.mass[order], rtol=1e-12)
    state, same = shaken(one, 2, size=0.003, memory=0.0), other.state.copy()
    same.points[...] = state.points[order]
    force, found = evaluate(one, state).force, evaluate(other, same).force
    np.testing.assert_allclose(found, force[order], rtol=0, atol=1e-9 * np.abs(force).max())


def test_a_plane_somewhere_else_is_moved_and_told(tmp_path):
    compiled = compiled_alone(yw.Mesh(file=write_sheet(tmp_path / "sheet.vtu", z=0.3), law=LAW, density=1000.0))
    assert (compiled.model.rest_position[:, 2] == 0.0).all()
    assert compiled.notices == ("Moved from z = 0.3 m to z = 0.",)


def test_a_mesh_in_millimetres(tmp_path):
    geometry = yw.Truss(counts=(3, 3, 3), spacing=20.0, law=LAW, mass=0.5).geometry()
    meshio.Mesh(geometry.position, [("tetra", geometry.cells["tetra"])]).write(tmp_path / "mm.vtu")
    compiled = compiled_alone(yw.Mesh(file=str(tmp_path / "mm.vtu"), unit="mm", law=LAW, density=1000.0))
    assert np.ptp(compiled.model.rest_position, axis=0) == pytest.approx([0.04] * 3)
    assert compiled.model.point.mass.sum() == pytest.approx(1000.0 * 0.04**3)


# Filled surfaces


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("name", SURFACES)
def test_filled_weighs_what_its_surface_encloses(tmp_path, name, form, cells):
    """However much of it the cells fill; and the surface lies at rest where the file says."""
    body = filled(tmp_path, name, form, cells=cells, origin=(0.1, 0.2, 0.3))
    surface = read_surface(body.file)
    compiled = compiled_alone(body)
    assert compiled.model.point.mass.sum() == pytest.approx(1200.0 * surface.volume, rel=1e-12)
    enclosed = trimesh.Trimesh(*SURFACES[name][0]).volume
    assert surface.volume == pytest.approx(enclosed, rel=1e-5)  # files hold single precision
    on_surface = compiled.model.rest_position[compiled.model.bodies[0].mass_end :]
    skin = subdivided(surface, body.spacing)
    assert len(skin.position) > len(SURFACES[name][0][0])
    np.testing.assert_allclose(on_surface, skin.position + np.array(body.origin), rtol=0, atol=1e-9)
    np.testing.assert_allclose(compiled.state.position, compiled.model.rest_position, rtol=0, atol=0)


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("name", SURFACES)
def test_the_surface_moves_rigidly_with_its_cells(tmp_path, name, cells):
    compiled = compiled_alone(filled(tmp_path, name, cells=cells))
    R = trimesh.transformations.rotation_matrix(0.7, (1.0, 2.0, -0.5))[:3, :3]
    shift, spin, rest = np.array([0.3, -0.1, 0.2]), np.array([0.5, -1.0, 2.0]), compiled.model.rest_position
    masses, state = slice(0, compiled.model.bodies[0].mass_end), compiled.state.copy()
    state.position[masses] = rest[masses] @ R.T + shift
    state.velocity[masses] = np.cross(spin, state.position[masses]) + shift
    followed(compiled, state)
    np.testing.assert_allclose(state.position, rest @ R.T + shift, rtol=0, atol=1e-12)
    np.testing.assert_allclose(state.velocity, np.cross(spin, state.position) + shift, rtol=0, atol=1e-12)
    assert np.abs(evaluate(compiled, state).force).max() < 1e-10  # nothing is deformed


@pytest.mark.parametrize("cells", CELLS)
@pytest.mark.parametrize("name", SURFACES)
def test_a_pressure_in_the_whole_keeps_momenta(tmp_path, name, cells):
    """It acts on the surface, which hands its forces on to the cells."""
    weak = yw.Voigt(k=1e-9, c=0.0)
    compiled = compiled_alone(filled(tmp_path, name, cells=cells, law=weak, volume={"cavity": 2e4, "cavity_damping": 30.0}))
    state = followed(compiled, shaken(compiled, 4, size=0.002))
    force = evaluate(compiled, state).force
    assert (force[compiled.model.bodies[0].mass_end :] == 0.0).all()  # all handed on
    assert_momenta(state, force)


@pytest.mark.parametrize("cells", CELLS)
def test_barriers_and_cell_pressures_work_on_the_filling(tmp_path, cells):
    material = yw.Material(density=1000.0, youngs_modulus=1e4, poisson=0.4)
    fields = {"law": None, "density": None, "material": material, "elements": "links", "inversion_barrier": {}}
    compiled = compiled_alone(filled(tmp_path, cells=cells, **fields))
    assert len(term(compiled, "tetrahedra").packed.rest) == len(compiled.model.bodies[0].elements)
    state = followed(compiled, shaken(compiled, 4, size=0.001, speed=0.01))
    assert_momenta(state, evaluate(compiled, state).force)


def test_a_surface_in_millimetres(tmp_path):
    file = write_surface(tmp_path / "mm.ply", 1000.0 * BALL[0], BALL[1])
    one = compiled_alone(filled(tmp_path))
    other = compiled_alone(yw.Filled(file=file, unit="mm", spacing=BALL_SPACING, density=1200.0, law=LAW))
    np.testing.assert_allclose(other.model.rest_position, one.model.rest_position, rtol=0, atol=1e-8)  # single precision


def test_notices_reach_the_user(tmp_path, command):
    """How much is filled, and what was repaired: in Python with the compiled scene, on the command line as text."""
    turned = BALL[1].copy()
    turned[:5] = turned[:5, ::-1]
    body = yw.Filled(file=write_surface(tmp_path / "turned.obj", BALL[0], turned), spacing=BALL_SPACING, density=1200.0, law=LAW)
    notices = compiled_alone(body).notices
    assert "5 faces turned over to point outward." in notices
    assert any("tetrahedra fill" in notice and "% of the surface's volume" in notice for notice in notices)
    text = tomli_w.dumps(scene_table(file="turned.obj"))
    (tmp_path / "scene.toml").write_text(text, encoding="utf-8")
    code, printed, message = command("run", tmp_path / "scene.toml", "--out", tmp_path / "out")
    assert code == 0
    assert "5 faces turned over to point outward." in printed + message


def scene_table(**body):
    """A short fall as plain data."""
    law = {"type": "three_element", "k1": 40.0, "c1": 0.8, "c2": 25.0}
    table = {"shape": "filled", "spacing": BALL_SPACING, "density": 1200.0, "law": law, **body}
    return {"gravity": [0, 0, -9.81], "time": {"end": 0.01, "frame": 0.005}, "body": {"ball": table}}


def test_a_file_is_found_from_the_scene_file(tmp_path, command, monkeypatch):
    """Wherever the command is given; the run's own copy of the scene, from which it would be taken up again, finds it too."""
    (tmp_path / "meshes").mkdir()
    (tmp_path / "elsewhere").mkdir()
    write_surface(tmp_path / "meshes" / "ball.stl", *BALL)
    (tmp_path / "scene.toml").write_text(tomli_w.dumps(scene_table(file="meshes/ball.stl")), encoding="utf-8")
    monkeypatch.chdir(tmp_path / "elsewhere")
    code, _, message = command("run", tmp_path / "scene.toml", "--out", "out")
    assert (code, "error" in message) == (0, False)
    copy = yw.compile_scene(yw.load_scene("out/scene.toml"))
    skin = subdivided(read_surface(tmp_path / "meshes" / "ball.stl"), BALL_SPACING)
    assert len(copy.model.rest_position) - copy.model.bodies[0].mass_end == len(skin.position)


def open_ball(path):
    position, triangles = icosphere(5, 0.05)  # a hole of more edges than are filled
    return write_surface(path, position, triangles[position[triangles].mean(axis=1)[:, 2] < 0.01])


def far_too_large(path):
    return write_surface(path, 1000.0 * BALL[0], BALL[1])


def no_surface(path):
    path.write_text("this is no surface\n")


REFUSED = {
    "missing": (lambda path: None, {}, ["ball.ply: there is no such file", "; check the path"]),
    "open": (open_ball, {}, ["the surface is not closed", "open edges", "; holes of up to"]),
    "wrong unit": (far_too_large, {}, ["173.2 m across", "between 0.0001 m and 100 m", '; if its file is written in mm, say unit = "mm"']),
    "other wrong unit": (lambda path: write_surface(path, *BALL), {"unit": "um"}, ["1.732e-07 m across", 'say unit = "m"']),
    "not a surface": (no_surface, {}, ["ball.ply", "; "]),
    "another format": (lambda path: None, {"file": "ball.step"}, ["surfaces are read from .stl, .obj, .ply (got '.step')", "; convert"]),
    "no cells": (lambda path: None, {"shape": "mesh", "spacing": None, "file": "ball.vtu"}, ["ball.vtu", "there is no such file", "; "]),
}  # fmt: skip


@pytest.mark.parametrize(("write", "changes", "words"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_will_not_do_is_refused(tmp_path, command, write, changes, words):
    """With its place in the scene, before anything is written; in Python by the same words."""
    write(tmp_path / "ball.ply")
    table = scene_table(file="ball.ply")
    table["body"]["ball"] = {key: value for key, value in (table["body"]["ball"] | changes).items() if value is not None}
    (tmp_path / "scene.toml").write_text(tomli_w.dumps(table), encoding="utf-8")
    code, printed, message = command("run", tmp_path / "scene.toml", "--out", tmp_path / "out")
    assert code == 2
    assert "  body.ball.file: " in message
    assert "has 1 error:" in message
    assert [word for word in words if word not in message] == [], message
    assert "Traceback" not in printed + message
    assert not (tmp_path / "out").exists()
    with pytest.raises(yw.SceneError, match=r"body\.ball\.file: "):
        yw.compile_scene(yw.load_scene(tmp_path / "scene.toml"))


def test_exports_show_the_surface(tmp_path):
    """PLY and GLB hold the surface's own points and no others, VTU all points of the model."""
    body = filled(tmp_path, "knot")
    scene = yw.Scene(
        gravity=(0.0, 0.0, -9.81),
        time=yw.Time(end=0.02, frame=0.01),
        body={"knot": body},
        output=yw.Output(vtu=True, ply=True, glb=True),
    )
    run = yw.run_scene(scene, tmp_path / "run").result
    skin, model = subdivided(read_surface(body.file), body.spacing), run.compiled.model
    count = len(skin.position)
    ply = trimesh.load(tmp_path / "run" / "knot.ply", process=False)
    assert (len(ply.vertices), len(ply.faces)) == (count, len(skin.triangles))
    np.testing.assert_allclose(ply.vertices, run.state.position[model.bodies[0].mass_end :], rtol=0, atol=1e-7)
    assert ply.is_watertight
    glb = trimesh.load(tmp_path / "run" / "animation.glb", process=False)
    assert [len(mesh.vertices) for mesh in glb.geometry.values()] == [count]
    vtu = meshio.read(tmp_path / "run" / "frames" / "frame_000002.vtu")
    assert len(vtu.points) == model.point_count
    np.testing.assert_allclose(vtu.points, run.state.position, rtol=0, atol=1e-7)
    fallen = run.state.position.mean(axis=0) - model.rest_position.mean(axis=0)
    assert fallen[2] == pytest.approx(-0.5 * 9.81 * 0.02**2, rel=0.1)  # the scheme is of first order


@pytest.mark.parametrize("poisson", [0.25, 0.45])
@pytest.mark.parametrize(("cells", "error"), [("lattice", 0.01), ("tetrahedra", 0.08)])
def test_a_filled_bar_has_the_materials_modulus(tmp_path, cells, error, poisson):
    """Of a box that the cubes fill exactly; tetrahedra stand half a cube over its ends, which shortens what is stretched."""
    width, length = 0.04, 0.08
    box = trimesh.creation.box(extents=(width, width, length)).subdivide()
    material = yw.Material(density=1000.0, youngs_modulus=1e4, poisson=poisson, retardation_time=0.01)
    body = yw.Filled(
        file=write_surface(tmp_path / "bar.ply", box.vertices, box.faces), spacing=width / 4, cells=cells, material=material
    )
    left, right = ({"near": (side * width / 2, -width / 2, -length / 2)} for side in (-1, 1))
    up = (0.0, 0.0, 0.01 * length)
    scene = yw.Scene(
        time=yw.Time(end=0.4, frame=0.1, step=0.02, integrator="implicit_euler"),
        body={"bar": body},
        fix=[
            yw.Fix(body="bar", points="bottom", axes="z"),
            yw.Fix(body="bar", points=left, axes="xy"),
            yw.Fix(body="bar", points=right, axes="y"),
        ],
        drive=[yw.Drive(name="pull", body="bar", points="top", axes="z", times=[0.0, 0.2], displacement=[(0, 0, 0), up])],
    )
    force = yw.simulate(scene).history["pull.force_z"][-1]
    assert force / width**2 / 0.01 == pytest.approx(1e4, rel=error)


def test_the_volume_in_the_history_is_the_surfaces(tmp_path):
    scene = yw.Scene(time=yw.Time(end=0.01, frame=0.01), body={"ball": filled(tmp_path)})
    assert yw.simulate(scene).history["ball.volume"] == pytest.approx(read_surface(scene.body["ball"].file).volume, rel=1e-9)


# A surface as a CAD program writes it: 128 faces, fans on its ends, and a finger that is smaller than they are

SPACING = 0.01  # [m]
COARSE = trimesh.creation.cylinder(radius=0.03, height=0.06)


def cylinder(path, mesh=COARSE, **fields):
    clay = yw.Material(density=1200, youngs_modulus=1e4, retardation_time=0.005, relaxation_time=2.0)
    file = write_surface(path / "cylinder.stl", mesh.vertices, mesh.faces)
    return yw.Filled(**{"file": file, "spacing": SPACING, "material": clay, **fields})


@pytest.mark.parametrize("cells", CELLS)
def test_a_filled_body_is_measured_at_its_skin(tmp_path, cells):
    """The cells stand over it, by a quarter of the spacing at each end if they are tetrahedra; it is as high as the file says."""
    strip = {"type": "thickness", "body": "clay", "along": "x", "axis": "z", "parts": 7}
    scene = yw.Scene(
        time=yw.Time(end=0.01, frame=0.01),
        body={"clay": cylinder(tmp_path, cells=cells)},
        probe={"strip": strip, "area": {"type": "area", "body": "clay"}},
    )
    history = yw.simulate(scene).history
    rounding = 1e-6  # of single precision in the file
    assert history["clay.height"] == pytest.approx(0.06, rel=rounding)
    assert history["clay.volume"] == pytest.approx(COARSE.volume, rel=rounding)
    assert history["area"] == pytest.approx(COARSE.area, rel=rounding)
    assert history["strip.length"] == pytest.approx(0.06, rel=rounding)
    assert history["strip.least"] == pytest.approx(0.06, rel=rounding)
    assert history["strip.greatest"] == pytest.approx(0.06, rel=rounding)


def test_what_a_touch_writes_down_as_height_is_the_skins(tmp_path):
    compiled = compiled_alone(cylinder(tmp_path))
    assert height_of(compiled.model, compiled.state) == pytest.approx(0.03, rel=1e-6)


def poked(path, mesh, depth, **fields):
    """By a ball of 6 mm, off the cylinder's axis; the run."""
    poke = {"times": (0.0, 0.2), "displacement": ((0, 0, 0), (0, 0, -depth))}
    finger = yw.tools.Sphere(radius=0.006, origin=(-0.011, 0.013, 0.0361), motion=yw.tools.motion.Path(**poke))
    scene = yw.Scene(
        time=yw.Time(end=0.2, frame=0.02),
        body={"clay": cylinder(path, mesh, **fields)},
        fix=[yw.Fix(body="clay", points="bottom")],
        tool={"finger": finger},
    )
    return yw.simulate(scene)


def folds(run):
    """Edges between faces that were less than 100 degrees apart in direction, and are more than 120 now."""
    body, triangles = run.compiled.model.bodies[0], run.compiled.model.bodies[0].triangles.astype(int)
    rest, now = (
        trimesh.Trimesh(position, triangles, process=False) for position in (run.compiled.model.rest_position, run.state.position)
    )
    beside = rest.face_adjacency
    before, after = (np.einsum("ij,ij->i", *(mesh.face_normals[beside[:, n]] for n in (0, 1))) for mesh in (rest, now))
    assert len(beside) == 1.5 * len(body.triangles)
    return int(((before > np.cos(np.radians(100.0))) & (after < np.cos(np.radians(120.0)))).sum())


def test_a_coarse_surface_feels_as_a_fine_one_does(tmp_path):
    """Cut to the spacing, the file's faces do not matter. The ball sinks between nodes that are h apart by h^2/(8 R), 0.37 mm here, and
    so much does it feel less, or more where its faces bear it: 4.5 % of the force at 9 mm, which grows by 0.1 N/mm from 0.8 N."""
    coarse, fine = poked(tmp_path, COARSE, 0.009), poked(tmp_path, COARSE.subdivide_to_size(0.003), 0.009)
    assert len(fine.compiled.model.bodies[0].triangles) > 2 * len(coarse.compiled.model.bodies[0].triangles)
    force, finer = (np.abs(run.history["finger.force_z"]).max() for run in (coarse, fine))
    assert force == pytest.approx(finer, rel=0.045)
    assert (folds(coarse), folds(fine)) == (0, 0)
    assert coarse.history["clay.inverted"].max() == 0


def test_far_too_many_faces_are_refused(tmp_path):
    """A needle of fans: thin faces, of which each would be cut into hundreds."""
    needle = trimesh.creation.cone(radius=0.01, height=2.0, sections=8000)
    body = cylinder(tmp_path, needle, spacing=0.003)
    with pytest.raises(
        yw.SceneError, match=r"body\.body\.file: .*cuts the surface's .* faces into more than .*; raise spacing to"
    ):
        compiled_alone(body)


# Finer regions

ELASTIC = yw.Material(density=1000.0, youngs_modulus=1e4, poisson=0.35, retardation_time=0.01)
FINE = {
    "truss, middle": (yw.Truss, (5, 5, 7), ({"min": (0.01, 0.01, 0.02), "max": (0.03, 0.03, 0.04)},)),
    "truss, corner": (yw.Truss, (5, 5, 7), ({"min": (0, 0, 0), "max": (0.02, 0.02, 0.02)},)),
    "sheet": (yw.Sheet, (7, 9), ({"min": (0.02, 0.02, 0), "max": (0.04, 0.05, 0)},)),
}


def with_finer_region(name, boxes, **fields):
    kind, counts, _ = FINE[name]
    pattern = {"pattern": "alternating"} if kind is yw.Sheet else {}
    return kind(**{"counts": counts, "spacing": 0.01, "material": ELASTIC, "refine": boxes, **pattern, **fields})


def stretched(name, boxes):
    """By a tenth of its length, its ends sliding on plates; the run, and the force at its end [N]."""
    body = with_finer_region(name, boxes)
    flat = isinstance(body, yw.Sheet)
    axis, up = ("y", 1) if flat else ("z", 2)
    by = [0.0, 0.0, 0.0]
    by[up] = 0.1 * 0.01 * (body.counts[up] - 1)
    pins = [yw.Fix(body="body", points={"near": (0, 0, 0)}, axes="x" if flat else "xy")]
    pins.append(
        yw.Fix(body="body", points="all", axes="z") if flat else yw.Fix(body="body", points={"near": (1, 0, 0)}, axes="y")
    )
    scene = yw.Scene(
        time=yw.Time(end=0.6, frame=0.3, step=0.02, integrator="implicit_euler"),
        body={"body": body},
        fix=[yw.Fix(body="body", points="bottom", axes=axis), *pins],
        drive=[
            yw.Drive(name="pull", body="body", points="top", axes=axis, times=[0.0, 0.4], displacement=[(0, 0, 0), by],
                     interpolation="smooth"),
        ],
    )  # fmt: skip
    run = yw.simulate(scene)
    return run, run.history[f"pull.force_{axis}"][-1]


@pytest.mark.parametrize("name", FINE)
def test_points_of_a_finer_region_stay_at_their_places(name):
    """On the coarse edges where they hang: tied, and no farther off than a twentieth of the spacing in a stretched body."""
    _, _, boxes = FINE[name]
    run, _ = stretched(name, boxes)
    body = run.compiled.scene.body["body"]
    tied = body.geometry().tied
    assert len(tied) > 8
    assert any("tied" in notice and str(len(tied)) in notice for notice in run.compiled.notices)
    rest, position = run.compiled.model.rest_position, run.state.position
    np.testing.assert_allclose(rest[tied[:, 0]], rest[tied[:, 1]], rtol=0, atol=1e-12)
    off = np.linalg.norm(position[tied[:, 0]] - position[tied[:, 1]], axis=1)
    assert off.max() < 0.05 * body.spacing
    assert np.abs(position - rest).max() > 0.5 * body.spacing


@pytest.mark.parametrize("name", ["truss, middle", "truss, corner", "sheet"])
def test_a_finer_region_is_of_the_same_material(name):
    force = stretched(name, FINE[name][2])[1]
    assert force == pytest.approx(stretched(name, ())[1], rel=0.03)


@pytest.mark.parametrize("name", FINE)
def test_ties_keep_momenta(name):
    compiled = compiled_alone(with_finer_region(name, FINE[name][2]))
    state = shaken(compiled, 4, size=0.001, speed=0.01, memory=0.0)
    if compiled.model.bodies[0].dimension == 2:
        state.points[:, [2, 6]] = 0.0  # areas are measured in the plane
    force = evaluate(compiled, followed(compiled, state)).force
    assert (force[compiled.model.bodies[0].mass_end :] == 0.0).all()
    assert_momenta(state, force)


def test_a_finer_region_needs_a_spring():
    """Tied nodes take their stiffness from the links."""
    body = with_finer_region("truss, middle", FINE["truss, middle"][2], material=None, law=yw.Voigt(k=0.0, c=1.0), mass=1.0)
    with pytest.raises(yw.SceneError, match=r"body\.body\.law: must have a spring .*; use another law"):
        compiled_alone(body)


def test_a_knot_of_ten_thousand_faces(tmp_path):
    """A closed surface of 10 000 faces becomes a body of dough, is pressed, and comes out of both exports with all its points."""
    position, triangles = torus_knot(segments=250, sides=20)
    assert len(triangles) == 10_000
    path = tmp_path / "knot.stl"
    trimesh.Trimesh(position, triangles, process=False).export(path)
    knot = yw.Filled(file=str(path), spacing=0.008, material="wheat_dough", inversion_barrier={}, volume={"cavity": 1e5})
    press = yw.Drive(name="press", body="knot", points="top", times=[0.0, 0.04], displacement=[(0, 0, 0), (0, 0, -0.01)])
    scene = yw.Scene(
        time=yw.Time(end=0.04, frame=0.02, step=0.02, integrator="implicit_euler"),
        body={"knot": knot},
        fix=[yw.Fix(body="knot", points="bottom")],
        drive=[press],
        output=yw.Output(vtu=True, glb=True),
    )
    result = yw.run_scene(scene, tmp_path / "run").result
    skin = subdivided(read_surface(path), knot.spacing)
    assert result.history["knot.height"][-1] < result.history["knot.height"][0] - 0.005
    assert result.history["knot.volume"] == pytest.approx(result.history["knot.volume"][0], rel=0.01)
    assert result.history["knot.inverted"][-1] == 0
    (drawn,) = trimesh.load(tmp_path / "run" / "animation.glb").geometry.values()
    assert (len(drawn.vertices), len(drawn.faces)) == (len(skin.position), len(skin.triangles))
    frames = sorted((tmp_path / "run").rglob("*.vtu"))
    assert len(frames) == 3
    assert len(meshio.read(frames[-1]).points) == result.compiled.model.point_count


@pytest.mark.parametrize("spacing", [0.01, 0.25, 1.0])
def test_ties_count_in_the_stable_step_whatever_the_spacing(spacing):
    """A tie at rest has no length at all, or a rounding error of one: it must be as stiff in every direction."""
    refine = [{"min": (0, 0, 2 * spacing), "max": (4 * spacing, 4 * spacing, 4 * spacing)}]
    truss = yw.Truss(counts=(5, 5, 5), spacing=spacing, law=yw.Voigt(k=100.0, c=0.05), mass=0.1, refine=refine)
    press = yw.Drive(body="b", points="top", times=[0, 0.02], displacement=[(0, 0, 0), (0, 0, -0.5 * spacing)])
    scene = yw.Scene(
        time=yw.Time(end=0.02, frame=0.01), body={"b": truss}, fix=[yw.Fix(body="b", points="bottom")], drive=[press]
    )
    compiled = yw.compile_scene(scene)
    assert compiled.model.stable_step["semi_implicit_euler"] < 3e-5
    assert yw.simulate(compiled).status is yw.StepStatus.DONE


def test_the_surface_of_a_refined_body_has_no_walls_inside():
    refine = [{"min": (0, 0, 0.02), "max": (0.04, 0.04, 0.04)}]
    truss = yw.Truss(counts=(5, 5, 5), spacing=0.01, law=LAW, mass=0.1, refine=refine)
    area = {"area": {"type": "area", "body": "b"}}
    history = yw.simulate(yw.Scene(time=yw.Time(end=1e-4), body={"b": truss}, probe=area)).history
    assert history["area"][0] == pytest.approx(6 * 0.04**2)
    assert history["b.volume"][0] == pytest.approx(0.04**3)


@pytest.mark.parametrize("extra", [{"inversion_barrier": {}}, {"refine": [{"min": (0, 0, 0), "max": (0.02, 0.02, 0.02)}]}])
def test_springs_of_maxwell_arms_count_as_springs(extra):
    law = yw.GeneralizedMaxwell(k=[100.0], c=[5.0])
    yw.compile_scene(
        yw.Scene(time=yw.Time(end=1.0), body={"b": yw.Truss(counts=(4, 4, 4), spacing=0.01, law=law, mass=0.1, **extra)})
    )


def test_numbers_that_overflow_are_refused():
    truss = yw.Truss(counts=(3, 3, 3), spacing=0.01, law=LAW, mass=1e-270, volume={"cavity": 1e30})
    with pytest.raises(yw.SceneError, match="check their units"):
        yw.compile_scene(yw.Scene(time=yw.Time(end=1.0), body={"b": truss}))
