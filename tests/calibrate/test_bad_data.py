"""Bad data and bad experiment files are refused with exit code 2, nothing written, and words that help; doubtful ones are warned of."""

import json
import shutil
import tomllib

import numpy as np
import pytest
import tomli_w

from calibration_cases import TRUTH, clouds_of, driven_scene, experiment_of, loaded_scene, problem_of, table_text, write
from yawara.calibrate.fit_job import digest_of
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.problem import show
from yawara.calibrate.synth import Bench, measure_scene
from yawara.calibrate.synth_files import write_sample
from yawara.scene.file import scene_text


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """A bench of the pressed cube: one cloud, its force, its volume."""
    place = tmp_path_factory.mktemp("bench")
    bench = Bench(points=30, noise=2e-4, times=(0.5,), curves=("push.force_z",), seed=1)
    write_sample(measure_scene(driven_scene(), bench), place)
    return place


@pytest.fixture
def bench(sample, tmp_path):
    return shutil.copytree(sample, tmp_path / "bench")


def changed(place, change):
    """Write the experiment file anew."""
    path = place / "experiment.toml"
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(tomli_w.dumps(data), encoding="utf-8")
    return path


def part(data, kind):
    return data["experiment"]["bench"][kind][0]


def refused(command, path, out):
    """The message; nothing else was said, and nothing written."""
    code, _, message = command("fit", path, "--out", out, "--executor", "here")
    assert code == 2, message
    assert not out.exists()
    assert "Traceback" not in message
    return message


def ply(points):
    head = [
        "ply",
        "format ascii 1.0",
        f"element vertex {len(points)}",
        *(f"property double {axis}" for axis in "xyz"),
        "end_header",
    ]
    return "\n".join([*head, *(" ".join(map(repr, row)) for row in points)]) + "\n"


def cube_points(factor=1.0, shift=0.0):
    points = np.random.default_rng(0).uniform(0.0, 0.02, (12, 3))
    points[:, 2] = 0.02
    return (factor * points + shift).tolist()


# --- clouds


CLOUDS = {
    "no vertices": (ply([]), "c.ply", "file: must hold points (got none); capture again"),
    "an empty file": ("", "c.xyz", "file: must hold points (got none); capture again"),
    "only words": ("# nothing\nx y z\n", "c.xyz", "file: must hold points (got none); capture again"),
    "not a number": (
        ply([[0.0, 0.0, 0.02], [float("nan"), 0.0, 0.02]]),
        "c.ply",
        "in point 2, 1 such points in all); remove them",
    ),
    "infinite": ("0 0 0.02\n0 inf 0.02\n", "c.xyz", "in point 2, 1 such points in all); remove them"),
    "two columns": ("0 0\n1 1\n", "c.xyz", "line 1: must have three numbers (got 2); add the others"),
    "a broken row": ("0 0 0.02\n0 zero 0.02\n", "c.xyz", "line 2: must have three numbers (got '0 zero 0.02'); remove the line"),
    "not a mesh": ("this is no PLY", "c.ply", "file: cannot be read ("),
    "another format": ("0 0 0.02\n", "c.pcd", "file: must be one of .asc, .csv"),
    "millimetres": (ply(cube_points(1e3)), "c.ply", "times as much; set unit, for example unit = 'mm'"),
    "kilometres": (ply(cube_points(1e-3)), "c.ply", "times as much; set unit, for example unit = 'mm'"),
    "far away": (ply(cube_points(shift=0.5)), "c.ply", "is nowhere near body 'dough': the nearest of its points is 0.8"),
}


@pytest.mark.parametrize("name", CLOUDS)
def test_a_bad_cloud_is_refused(bench, tmp_path, command, name):
    text, file, words = CLOUDS[name]
    write(bench / file, text)
    path = changed(bench, lambda data: part(data, "cloud").update(file=file))
    message = refused(command, path, tmp_path / "out")
    assert f"{path} has 1 error:\n  experiment.bench: " in message
    assert words in message


def test_a_cloud_in_millimetres_is_read_as_such(bench, tmp_path, command):
    """The same points, once in metres and once in millimetres with their unit, give the same answer."""
    points = cube_points()
    results = []
    for number, (factor, unit) in enumerate(((1.0, "m"), (1e3, "mm"))):
        write(bench / "c.ply", ply((factor * np.array(points)).tolist()))
        path = changed(
            bench, lambda data, unit=unit: (part(data, "cloud").update(file="c.ply", unit=unit), data.update(budget=4))
        )
        assert command("fit", path, "--out", tmp_path / f"out{number}", "--executor", "here")[0] == 0
        results.append(json.loads((tmp_path / f"out{number}" / "result.json").read_text(encoding="utf-8"))["start_cost"])
    assert results[0] == pytest.approx(results[1], rel=1e-9)


def test_a_cloud_that_is_mostly_elsewhere_is_warned_of(bench, tmp_path, command):
    write(bench / "c.ply", ply([*cube_points()[:4], *cube_points(shift=0.05)[:8]]))
    path = changed(bench, lambda data: (part(data, "cloud").update(file="c.ply"), data.update(budget=2)))
    code, printed, _ = command("fit", path, "--out", tmp_path / "out", "--executor", "here")
    assert code == 0
    assert f"{bench / 'c.ply'}: only 33 % of the points are near body 'dough'; cut the rest away" in printed.replace("\n", "")


# --- tables


TIMES = np.linspace(0.1, 1.0, 10)
FORCE = np.full(10, 0.05)
HEAD = "time [s],force [N]"
SWAPPED = np.array([0.1, 0.3, 0.2, *TIMES[3:]])
TWICE = np.array([0.1, 0.2, 0.2, *TIMES[3:]])

CURVES = {
    "unsorted": (table_text(HEAD, SWAPPED, FORCE), {}, "time: must increase (got 0.2 s after 0.3 s in row 3); sort the rows"),
    "twice": (table_text(HEAD, TWICE, FORCE), {}, "time: must not have the same time twice (got 0.2 s again in row 3); average"),
    "not a number": (
        table_text(HEAD, TIMES, [np.nan, *FORCE[1:]]),
        {},
        "line 2, column 'force [N]': must be a finite number (got nan)",
    ),
    "empty": ("", {}, "is empty, or has nothing but comments; give a file with rows of numbers"),
    "a column is missing": (table_text(HEAD, TIMES, FORCE), {"value": {"column": 3}}, "must be a number from 1 to 2 (got 3)"),
    "no such name": (
        table_text(HEAD, TIMES, FORCE),
        {"value": "load"},
        "is not there; the columns are 1 'time [s]', 2 'force [N]'",
    ),
    "another unit": (table_text(HEAD, TIMES, FORCE), {"value": {"column": 2, "unit": "mm"}}, "'mm' is a unit of m, not of N"),
    "off by 1000": (table_text(HEAD, TIMES, FORCE), {"value": {"column": 2, "unit": "kN"}}, "which is 1000 times as much"),
    "too late": (table_text(HEAD, 10 * TIMES, FORCE), {}, "curve 1: reaches to 10 s, the scene ends at 1 s; raise time.end"),
    "too early": (
        table_text(HEAD, TIMES, FORCE),
        {"shift": -2.0},
        "must have rows after 0 s, where the scene begins, and until `until` (got",
    ),
    "at 0 s only": (table_text(HEAD, [0.0, 0.1], [0.0, 0.0]), {"shift": -0.1}, "must have something after 0 s (got nothing)"),
    "not measured": (
        table_text(HEAD, TIMES, FORCE),
        {"quantity": "push.force"},
        "'push.force' is not measured in this scene; did you",
    ),
    "no noise": (table_text(HEAD, TIMES, FORCE), {"noise": 0.0}, "curve.0.noise: must be > 0 the curve's SI unit (got 0)"),
}


@pytest.mark.parametrize("name", CURVES)
def test_a_bad_curve_is_refused(bench, tmp_path, command, name):
    text, change, words = CURVES[name]
    write(bench / "force.csv", text)
    new = {"file": "force.csv", "time": 1, "value": 2, **change}
    path = changed(bench, lambda data: part(data, "curve").update(new))
    assert words in refused(command, path, tmp_path / "out")


def marker(bench, *, first=0.0, factor=1.0):
    write(
        bench / "m.csv",
        table_text("t [s],x [m],y [m],z [m]", [first, 0.5], *(factor * np.array([[0.01, 0.01], [0.01, 0.01], [0.02, 0.018]]))),
    )
    return {"file": "m.csv", "time": 1, "x": 2, "y": 3, "z": 4}


def test_a_marker_is_read_and_a_bad_one_refused(bench, tmp_path, command):
    def with_marker(data, **change):
        data["experiment"]["bench"]["marker"] = [{**marker(bench, **change)}]
        data["budget"] = 2

    message = refused(command, changed(bench, lambda data: with_marker(data, factor=1e3)), tmp_path / "out")
    assert "marker 1.file: begins 24.5 m away from body 'dough', which is 0.0346 m large; check the units of" in message
    message = refused(command, changed(bench, lambda data: with_marker(data, first=0.2)), tmp_path / "out")
    assert "rest: is missing, and the first row is at 0.2 s, not at 0 s; add rest = [x, y, z] [m]" in message
    code, printed, _ = command("fit", changed(bench, with_marker), "--out", tmp_path / "out", "--executor", "here")
    assert code == 0
    assert "bench (fitted), marker 1: rms [m]" in printed


def test_a_force_off_by_a_thousand_is_warned_of(bench, tmp_path, command):
    """Millinewtons that are said to be newtons: no file can tell, but the first run does."""
    compiled_force = show(driven_scene(), [_force()]).history["push.force_z"][1:]
    write(bench / "force.csv", table_text(HEAD, TIMES, 1e3 * compiled_force))
    path = changed(bench, lambda data: (part(data, "curve").update(file="force.csv", noise=0.1), data.update(budget=3)))
    code, printed, _ = command("fit", path, "--out", tmp_path / "out", "--executor", "here")
    assert code == 0
    (words,) = [one for one in json.loads((tmp_path / "out" / "result.json").read_text())["warnings"] if "curve 1" in one]
    measured = f"{abs(1e3 * compiled_force).max():.3g} N"
    assert words.startswith(f"bench, curve 1: the largest push.force_z is {measured} as measured in {bench / 'force.csv'}, but ")
    assert "N as simulated with the start values; check the unit" in words
    assert "Note: bench, curve 1: the largest push.force_z" in printed


def _force():
    return Curve("", "push.force_z", TIMES, FORCE, 1.0, "", "N")


# --- the experiment file


def free(data, name="c1", **change):
    data["parameter"][name].update(change)


def without(data, kind):
    del data["experiment"]["bench"][kind]


FILES = {
    "volume in cm^3": (lambda d: part(d, "volume").update(value=8.0), "volume 1.value: must be near the body's 8e-06 m^3 (got 8 m^3)"),
    "no such target": (lambda d: free(d, target="body.dough.law.k7"), "c1: there is no body.dough.law.k7; valid: type, k1, c1, c2"),
    "no such body": (lambda d: free(d, target="body.doug.law.k1"), "there is no body.doug; did you mean 'dough'?"),
    "no number": (lambda d: free(d, target="body.dough.law"), "body.dough.law is not a number"),
    "a whole number": (lambda d: free(d, target="body.dough.counts.0", unit=""), "is a whole number (got 3), which cannot change"),
    "not set": (lambda d: free(d, target="body.dough.density"), "body.dough.density [kg/m^3] is not set in the scene; write a number"),
    "wrong unit": (lambda d: free(d, unit="N/m"), "unit must be 'N s/m', that of body.dough.law.c1 (got 'N/m'); convert its bounds"),
    "bounds swapped": (lambda d: free(d, low=3.0, high=1.0), "parameter.c1: low must be < high (got 3 and 1); swap them"),
    "start outside": (lambda d: free(d, start=99.0), "parameter.c1: start must be from low to high (got 99, not in "),
    "no bounds": (lambda d: d["parameter"].update(c1={"target": "body.dough.law.c1"}), "needs low and high, in its unit"),
    "scene outside": (
        lambda d: (d["parameter"]["c1"].pop("start"), free(d, low=2.0, high=3.0)),
        "the scene's value 0.3 N s/m is not within low to high (2 to 3); give start",
    ),
    "logarithm of zero": (lambda d: free(d, low=0.0), "low must be > 0 with log = true (got 0)"),
    "all fixed": (lambda d: [free(d, name, fixed=True) for name in TRUTH], "parameter must have a free entry"),
    "all held out": (lambda d: d["experiment"]["bench"].update(held_out=True), "experiment must have an entry that is fitted"),
    "target twice": (lambda d: free(d, target="body.dough.law.c2"), "must belong to one parameter (got body.dough.law.c2 in two)"),
    "a path as a name": (lambda d: d["experiment"].update({"../up": d["experiment"].pop("bench")}), "names must be letters, digits"),
    "time too late": (lambda d: part(d, "cloud").update(time=1.5), "cloud 1: reaches to 1.5 s, the scene ends at 1 s; raise time.end"),
    "time before": (lambda d: part(d, "cloud").update(time=-1.0), "experiment.bench.cloud.0.time: must be >= 0 s (got -1)"),
    "time 0": (lambda d: part(d, "cloud").update(time=0.0), "cloud 1: must have something after 0 s (got nothing)"),
    "no cloud file": (lambda d: part(d, "cloud").update(file="gone.ply"), "gone.ply: file: there is no such file; check the name"),
    "no curve file": (lambda d: part(d, "curve").update(file="gone.csv"), "gone.csv: there is no such file; check the name"),
    "no scene": (lambda d: d["experiment"]["bench"].update(scene="gone.toml"), "there is no file"),
    "no such body of a cloud": (lambda d: part(d, "cloud").update(body="bread"), "cloud.0.body: there is no body 'bread'"),
    "unit of a cloud": (lambda d: part(d, "cloud").update(unit="N"), "unit: 'N' is a unit of N, not of m"),
    "nothing measured": (lambda d: [without(d, kind) for kind in ("cloud", "curve", "volume")], "needs something measured (got nothing)"),
    "a misspelt key": (lambda d: d.update(buget=3), "buget: unknown key; did you mean 'budget'?"),
    "no such search": (lambda d: d.update(search={"method": "least_square"}), "least_square' is not known; did you mean 'least_squares'?"),
    "sum of distances of a force": (lambda d: d.update(objective="distance_sum"), "counts clouds only, but other things were measured"),
    "squares of distances": (
        lambda d: (without(d, "curve"), without(d, "volume"), d.update(objective="distance_sum", search={"method": "least_squares"})),
        "objective = 'distance_sum' is no sum of squares, which search 'least_squares' needs; choose another",
    ),
    "too few readings": (
        lambda d: (without(d, "cloud"), without(d, "curve")),
        "parameter: 3 free parameters cannot be found from 1 readings; measure more, or set fixed = true in some",
    ),
    "a start that cannot be run": (
        lambda d: free(d, "c2", low=-1.0, start=-0.5, log=False),
        "search: needs a start that can be simulated (got k1 = 5, c1 = 0.12, c2 = -0.5: bench: the scene has 1 error",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_a_bad_experiment_file_is_refused(bench, tmp_path, command, name):
    change, words = FILES[name]
    assert words in refused(command, changed(bench, change), tmp_path / "out")


@pytest.mark.parametrize(
    ("text", "words"),
    [("[parameter", "is not TOML"), ("", "parameter: is missing; add it: what is looked for, by name")],
)
def test_a_file_that_is_none_is_refused(tmp_path, command, text, words):
    assert words in refused(command, write(tmp_path / "experiment.toml", text), tmp_path / "out")


def test_a_file_that_is_not_there_is_refused(tmp_path, command):
    assert "there is no file" in refused(command, tmp_path / "gone.toml", tmp_path / "out")


def test_few_readings_are_warned_of(bench, tmp_path, command):
    write(bench / "force.csv", table_text(HEAD, TIMES[[1, 4, 9]], FORCE[:3]))

    def few(data):
        without(data, "cloud")
        part(data, "curve").update(file="force.csv")
        data["budget"] = 2

    code, printed, _ = command("fit", changed(bench, few), "--out", tmp_path / "out", "--executor", "here")
    assert code == 0
    assert "4 readings for 3 parameters: hardly anything is left to check the answer by" in printed


@pytest.mark.parametrize(
    ("kind", "noise", "words"),
    [
        ("cloud", 0.2, "cloud_1.ply: noise 0.2 m is no less than body 'dough' with 0.0346 m"),
        ("volume", 0.04, "volume 1: noise 0.04 m^3 is no less than the volume with "),
        ("curve", 50.0, "push.force_z.csv: noise 50 N is no less than the largest push.force_z with "),
    ],
)
def test_noise_in_the_wrong_unit_is_warned_of(bench, tmp_path, command, kind, noise, words):
    path = changed(bench, lambda data: (part(data, kind).update(noise=noise), data.update(budget=2)))
    code, *_ = command("fit", path, "--out", tmp_path / "out", "--executor", "here")
    assert code == 0
    warnings = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["warnings"]
    assert any(words in one and one.endswith("so that it counts for nothing; check its unit") for one in warnings)


# --- directories


def test_a_directory_with_a_fit_is_not_written_over(bench, tmp_path, command):
    path, out = changed(bench, lambda data: data.update(budget=2)), tmp_path / "out"
    assert command("fit", path, "--out", out, "--executor", "here")[0] == 0
    before = {file: file.read_bytes() for file in out.rglob("*") if file.is_file()}
    code, _, message = command("fit", path, "--out", out, "--executor", "here")
    assert code == 2
    assert f"already holds a fit; go on with --resume {out}, or choose another" in message
    assert {file: file.read_bytes() for file in out.rglob("*") if file.is_file()} == before


def test_what_was_there_before_a_refused_fit_stays(bench, tmp_path, command):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine", encoding="utf-8")
    path = changed(bench, FILES["a start that cannot be run"][0])
    assert command("fit", path, "--out", tmp_path / "out", "--executor", "here")[0] == 2
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["notes.txt"]


def interrupted(bench, out, command):
    """A fit without its result, as if it had been killed just before."""
    path = changed(bench, lambda data: data.update(budget=2))
    assert command("fit", path, "--out", out, "--executor", "here")[0] == 0
    (out / "result.json").unlink()
    return path


def test_changed_data_are_noticed_when_a_fit_is_taken_up_again(bench, tmp_path, command):
    out = tmp_path / "out"
    interrupted(bench, out, command)
    cloud = bench / "cloud_1.ply"
    whole = cloud.read_text(encoding="utf-8")
    lines = whole.splitlines()
    lines[-1] = "0.02 0.01 0.01"
    write(cloud, "\n".join(lines) + "\n")
    code, _, message = command("fit", "--resume", out, "--executor", "here")
    assert code == 2
    assert (
        "the scene, the data or the parameters have changed since this fit began; put them back, or start a new one in another directory"
        in message
    )
    assert not (out / "result.json").exists()
    write(cloud, whole)
    write(bench / "scene.toml", scene_text(loaded_scene()).replace("k1 = 2.0", "k1 = 2.1"))
    assert command("fit", "--resume", out, "--executor", "here")[0] == 2
    write(bench / "scene.toml", scene_text(driven_scene()))
    assert command("fit", "--resume", out, "--executor", "here")[0] == 0


def test_a_fit_of_an_earlier_version_is_taken_up(bench, tmp_path, command):
    """It noted its digest in problem.json."""
    out = tmp_path / "out"
    interrupted(bench, out, command)
    noted = json.loads((out / "job.json").read_text(encoding="utf-8"))["digest"]
    (out / "job.json").unlink()
    write(out / "problem.json", json.dumps({"problem": "another"}))
    assert command("fit", "--resume", out, "--executor", "here")[0] == 2
    write(out / "problem.json", json.dumps({"problem": noted}))
    assert command("fit", "--resume", out, "--executor", "here")[0] == 0


def test_a_changed_mesh_is_noticed(tmp_path):
    """The scene has its name only."""
    mesh = write(tmp_path / "tool.stl", "solid one")
    scene = loaded_scene()
    experiment = experiment_of(scene, *clouds_of(scene, points=5))
    experiment.scene["tool"] = {"ring": {"shape": "mesh", "file": str(mesh)}}
    problem = problem_of(experiment)
    before = digest_of(problem)
    assert digest_of(problem) == before
    write(mesh, "solid two")
    assert digest_of(problem) != before


def test_a_directory_without_a_fit_cannot_be_taken_up_again(tmp_path, command):
    code, _, message = command("fit", "--resume", tmp_path / "gone")
    assert code == 2
    assert "holds no fit (there is no fit.toml); start one with: yawara fit EXPERIMENT.toml --out" in message
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize(
    "arguments", [(), ("e.toml",), ("--out", "out"), ("e.toml", "--resume", "out"), ("--resume", "o", "--out", "o")]
)
def test_resume_stands_alone(command, arguments):
    code, _, message = command("fit", *arguments)
    assert code == 2
    assert "give EXPERIMENT.toml and --out DIR, or --resume DIR alone" in message
