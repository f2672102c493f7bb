"""`yawara touch` as a whole: the solver's process behind its session, faults on the way, the command."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from waiting import PATIENCE, wait_for
from yawara.haptics.device import DeviceError
from yawara.live.digest import state_digest
from yawara.live.messages import Change, Choose, Grab, LetGo, Move, Pull, Reset
from yawara.live.presets import preset_of, preset_scene
from yawara.live.recording import load_recording, repeat
from yawara.live.rerun import rerun
from yawara.live.session import Session, SolverError
from yawara.scene.scene import Scene
from yawara.shared import PREFIX
from yawara.touch import DeviceSession

SMALL = (4, 4, 2)
TOUCH = [sys.executable, "-c", "from yawara.cli import main; main()", "touch", "--no-browser"]
GEL = [*TOUCH, "gel", "--plain", "--port", "0"]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    with Session(preset_scene("dough", SMALL), tmp_path_factory.mktemp("exports")) as opened:
        wait_for(lambda: opened.latest(), "the first view")
        yield opened


def plate_height(session):
    names = [skin.name for skin in session.shapes.tools]
    return session.latest().tool_positions[names.index("plate"), 2]


def press(session, depth=0.03):
    session.send(Choose("plate"))
    session.send(Move((0.0, 0.0, 0.06 - depth)))
    force = wait_for(lambda: session.latest().force[2] > 1.0 and session.latest().force[2], "the plate is felt")
    wait_for(lambda: plate_height(session) < 0.061 - depth, "the plate is down")
    session.send(Move((0.0, 0.0, 0.2)))
    wait_for(lambda: not session.latest().force.any(), "the plate is off")
    return force


def caught_up(session):
    """Until what was sent before is done, and seen."""
    session.ask("digest")
    done = time.monotonic()
    wait_for(lambda: session.latest().wall > done, "a view of what is now")


def upward_forces(session):
    """[N] of the tool, since the body was new."""
    return np.loadtxt(wait_for(lambda: session.ask("csv"), "the log").splitlines(), delimiter=",", skiprows=1, ndmin=2)[:, 3]


def change_of(session):
    return float(np.linalg.norm(session.latest().vertices[0] - session.shapes.bodies[0].vertices, axis=1).max())


def test_time_goes_on_and_the_pace_is_told(session):
    first = session.latest()
    later = wait_for(lambda: (view := session.latest()).tick > first.tick + 500 and view, "half a second")
    assert later.time - first.time == pytest.approx((later.tick - first.tick) * 1e-3)
    assert 0.0 < later.pace.realtime <= 1.1
    assert later.pace.wanted == 1.0


def test_a_press_is_felt_and_leaves_a_residue(session):
    press(session)
    time.sleep(0.3)
    assert change_of(session) > 1e-3
    session.colour_by("residual strain")
    view = wait_for(lambda: (view := session.latest()).values and view, "colours")
    assert view.values[0].max() > 0.01
    assert session.value_range[1] >= view.values[0].max()
    session.colour_by("nothing")
    session.send(Reset())
    wait_for(lambda: change_of(session) < 1e-5, "as at the beginning")


def test_slow_motion_and_pause(session):
    session.set_speed(0.1)
    wait_for(lambda: session.latest().pace.wanted == pytest.approx(0.1), "slow motion")
    session.set_speed(0.0)
    wait_for(lambda: session.latest().pace.wanted == 0.0, "a pause")
    tick = session.latest().tick
    time.sleep(0.3)
    assert session.latest().tick <= tick + 2
    session.set_speed(1.0)
    wait_for(lambda: session.latest().tick > tick + 50, "time goes on")


def test_settings_act_and_wrong_ones_are_refused(session):
    session.send(Change("dough", {"stiffness": 1.6e4}))
    assert session.settings["stiffness"].value == pytest.approx(1.6e4)
    with pytest.raises(ValueError, match="no setting 'colour'"):
        session.send(Change("dough", {"colour": 3.0}))
    session.send(Change("dough", {"stiffness": 8e3}))
    session.send(Choose("hammer"))
    wait_for(lambda: "no tool 'hammer'" in session.trouble, "a word about it")


def test_a_recording_made_live_repeats_bit_for_bit(session, tmp_path):
    """What the hand did in real time, run again without a clock, ends in the same bits."""
    assert session.replay()  # whatever was done before; ends with the next one
    assert "recording" in session.record(True)
    caught_up(session)
    session.send(Grab("dough", (0.06, 0.06, 0.06)))
    session.send(Pull((0.1, 0.08, 0.12)))
    time.sleep(0.4)
    session.send(LetGo())
    press(session, 0.02)
    message = session.record(False)
    assert "saved as" in message
    path = session.folder / message.split()[2].rstrip(";")
    recording = load_recording(path)
    kinds = [type(order) for _, order in recording.orders]
    assert kinds == [Grab, Pull, LetGo, Choose, Move, Move]
    first, second = rerun(recording, tmp_path / "one"), rerun(recording, tmp_path / "two")
    assert first["touch"] == second["touch"]
    assert first["touch"]["largest_force_N"][2] > 1.0
    assert {"history.csv", "touch.csv", "report.html", "summary.json", "dough.ply"} <= {
        p.name for p in (tmp_path / "one").iterdir()
    }
    session.set_speed(0.0)  # what the solver itself has now, against what its own recording gives
    live_one = session.ask("recording")
    live_state = session.ask("digest")
    for live, _ in repeat(live_one):
        digest = state_digest(live.state)
    session.set_speed(1.0)
    assert digest == live_state


def test_a_replay_does_it_again_while_hands_watch(session):
    session.record(True)
    caught_up(session)
    press(session, 0.02)
    session.record(False)
    assert "replaying" in session.replay()
    caught_up(session)
    session.send(Reset())  # is not heard
    wait_for(lambda: upward_forces(session).max() > 1.0, "the plate presses again")
    wait_for(lambda: not session.latest().force.any(), "the plate is off again")
    done = wait_for(lambda: session.ask("recording"), "what was done").orders
    assert [type(order) for _, order in done] == [Choose, Move, Move]


@pytest.mark.parametrize("kind", ["glb", "ply", "csv", "recording"])
def test_exports_can_be_read(session, kind, tmp_path):
    import trimesh

    name, content = session.export(kind)
    (tmp_path / name).write_bytes(content)
    if kind in ("glb", "ply"):
        mesh = trimesh.load(tmp_path / name, force="mesh")
        assert len(mesh.faces) >= len(session.shapes.bodies[0].triangles)
    elif kind == "csv":
        assert np.genfromtxt(tmp_path / name, delimiter=",", names=True)["height_m"].min() > 0.01
    else:
        assert load_recording(tmp_path / name).tick == 1e-3
    with pytest.raises(ValueError, match="export one of"):
        session.export("../../etc/passwd")


def test_a_killed_solver_is_replaced_and_the_shape_is_kept(session):
    session.send(Reset())
    press(session)
    pressed = time.monotonic()
    wait_for(lambda: session.latest().wall > pressed + 0.5, "a saved state")
    before = change_of(session)
    assert before > 1e-3
    os.kill(session.pid, signal.SIGKILL)
    wait_for(lambda: session.watch() or "goes on from the last saved shape" in session.trouble, "another solver")
    wait_for(lambda: session.latest(), "its views")
    assert change_of(session) == pytest.approx(before, rel=0.2)
    press(session, 0.02)


def test_another_preset_is_another_body(session):
    generation = session.generation
    session.choose_preset("gel")
    assert session.generation > generation
    assert session.shapes.bodies[0].name == session.preset == "gel"
    assert "your scene" not in session.presets
    wait_for(lambda: session.latest(), "its first view")


def test_an_own_scene_can_be_come_back_to(tmp_path):
    """It stands before the presets; a preset of another size is still that preset."""
    scene = preset_scene("gel", SMALL)
    assert [preset_of(one) for one in (scene, scene.model_copy(update={"gravity": (0.0, 0.0, 0.0)}))] == ["gel", None]
    own = scene.model_copy(update={"name": "mine"})
    with Session(own, tmp_path) as session:
        assert (session.preset, session.presets[0]) == ("your scene", "your scene")
        points = len(session.shapes.bodies[0].vertices)
        session.choose_preset("clay")
        assert session.preset == session.shapes.bodies[0].name == "clay"
        session.choose_preset("your scene")
        assert (session.preset, len(session.shapes.bodies[0].vertices)) == ("your scene", points)
        assert session.scene.name == "mine"


def test_a_scene_that_cannot_be_is_told_in_a_sentence(tmp_path):
    scene = preset_scene("dough", SMALL)
    data = scene.model_dump(exclude_none=True)
    data["tool"]["table"]["origin"] = [0.0, 0.0, 0.02]
    with pytest.raises(SolverError, match="must leave the bodies outside"):
        Session(Scene.model_validate(data), tmp_path)


def test_a_device_moves_the_tool_and_a_killed_solver_lets_its_force_go(tmp_path):
    """The hand feels the body; without a solver it feels nothing within 50 ms, by the device's own log; then the body again."""
    log = tmp_path / "forces.csv"
    device = f"simulated:depth=0.06,height=0.01,period=0.6,log={log}"
    with DeviceSession(preset_scene("dough", SMALL), tmp_path, device) as session:
        wait_for(lambda: (view := session.latest()) and view.force[2] > 0.5, "the ball is felt")
        assert "Hz" in session.device_line()
        wait_for(lambda: session.latest().force[2] > 0.5, "the ball is felt")
        killed = time.monotonic()
        os.kill(session.pid, signal.SIGKILL)
        time.sleep(0.5)
        gone = time.monotonic()
        wait_for(lambda: session.watch() or ((view := session.latest()) and view.force[2] > 0.5), "the ball is felt again")
        assert session.loop.report().trips >= 1
    rows = np.genfromtxt(log, delimiter=",", names=True)
    names = rows.dtype.names
    size = np.sqrt(sum(rows[name] ** 2 for name in names[1:4]))
    inside = (rows[names[0]] > killed + 0.1) & (rows[names[0]] < gone)
    assert inside.sum() > 20
    assert not size[inside][1:].any()  # the first was perhaps decided before, and the loop then kept waiting by other processes
    assert size.max() > 0.2
    assert size[-1] == 0.0  # and on leaving


def own_memory():
    return set(Path("/dev/shm").glob(f"{PREFIX}-{os.getpid()}-*"))


def test_a_device_that_cannot_be_opened_leaves_no_solver_behind(tmp_path):
    before, memory = set(multiprocessing.active_children()), own_memory()
    with pytest.raises(DeviceError, match="pip install pyOpenHaptics"):
        DeviceSession(preset_scene("gel", SMALL), tmp_path, "open_haptics")
    assert set(multiprocessing.active_children()) <= before
    assert own_memory() <= memory


def test_the_command_ends_by_itself_and_leaves_nothing_behind(tmp_path):
    command = [
        sys.executable,
        "-c",
        "from yawara.cli import main; main()",
        "touch",
        "gel",
        "--no-browser",
        "--plain",
        "--port",
        "0",
        "--seconds",
        "1",
    ]
    done = subprocess.run([*command, "--out", str(tmp_path)], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    assert "Touch it at http://127.0.0.1:" in done.stdout
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_sigterm_end_without_a_traceback(tmp_path, number):
    process = subprocess.Popen([*GEL, "--out", str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    lines = [process.stdout.readline(), process.stdout.readline()]
    assert "Touch it at" in lines[1], process.communicate(timeout=PATIENCE)
    time.sleep(0.5)
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
def test_wrong_arguments_are_refused(arguments, word):
    done = subprocess.run([*TOUCH, *arguments], capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr
