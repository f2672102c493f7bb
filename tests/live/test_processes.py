"""`yawara touch` with real processes. How fast they are is nobody's business here; what they do is told in held time elsewhere."""

import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from waiting import PATIENCE, wait_for
from yawara.child import Patience
from yawara.haptics.device import DeviceError
from yawara.live.line import GiveDigest, GiveRecording
from yawara.live.messages import Grab, Pull
from yawara.live.presets import preset_scene
from yawara.live.session import Session, SolverError
from yawara.scene.scene import Scene
from yawara.shared import PREFIX
from yawara.touch import DeviceSession

SMALL = (4, 4, 2)
PATIENT = Patience(PATIENCE, PATIENCE, PATIENCE, PATIENCE)
TOUCH = [sys.executable, "-c", "from yawara.cli import main; main()", "touch", "--no-browser"]
GEL = [*TOUCH, "gel", "--plain", "--port", "0"]


def change_of(session):
    view = session.latest()
    return float(np.linalg.norm(view.vertices[0] - session.shapes.bodies[0].vertices, axis=1).max()) if view else 0.0


def priority_of(process):
    """Scheduler and niceness."""
    return os.sched_getscheduler(process), os.getpriority(os.PRIO_PROCESS, process)


def own_memory():
    return set(Path("/dev/shm").glob(f"{PREFIX}-{os.getpid()}-*"))


def test_a_killed_solver_is_replaced_and_the_shape_is_kept(tmp_path):
    with Session(preset_scene("dough", SMALL), tmp_path, patience=PATIENT) as session:
        assert priority_of(session.pid) == priority_of(0)
        session.send(Grab("dough", (0.06, 0.06, 0.06)))
        session.send(Pull((0.1, 0.08, 0.12)))
        wait_for(lambda: change_of(session) > 0.01, "the body is pulled")
        session.set_speed(0.0)  # it stays pulled, also when the solver is gone
        digest = session.ask(GiveDigest())
        wait_for(lambda: session.watch() or session._window["state"]["points"].any(), "a saved state")
        assert session.ask(GiveDigest()) == digest
        first = session.pid
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: session.watch() or session.pid != first, "another solver")
        assert "goes on from the last saved shape" in session._trouble
        session.set_speed(0.0)
        assert session.ask(GiveDigest()) is not None
        wait_for(lambda: session.latest(), "its views")
        assert session.ask(GiveRecording()).start is not None  # it begins with the saved shape


def test_a_scene_that_cannot_be_is_told_in_a_sentence(tmp_path):
    data = preset_scene("dough", SMALL).model_dump(exclude_none=True)
    data["tool"]["table"]["origin"] = [0.0, 0.0, 0.02]
    with pytest.raises(SolverError, match="must leave the bodies outside"):
        Session(Scene.model_validate(data), tmp_path, patience=PATIENT)


def test_a_device_moves_the_tool_and_a_killed_solver_lets_its_force_go(tmp_path):
    """The hand feels the body, then nothing, and with a new solver the body again; on leaving it feels nothing."""
    log = tmp_path / "forces.csv"
    device = f"simulated:depth=0.06,height=0.01,period=0,log={log}"
    with DeviceSession(preset_scene("dough", SMALL), tmp_path, device, patience=PATIENT) as session:
        assert priority_of(session.pid) == priority_of(session.loop.pid) == priority_of(0)
        assert session.loop.report().priority == 0
        wait_for(lambda: session.latest() and felt(session) > 0.0, "the ball is felt")
        trips = session.loop.report().trips
        os.kill(session.pid, signal.SIGKILL)
        wait_for(lambda: session.loop.report().trips > trips and felt(session) == 0.0, "nothing is felt")
        wait_for(lambda: session.watch() or felt(session) > 0.0, "the ball is felt again")
    rows = np.genfromtxt(log, delimiter=",", names=True)
    assert max(abs(rows["z"])) > 0.0
    assert not any(rows[name][-1] for name in "xyz")


def felt(session):
    """[N], as the loop says."""
    session.board.proxy.fetch()
    return float(np.linalg.norm(session.board.proxy["force"]))


def test_a_device_that_cannot_be_opened_leaves_no_solver_behind(tmp_path):
    before, memory = set(multiprocessing.active_children()), own_memory()
    with pytest.raises(DeviceError, match="pip install pyOpenHaptics"):
        DeviceSession(preset_scene("gel", SMALL), tmp_path, "open_haptics", priority=False, patience=PATIENT)
    assert set(multiprocessing.active_children()) <= before
    assert own_memory() <= memory


def test_the_command_ends_by_itself_and_leaves_nothing_behind(tmp_path):
    command = [*GEL, "--seconds", "0.1", "--out", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "Touch it at http://127.0.0.1:" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_end_without_a_traceback(tmp_path, number):
    process = subprocess.Popen([*GEL, "--out", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    assert "Touch it at" in lines[1], process.communicate(timeout=PATIENCE)
    process.send_signal(number)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "Traceback" not in errors
    assert not list(Path("/dev/shm").glob(f"{PREFIX}-{process.pid}-*"))


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["nothing_here"], "there is no file"),
        (["gel", "--device", "banana"], "device 'banana' is not known"),
        (["gel", "--port", "99999"], "65535"),
    ],
)
def test_wrong_arguments_are_refused(command, arguments, word):
    code, _, errors = command("touch", "--no-browser", *arguments)
    assert code == 2
    assert word in errors
