"""Ticks of the loop in held time: limits hold from end to end, and what is broken is not felt."""

import math

import numpy as np
import pytest

from haptic_rig import TICK, press, rig, wall
from held_clock import HeldClock
from yawara.haptics.device import DeviceInfo, DeviceState
from yawara.haptics.histogram import EDGES, LATE, Histogram
from yawara.haptics.loop import LONGEST_TICK, PARENT_EVERY, serve
from yawara.haptics.pace import Pacer
from yawara.haptics.report import LoopReport
from yawara.haptics.safety import Limits
from yawara.haptics.simulated import Hand

LIMITS = Limits(max_force=3.0, max_slew=500.0)


class Scripted:
    """A device that says what it is told to."""

    info = DeviceInfo("scripted", (0.1, 0.1, 0.1), max_force=5.0, rate=1000.0)

    def __init__(self, place=(0.0, 0.0, -0.002)):
        self.state = DeviceState(0.0, np.array(place), np.zeros(3))
        self.position, self.forces, self.closed = self.state.position, [], 0

    def open(self):
        pass

    def close(self):
        self.closed += 1

    def read(self):
        return self.state

    def write(self, force):
        self.forces.append(np.array(force))


def jumps(forces):
    return np.linalg.norm(np.diff(forces, axis=0), axis=1)


def test_force_is_continuous_through_touching_pressing_and_leaving():
    hand = Hand(depth=0.02, height=0.02, period=0.4)
    with rig(hand, coupling=2000.0, damping=0.5, stiffness=5000.0, limits=LIMITS, passivity=True) as made:
        _, forces = made.run(2.0)
        assert made.loop.board.report.value("max_jump") == pytest.approx(jumps(forces).max())
    assert forces[:, 2].max() > 1.0
    assert (forces[:, 2] == 0.0).sum() > 200
    assert jumps(forces).max() <= 500.0 * TICK * (1 + 1e-9)
    assert np.linalg.norm(forces, axis=1).max() <= 3.0 * (1 + 1e-12)


def test_the_device_limits_the_force_further():
    weak = DeviceInfo("weak", (0.1, 0.1, 0.1), max_force=0.5, rate=1000.0)
    with rig(Hand(), press(0.02), coupling=2000.0, stiffness=5000.0, limits=LIMITS, info=weak) as made:
        _, forces = made.run(0.5)
    assert np.linalg.norm(forces, axis=1).max() == pytest.approx(0.5)


@pytest.mark.parametrize("bad", [math.nan, math.inf, 1e308, -1e30, 11.0])
def test_a_device_that_says_nonsense_is_not_pushed(bad):
    device = Scripted()
    with rig(device=device, limits=LIMITS) as made:
        made.run(0.3)
        assert device.forces[-1][2] > 0.5
        device.state = DeviceState(0.0, np.array([0.0, bad, 0.0]), np.zeros(3))
        made.run(0.01)
        assert not device.forces[-1].any()
        made.run(0.05)
        assert np.isfinite(device.forces).all()
        assert jumps(device.forces).max() <= 0.5 * (1 + 1e-9)
        assert made.loop.stale == 60
        made.board.proxy.fetch()
        assert np.isfinite(made.board.proxy["proxy"]).all()
        assert made.board.proxy.value("fresh") == 0.0


def test_a_device_without_news_loses_its_force_in_50_ms():
    device = Scripted()
    with rig(device=device, limits=LIMITS) as made:
        made.run(0.3)
        held = device.forces[-1].copy()
        device.state = DeviceState(0.0, device.state.position, np.zeros(3), fresh=False)
        made.run(0.02)
        np.testing.assert_allclose(device.forces[-1], held)
        made.run(0.03)
        assert not device.forces[-1].any()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("place", math.nan),
        ("force", math.inf),
        ("stiffness", math.nan),
        ("stiffness", np.diag([0.0, 0.0, -500.0])),
        ("damping", math.nan),
        ("time", math.nan),
    ],
)
def test_a_solver_that_says_nonsense_is_not_felt(field, value):
    device = Scripted()
    with rig(device=device, limits=LIMITS) as made:
        made.run(0.3)
        made.solver_lives = False
        for _ in range(60):
            contact = made.board.contact
            contact["time"] = made.clock.time
            contact[field] = value
            contact.publish()
            made.run(TICK)
        assert np.isfinite(device.forces).all()
        assert not device.forces[-50].any()  # not only after 50 ms
        assert made.loop.unsound >= 60


def test_a_solver_that_is_gone_is_not_felt_after_50_ms_and_comes_back_smoothly():
    device = Scripted()
    with rig(device=device, limits=LIMITS) as made:
        made.run(0.3)
        held = device.forces[-1][2]
        made.solver_lives = False
        made.run(0.05)
        assert not device.forces[-1].any()
        made.solver_lives = True
        made.run(0.2)
        assert device.forces[-1][2] == pytest.approx(held)
        assert jumps(device.forces).max() <= 0.5 * (1 + 1e-9)
        made.loop.publish_report(made.clock.time)
        assert made.loop.board.report.value("trips") == 1


def test_orders_move_turn_and_scale_the_device_in_the_world():
    device = Scripted(place=(0.001, 0.0, 0.0))
    with rig(device=device, limits=LIMITS, coupling=500.0, stiffness=1e9) as made:
        turn = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the device's x is the world's -z
        made.board.orders["turn"], made.board.orders["scale"] = turn, 2.0
        made.board.orders["offset"] = (0.3, 0.4, 0.0)
        made.board.orders.publish()
        made.run(0.3)
        made.board.proxy.fetch()
        np.testing.assert_allclose(made.board.proxy["device"], [0.3, 0.4, -0.002])
        np.testing.assert_allclose(device.forces[-1], [-500.0 * 0.002, 0.0, 0.0], atol=1e-6)  # away from the floor
        np.testing.assert_allclose(made.board.proxy["force"], [0.0, 0.0, 1.0], atol=1e-6)


def test_orders_that_make_no_sense_change_nothing():
    with rig(device=Scripted()) as made:
        made.run(0.01)
        before = made.loop.mapping
        made.board.orders["turn"], made.board.orders["scale"] = 2.0 * np.eye(3), math.nan
        made.board.orders["stiffness"] = -1.0
        made.board.orders.publish()
        made.run(0.01)
        assert made.loop.mapping is before
        assert made.loop.coupling.stiffness == 500.0


class Busy(HeldClock):
    """The machine's clock, and other work that keeps the loop waiting before some of its ticks [s]."""

    def __init__(self, stalls):
        super().__init__(look=1e-6)
        self.stalls, self.sleeps = stalls, 0

    def sleep(self, duration):
        self.sleeps += 1
        self.time += duration + self.stalls.get(self.sleeps, 0.0)


def served(made, clock, ticks):
    """So many ticks as a process would do them; the solver publishes before each. Times [s] and lengths [s] of the ticks."""
    made.clock = made.loop.clock = clock
    made.device._clock = clock
    seen, tick = [], made.loop.tick

    def noted(now, dt):
        wall(made.board, clock.time, made.stiffness)
        seen.append((now, dt))
        return tick(now, dt)

    made.loop.tick = noted
    serve(made.loop, lambda: len(seen) == ticks, lambda: False)
    return np.array(seen)


def test_a_loop_on_a_quiet_machine_is_never_late():
    with rig(device=Scripted(), limits=LIMITS) as made:
        seen = served(made, Busy({}), 300)
        made.loop.publish_report(made.clock.time)
        report = LoopReport.of(made.loop.board.report)
    np.testing.assert_allclose(seen[1:, 1], TICK, atol=5e-6)
    assert report.rate == pytest.approx(1000.0, rel=1e-3)
    assert (report.skipped, report.lateness.late_share, report.trips) == (0, 0.0, 0)
    assert report.lateness.largest < 5e-6


def test_a_loop_on_a_busy_machine_leaves_out_what_it_missed_and_says_so():
    """Late by 0.7 ms once, and by 30 ms once; the force then changes no faster than ever."""
    device = Scripted()
    with rig(device=device, limits=LIMITS) as made:
        seen = served(made, Busy({100: 7e-4, 200: 0.030}), 300)
        made.loop.publish_report(made.clock.time)
        report = LoopReport.of(made.loop.board.report)
    assert report.skipped == 29  # the tick after the late one is the next that is due
    assert report.lateness.largest == pytest.approx(0.030 - 3e-4, abs=1e-5)
    assert report.lateness.late_share == pytest.approx(1 / 300)
    assert report.ticks == 300
    assert seen[:, 1].max() == pytest.approx(0.031, abs=1e-3)  # what it is told has passed
    assert jumps(device.forces).max() <= 0.5 * (1 + 1e-9)


def test_a_stall_counts_as_a_short_tick():
    """After a second away the coupling must not take its speed from what the hand did a second ago."""
    with rig(device=Scripted(), limits=LIMITS) as made:
        made.run(0.3)
        steps = []
        made.loop.coupling.step = lambda place, model, dt: steps.append(dt) or np.zeros(3)
        made.loop.tick(made.clock.time + 1.0, 1.0)
    assert steps == [LONGEST_TICK]


def test_a_loop_ends_when_the_board_says_so_and_when_nobody_is_there():
    with rig(device=Scripted(), limits=LIMITS) as made:
        made.loop.clock = HeldClock(look=1e-6)
        serve(made.loop, lambda: False, lambda: made.loop.ticks >= 2 * PARENT_EVERY)
        assert made.loop.ticks == 2 * PARENT_EVERY
        made.board.orders["stop"] = 1.0
        made.board.orders.publish()
        serve(made.loop, lambda: False, lambda: False)
        assert made.loop.ticks == 2 * PARENT_EVERY + 1  # the order is read in a tick


def test_release_leaves_no_force():
    device = Scripted()
    with rig(device=device, limits=LIMITS) as made:
        made.run(0.3)
        made.loop.release()
    assert not device.forces[-1].any()
    assert device.closed == 1


def test_the_proxy_stops_at_a_hard_floor():
    with rig(Hand(stiffness=100.0), press(0.01), coupling=500.0, stiffness=1e9) as made:
        made.run(1.0)
        made.board.proxy.fetch()
        assert abs(made.board.proxy["proxy"][2]) < 1e-6
        assert made.board.proxy["device"][2] < -1e-3


def test_histogram_tells_quantiles_and_what_is_late():
    histogram = Histogram(np.zeros(len(EDGES) + 1))
    for duration in [1e-5] * 90 + [LATE] * 9 + [3.0]:
        histogram.add(duration)
    assert 1e-5 <= histogram.quantile(0.5) <= 1.13e-5
    assert LATE <= histogram.quantile(0.99) <= 1.13 * LATE
    assert histogram.late_share == pytest.approx(0.1)
    histogram.add(0.999 * LATE)
    assert histogram.late_share == pytest.approx(10 / 101)


def test_the_pace_is_kept_from_the_beginning_and_missed_ticks_are_left_out():
    clock = HeldClock(look=1e-6)
    pacer = Pacer(1000.0, clock)
    times = []
    for count in range(20):
        times.append(pacer.wait()[0])
        clock.time += 0.0053 if count == 9 else 0.0002
    gaps = np.diff(times)
    assert pacer.skipped == 5
    assert gaps[9] == pytest.approx(0.006, abs=1e-5)
    np.testing.assert_allclose(np.delete(gaps, 9), 0.001, atol=1e-5)  # no burst to catch up
