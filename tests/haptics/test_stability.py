"""Stability of hand, device, coupling and body together, in held time: the passive limit, what happens beyond, and the guard."""

import numpy as np
import pytest

from haptic_rig import TICK, press, rig
from yawara.haptics.coupling import passive_stiffness
from yawara.haptics.safety import Limits
from yawara.haptics.simulated import Hand

FRICTION = 3.0  # [N s/m]
LIMIT = passive_stiffness(FRICTION, TICK)
HANDS = [50.0, 500.0, 5000.0]  # [N/m], two decades
STEEL = 1e7  # [N/m], a body so stiff that the coupling alone is felt


@pytest.mark.parametrize("grip", HANDS)
def test_just_below_the_limit_no_energy_is_made(grip):
    # spring U: Σ f Δx <= U(0) − U(x) + K/2 Σ Δx², and friction takes b/T Σ Δx²: never negative as long as K <= 2b/T
    with rig(
        Hand(stiffness=grip, damping=FRICTION), press(0.01), coupling=0.99 * LIMIT, stiffness=STEEL, friction=FRICTION
    ) as made:
        _, forces = made.run(1.0)
        assert min(made.balances) >= -1e-9
        assert forces[:, 2].max() > 1.0  # there was something to feel
        # what the observer sees is what the hand got: a device holds its force, so f Δx is exact
        assert made.loop.observer.given == pytest.approx(made.device.work, abs=1e-9)


@pytest.mark.parametrize("grip", HANDS)
def test_below_the_limit_it_settles(grip):
    # friction that is left over: 0.3 b, so it decays like exp(−0.3 b t / 2m): by e⁻⁹ in 3 s
    with rig(Hand(stiffness=grip, damping=FRICTION), press(0.01), coupling=0.7 * LIMIT, stiffness=STEEL) as made:
        places, forces = made.run(3.0)
    felt = 0.7 * LIMIT
    assert np.ptp(places[-200:, 2]) < 1e-5
    assert forces[-1, 2] == pytest.approx(grip * felt / (grip + felt) * 0.01, rel=0.01)


@pytest.mark.parametrize("grip", HANDS)
def test_above_the_limit_the_observer_sees_energy_being_made(grip):
    with rig(
        Hand(stiffness=grip, damping=FRICTION), press(0.01), coupling=2.0 * LIMIT, stiffness=STEEL, friction=FRICTION
    ) as made:
        made.run(1.0)
        assert min(made.balances) < -1e-6


def far_beyond(active, limits=None, grip=5000.0):
    """A stiff hand on a coupling of five times the limit; force over time [N]."""
    with rig(
        Hand(stiffness=grip, damping=FRICTION),
        press(0.004),
        coupling=5.0 * LIMIT,
        stiffness=STEEL,
        friction=FRICTION,
        passivity=active,
        **({"limits": limits} if limits else {}),
    ) as made:
        places, forces = made.run(1.5)
    return places[:, 2], np.abs(forces[:, 2])


def test_five_times_beyond_it_grows_without_the_controller():
    places, forces = far_beyond(active=False)
    assert forces[-200:].max() > 10.0 * forces[:500].max()
    assert np.ptp(places[-200:]) > 0.1


def test_five_times_beyond_the_controller_bounds_it():
    places, forces = far_beyond(active=True)
    assert forces[-200:].max() < 2.0 * forces[:500].max()  # it shakes, but does not grow
    assert np.ptp(places[-200:]) < 0.004


@pytest.mark.parametrize("grip", HANDS)
def test_five_times_beyond_forces_stay_within_the_limit(grip):
    limits = Limits(max_force=5.0, max_slew=2000.0)
    places, forces = far_beyond(active=True, limits=limits, grip=grip)
    assert forces.max() <= 5.0 * (1 + 1e-12)
    assert np.abs(np.diff(forces)).max() <= 2000.0 * TICK * (1 + 1e-9)
    assert np.ptp(places[-200:]) < 0.004


@pytest.mark.parametrize("body", [50.0, 1e4])
def test_a_device_that_measures_badly_still_settles_well_below_the_limit(body):
    hand = Hand(damping=FRICTION, resolution=1e-5, delay=2)
    with rig(hand, press(0.01), coupling=0.1 * LIMIT, damping=0.2, stiffness=body, passivity=True) as made:
        places, forces = made.run(2.0)
    felt = 0.1 * LIMIT * body / (0.1 * LIMIT + body)
    assert np.ptp(places[-200:, 2]) < 3e-5
    assert forces[-1, 2] == pytest.approx(300.0 * felt / (300.0 + felt) * 0.01, rel=0.05)


def slow_solver(every, *, stiffness_told, active):
    """A soft floor of 400 N/m that answers only every so many ticks, half as many late; places [m] and forces [N] along z."""
    hand = Hand(stiffness=50.0, damping=1.0)
    with rig(hand, press(0.03), coupling=500.0, damping=0.5, limits=Limits(), passivity=active) as made:
        made.solver_lives = False  # this one is not the rig's
        due = []
        for tick in range(2000):
            if tick % every == 0:
                made.board.proxy.fetch()
                place = made.board.proxy["proxy"].copy()
                force = np.array([0.0, 0.0, max(0.0, -400.0 * place[2])])
                due.append((tick + every // 2, place, force, np.diag([0.0, 0.0, 400.0]) * stiffness_told))
            if due and due[0][0] == tick:
                _, place, force, stiffness = due.pop(0)
                contact = made.board.contact
                contact["time"], contact["touching"] = made.clock.time, float(force[2] > 0.0)
                contact["place"], contact["force"], contact["stiffness"] = place, force, stiffness
                contact.publish()
            made.run(TICK)
        return np.array(made.places)[:, 2], np.array(made.forces)[:, 2]


@pytest.mark.parametrize("every", [1, 10])
def test_a_slow_solver_that_tells_the_stiffness_is_felt_as_the_body_it_is(every):
    places, forces = slow_solver(every, stiffness_told=True, active=False)
    felt = 500.0 * 400.0 / (500.0 + 400.0)
    # a swing of at most 30 mm at 0.25 s decays like exp(−b t / 2m), by e⁻⁵ until 1.8 s; 50 ticks of it are seen
    assert np.ptp(places[-50:]) < 0.03 * np.exp(-5.0)
    assert np.ptp(places[-200:]) < 0.02 * np.ptp(places[250:450])
    assert forces[-1] == pytest.approx(50.0 * felt / (50.0 + felt) * 0.03, rel=0.05)


def test_a_slow_solver_that_tells_only_the_force_shakes_the_hand_unless_the_controller_acts():
    shaken, _ = slow_solver(10, stiffness_told=False, active=False)
    calmed, forces = slow_solver(10, stiffness_told=False, active=True)
    assert np.ptp(shaken[-200:]) > 0.01
    assert np.ptp(calmed[-200:]) < 0.002
    assert np.abs(forces).max() <= 3.0 * (1 + 1e-12)
