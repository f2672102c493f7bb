"""Devices that need no hardware, and what those say that do."""

import math

import numpy as np
import pytest

from held_clock import HeldClock
from yawara.haptics.device import DEVICES, DeviceError, device_of, open_device
from yawara.haptics.mouse import MouseDevice
from yawara.haptics.replay import ReplayDevice
from yawara.haptics.simulated import Hand, SimulatedDevice


def test_an_unknown_device_names_the_valid_ones():
    with pytest.raises(DeviceError, match="device 'phantom' is not known") as error:
        device_of("phantom")
    assert all(name in str(error.value) for name in DEVICES)


def test_what_follows_a_name_that_takes_nothing_is_refused():
    with pytest.raises(DeviceError, match="write just 'mouse'"):
        device_of("mouse:left")


@pytest.mark.parametrize(
    ("name", "package", "library"),
    [("force_dimension", "pip install forcedimension-core", "libdhd"), ("open_haptics", "pip install pyOpenHaptics", "libHD")],
)
def test_missing_libraries_are_named(name, package, library):
    with pytest.raises(DeviceError, match=package) as error:
        open_device(name)
    assert library in str(error.value)


def test_the_mouse_is_where_it_points():
    clock = HeldClock()
    mouse = MouseDevice(clock)
    mouse.read()
    mouse.point((0.0, 0.0, 0.01), pressed=True)
    clock.time += 0.1
    state = mouse.read()
    np.testing.assert_allclose(state.position, [0.0, 0.0, 0.01])
    np.testing.assert_allclose(state.velocity, [0.0, 0.0, 0.1])
    assert state.buttons == (True,)
    mouse.write(np.ones(3))
    np.testing.assert_array_equal(mouse.force, np.ones(3))
    with pytest.raises(ValueError, match="three finite numbers"):
        mouse.point((0.0, math.nan, 0.0))


def test_a_hand_under_constant_force_moves_as_its_equation_says():
    # m ẍ = −k x − b ẋ + f from rest: x = f/k (1 − e^(−at) (cos wt + a/w sin wt))
    hand, clock = Hand(mass=0.2, stiffness=80.0, damping=1.0), HeldClock()
    device = SimulatedDevice(hand, lambda _: np.zeros(3), clock=clock)
    device.write(np.array([0.4, 0.0, 0.0]))
    a = 0.5 * 1.0 / 0.2
    w = math.sqrt(80.0 / 0.2 - a * a)
    for count in range(1, 200):
        clock.time = 100.0 + 0.0017 * count
        t = clock.time - 100.0
        expected = 0.4 / 80.0 * (1.0 - math.exp(-a * t) * (math.cos(w * t) + a / w * math.sin(w * t)))
        assert device.read().position[0] == pytest.approx(expected, abs=1e-13)
    assert device.work == pytest.approx(0.4 * device.position[0])


def test_a_hand_that_sets_off_lags_behind_as_its_equation_says():
    # m ÿ = −k y − b ẏ with y = x − v t, from rest: y = −v/w e^(−at) sin wt
    clock = HeldClock()
    device = SimulatedDevice(
        Hand(mass=0.2, stiffness=80.0, damping=1.0), lambda elapsed: np.array([0.1 * elapsed, 0.0, 0.0]), clock=clock
    )
    a = 0.5 * 1.0 / 0.2
    w = math.sqrt(80.0 / 0.2 - a * a)
    for count in range(1, 200):
        clock.time = 100.0 + 0.0017 * count
        t = clock.time - 100.0
        lag = 0.1 / w * math.exp(-a * t) * math.sin(w * t)
        assert device.read().position[0] == pytest.approx(0.1 * t - lag, abs=1e-13)


@pytest.mark.parametrize("damping", [2.0 * math.sqrt(0.15 * 300.0), 40.0])
def test_hands_that_do_not_swing(damping):
    clock = HeldClock()
    device = SimulatedDevice(Hand(damping=damping), lambda _: np.zeros(3), clock=clock)
    device.write(np.array([0.3, 0.0, 0.0]))
    seen = []
    for _ in range(3000):
        clock.time += 1e-3
        seen.append(device.read().position[0])
    assert (np.diff(seen) > -1e-15).all()
    assert seen[-1] == pytest.approx(0.3 / 300.0, rel=1e-3)


def test_measurements_are_rounded_and_late():
    clock = HeldClock()
    path = lambda elapsed: np.array([elapsed, 0.0, 0.0])  # noqa: E731
    device = SimulatedDevice(Hand(stiffness=1e6, damping=500.0, resolution=1e-3, delay=3), path, clock=clock)
    for _ in range(50):
        clock.time += 1e-2
        state = device.read()
    assert state.time == pytest.approx(100.0 + 0.47)
    assert state.position[0] == pytest.approx(0.47, abs=6e-4)
    assert state.position[0] / 1e-3 == pytest.approx(round(state.position[0] / 1e-3), abs=1e-9)


def test_settings_of_the_hand_can_be_written(tmp_path):
    device = device_of(f"simulated:mass=0.3,delay=2,log={tmp_path / 'log.csv'}")
    assert device.hand == Hand(mass=0.3, delay=2)
    device.open()
    device.write(np.array([0.0, 0.0, 1.0]))
    device.close()
    lines = (tmp_path / "log.csv").read_text().splitlines()
    assert lines[0] == "time,x,y,z"
    assert [line.split(",")[3] for line in lines[1:]] == ["1.0", "0.0"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("weight=1", "valid: mass"),
        ("mass=heavy", "must be a number"),
        ("mass=0", "mass .* must be > 0"),
        ("delay=-1", ">= 0"),
        ("mass=nan", "> 0"),
    ],
)
def test_a_hand_that_cannot_be_is_refused(text, words):
    with pytest.raises(DeviceError, match=words):
        device_of(f"simulated:{text}")


def stroke(tmp_path, text):
    path = tmp_path / "stroke.csv"
    path.write_text(text)
    return path


def test_a_recorded_stroke_is_played(tmp_path):
    path, clock = stroke(tmp_path, "time,x,y,z,button\n2.0,0,0,0,0\n2.1,0.01,0,0,1\n2.3,0.01,0.02,0,0\n"), HeldClock()
    device = ReplayDevice(path, clock)
    device.open()
    seen = {}
    for elapsed in (0.0, 0.05, 0.2, 0.3, 9.0):
        clock.time = 100.0 + elapsed
        seen[elapsed] = device.read()
    np.testing.assert_allclose(seen[0.05].position, [0.005, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(seen[0.05].velocity, [0.1, 0.0, 0.0], atol=1e-12)
    np.testing.assert_allclose(seen[0.2].position, [0.01, 0.01, 0.0], atol=1e-12)
    np.testing.assert_allclose(seen[9.0].position, [0.01, 0.02, 0.0])
    np.testing.assert_array_equal(seen[9.0].velocity, np.zeros(3))
    assert [seen[elapsed].buttons for elapsed in (0.05, 0.2, 9.0)] == [(False,), (True,), (False,)]


def test_a_stroke_of_one_line_rests(tmp_path):
    path = stroke(tmp_path, "z,y,x,time\n3,2,1,0\n")
    device = open_device(f"replay:{path}")
    np.testing.assert_array_equal(device.read().position, [1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: column time, x, y, z is missing"),
        ("time,x,y\n0,0,0\n", "line 1: column z is missing"),
        ("time,x,y,z\n", "has no positions"),
        ("time,x,y,z\n0,0,0,0\n0.1,0,nan,0\n", "line 3: must be finite"),
        ("time,x,y,z\n0,0,0,0\n0.1,0,far,0\n", "line 3: must be plain numbers"),
        ("time,x,y,z\n0,0,0,0\n\n0.2,0,0,0\n0.1,0,0,0\n", "line 5: time must be > 0.2 s"),
        ("time,x,y,z\n0,0,0,0\n0,0,0,0\n", "line 3: time must be > 0 s"),
        ("time,x,y,z\n0,0,0\n", "line 2: has 3 values, needs 4"),
    ],
)
def test_a_stroke_that_is_wrong_is_refused_with_its_line(tmp_path, text, words):
    with pytest.raises(DeviceError, match=words):
        open_device(f"replay:{stroke(tmp_path, text)}")


def test_a_file_that_is_not_there_and_none_at_all(tmp_path):
    with pytest.raises(DeviceError, match="cannot be read"):
        open_device(f"replay:{tmp_path / 'none.csv'}")
    with pytest.raises(DeviceError, match=r"replay:stroke\.csv"):
        open_device("replay")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DeviceError, match="cannot be read"):
        open_device(f"replay:{binary}")
