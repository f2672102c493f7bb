"""What a run leaves in its directory: scene, history, positions, summary, exports; each whole or not there, each with units."""

import csv
import json
import tomllib

import h5py
import meshio
import numpy as np
import pytest
import trimesh

import yawara
import yawara.cli
import yawara.observe.recorder
from yawara.observe.positions import Positions
from yawara.observe.recorder import Recorder
from yawara.run import Checkpointer
from yawara.scene.file import load_scene, read_scene, scene_text

EVERYTHING = """
format = 1
name = "everything at once"
gravity = [0.1, 0.0, -9.81]

[time]
end = 0.03
frame = 0.004
step = 2e-5
integrator = "rk4"
threads = 1

[body.dough]
shape = "truss"
counts = [3, 3, 3]
spacing = 0.01
density = 1200.0
law = { type = "three_element", k1 = 300.0, c1 = 6.0, c2 = 900.0 }

[body.jelly]
shape = "lattice"
counts = [3, 2, 3]
spacing = 0.01
mass = 0.02
mass_sharing = "equal"
origin = [0.1, 0.0, 0.0]
velocity = [0.0, 0.05, 0.0]
law = { type = "generalized_maxwell", k = [30.0, 20.0], c = [3.0, 15.0], k_inf = 10.0, c_inf = 0.4 }

[body.skin]
shape = "sheet"
counts = [3, 4]
spacing = 0.01
thickness = 0.002
pattern = "alternating"
density = 1000.0
origin = [0.2, 0.0, 0.0]
law = { type = "generalized_voigt", k = [60.0, 40.0, 0.0], c = [1.0, 6.0, 50.0] }

[body.net]
shape = "sheet"
counts = [3, 3]
spacing = 0.01
pattern = "braced"
density = 1000.0
origin = [0.3, 0.0, 0.0]
law = { type = "maxwell", k = 40.0, c = 30.0 }

[body.string]
shape = "chain"
counts = [4]
spacing = 0.01
cross_section = 2e-4
density = 1000.0
origin = [0.4, 0.0, 0.0]
law = { type = "internal_friction", k = 40.0, c1 = 0.8, c2 = 10.0, friction = 0.01 }

[body.rope]
shape = "chain"
counts = [3]
spacing = 0.01
density = 1000.0
origin = [0.5, 0.0, 0.0]
law = { type = "force_dependent_damper", k1 = 40.0, c1 = 0.8, c_max = 60.0, c_min = 6.0, f1 = 0.2, f2 = 1.5 }

[body.spring]
shape = "chain"
counts = [2]
spacing = 0.01
density = 1000.0
origin = [0.6, 0.0, 0.0]
law = { type = "voigt", k = 40.0, c = 0.8 }

[[fix]]
body = "dough"
points = "bottom"

[[fix]]
name = "rail"
body = "jelly"
points = "all"
axes = "x"

[[fix]]
body = "string"
points = [0]

[[drive]]
name = "press"
body = "dough"
points = "top"
times = [0.0, 0.01, 0.015]
displacement = [[0.0, 0.0, 0.0], [0.0, 0.0, -0.001], [0.0, 0.0, -0.001]]
release = 0.02

[[drive]]
name = "pull"
body = "skin"
points = { min = [0.0, 0.025, 0.0], max = [0.1, 0.1, 0.0] }
axes = "yz"
times = [0.005, 0.02]
displacement = [[0.0, 0.0, 0.0], [0.0, 0.001, 0.0]]
interpolation = "smooth"

[[force]]
body = "rope"
points = "last"
times = [0.01]
force = [[0.01, 0.0, 0.0]]

[[force]]
name = "push"
body = "net"
points = { near = [0.02, 0.02, 0.0] }
times = [0.0, 0.02]
force = [[0.0, 0.0, 0.0], [0.001, 0.0, 0.0]]
interpolation = "linear"

[[force]]
body = "spring"
points = [1]
times = [0.0, 0.02]
force = [[0.0, 0.0, 0.0], [0.001, 0.0, 0.0]]
interpolation = "smooth"

[probe.floor]
type = "force"
body = "dough"
points = "bottom"

[probe.corner]
type = "displacement"
body = "dough"
points = [26]

[probe.gap]
type = "distance"
body = "dough"
points = "top"
other_body = "jelly"
other_points = "top"

[probe.jelly_volume]
type = "volume"
body = "jelly"

[probe.skin_area]
type = "area"
body = "skin"

[output]
vtu = true
ply = true
glb = true
"""
FRAMES = 9  # the first one, seven of 4 ms, and a shorter one at the end

SMALL = """
[time]
end = 0.02
frame = 0.002
[body.dough]
shape = "truss"
counts = [3, 3, 3]
spacing = 0.01
density = 1200.0
law = { type = "three_element", k1 = 300.0, c1 = 6.0, c2 = 900.0 }
[[fix]]
body = "dough"
points = "bottom"
[[drive]]
name = "press"
body = "dough"
points = "top"
times = [0.0, 0.01]
displacement = [[0.0, 0.0, 0.0], [0.0, 0.0, -0.002]]
release = 0.013
"""


def small_scene():
    return read_scene(tomllib.loads(SMALL))


def contents(directory):
    """Every file under a directory, by its path in it."""
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def state_of(directory):
    """The arrays of a checkpoint's state."""
    with np.load(directory / "checkpoint.npz") as saved:
        return {name: saved[name] for name in ("time", "step_count", "points", "links.internal", "anchor", "account")}


def header_and_table(directory):
    header, *rows = csv.reader((directory / "history.csv").read_text(encoding="utf-8").splitlines())
    return header, np.array(rows, float)


# --- one run of everything


@pytest.fixture(scope="module")
def everything(tmp_path_factory):
    """The scene file, and the directory of its run."""
    place = tmp_path_factory.mktemp("everything")
    (place / "scene.toml").write_text(EVERYTHING, encoding="utf-8")
    yawara.run_scene(load_scene(place / "scene.toml"), place / "run", checkpoint_seconds=0.0)
    return place / "scene.toml", place / "run"


def test_the_files_of_a_run(everything):
    frames = {f"frames/frame_{index:06d}.vtu" for index in range(FRAMES)}
    surfaces = {f"{body}.ply" for body in ("dough", "jelly", "skin", "net")}
    always = {"scene.toml", "job.json", "checkpoint.npz", "history.csv", "history.h5", "report.html", "summary.json"}
    assert set(contents(everything[1])) == always | frames | surfaces | {"frames.pvd", "animation.glb"}


def test_no_exports_unless_asked_for(tmp_path):
    yawara.run_scene(small_scene(), tmp_path / "run")
    assert set(contents(tmp_path / "run")) == {
        "scene.toml",
        "job.json",
        "checkpoint.npz",
        "history.csv",
        "history.h5",
        "report.html",
        "summary.json",
    }


def test_nothing_temporary_remains(everything):
    assert [path.name for path in everything[1].rglob("*") if path.name.startswith(".") or path.name == "parts"] == []


def test_the_history_has_units_and_a_row_per_frame(everything):
    header, table = header_and_table(everything[1])
    expected = {
        "time [s]", "dough.volume [m^3]", "dough.height [m]", "skin.area [m^2]", "string.length [m]", "press.force_z [N]",
        "press.displacement_z [m]", "fix1.force_x [N]", "floor.force_z [N]", "corner.displacement_x [m]", "gap [m]",
        "jelly_volume [m^3]", "skin_area [m^2]", "energy.stored [J]", "energy.balance_error [J]",
    }  # fmt: skip
    assert expected <= set(header)
    assert len(set(header)) == len(header)
    assert table.shape == (FRAMES, len(header))
    assert np.isfinite(table).all()
    np.testing.assert_allclose(table[:, 0], [*(0.004 * n for n in range(FRAMES - 1)), 0.03], rtol=1e-15)


def test_hdf5_holds_the_same_numbers_with_units_and_the_positions(everything):
    scene, directory = everything
    header, table = header_and_table(directory)
    with h5py.File(directory / "history.h5") as file:
        assert {f"{name} [{data.attrs['unit']}]" for name, data in file["history"].items()} == set(header)
        for column, values in zip(header, table.T, strict=True):
            assert file["history"][column.split(" [")[0]][...].tobytes() == values.tobytes(), column
        assert file["position"].attrs["unit"] == "m"
        position = file["position"][...]
    model = yawara.compile_scene(load_scene(scene)).model
    assert position.shape == (FRAMES, model.point_count, 3)
    assert position[0].tobytes() == model.rest_position.tobytes()
    assert position[-1].tobytes() == state_of(directory)["points"][:, :3].tobytes()


def test_positions_are_left_out_if_not_wanted(tmp_path):
    yawara.run_scene(read_scene(tomllib.loads(SMALL), ["output={positions = false, energies = false}"]), tmp_path / "run")
    with h5py.File(tmp_path / "run" / "history.h5") as file:
        assert list(file) == ["history"]
        assert not any(name.startswith("energy.") for name in file["history"])


def test_the_summary_has_every_figure(everything):
    scene, directory = everything
    header, table = header_and_table(directory)
    summary = json.loads((directory / "summary.json").read_text(encoding="utf-8"))
    assert set(summary) == {
        "scene", "status", "failure", "warnings", "bodies", "figures", "recovery", "energy_balance_error", "stepping", "wall_time_s",
        "steps_per_second", "parameters", "versions",
    }  # fmt: skip
    assert {f"{name} [{figure['unit']}]" for name, figure in summary["figures"].items()} == set(header)
    for column, values in zip(header, table.T, strict=True):
        figure = summary["figures"][column.split(" [")[0]]
        expected = {"first": values[0], "last": values[-1], "least": values.min(), "greatest": values.max()}
        assert {key: figure[key] for key in expected} == expected, column
    assert summary["failure"] is None
    dough = summary["bodies"]["dough"]
    assert dough == {"shape": "truss", "points": 27, "elements": "links", "links": 90, "mass_kg": pytest.approx(1200.0 * 0.02**3)}
    assert set(summary["recovery"]) == {"press"}
    assert set(summary["recovery"]["press"]) == {"pressed_m", "returned_m", "residual_m", "peak_force_N"}
    assert summary["stepping"]["steps"] == state_of(directory)["step_count"]
    assert read_scene(summary["parameters"]) == load_scene(scene)
    assert {"yawara", "numpy", "numba", "python"} <= set(summary["versions"])


def test_other_programs_read_the_exports(everything):
    directory, points = everything[1], state_of(everything[1])["points"][:, :3]
    last = meshio.read(directory / "frames" / f"frame_{FRAMES - 1:06d}.vtu")
    np.testing.assert_array_equal(last.points, points)
    assert {"velocity", "displacement", "force"} <= set(last.point_data)
    listed = (directory / "frames.pvd").read_text(encoding="utf-8")
    assert all(f"frames/frame_{index:06d}.vtu" in listed for index in range(FRAMES))
    surface = trimesh.load(directory / "dough.ply", process=False)
    assert surface.is_watertight
    assert surface.volume == pytest.approx(header_value(directory, "dough.volume"), rel=1e-5)  # single precision
    assert len(trimesh.load(directory / "animation.glb").geometry) == 7


def header_value(directory, name):
    """The last value of a column."""
    header, table = header_and_table(directory)
    return table[-1, [column.split(" [")[0] for column in header].index(name)]


# --- the stored scene


def test_scene_file_scene_text_scene_is_the_same(everything):
    scene = load_scene(everything[0])
    text = scene_text(scene)
    again = read_scene(tomllib.loads(text))
    assert again == scene
    assert scene_text(again) == text


def test_the_stored_scene_is_the_one_that_ran(everything):
    scene, directory = everything
    assert load_scene(directory / "scene.toml") == load_scene(scene)


def test_the_stored_scene_fixes_the_thread_count(tmp_path):
    yawara.run_scene(small_scene(), tmp_path / "run")
    assert load_scene(tmp_path / "run" / "scene.toml").time.threads == 1


def test_settings_change_the_stored_scene(tmp_path, command):
    (tmp_path / "scene.toml").write_text(SMALL, encoding="utf-8")
    settings = ["body.dough.law.k1=250", "name=softer", "drive.0.times.1=0.011", "body.dough.velocity=[0.0, 0.0, 0.1]"]
    options = [word for setting in settings for word in ("--set", setting)]
    code, printed, _ = command("run", tmp_path / "scene.toml", "--out", tmp_path / "run", *options)
    assert code == 0
    assert "press: pressed 0.002 m" in printed
    stored = load_scene(tmp_path / "run" / "scene.toml")
    assert (stored.body["dough"].law.k1, stored.name, stored.drive[0].times[1]) == (250.0, "softer", 0.011)
    assert stored.body["dough"].velocity == (0.0, 0.0, 0.1)
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["parameters"]["body"]["dough"]["law"]["k1"] == 250.0


def test_python_objects_and_the_file_run_alike_bit_for_bit(tmp_path, command):
    (tmp_path / "scene.toml").write_text(SMALL, encoding="utf-8")
    assert command("run", tmp_path / "scene.toml", "--out", tmp_path / "run")[0] == 0
    scene = yawara.Scene(
        time=yawara.Time(end=0.02, frame=0.002),
        body={
            "dough": yawara.Truss(
                counts=(3, 3, 3), spacing=0.01, density=1200.0, law=yawara.ThreeElement(k1=300.0, c1=6.0, c2=900.0)
            )
        },
        fix=(yawara.Fix(body="dough", points="bottom"),),
        drive=(
            yawara.Drive(
                name="press",
                body="dough",
                points="top",
                times=(0.0, 0.01),
                displacement=((0.0, 0.0, 0.0), (0.0, 0.0, -0.002)),
                release=0.013,
            ),
        ),
    )
    result = yawara.simulate(scene)
    for name, values in state_of(tmp_path / "run").items():
        assert np.asarray(result.state.arrays()[name]).tobytes() == values.tobytes(), name
    assert result.history.csv() == (tmp_path / "run" / "history.csv").read_text(encoding="utf-8")


# --- what must not be spoilt


def test_a_directory_that_holds_a_run_is_left_alone(tmp_path, command):
    (tmp_path / "scene.toml").write_text(SMALL, encoding="utf-8")
    assert command("run", tmp_path / "scene.toml", "--out", tmp_path / "run")[0] == 0
    before = contents(tmp_path / "run")
    code, _, message = command("run", tmp_path / "scene.toml", "--out", tmp_path / "run", "--set", "body.dough.spacing=0.02")
    assert code == 2
    assert f"{tmp_path / 'run'}" in message
    assert f"already holds a run; go on with --resume {tmp_path / 'run'}, or choose another" in message
    assert contents(tmp_path / "run") == before


@pytest.mark.parametrize("out", ["note.txt", "note.txt/run"])
def test_a_file_in_the_place_of_the_directory_is_bad_input(tmp_path, command, out):
    (tmp_path / "scene.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "note.txt").write_text("keep me", encoding="utf-8")
    code, _, message = command("run", tmp_path / "scene.toml", "--out", tmp_path / out)
    assert code == 2
    assert "note.txt" in message
    assert (tmp_path / "note.txt").read_text(encoding="utf-8") == "keep me"


def half_then_fail(write, *, good_calls):
    """A writer that after some good calls puts down a few bytes and then finds the disk full."""
    calls = iter(range(10**6))

    def wrapped(target, *arguments, **keywords):
        if next(calls) < good_calls:
            return write(target, *arguments, **keywords)
        if hasattr(target, "write"):
            target.write(b"half of it")
        raise OSError(28, "No space left on device")

    return wrapped


@pytest.mark.parametrize(
    ("place", "writer", "good_calls", "lost"),
    [
        pytest.param(np, "save", 2, "parts/000000002.npy", id="positions"),
        pytest.param(np, "savez", 3, None, id="checkpoint"),  # an earlier one is there, and stays
        pytest.param(h5py.Group, "create_dataset", 3, "history.h5", id="history"),
        pytest.param(yawara.observe.recorder, "write_text", 0, "history.csv", id="table"),
        pytest.param(json, "dumps", 1, "summary.json", id="summary"),  # after the stamp
    ],
)
def test_a_full_disk_leaves_no_half_file_and_the_run_can_go_on(tmp_path, place, writer, good_calls, lost):
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    yawara.run_scene(small_scene(), whole, checkpoint_seconds=0.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place, writer, half_then_fail(getattr(place, writer), good_calls=good_calls))
        with pytest.raises(OSError, match="No space left"):
            yawara.run_scene(small_scene(), broken, checkpoint_seconds=0.0)
    left = contents(broken)
    assert not any(path.rpartition("/")[2].startswith(".") for path in left)
    assert lost not in left
    assert "summary.json" not in left
    assert all(np.isfinite(values).all() for values in state_of(broken).values())
    yawara.resume_run(broken)
    assert set(contents(broken)) == set(contents(whole))
    assert contents(broken)["history.csv"] == contents(whole)["history.csv"]
    for name, values in state_of(whole).items():
        assert state_of(broken)[name].tobytes() == values.tobytes(), name


def test_a_table_that_never_acts_is_told(tmp_path):
    """Not refused: a run may be shortened for a quick look."""
    body = yawara.Chain(counts=(2,), spacing=1.0, mass=1.0, law=yawara.Voigt(k=1.0, c=1.0))
    late = yawara.Force(body="chain", points="last", times=(5.0,), force=((1.0, 0.0, 0.0),))
    words = []
    yawara.run_scene(yawara.Scene(time=yawara.Time(end=0.1), body={"chain": body}, force=(late,)), tmp_path, notify=words.append)
    assert "force.0 never acts: it begins at 5 s, the run ends at 0.1 s." in words


def test_wall_time_counts_what_was_before_the_interruption(tmp_path):
    assert Checkpointer(tmp_path, Recorder([]), Positions(tmp_path / "parts"), 1.0, wall_before=100.0).wall_time >= 100.0
