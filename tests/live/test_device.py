"""A device, its loop and the solver in one process and in held time: what the hand feels, and when it feels nothing."""

import os
from pathlib import Path

import numpy as np
import pytest

from one_process import TICK, Bench
from yawara.haptics.device import DEVICES, DeviceError
from yawara.haptics.loop import Settings
from yawara.haptics.safety import Limits
from yawara.live.haptic_link import STALE
from yawara.live.presets import preset_scene
from yawara.live.session import SolverError
from yawara.scene.scene import Scene
from yawara.shared import PREFIX

SMALL = (4, 4, 2)
PRESS = "simulated:depth=0.06,height=0.01,period=0"  # a hand that wants to be in the body


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture
def session(bench):
    with bench.device_session(preset_scene("dough", SMALL), PRESS) as opened:
        bench.until(lambda: felt(bench) > 0.5, "the ball is felt")
        yield opened


def felt(bench):
    """[N], in the last tick."""
    forces = bench.loops[-1].forces
    return float(np.linalg.norm(forces[-1][1])) if forces else 0.0


def felt_between(bench, begin, end):
    """[N], in every tick from one moment [s] to the other."""
    return np.array([np.linalg.norm(force) for time, force in bench.loops[-1].forces if begin <= time < end])


def ball_place(session):
    names = [skin.name for skin in session.shapes.tools]
    return session.latest().tool_positions[names.index("ball")].copy()


def own_memory():
    return set(Path("/dev/shm").glob(f"{PREFIX}-{os.getpid()}-*"))


def test_a_device_moves_the_tool_and_a_killed_solver_lets_its_force_go(bench, session):
    """The hand feels the body; 50 ms after the solver's last word it feels nothing; then the body again, without a jump."""
    bench.run(0.5)
    assert session.latest().force[2] > 0.3
    assert "Hz" in session.device_line()
    bench.solver.kill()
    killed = bench.clock.time
    bench.run(0.5)
    assert felt_between(bench, killed, killed + Limits().silence - Limits().ramp - 2 * TICK).min() > 0.2  # not earlier
    after = felt_between(bench, killed + Limits().silence, bench.clock.time)
    assert len(after) > 400
    assert not after.any()
    assert session.loop.report().trips == 1
    session.watch()
    assert "goes on" in session.trouble
    bench.until(lambda: felt(bench) > 0.5, "the ball is felt again")
    forces = np.array([force for _, force in bench.loops[-1].forces])
    assert np.linalg.norm(np.diff(forces, axis=0), axis=1).max() <= Limits().max_slew * TICK * (1 + 1e-9)


def test_leaving_leaves_no_force(bench):
    with bench.device_session(preset_scene("dough", SMALL), PRESS):
        bench.until(lambda: felt(bench) > 0.5, "the ball is felt")
    assert felt(bench) == 0.0
    assert not bench.loops[-1].alive
    assert not bench.solver.alive


def test_a_hand_that_is_not_heard_of_does_not_move_the_tool(bench, session):
    bench.loops[-1].stuck = True
    bench.run(STALE + 0.1)
    live, board = bench.solver.solver.live, session.board
    hand, ball = live.hand_place(), ball_place(session)
    bench.loops[-1].loop.board.proxy["proxy"] = board.proxy["proxy"] + 0.05  # old news, written late
    bench.loops[-1].loop.board.proxy.publish()
    bench.run(0.2)
    np.testing.assert_array_equal(live.hand_place(), hand)
    assert np.linalg.norm(ball_place(session) - ball) < 1e-4  # the dough that it is held against still flows


def test_a_loop_that_stalls_takes_no_force_from_the_stall(bench, session):
    """It was away for a second, as on a busy machine: when it is back, the solver's word is fresh and so is the hand's."""
    bench.loops[-1].stuck = True
    bench.run(1.0)
    bench.loops[-1].stuck = False
    before = len(bench.loops[-1].forces)
    bench.run(0.3)
    forces = np.array([force for _, force in bench.loops[-1].forces[before - 1 :]])
    assert np.linalg.norm(np.diff(forces, axis=0), axis=1).max() <= Limits().max_slew * TICK * (1 + 1e-9)
    assert felt(bench) > 0.5


def test_a_device_that_cannot_be_opened_leaves_no_solver_behind(bench):
    memory = own_memory()
    with pytest.raises(DeviceError, match="pip install pyOpenHaptics"):
        bench.device_session(preset_scene("gel", SMALL), "open_haptics")
    assert not bench.solver.alive
    assert own_memory() <= memory


def test_a_scene_that_cannot_be_leaves_nothing_behind(bench):
    memory = own_memory()
    data = preset_scene("dough", SMALL).model_dump(exclude_none=True)
    data["tool"]["table"]["origin"] = [0.0, 0.0, 0.02]
    with pytest.raises(SolverError, match="must leave the bodies outside"):
        bench.device_session(Scene.model_validate(data), PRESS)
    assert own_memory() <= memory
    assert bench.loops == []


@pytest.mark.parametrize("asked", [None, True, False])
@pytest.mark.parametrize("device", DEVICES)
def test_only_a_device_that_is_felt_runs_before_others_unless_asked(bench, device, asked):
    """What is asked of the system; none of these devices is opened."""
    seen = []

    def start_loop(board_name, device_text, settings):
        seen.append(settings)
        raise DeviceError("enough")

    bench.start_loop = start_loop
    text = "replay:stroke.csv" if device == "replay" else device
    with pytest.raises(DeviceError, match="enough"):
        bench.device_session(preset_scene("gel", SMALL), text, priority=asked)
    raised = device in ("haply", "force_dimension", "open_haptics") if asked is None else asked
    assert [settings.real_time for settings in seen] == [raised]
    assert bench.solver.task.raised is raised


def test_without_a_device_a_solver_is_an_ordinary_process(bench):
    assert not Settings().real_time
    for raised in (False, True):
        with bench.session(preset_scene("gel", SMALL), raised=raised):
            assert bench.solver.task.raised is raised
    with bench.session(preset_scene("gel", SMALL)):
        assert not bench.solver.task.raised
