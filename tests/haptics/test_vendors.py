"""Drivers of makers' libraries against stand-ins that answer as their documentation says: units, zero on close, no errors from read."""

import math
import sys
from types import ModuleType

import numpy as np
import pytest

from yawara.haptics.device import DeviceError, open_device


def stand_in(monkeypatch, name, **members):
    module = ModuleType(name)
    module.__dict__.update(members)
    monkeypatch.setitem(sys.modules, name, module)
    return module


@pytest.fixture
def dhd(monkeypatch):
    def into(values, result=0):
        def call(out):
            out[:] = module.__dict__[values]
            return module.result

        return call

    stand_in(monkeypatch, "forcedimension_core")
    module = stand_in(
        monkeypatch,
        "forcedimension_core.dhd",
        place=[0.01, 0.02, 0.03],
        speed=[0.1, 0.2, 0.3],
        result=0,
        found=0,
        calls=[],
        getPosition=into("place"),
        getLinearVelocity=into("speed"),
        getButton=lambda index: 1,
        errorGetLastStr=lambda: "no device found",
        open=lambda: module.found,
        enableForce=lambda on: module.calls.append(("enable", on)),
        setForce=lambda force: module.calls.append(("force", *force)),
        close=lambda: module.calls.append(("close",)),
    )
    return module


def test_force_dimension_is_read_and_pushed(dhd):
    device = open_device("force_dimension")
    state = device.read()
    np.testing.assert_array_equal(state.position, [0.01, 0.02, 0.03])
    np.testing.assert_array_equal(state.velocity, [0.1, 0.2, 0.3])
    assert (state.buttons, state.fresh) == ((True,), True)
    device.write(np.array([1.0, 2.0, 3.0]))
    device.close()
    device.close()
    assert dhd.calls == [("enable", True), ("force", 1.0, 2.0, 3.0), ("force", 0.0, 0.0, 0.0), ("close",)]


def test_force_dimension_that_fails_repeats_its_last_state(dhd):
    device = open_device("force_dimension")
    good = device.read()
    dhd.result = -1
    assert not device.read().fresh
    dhd.result, dhd.place = 0, [math.nan, 0.0, 0.0]
    state = device.read()
    assert not state.fresh
    np.testing.assert_array_equal(state.position, good.position)


def test_force_dimension_that_is_not_plugged_in(dhd):
    dhd.found = -1
    with pytest.raises(DeviceError, match="plug it in"):
        open_device("force_dimension")


@pytest.fixture
def hd(monkeypatch):
    class Device:
        def __init__(self, callback, device_name, scheduler_type):
            module.serve, self.id = callback, module.found

        def close(self):
            module.serve()  # the maker's thread runs until the end
            module.closed = True

    stand_in(monkeypatch, "pyOpenHaptics")
    stand_in(monkeypatch, "pyOpenHaptics.hd_callback", hd_callback=lambda function: function)
    stand_in(monkeypatch, "pyOpenHaptics.hd_device", HapticDevice=Device)
    module = stand_in(
        monkeypatch,
        "pyOpenHaptics.hd",
        place=[10.0, 20.0, 30.0],  # [mm]
        found=0,
        forces=[],
        closed=False,
        get_transform=lambda: [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [*module.place, 1]],
        get_velocity=lambda: [100.0, 0.0, 0.0],  # [mm/s]
        get_buttons=lambda: 2,
        set_force=lambda force: module.forces.append(tuple(force)),
    )
    return module


def test_open_haptics_is_read_in_metres_and_pushed(hd):
    device = open_device("open_haptics")
    assert not device.read().fresh  # the maker's thread has not come by yet
    hd.serve()
    state = device.read()
    np.testing.assert_allclose(state.position, [0.01, 0.02, 0.03])
    np.testing.assert_allclose(state.velocity, [0.1, 0.0, 0.0])
    assert (state.buttons, state.fresh) == ((False, True), True)
    assert not device.read().fresh
    device.write(np.array([1.0, 2.0, 3.0]))
    hd.serve()
    assert hd.forces[-1] == (1.0, 2.0, 3.0)
    device.close()
    assert hd.forces[-1] == (0.0, 0.0, 0.0)
    assert hd.closed


def test_open_haptics_that_says_nonsense_is_not_fresh(hd):
    device = open_device("open_haptics")
    hd.serve()
    device.read()
    hd.place = [math.nan, 0.0, 0.0]
    hd.serve()
    state = device.read()
    assert not state.fresh
    assert np.isfinite(state.position).all()


def test_open_haptics_that_is_not_plugged_in(hd):
    hd.found = 0xFFFFFFFF
    with pytest.raises(DeviceError, match="plug it in"):
        open_device("open_haptics")
