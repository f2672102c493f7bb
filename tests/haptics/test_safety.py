"""Forces are finite, bounded, gradual, and gone when nobody stands behind them."""

import numpy as np
import pytest

from yawara.haptics.safety import Gate, Limits, Watchdog, finite, limited, slewed

T = 1e-3  # [s]


def test_a_force_too_large_keeps_its_direction():
    np.testing.assert_allclose(limited(np.array([3.0, 4.0, 0.0]), 1.0), [0.6, 0.8, 0.0])
    np.testing.assert_array_equal(limited(np.array([0.3, 0.4, 0.0]), 1.0), [0.3, 0.4, 0.0])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_what_is_no_number_is_known(bad):
    assert finite(np.ones(3))
    assert not finite(np.array([0.0, bad, 0.0]))
    assert not finite(np.array([bad, -bad, 0.0]))


def test_slew_keeps_step_and_size_at_once_also_when_the_bound_shrinks():
    random, force, largest, step = np.random.default_rng(1), np.array([3.0, 0.0, 0.0]), 3.0, 0.2
    for _ in range(2000):
        largest = float(np.clip(largest + random.uniform(-step, step), 0.0, 3.0))
        after = slewed(random.normal(size=3) * 5.0, force, largest, step)
        assert np.linalg.norm(after - force) <= step * (1 + 1e-9)
        assert np.linalg.norm(after) <= largest * (1 + 1e-9)
        force = after


def gate_at_rest(wanted, limits=None):
    """A gate that has been passing this force on for a while, and the time."""
    gate, now = Gate(limits or Limits()), 5.0
    for _ in range(300):
        now += T
        gate.watchdog.heard(now)
        gate.pass_on(wanted, now, T)
    return gate, now


def test_force_comes_up_slowly_at_the_beginning():
    gate, now = Gate(Limits()), 5.0
    forces = []
    for _ in range(200):
        now += T
        gate.watchdog.heard(now)
        forces.append(gate.pass_on(np.array([2.0, 0.0, 0.0]), now, T)[0])
    assert forces[0] <= 2.0 * T / 0.1 + 1e-12
    assert forces[-1] == 2.0
    assert np.diff(forces).max() <= 2.0 * T / 0.1 + 1e-12


@pytest.mark.parametrize("size", [0.5, 3.0, 100.0])
def test_without_news_the_force_is_gone_after_50_ms_and_comes_back_smoothly(size):
    gate, heard = gate_at_rest(np.array([size, 0.0, 0.0]))
    held = gate.force[0]
    assert held == pytest.approx(min(size, 3.0))
    times, forces, now = [], [held], heard
    while now < heard + 0.08:
        now += T
        times.append(now - heard)
        forces.append(gate.pass_on(np.array([size, 0.0, 0.0]), now, T)[0])
    forces, times = np.array(forces), np.array(times)
    assert forces[1:][times < 0.025].min() == pytest.approx(held)  # a short silence is forgiven
    assert (forces[1:][times + T >= 0.05 - 1e-9] == 0.0).all()  # a device holds its force until the next tick
    assert np.abs(np.diff(forces)).max() <= 500.0 * T * (1 + 1e-9)
    assert gate.watchdog.trips == 1

    back = []
    for _ in range(150):
        now += T
        gate.watchdog.heard(now)
        back.append(gate.pass_on(np.array([size, 0.0, 0.0]), now, T)[0])
    assert back[-1] == pytest.approx(held)
    assert np.diff([0.0, *back]).max() <= 500.0 * T * (1 + 1e-9)
    assert back[10] < 0.5 * held


def test_a_late_tick_is_no_licence_for_a_larger_jump():
    gate, now = gate_at_rest(np.array([2.0, 0.0, 0.0]))
    gate.watchdog.heard(now + 0.01)
    assert np.linalg.norm(gate.pass_on(np.array([-2.0, 0.0, 0.0]), now + 0.01, 0.01) - [2.0, 0.0, 0.0]) <= 0.5 + 1e-12


def test_after_a_stall_of_the_loop_itself_there_is_no_force_at_once():
    gate, now = gate_at_rest(np.array([2.0, 0.0, 0.0]))
    assert not gate.pass_on(np.array([2.0, 0.0, 0.0]), now + 0.2, 0.2).any()


def test_a_force_that_is_no_number_becomes_none_within_the_slew_limit():
    gate, now = gate_at_rest(np.array([1.0, 0.0, 0.0]))
    forces = [gate.force]
    for _ in range(5):
        now += T
        gate.watchdog.heard(now)
        forces.append(gate.pass_on(np.full(3, np.nan), now, T))
    assert np.isfinite(forces).all()
    assert np.abs(np.diff([force[0] for force in forces])).max() <= 0.5 + 1e-12
    assert not forces[-1].any()
    assert gate.refused == 5


def test_never_heard_of_means_no_force():
    assert Watchdog(Limits()).update(1.0, T) == 0.0


@pytest.mark.parametrize(
    "wrong", [{"max_force": 0.0}, {"max_slew": np.inf}, {"ramp": 0.05}, {"max_force": 100.0}, {"rise": -1.0}]
)
def test_limits_that_cannot_be_kept_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        Limits(**wrong)
