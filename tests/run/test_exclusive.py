"""Two processes do not work in one directory."""

import errno
import importlib
import multiprocessing
import subprocess
import sys
import threading

import filelock
import pytest

from calibration_cases import loaded_scene
from waiting import PATIENCE
from yawara.calibrate.synth import Bench, measure_scene
from yawara.calibrate.synth_files import write_sample
from yawara.checks import SceneError
from yawara.exclusive import LOCK, alone_in, lock_of
from yawara.run import resume_run, run_scene
from yawara.scene.file import load_scene

run = importlib.import_module("yawara.run")


def work_for_ever(place, words):
    with alone_in(place):
        words.send("at work")
        words.recv()


CHAIN = """
name = "chain"
time = { end = 0.01 }
[body.chain]
shape = "chain"
counts = [3]
spacing = 0.01
mass = 0.01
law = { type = "voigt", k = 10.0, c = 0.1 }
"""


@pytest.fixture
def place(tmp_path):
    return tmp_path / "run"


@pytest.fixture
def other(place):
    """Another process that works in a directory."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=work_for_ever, args=(place, theirs))
    process.start()
    theirs.close()
    assert ours.poll(PATIENCE)
    ours.recv()
    yield process
    process.kill()
    process.join()


def test_the_second_one_is_kept_out_until_the_first_is_gone(place, other):
    with pytest.raises(SceneError, match="another process is at work here; wait"), alone_in(place):
        pass
    other.kill()
    other.join()
    with alone_in(place):  # the lock went with it
        pass
    assert list(place.iterdir()) == []


def test_another_place_of_the_same_process_is_kept_out_as_well(place):
    with alone_in(place):
        with pytest.raises(SceneError, match="another process is at work here"), alone_in(place):
            pass
        (place / "result").touch()
    assert [path.name for path in place.iterdir()] == ["result"]


def test_a_directory_that_was_made_in_vain_goes_again(place):
    with pytest.raises(KeyboardInterrupt), alone_in(place):
        raise KeyboardInterrupt
    assert not place.exists()


def test_a_lock_s_file_that_was_left_behind_is_no_lock(place):
    place.mkdir()
    (place / LOCK).write_text("4711")
    with alone_in(place):
        pass
    assert list(place.iterdir()) == []


def test_a_lock_may_be_closed_by_another_thread(tmp_path):
    held = lock_of(tmp_path / "index.lock")
    assert held is not None
    assert lock_of(tmp_path / "index.lock") is None
    closing = threading.Thread(target=held.close)
    closing.start()
    closing.join(PATIENCE)
    again = lock_of(tmp_path / "index.lock")
    assert again is not None
    again.close()


def test_a_lock_whose_file_was_taken_away_meanwhile_locks_nothing(place, monkeypatch):
    """The one before took its file away between our opening it and our locking it: a third one could make a new file and lock that."""
    place.mkdir()
    lock = filelock.FileLock(place / LOCK, blocking=False)
    if sys.platform == "win32":
        pytest.skip("a file that is open cannot be taken away there")
    import fcntl

    real = fcntl.flock
    monkeypatch.setattr(fcntl, "flock", lambda handle, how: (real(handle, how), (place / LOCK).unlink(missing_ok=True)))
    with pytest.raises(filelock.Timeout):
        lock.acquire()


@pytest.mark.skipif(sys.platform == "win32", reason="how other systems say that a drive has no locks")
@pytest.mark.parametrize("answer", ["ENOSYS", "ENOLCK", "ENOTSUP"])
def test_on_a_drive_without_locks_nobody_is_kept_out(place, monkeypatch, answer):
    import fcntl

    def refuse(handle, how):
        raise OSError(getattr(errno, answer), "no locks")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with alone_in(place), alone_in(place):
        (place / "result").touch()
    assert [path.name for path in place.iterdir()] == ["result"]


def test_only_who_locks_pays_for_the_lock():
    """The package is imported by every worker and by every call of the command."""
    asked = "import sys, yawara; sys.exit('filelock' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


def test_all_three_commands_refuse(place, other, command, tmp_path):
    (tmp_path / "scene.toml").write_text(CHAIN)
    experiment = write_sample(measure_scene(loaded_scene(), Bench(points=50, noise=2e-4, times=(0.2,))), tmp_path / "bench")
    scene = tmp_path / "scene.toml"
    for words in (["run", scene], ["sweep", scene, "--over", "body.chain.law.k=10,20"], ["fit", experiment]):
        code, _, message = command(*words, "--out", place)
        assert (code, "another process is at work here" in message) == (2, True)
        assert [path.name for path in place.iterdir()] == [LOCK]  # the other one's


def test_an_interrupted_run_is_not_taken_up_twice(place, tmp_path, command, request):
    (tmp_path / "scene.toml").write_text(CHAIN)

    def pull_the_plug(now, end):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_scene(load_scene(tmp_path / "scene.toml"), place, progress=pull_the_plug)
    other = request.getfixturevalue("other")
    code, _, message = command("run", "--resume", place)
    assert (code, "another process is at work here" in message) == (2, True)
    other.kill()
    other.join()
    assert command("run", "--resume", place)[0] == 0


def test_what_another_one_completed_while_we_waited_is_left_alone(place, tmp_path, monkeypatch):
    (tmp_path / "scene.toml").write_text(CHAIN)
    run_scene(load_scene(tmp_path / "scene.toml"), place)
    summary = (place / "summary.json").read_bytes()
    (place / "summary.json").unlink()
    compiled = run.compile_scene

    def meanwhile(scene):  # after we looked, and before the lock is ours
        (place / "summary.json").write_bytes(summary)
        return compiled(scene)

    monkeypatch.setattr(run, "compile_scene", meanwhile)
    with pytest.raises(SceneError, match="was completed by another process just now"):
        resume_run(place)


def test_what_another_one_began_while_we_waited_is_left_alone(place, tmp_path, monkeypatch):
    (tmp_path / "scene.toml").write_text(CHAIN)
    scene = load_scene(tmp_path / "scene.toml")
    monkeypatch.setattr(run, "prepare_kernels", lambda compiled: place.mkdir() or (place / "scene.toml").write_text("another's"))
    with pytest.raises(SceneError, match="already holds a run"):
        run_scene(scene, place)
    assert (place / "scene.toml").read_text() == "another's"
