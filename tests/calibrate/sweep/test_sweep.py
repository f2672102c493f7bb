"""Sweeps: the values that are run, the table that comes out, and that nothing is lost on the way."""

import csv
import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from waiting import PATIENCE, wait_for
from yawara.calibrate.sweep.axes import parse_axes
from yawara.calibrate.sweep.perform import resume_sweep, sweep_scene
from yawara.calibrate.sweep.points import points_of
from yawara.calibrate.target import with_values
from yawara.checks import SceneError
from yawara.run import run_scene
from yawara.scene.file import load_scene, scene_data

# A chain that is stretched, let go, and held at its other end
SCENE = """
name = "a short chain"

[time]
end = 0.5
frame = 0.01

[body.chain]
shape = "chain"
counts = [3]
spacing = 0.1
mass = 0.2
law = { type = "three_element", k1 = 200.0, c1 = 1.0, c2 = 50.0 }

[[fix]]
body = "chain"
points = "first"

[[drive]]
name = "pull"
body = "chain"
points = "last"
times = [0.0, 0.2]
displacement = [[0.0, 0.0, 0.0], [0.02, 0.0, 0.0]]
release = 0.3
"""
K1 = "body.chain.law.k1"
YAWARA = Path(sys.executable).with_name("yawara")


@pytest.fixture
def path(tmp_path):
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    return tmp_path / "scene.toml"


@pytest.fixture
def scene(path):
    return load_scene(path)


def values_of(scene, *texts, **options):
    return points_of(parse_axes(texts, scene), **options).tolist()


def test_a_range_is_even_between_its_ends(scene):
    assert values_of(scene, f"{K1}=100:400:4") == [[100.0], [200.0], [300.0], [400.0]]


def test_a_logarithmic_range_has_equal_factors(scene):
    # geomspace rounds: two roundings of numbers of this size
    np.testing.assert_allclose(values_of(scene, f"{K1}=log:1:1000:4"), [[1.0], [10.0], [100.0], [1000.0]], rtol=1e-15)


def test_several_axes_make_a_grid_whose_last_axis_changes_first(scene):
    grid = values_of(scene, f"{K1}=100:200:2", "body.chain.law.c2=7,5,6")
    assert grid == [[100.0, 7.0], [100.0, 5.0], [100.0, 6.0], [200.0, 7.0], [200.0, 5.0], [200.0, 6.0]]


def test_together_takes_value_by_value(scene):
    assert values_of(scene, f"{K1}=100:200:2", "body.chain.law.c2=7,5", together=True) == [[100.0, 7.0], [200.0, 5.0]]


def test_a_sample_has_one_point_in_each_part_of_every_range(scene):
    axes = parse_axes([f"{K1}=log:1:1000", "body.chain.law.c2=10:20:3", "body.chain.counts.0=3:6", "time.end=0.5,0.6"], scene)
    points = points_of(axes, sample=30, seed=4)
    assert points.tolist() == points_of(axes, sample=30, seed=4).tolist()
    assert points.tolist() != points_of(axes, sample=30, seed=5).tolist()
    parts = np.floor(np.stack([np.log10(points[:, 0]) / 3, (points[:, 1] - 10) / 10], axis=1) * 30)
    assert [sorted(column) for column in parts.T.tolist()] == [list(range(30))] * 2  # that is what makes it a Latin hypercube
    # whole numbers and lists: each of 4 (or 2) has its even share of 30, one more or less where the parts straddle
    assert [int((points[:, 2] == count).sum()) in (7, 8) for count in (3, 4, 5, 6)] == [True] * 4
    assert [int((points[:, 3] == end).sum()) for end in (0.5, 0.6)] == [15, 15]


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ("body.chain.law.k11=1:2:3", "there is no body.chain.law.k11; did you mean 'k1'?"),
        ("body.chian.law.k1=1:2:3", "there is no body.chian; did you mean 'chain'?"),
        ("body.chain.law=1:2:3", "body.chain.law is not a number"),
        ("time.step=1e-4,1e-5", "time.step [s] is not set in the scene; write a number there first"),
        (f"{K1}", "must be a path and its values; write PATH=LOW:HIGH:COUNT"),
        (f"{K1}=", "has no values [N/m]"),
        (f"{K1}=1:2:3:4", "must have two ends and a count (got '1:2:3:4')"),
        (f"{K1}=100:50:3", "LOW must be < HIGH (got 100 and 50 N/m)"),
        (f"{K1}=1:2:1", "COUNT must be a whole number >= 2 (got '1')"),
        (f"{K1}=1:2:2.5", "COUNT must be a whole number >= 2 (got '2.5')"),
        (f"{K1}=1:2", "needs a COUNT: LOW:HIGH:COUNT; or draw from the range with --sample N"),
        (f"{K1}=log:0:2:3", "LOW must be > 0 N/m for even steps of the logarithm (got 0)"),
        (f"{K1}=1,2 kN/m", "must be a number in N/m (got '2 kN/m'); units are not written, values are in N/m: write 2000"),
        (f"{K1}=1:inf:3", "must be a finite number in N/m (got inf)"),
        (f"{K1}=5,6,5", "names 5 N/m twice"),
        (f"{K1}=-5:10:4", "must be >= 0 N/m (got -5)"),
        ("body.chain.counts.0=3:4:3", "must have whole numbers only (got 3.5); change the values, or COUNT"),
        ("body.chain.counts.0=3,4.5", "must have whole numbers only (got 4.5)"),
        ("body.chain.counts.0=0,3", "(got 0)"),
        ("time.threads=1,2", "every run of a sweep has one thread"),
        (f"{K1}=1:2:2000000", "must give at most 1,000,000 runs (got 2,000,000)"),
        ("drive.0.release=-1,0.3", "must be > 0 s (got -1); leave it out to hold for ever"),
    ],
)
def test_slips_are_answered_and_nothing_is_written(path, command, over, words):
    code, _, message = command("sweep", path, "--over", over, "--out", path.parent / "out", "--executor", "here")
    assert code == 2
    assert words in message
    assert not (path.parent / "out").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "--over: is missing; write PATH=LOW:HIGH:COUNT"),
        (("--over", f"{K1}=1,2", "--over", f"{K1}=3,4"), f"--over {K1}: is given twice"),
        (("--over", f"{K1}=1:2", "--sample", "0"), "sample: must be >= 1 (no unit) (got 0); say how many to draw"),
        (("--over", f"{K1}=1:2", "--sample", "3", "--together"), "--together: cannot be used with --sample"),
        (("--over", f"{K1}=1:2", "--sample", "3", "--seed", "-1"), "seed: must be >= 0"),
        (("--over", f"{K1}=1,2", "--over", "body.chain.law.c2=1,2,3", "--together"), "(got body.chain.law.k1: 2, body.chain.law.c2: 3)"),
        (("--over", f"{K1}=1,2", "--measure", "chain.heigth:end"), "'chain.heigth' is not measured in this scene; did you mean"),
        (("--over", f"{K1}=1,2", "--measure", "chain.height:last"), "must end in :max, :min, :end, :mean or nothing"),
        (("--over", f"{K1}=1,2", "--executor", "cloud"), "--executor: must be processes, here, dask or dask://HOST:PORT (got 'cloud')"),
        (("--over", f"{K1}=1,2", "--set", "time.end=-1"), "time.end: must be > 0 s (got -1)"),
        (("--over", "drive.0.displacement.0.0=0.01,0.02"), "no other set of values fits either"),
    ],
)  # fmt: skip
def test_slips_in_other_options_are_answered_too(path, command, options, words):
    code, _, message = command("sweep", path, *options, "--out", path.parent / "out")
    assert code == 2
    assert words in message
    assert not (path.parent / "out").exists()


@pytest.mark.parametrize("arguments", [(), ("scene.toml",), ("scene.toml", "--resume", "d"), ("--resume", "d", "--seed", "1")])
def test_resume_stands_alone(command, arguments):
    code, _, message = command("sweep", *arguments)
    assert code == 2
    assert "give SCENE.toml, --over and --out DIR, or --resume DIR alone" in message


def test_a_row_is_what_a_run_of_its_own_says(scene, tmp_path):
    measured = ("chain.height", "pull.force:max", "pull.force_x:min", "chain.length:mean")
    table = sweep_scene(scene, [f"{K1}=100,300"], measure=measured, executor="here")
    for row, k1 in zip(table.rows, (100.0, 300.0), strict=True):
        one = with_values(scene_data(scene), {K1: k1})
        one = one.model_copy(update={"time": one.time.model_copy(update={"threads": 1})})
        outcome = run_scene(one, tmp_path / f"{k1:g}")
        figures, recovery, history = outcome.summary["figures"], outcome.summary["recovery"]["pull"], outcome.result.history
        force = np.sqrt(sum(history[f"pull.force_{axis}"] ** 2 for axis in "xyz"))
        length, dt = history["chain.length"], 0.01
        mean = dt * (length.sum() - 0.5 * (length[0] + length[-1])) / 0.5
        assert row == {
            K1: k1,
            "pull.pressed": recovery["pressed_m"],
            "pull.returned": recovery["returned_m"],
            "pull.residual": recovery["residual_m"],
            "pull.peak_force": recovery["peak_force_N"],
            "chain.height:max": figures["chain.height"]["greatest"],
            "chain.height:end": figures["chain.height"]["last"],
            "pull.force:max": float(force.max()),
            "pull.force_x:min": figures["pull.force_x"]["least"],
            "chain.length:mean": pytest.approx(mean, rel=1e-13),  # sums of 51 numbers in another order
            "status": "done",
        }


def test_what_is_measured_if_nothing_is_asked_for(scene):
    table = sweep_scene(scene, {K1: [100.0]}, executor="here")
    recovery = ["pull.pressed", "pull.returned", "pull.residual", "pull.peak_force"]
    assert table.names == [K1, *recovery, "chain.length:end", "chain.height:end", "status"]
    held = scene.model_copy(update={"drive": (scene.drive[0].model_copy(update={"release": None}),)})
    assert sweep_scene(held, {K1: [100.0]}, executor="here").names == [
        K1, "chain.length:end", "chain.height:end", "pull.force:max", "status",
    ]  # fmt: skip


def test_whole_numbers_can_be_varied(scene):
    table = sweep_scene(scene, ["body.chain.counts.0=3:5:3"], measure=["chain.length:max"], executor="here")
    assert [row["body.chain.counts.0"] for row in table.rows] == [3, 4, 5]
    natural = np.array([0.2, 0.3, 0.4])
    assert ((table["chain.length:max"] > natural) & (table["chain.length:max"] < natural + 0.1)).all()
    assert table.csv().splitlines()[1].startswith("3,")


def test_runs_that_fail_are_rows_with_their_reason(scene, tmp_path, command, path):
    out = tmp_path / "out"
    code, _, message = command(
        "sweep", path, "--over", "time.frame=0.01,0.3", "--over", "time.end=0.2,0.5", "--out", out, "--executor", "here"
    )
    assert code == 0
    assert "1 of 4 runs failed" in message
    with (out / "sweep.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["status"] for row in rows] == [
        "done", "done", "time: frame must be <= end = 0.2 s (got 0.3 s); look more often", "done",
    ]  # fmt: skip
    # the drive lets go at 0.3 s: a run that ends before has no recovery
    assert [row["pull.residual [m]"] != "" for row in rows] == [False, True, False, True]
    assert [row["chain.height:end [m]"] != "" for row in rows] == [True, True, False, True]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Runs that failed" in page
    assert "look more often" in page


def test_a_run_that_flies_apart_is_a_row_too(scene):
    unstable = scene.model_copy(update={"time": scene.time.model_copy(update={"step": 1e-3})})
    table = sweep_scene(unstable, ["drive.0.displacement.1.0=0.02,1e6"], executor="here")
    assert table.rows[0]["status"] == "done"
    assert "Body 'chain'" in table.rows[1]["status"]
    assert np.isnan(table["chain.length:end"]).tolist() == [False, True]


def test_exit_code_if_no_run_succeeds(path, command, tmp_path):
    code, _, message = command(
        "sweep", path, "--over", "drive.0.displacement.1.0=1e6,2e6", "--out", tmp_path / "out", "--executor", "here"
    )
    assert code == 3
    assert "2 of 2 runs failed" in message
    assert (tmp_path / "out" / "sweep.csv").exists()


def test_the_files_of_a_sweep(path, command, tmp_path, scene):
    out = tmp_path / "out"
    arguments = ("--over", f"{K1}=100:300:3", "--measure", "chain.height:end", "--set", "body.chain.law.c2=40")
    code, printed, message = command("sweep", path, *arguments, "--out", out, "--executor", "here")
    assert (code, message) == (0, "")
    assert {file.name for file in out.iterdir()} == {
        "request.toml",
        "job.json",
        "sweep.csv",
        "sweep.json",
        "report.html",
        "summary.json",
    }
    lines = (out / "sweep.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0].split(",")[:2] == ["body.chain.law.k1 [N/m]", "pull.pressed [m]"]
    assert lines[0].endswith("chain.height:end [m],status")
    data = json.loads((out / "sweep.json").read_text(encoding="utf-8"))
    assert [column["unit"] for column in data["columns"]] == ["N/m", "m", "m", "m", "N", "m"]
    varied = scene.model_copy(update={"body": with_values(scene_data(scene), {"body.chain.law.c2": 40.0}).body})
    assert data["rows"] == sweep_scene(varied, {K1: [100, 200, 300]}, measure=["chain.height:end"], executor="here").rows
    assert [float(line.split(",")[-2]) for line in lines[1:]] == [row["chain.height:end"] for row in data["rows"]]
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert (summary["runs"], summary["failed"]) == (3, 0)
    assert 0.0 < summary["run_time_s"]["median"] <= summary["run_time_s"]["longest"] <= summary["wall_time_s"]
    assert "k1" in printed
    assert f"Table: {out / 'sweep.csv'}. Report: {out / 'report.html'}" in printed

    before = {file.name: file.read_bytes() for file in out.iterdir()}
    assert command("sweep", "--resume", out)[:2] == (0, f"{out} is complete; nothing to do.\n")
    code, _, message = command("sweep", path, *arguments, "--out", out)
    assert code == 2
    assert f"already holds a sweep; go on with --resume {out}, or choose another" in message
    assert {file.name: file.read_bytes() for file in out.iterdir()} == before


def test_a_directory_of_something_else_is_refused(path, command, tmp_path):
    (tmp_path / "summary.json").write_text("{}", encoding="utf-8")
    code, _, message = command("sweep", path, "--over", f"{K1}=1,2", "--out", tmp_path)
    assert code == 2
    assert "already holds a summary.json of something else; choose another" in message
    code, _, message = command("sweep", "--resume", tmp_path)
    assert code == 2
    assert "holds no sweep (there is no request.toml); start one with: yawara sweep SCENE.toml --over" in message


def test_a_request_that_was_changed_is_not_gone_on_with(scene, tmp_path, command):
    """Runs of two scenes in one table would not be told apart."""

    def stop(standing):
        if standing.asked == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep_scene(scene, [f"{K1}=100:300:4"], directory=tmp_path / "out", executor="here", progress=stop)
    request = tmp_path / "out" / "request.toml"
    text = request.read_text(encoding="utf-8")
    request.write_text(text.replace("100:300:4", "100:300:5"), encoding="utf-8")
    code, _, message = command("sweep", "--resume", tmp_path / "out", "--executor", "here")
    assert code == 2
    assert "the scene, the meshes that it names or what is varied have changed since this sweep began" in message
    request.write_text(text, encoding="utf-8")
    (tmp_path / "out" / "job.json").unlink()  # as earlier versions left it
    assert command("sweep", "--resume", tmp_path / "out", "--executor", "here")[0] == 0


def test_interrupted_between_two_runs_it_goes_on_there(scene, tmp_path):
    over = [f"{K1}=100:300:4"]
    whole = sweep_scene(scene, over, directory=tmp_path / "whole", executor="here")

    def stop(standing):
        if standing.asked == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep_scene(scene, over, directory=tmp_path / "broken", executor="here", progress=stop)
    (tmp_path / "broken" / ".sweep.0123abcd.csv").write_text("half a table", encoding="utf-8")
    seen = []
    again = resume_sweep(tmp_path / "broken", executor="here", progress=lambda standing: seen.append(standing))
    assert again.rows == whole.rows
    assert [(one.asked, one.fresh) for one in seen[:3]] == [(2, 0), (3, 1), (4, 2)]  # two were there already
    assert {one.budget for one in seen} == {4}
    assert {file.name for file in (tmp_path / "broken").iterdir()} == {file.name for file in (tmp_path / "whole").iterdir()}


def test_points_drawn_twice_are_run_once(scene):
    seen = []
    table = sweep_scene(
        scene, [f"{K1}=100,200"], sample=6, executor="here", progress=lambda standing: seen.append(standing.fresh)
    )
    assert len(table.rows) == 6
    assert max(seen) == 2


def start(place, *arguments):
    return subprocess.Popen([YAWARA, "sweep", *arguments], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process):
    message = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == 0, message


def wait_until(ready, process):
    def ready_and_alive():
        assert process.poll() is None, process.stderr.read().decode()
        return ready()

    wait_for(ready_and_alive, "it has come so far")


def children_of(process):
    """Process numbers; a zombie is none."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            _, _, rest = status.read_text(encoding="utf-8").rpartition(")")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if int(parent) == process.pid and state != "Z":
            found.append(int(status.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("executor", ["here", "processes"])
def test_killed_and_resumed_it_ends_with_the_same_table(path, executor):
    place = path.parent
    settings = ("body.chain.counts=[20]", "time.step=5e-6")  # some tenths of a second for each run
    over = ("--over", f"{K1}=100:300:10", *(part for setting in settings for part in ("--set", setting)))
    who = ("--executor", executor, "--workers", "2")
    process = start(place, "scene.toml", *over, *who, "--out", "killed")
    journal = place / "killed" / "runs.journal"
    wait_until(lambda: journal.exists() and journal.stat().st_size > 0, process)
    children = children_of(process)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stderr.close()
    assert not (place / "killed" / "sweep.csv").exists()
    wait_for(lambda: not any(Path(f"/proc/{child}").exists() for child in children), "no worker stays behind")
    finish(start(place, "--resume", "killed", *who))
    sweep_scene(load_scene(path, settings), [f"{K1}=100:300:10"], directory=place / "peaceful", executor="here")
    for name in ("request.toml", "sweep.csv", "sweep.json"):
        assert (place / "killed" / name).read_bytes() == (place / "peaceful" / name).read_bytes()


def test_a_worker_that_is_killed_loses_no_result(scene):
    over, killed = {K1: np.linspace(100, 300, 8)}, []

    def kill_one(standing):
        if standing.fresh >= 2 and not killed:
            killed.append(multiprocessing.active_children()[0])
            os.kill(killed[0].pid, signal.SIGKILL)

    table = sweep_scene(scene, over, executor="processes", workers=2, progress=kill_one)
    assert killed
    assert table.rows == sweep_scene(scene, over, executor="here").rows


def test_progress_counts_runs(scene):
    seen = []
    sweep_scene(
        scene, [f"{K1}=100:300:3"], executor="here", progress=lambda standing: seen.append((standing.asked, standing.budget))
    )
    assert seen[:4] == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_unknown_columns_are_named(scene):
    table = sweep_scene(scene, {K1: [100.0]}, executor="here")
    with pytest.raises(KeyError, match="no column 'k2'; there are "):
        table["k2"]


def test_if_no_set_of_values_can_be_that_is_a_slip(scene):
    with pytest.raises(SceneError, match="no other set of values fits either"):
        sweep_scene(scene, ["time.frame=0.6,0.7"], executor="here")
