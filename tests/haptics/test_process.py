"""The loop in its own process: it starts, serves, stops, and leaves no force behind. Times are generous: machines have other work."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from haply_server import HaplyServer
from haptic_rig import wall
from waiting import wait_for
from yawara.haptics.board import Board
from yawara.haptics.device import DeviceError, DeviceInfo, DeviceState
from yawara.haptics.loop import Settings, run
from yawara.haptics.process import HapticProcess
from yawara.haptics.safety import Limits

PRESS = "simulated:period=0,depth=0.005"  # a hand that stays 5 mm below the floor


def publish(board, enough, stiffness=300.0):
    """Be the solver until there is enough of something; returns when the last word was published [s]."""
    last = 0.0

    def done():
        nonlocal last
        last = time.monotonic()
        wall(board, last, stiffness)
        return enough()

    wait_for(done, "enough is done")
    return last


def written(path):
    """Times [s] and sizes [N] of the forces that the device was given, by its own log."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1)
    return rows[:, 0], np.linalg.norm(rows[:, 1:], axis=1)


def felt(process, least):
    """Whether the hand was given so much force [N] already."""
    return lambda: process.report().max_force > least


def gone(process):
    return wait_for(lambda: not process.alive, "the process has ended")


def test_it_starts_publishes_and_stops(capfd):
    with Board.open() as board:
        with HapticProcess(PRESS, board) as process:
            assert process.alive
            publish(board, lambda: process.report().ticks > 300 and process.report().max_force > 0.0)
            report = process.report()
            assert board.proxy.fetch()
            proxy = board.proxy["proxy"].copy()
            assert board.proxy.value("fresh") == 1.0
            assert abs(time.monotonic() - board.proxy.value("time")) < 60.0  # the same clock
        assert not process.alive
        assert process.error == ""
        process.stop()
    assert 0.0 < report.rate < 1100.0
    assert report.max_force < 3.0
    assert report.max_jump <= 0.5 * (1 + 1e-9) or report.trips  # a stalled machine may take the force away at once
    assert report.lateness.middle <= report.lateness.p99 <= report.lateness.largest
    assert report.unsound == 0
    assert -0.006 < proxy[2] < 0.0
    assert capfd.readouterr().err == ""


def test_a_solver_that_ends_takes_the_force_with_it_within_50_ms(tmp_path):
    log = tmp_path / "log.csv"
    with Board.open() as board, HapticProcess(f"{PRESS},log={log}", board) as process:
        last = publish(board, felt(process, 0.5))
        ticks = process.report().ticks
        wait_for(lambda: time.monotonic() > last + 0.05 and process.report().ticks > ticks + 200, "it goes on without a solver")
        assert process.alive
        report = process.report()
    times, sizes = written(log)
    assert sizes.max() > 0.5
    after = np.flatnonzero(times >= last + 0.05)
    assert len(after) > 50
    assert not sizes[after[1:]].any()  # the first was perhaps decided in time, and the loop then kept waiting by other processes
    # and zero was written by then: the last force that was not zero ended with the next entry of the log
    ended = times[np.flatnonzero(sizes)[-1] + 1]
    assert ended <= last + 0.05 + report.lateness.largest + 0.002
    assert report.trips >= 1


def test_whatever_ends_it_the_last_force_is_zero(tmp_path):
    for name, end in {"stop": HapticProcess.stop, "term": lambda process: os.kill(process.pid, signal.SIGTERM)}.items():
        log = tmp_path / f"{name}.csv"
        with Board.open() as board:
            process = HapticProcess(f"{PRESS},log={log}", board).start()
            publish(board, felt(process, 0.3))
            end(process)
            assert gone(process)
            assert process.error == ""
            process.stop()
        _, sizes = written(log)
        assert sizes.max() > 0.3
        assert sizes[-1] == 0.0


def test_a_loop_that_was_killed_is_noticed(capfd):
    with Board.open() as board:
        process = HapticProcess("simulated", board).start()
        os.kill(process.pid, signal.SIGKILL)
        assert gone(process)
        assert "start it again" in process.error
        process.stop()
    assert not Path(f"/dev/shm/{board.name}").exists()
    assert capfd.readouterr().err == ""


def test_a_device_that_cannot_be_opened_says_why_to_the_parent(capfd):
    with Board.open() as board:
        process = HapticProcess("force_dimension", board)
        with pytest.raises(DeviceError, match="pip install"):
            process.start()
        assert not process.alive
        with pytest.raises(DeviceError, match="is not known"):
            HapticProcess("phantom", board)
    assert capfd.readouterr().err == ""


def test_a_haply_device_is_served_and_a_dropped_connection_survived(capfd):
    with HaplyServer() as server, Board.open(stiffness=100.0) as board:
        server.position = {"x": 0.0, "y": 0.0, "z": -0.01}
        with HapticProcess(f"haply:127.0.0.1:{server.port}", board, Settings(rate=200.0)) as process:
            publish(board, lambda: any(force[2] > 0.1 for force in list(server.forces)))
            server.mischief.append("drop")
            publish(board, lambda: server.connections == 2 and process.report().stale > 0)
            assert process.alive
        assert server.forces[-1] == (0.0, 0.0, 0.0)  # it waits until that is heard
    assert capfd.readouterr().err == ""


ORPHAN = """
import os, sys, time
from yawara.haptics.board import Board
from yawara.haptics.process import HapticProcess
if __name__ == "__main__":
    board = Board.open()
    process = HapticProcess(sys.argv[1], board).start()
    print(process.pid, flush=True)
    time.sleep(60)
"""


def test_a_loop_whose_parent_was_killed_ends_by_itself(tmp_path):
    program, log = tmp_path / "parent.py", tmp_path / "log.csv"
    program.write_text(ORPHAN)
    parent = subprocess.Popen(
        [sys.executable, program, f"{PRESS},log={log}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    parent.stdout.readline()  # it is served
    parent.kill()
    parent.wait()
    wait_for(log.exists, "the log, which is written when it closes the device")
    parent.stdout.close()
    assert written(log)[1][-1] == 0.0


def test_a_board_can_be_served_again_after_a_stop_with_other_limits():
    with Board.open() as board:
        for largest in (3.0, 0.2):
            with HapticProcess(PRESS, board, Settings(limits=Limits(max_force=largest), passivity=False)) as process:
                publish(board, felt(process, 0.0))
                assert process.alive
                assert 0.0 < process.report().max_force <= largest * (1 + 1e-9)


class Failing:
    """A device that breaks after some ticks."""

    info = DeviceInfo("failing", (0.1, 0.1, 0.1), max_force=5.0, rate=1000.0)

    def __init__(self, problem):
        self.problem, self.forces, self.reads, self.closed = problem, [], 0, False

    def open(self):
        pass

    def close(self):
        self.closed = True

    def read(self):
        self.reads += 1
        if self.reads > 200:
            raise self.problem
        return DeviceState(time.monotonic(), np.array([0.0, 0.0, -0.005]), np.zeros(3))

    def write(self, force):
        self.forces.append(np.array(force))


@pytest.mark.parametrize("problem", [OSError("unplugged"), RuntimeError("a fault of ours")])
def test_an_error_in_the_loop_leaves_no_force(monkeypatch, problem):
    device = Failing(problem)
    monkeypatch.setattr("yawara.haptics.loop.device_of", lambda text: device)
    handler = signal.getsignal(signal.SIGTERM)
    with Board.open() as board:
        solver = threading.Thread(target=publish, args=(board, lambda: device.reads > 200))
        solver.start()
        with pytest.raises(type(problem)):
            run(board.name, "failing", Settings(real_time=False))  # the tests themselves need no priority
        solver.join()
        assert not device.forces[-1].any()
        assert device.closed
        assert signal.getsignal(signal.SIGTERM) is handler
        assert gc.isenabled()
