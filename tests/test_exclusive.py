"""Two processes do not work in one directory."""

import multiprocessing
import os
import signal
import sys

import pytest

from calibration_cases import loaded_scene
from waiting import PATIENCE
from yawara.calibrate.synth import Bench, measure
from yawara.calibrate.synth_files import write_sample
from yawara.checks import SceneError
from yawara.exclusive import alone_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there, nobody is kept out")


def work_for_ever(place, words):
    with alone_in(place):
        words.send("at work")
        words.recv()


@pytest.fixture
def other(tmp_path):
    """Another process that works in a directory."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    place = tmp_path / "run"
    process = context.Process(target=work_for_ever, args=(place, theirs))
    process.start()
    theirs.close()
    assert ours.poll(PATIENCE)
    ours.recv()
    yield place, process
    process.kill()
    process.join()


def test_the_second_one_is_kept_out_until_the_first_is_gone(other):
    place, process = other
    with pytest.raises(SceneError, match="another process is at work here; wait"), alone_in(place):
        pass
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with alone_in(place):  # the lock went with it
        pass
    assert list(place.iterdir()) == []


def test_all_three_commands_refuse(other, command, tmp_path):
    place, _ = other
    (tmp_path / "scene.toml").write_text(
        'name = "chain"\ntime = { end = 0.01 }\n[body.chain]\nshape = "chain"\ncounts = [3]\nspacing = 0.01\nmass = 0.01\n'
        'law = { type = "voigt", k = 10.0, c = 0.1 }\n'
    )
    experiment = write_sample(measure(loaded_scene(), Bench(points=50, noise=2e-4, times=(0.2,))), tmp_path / "bench")
    scene = tmp_path / "scene.toml"
    for words in (["run", scene], ["sweep", scene, "--over", "body.chain.law.k=10,20"], ["fit", experiment]):
        code, _, message = command(*words, "--out", place)
        assert (code, "another process is at work here" in message) == (2, True)
        assert list(place.iterdir()) == []
