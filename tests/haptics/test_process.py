"""The loop in its own process: it starts, serves, stops, and leaves no force behind. When, is told in held time elsewhere."""

import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from haply_server import HaplyServer
from haptic_rig import wall
from held_clock import HeldClock
from one_process import Here
from waiting import PATIENCE, wait_for
from yawara.child import Patience
from yawara.clock import REAL
from yawara.haptics.board import Board
from yawara.haptics.device import DeviceError, DeviceInfo, DeviceState
from yawara.haptics.loop import Settings, run
from yawara.haptics.process import Ended, HapticProcess, Ready
from yawara.haptics.safety import Limits

PRESS = "simulated:period=0,depth=0.005"  # a hand that stays 5 mm below the floor
PATIENT = Patience(begin=PATIENCE, end=PATIENCE)


def process_of(device, board, settings=None):
    return HapticProcess(device, board, settings, patience=PATIENT)


def publish(board, enough, stiffness=300.0):
    """Be the solver until there is enough of something."""

    def done():
        wall(board, REAL.now(), stiffness)
        return enough()

    return wait_for(done, "enough is done")


def written(path):
    """Sizes [N] of the forces that the device was given, by its own log."""
    return np.linalg.norm(np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:], axis=1)


def gone(process):
    return wait_for(lambda: not process.alive, "the process has ended")


def test_it_serves_loses_its_solver_and_stops(capfd, tmp_path):
    log = tmp_path / "log.csv"
    with Board.open() as board:
        with process_of(f"{PRESS},log={log}", board) as process:
            assert process.alive
            publish(board, lambda: (report := process.report()).ticks > 300 and report.max_force > 0.0)
            trips = process.report().trips
            wait_for(lambda: process.report().trips > trips, "without a solver there is no force")
            assert process.alive
            report = process.report()
            assert board.proxy.fetch()
            assert board.proxy.value("time") <= REAL.now()  # the same clock
            assert not board.proxy["force"].any()
        assert not process.alive
        assert process.error == ""
        process.stop()
    sizes = written(log)
    assert 0.0 < sizes.max() <= 3.0 * (1 + 1e-9)
    assert sizes[-1] == 0.0
    assert report.lateness.middle <= report.lateness.p99 <= report.lateness.largest
    assert (report.unsound, report.priority) == (0, 0)
    assert -0.006 < board.proxy["proxy"][2] < 0.0
    assert capfd.readouterr().err == ""


def test_a_signal_leaves_no_force_and_a_board_can_be_served_again_with_other_limits(tmp_path):
    with Board.open() as board:
        for largest in (3.0, 0.1):
            log = tmp_path / f"{largest}.csv"
            settings = Settings(limits=Limits(max_force=largest), passivity=False)
            process = process_of(f"{PRESS},log={log}", board, settings).start()
            publish(board, lambda: process.report().max_force > 0.0)  # noqa: B023
            os.kill(process.pid, signal.SIGTERM)
            assert gone(process)
            assert process.error == ""
            process.stop()
            sizes = written(log)
            assert 0.0 < sizes.max() <= largest * (1 + 1e-9)
            assert sizes[-1] == 0.0


def test_a_loop_that_was_killed_is_noticed(capfd):
    with Board.open() as board:
        process = process_of("simulated", board).start()
        os.kill(process.pid, signal.SIGKILL)
        assert gone(process)
        assert "start it again" in process.error
        process.stop()
    assert not Path(f"/dev/shm/{board.name}").exists()
    assert capfd.readouterr().err == ""


def test_a_device_that_cannot_be_opened_says_why_to_the_parent(capfd):
    with Board.open() as board:
        process = process_of("force_dimension", board)
        with pytest.raises(DeviceError, match="pip install"):
            process.start()
        assert not process.alive
        with pytest.raises(DeviceError, match="is not known"):
            HapticProcess("phantom", board)
    assert capfd.readouterr().err == ""


class Mute(Here):
    """A process that never says that it is ready."""

    def turn(self):
        pass

    def close(self):
        pass


def test_a_process_that_does_not_answer_is_ended_after_its_patience():
    mute = Mute()
    with Board.open() as board:
        process = HapticProcess("simulated", board, patience=Patience(begin=7.0), start=lambda *_: mute)
        with pytest.raises(DeviceError, match="it does not answer; start it again"):
            process.start()
        assert mute.patience == [7.0]
        assert not process.alive
        assert board.orders.value("stop") == 1.0


def test_why_a_process_ended_by_itself_is_told_once_it_is_gone():
    served = Mute()
    with Board.open() as board:
        served.line.send(Ready())
        process = HapticProcess("simulated", board, start=lambda *_: served).start()
        assert process.alive
        served.line.send(Ended("the device is gone"))
        served.kill()
        assert not process.alive
        assert process.error == "the device is gone"


def test_a_haply_device_is_served_and_a_dropped_connection_survived(capfd):
    with HaplyServer() as server, Board.open(stiffness=100.0) as board:
        server.position = {"x": 0.0, "y": 0.0, "z": -0.01}
        with process_of(f"haply:127.0.0.1:{server.port}", board, Settings(rate=200.0)) as process:
            publish(board, lambda: any(force[2] > 0.0 for force in list(server.forces)))
            server.mischief.append("drop")
            publish(board, lambda: server.connections >= 2 and process.report().stale > 0)
            assert process.alive
        wait_for(lambda: server.forces[-1] == (0.0, 0.0, 0.0), "the last force is none")
    assert capfd.readouterr().err == ""


ORPHAN = """
import sys, threading
from yawara.haptics.board import Board
from yawara.haptics.process import HapticProcess
if __name__ == "__main__":
    board = Board.open()
    process = HapticProcess(sys.argv[1], board).start()
    print(process.pid, flush=True)
    threading.Event().wait()
"""


def test_a_loop_whose_parent_was_killed_ends_by_itself(tmp_path):
    program, log = tmp_path / "parent.py", tmp_path / "log.csv"
    program.write_text(ORPHAN)
    parent = subprocess.Popen(
        [sys.executable, program, f"{PRESS},log={log}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert parent.stdout.readline()  # it is served
    parent.kill()
    parent.wait()
    wait_for(log.exists, "the log, which is written when it closes the device")
    parent.stdout.close()
    assert written(log)[-1] == 0.0


class Failing:
    """A device that breaks after some ticks; the solver publishes whenever it is read."""

    info = DeviceInfo("failing", (0.1, 0.1, 0.1), max_force=5.0, rate=1000.0)

    def __init__(self, problem, board, clock):
        self.problem, self.board, self.clock = problem, board, clock
        self.forces, self.reads, self.closed = [], 0, False

    def open(self):
        pass

    def close(self):
        self.closed = True

    def read(self):
        self.reads += 1
        wall(self.board, self.clock.time, 300.0)
        if self.reads > 200:
            raise self.problem
        return DeviceState(self.clock.time, np.array([0.0, 0.0, -0.005]), np.zeros(3))

    def write(self, force):
        self.forces.append(np.array(force))


@pytest.mark.parametrize("problem", [OSError("unplugged"), RuntimeError("a fault of ours")])
def test_an_error_in_the_loop_leaves_no_force(monkeypatch, problem):
    handler, clock = signal.getsignal(signal.SIGTERM), HeldClock(look=1e-6)
    with Board.open() as board:
        device = Failing(problem, board, clock)
        monkeypatch.setattr("yawara.haptics.loop.device_of", lambda text: device)
        with pytest.raises(type(problem)):
            run(board.name, "failing", Settings(), clock=clock)
        assert device.forces[-2].any()
        assert not device.forces[-1].any()
        assert device.closed
        assert signal.getsignal(signal.SIGTERM) is handler
        assert gc.isenabled()
