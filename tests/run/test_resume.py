"""A run that is killed, however often and whenever, ends bit for bit as one that was left in peace."""

import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import tomli_w
import trimesh

from waiting import PATIENCE, wait_for

# Points that are caught, released, caught again where they are then, and released again; corners that fall between frames.
SCENE = """
[time]
end = 2.0
frame = 0.01
step = 2e-5
integrator = "semi_implicit_euler"

[body.dough]
shape = "truss"
counts = [6, 6, 5]
spacing = 0.01
density = 1200.0
law = { type = "three_element", k1 = 300.0, c1 = 2.0, c2 = 90.0 }

[body.arm]
shape = "chain"
counts = [4]
spacing = 0.02
density = 1200.0
origin = [0.0, 0.1, 0.0]
law = { type = "internal_friction", k = 40.0, c1 = 0.8, c2 = 10.0, friction = 0.01 }

[[fix]]
body = "dough"
points = "bottom"

[[fix]]
body = "arm"
points = "first"

[[drive]]
name = "press"
body = "dough"
points = "top"
times = [0.0, 0.3]
displacement = [[0.0, 0.0, 0.0], [0.0, 0.0, -0.01]]
release = 0.5

[[drive]]
name = "again"
body = "dough"
points = "top"
times = [0.905, 1.2]
displacement = [[0.0, 0.0, 0.0], [0.004, 0.0, 0.0]]
interpolation = "smooth"
release = 1.503

[[force]]
body = "arm"
points = "last"
times = [0.0, 0.777]
force = [[0.05, 0.0, 0.0], [0.0, 0.0, 0.0]]
"""
STATE = ("time", "step_count", "points", "links.internal", "anchor", "account")
YAWARA = Path(sys.executable).with_name("yawara")
# frames: before the first one is saved, while the top is driven, and after it was caught again; where it is killed and how many threads
# it has have nothing to do with each other
KILL_AFTER = {1: (-1, 30, 100), 2: (100,)}


def start(place, *arguments):
    return subprocess.Popen([YAWARA, "run", *arguments], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process):
    message = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == 0, message


def kill_when(process, ready):
    """SIGKILL as soon as something is the case; it must not have ended by itself before."""

    def ready_and_alive():
        assert process.poll() is None, process.stderr.read().decode()
        return ready()

    wait_for(ready_and_alive, "it is time to kill")
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    process.stderr.close()


def saved_frame(directory):
    """The frame of the last checkpoint; -1 if there is none."""
    if not (directory / "checkpoint.npz").exists():
        return -1
    with np.load(directory / "checkpoint.npz") as saved:
        return int(saved["frame"])


def state_of(directory):
    with np.load(directory / "checkpoint.npz") as saved:
        return {name: saved[name].tobytes() for name in STATE}


def positions_of(directory):
    with h5py.File(directory / "history.h5") as file:
        return file["position"][...].tobytes()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("threads", [1, 2])
def test_killed_and_resumed_it_ends_the_same_bit_for_bit(tmp_path, threads):
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    option = ("--set", f"time.threads={threads}")
    peaceful, killed = tmp_path / "peaceful", tmp_path / "killed"
    finish(start(tmp_path, "scene.toml", "--out", "peaceful", *option))

    begin = ("scene.toml", "--out", "killed", *option)
    for frame in KILL_AFTER[threads]:
        process = start(tmp_path, *begin, "--checkpoint", "1000" if frame < 0 else "0")
        kill_when(process, lambda frame=frame: (killed / "scene.toml").exists() and saved_frame(killed) >= frame)
        assert frame <= saved_frame(killed) < (200 if frame >= 0 else 0)
        begin = ("--resume", "killed")
    finish(start(tmp_path, *begin))

    assert state_of(killed) == state_of(peaceful)
    assert (killed / "history.csv").read_bytes() == (peaceful / "history.csv").read_bytes()
    assert positions_of(killed) == positions_of(peaceful)
    assert (killed / "scene.toml").read_bytes() == (peaceful / "scene.toml").read_bytes()
    assert {path.name for path in killed.iterdir()} == {path.name for path in peaceful.iterdir()}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_ctrl_c_and_sigterm_say_how_to_go_on(tmp_path, number, code):
    (tmp_path / "scene.toml").write_text(SCENE, encoding="utf-8")
    process = start(tmp_path, "scene.toml", "--out", "run", "--checkpoint", "0", "--set", "time.end=20")
    wait_for(lambda: saved_frame(tmp_path / "run") >= 2 or process.poll() is not None, "the run has begun")
    process.send_signal(number)
    message = process.communicate(timeout=PATIENCE)[1].decode()
    assert process.returncode == code, message
    assert "yawara: interrupted; a run in a directory goes on with: yawara run --resume DIR" in message
    assert "Traceback" not in message
    assert saved_frame(tmp_path / "run") >= 2


def short_run(place, command):
    (place / "scene.toml").write_text(SCENE, encoding="utf-8")
    code, *_ = command("run", place / "scene.toml", "--out", place / "run", "--set", "time.end=0.03")
    assert code == 0
    return place / "run"


def test_a_complete_run_says_so(tmp_path, command):
    run = short_run(tmp_path, command)
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    code, printed, message = command("run", "--resume", run)
    assert (code, message) == (0, "")
    assert printed.strip() == f"{run} is complete; nothing to do."
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before


def test_what_a_killed_run_had_half_written_is_cleared_away(tmp_path, command):
    run = short_run(tmp_path, command)
    (run / "summary.json").unlink()
    (run / "parts").mkdir()
    with h5py.File(run / "history.h5") as file:
        np.save(run / "parts" / "000000000.npy", file["position"][...])
    (run / ".checkpoint.0123abcd.npz").write_bytes(b"half a checkpoint")
    (run / ".history.0123abcd.csv").write_bytes(b"half a table")
    code, *_ = command("run", "--resume", run)
    assert code == 0
    assert {path.name for path in run.iterdir()} == {
        "scene.toml",
        "job.json",
        "checkpoint.npz",
        "history.csv",
        "history.h5",
        "report.html",
        "summary.json",
    }


def before_its_first_checkpoint(place, command):
    """A run as if it had been killed there."""
    run = short_run(place, command)
    (run / "summary.json").unlink()
    (run / "checkpoint.npz").unlink()
    return run


def test_a_scene_that_was_changed_is_not_gone_on_with(tmp_path, command):
    """Before and after would be two experiments in one history."""
    run = before_its_first_checkpoint(tmp_path, command)
    scene = (run / "scene.toml").read_text(encoding="utf-8")
    (run / "scene.toml").write_text(scene.replace("end = 0.03", "end = 0.04"), encoding="utf-8")
    assert (run / "scene.toml").read_text(encoding="utf-8") != scene
    code, _, message = command("run", "--resume", run)
    assert code == 2
    assert "the scene or the meshes that it names have changed since this run began" in message
    (run / "scene.toml").write_text(scene, encoding="utf-8")
    assert command("run", "--resume", run)[0] == 0


def test_a_mesh_that_was_changed_is_noticed(tmp_path, command):
    """The scene has its name only."""
    ball = trimesh.creation.icosphere(1, radius=0.01)
    ball.export(tmp_path / "ball.stl")
    scene = {
        "time": {"end": 0.002, "frame": 0.001},
        "body": {
            "chain": {
                "shape": "chain",
                "counts": [2],
                "spacing": 0.1,
                "mass": 0.01,
                "law": {"type": "voigt", "k": 10.0, "c": 0.1},
            }
        },
        "tool": {"ball": {"shape": "mesh", "file": "ball.stl", "origin": [0.0, 0.0, 1.0]}},
    }
    (tmp_path / "scene.toml").write_text(tomli_w.dumps(scene), encoding="utf-8")
    code, _, message = command("run", tmp_path / "scene.toml", "--out", tmp_path / "run")
    assert code == 0, message
    for name in ("summary.json", "checkpoint.npz"):
        (tmp_path / "run" / name).unlink()
    ball.apply_scale(1.1).export(tmp_path / "ball.stl")
    code, _, message = command("run", "--resume", tmp_path / "run")
    assert (code, "the meshes that it names have changed since this run began" in message) == (2, True)


def test_a_run_of_a_version_that_noted_no_digest_goes_on(tmp_path, command):
    run = before_its_first_checkpoint(tmp_path, command)
    (run / "job.json").unlink()
    assert command("run", "--resume", run)[0] == 0


@pytest.mark.parametrize("place", ["nowhere", "empty"])
def test_a_directory_without_a_run_is_bad_input(tmp_path, command, place):
    (tmp_path / "empty").mkdir()
    code, _, message = command("run", "--resume", tmp_path / place)
    assert code == 2
    assert f"{tmp_path / place} has 1 error" in message
    assert "holds no run (there is no scene.toml); start one with: yawara run SCENE.toml --out" in message
    assert not (tmp_path / "nowhere").exists()
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [(), ("scene.toml",), ("--out", "run"), ("scene.toml", "--resume", "run"), ("--resume", "run", "--set", "time.end=1")],
)
def test_resume_stands_alone(command, arguments):
    code, _, message = command("run", *arguments)
    assert code == 2
    assert "give SCENE.toml and --out DIR, or --resume DIR alone" in message
