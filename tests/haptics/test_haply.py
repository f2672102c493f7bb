"""The driver of Haply's device against a server that speaks as the documentation says, and one that does not."""

import numpy as np
import pytest

from haply_server import HaplyServer
from held_clock import HeldClock
from waiting import wait_for
from yawara.haptics.device import DeviceError, device_of, open_device
from yawara.haptics.haply import MOST_WAITING, SILENCE, HaplyDevice


def until(condition):
    wait_for(condition, "it happens")


def opened(server, **options):
    """It lives by a held clock, if no other is given: a busy machine may keep its answers waiting."""
    device = HaplyDevice("127.0.0.1", server.port, first_pause=0.02, **{"clock": HeldClock(), **options})
    device.open()
    return device


def fresh_state(device, force=(0.0, 0.0, 0.0)):
    """Tick until there is news."""

    def ticked():
        state = device.read()
        return state if state.fresh else device.write(np.array(force))

    return wait_for(ticked, "news")


def quiet(device):
    """Until every command has its answer."""
    until(lambda: not device.read().fresh and not device._link._asked)


def test_state_and_buttons_arrive():
    with HaplyServer() as server:
        device = opened(server)
        state = fresh_state(device)
        device.close()
    np.testing.assert_array_equal(state.position, [0.01, -0.12, 0.15])
    np.testing.assert_array_equal(state.velocity, [0.0, 0.1, 0.0])
    assert state.orientation == (1.0, 0.0, 0.0, 0.0)
    assert state.buttons == (True, False, False)
    assert server.profiles == ["yawara:haptics"]


def test_a_device_without_grip_has_no_buttons():
    with HaplyServer(grip=False) as server:
        device = opened(server)
        state = fresh_state(device)
        device.close()
    assert (state.orientation, state.buttons) == (None, ())


def test_the_force_arrives_and_is_zero_in_the_end():
    with HaplyServer() as server:
        device = opened(server)
        device.write(np.array([0.5, -1.0, 1.5]))
        until(lambda: (0.5, -1.0, 1.5) in server.forces)
        assert server.forces[0] == (0.0, 0.0, 0.0)
        device.close()
        until(lambda: server.forces[-1] == (0.0, 0.0, 0.0))
        device.close()


def test_one_state_per_command_and_none_else():
    with HaplyServer() as server:
        device, news = opened(server), 0
        for _ in range(100):
            quiet(device)  # or some would not be sent
            device.write(np.zeros(3))
            until(lambda: device.read().fresh)
            news += 1
        assert (server.states, news) == (101, 100)  # the first command comes with the opening
        assert not device.read().fresh
        device.close()


def test_a_dropped_connection_is_found_again_without_an_error():
    with HaplyServer() as server:
        device = opened(server)
        fresh_state(device)
        server.mischief.append("drop")
        device.write(np.ones(3))
        until(lambda: not device.read().fresh and device.counts["drop"] == 1)
        stale = device.read()
        assert not stale.fresh
        np.testing.assert_array_equal(stale.position, [0.01, -0.12, 0.15])
        device.write(np.ones(3))  # goes nowhere, says nothing
        assert fresh_state(device).fresh
        assert server.connections == 2
        assert server.profiles == ["yawara:haptics"] * 2
        device.close()


def test_a_service_that_was_away_is_found_again():
    with HaplyServer() as server:
        port = server.port
        device = opened(server)
        fresh_state(device)
    until(lambda: not device.read().fresh and device.counts["drop"] == 1)
    assert not device.read().fresh
    with HaplyServer(port):
        assert fresh_state(device).fresh
        device.close()


@pytest.mark.parametrize("kind", ["garbage", "nan", "missing", "huge", "array", "number", "binary"])
def test_bad_messages_are_counted_and_not_felt(kind):
    with HaplyServer() as server:
        device = opened(server)
        before = fresh_state(device)
        quiet(device)
        server.mischief.extend([kind] * 3)
        for _ in range(3):
            device.write(np.zeros(3))

        def all_three():
            assert np.isfinite(device.read().position).all()
            return device.counts["bad message"] == 3

        until(all_three)
        assert not device.read().fresh
        np.testing.assert_array_equal(device.read().position, before.position)
        assert fresh_state(device).fresh  # and it goes on
        assert device.counts["drop"] == 0
        device.close()


def test_an_oversized_message_ends_the_connection_and_a_new_one_begins():
    with HaplyServer() as server:
        device = opened(server)
        fresh_state(device)
        server.mischief.append("oversized")
        device.write(np.zeros(3))
        until(lambda: not device.read().fresh and device.counts["drop"] == 1)
        assert fresh_state(device).fresh
        assert server.connections == 2
        device.close()


def test_a_silent_service_is_not_flooded_and_counts_as_dropped():
    clock = HeldClock()
    with HaplyServer() as server:
        device = opened(server, clock=clock)
        fresh_state(device)
        quiet(device)
        server.mischief.extend(["silence"] * 60)
        count = len(server.forces)
        for _ in range(200):
            device.write(np.ones(3))
        until(lambda: len(server.forces) - count == MOST_WAITING)
        clock.time += SILENCE
        assert not device.read().fresh
        assert device.counts["drop"] == 0
        clock.time += 0.01
        device.read()
        assert device.counts["drop"] == 1
        server.mischief.clear()
        assert fresh_state(device).fresh
        device.close()


def test_no_service_is_told_with_a_remedy():
    with HaplyServer() as server:
        port = server.port
    with pytest.raises(DeviceError, match="start the Haply Inverse Service"):
        open_device(f"haply:127.0.0.1:{port}")


@pytest.mark.parametrize("options", [{"devices": 0}, {"snapshot": "nonsense"}, {"snapshot": '{"inverse3": 3}'}])
def test_a_service_without_device_is_told_with_a_remedy(options):
    with HaplyServer(**options) as server, pytest.raises(DeviceError, match="switch the device on"):
        open_device(f"haply:127.0.0.1:{server.port}")


@pytest.mark.parametrize("text", ["haply:somewhere", "haply::10001", "haply:host:99999", "haply:host:port"])
def test_a_place_that_cannot_be_is_refused(text):
    with pytest.raises(DeviceError, match="haply:localhost:10001"):
        device_of(text)
