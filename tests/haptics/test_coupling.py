"""The virtual coupling does what a spring and a damper in series with the body would do."""

import numpy as np
import pytest

from yawara.haptics.coupling import ContactModel, Coupling, passive_stiffness

T = 1e-3  # [s]


def floor(stiffness, damping=0.0, force=1e-12):
    return ContactModel(np.zeros(3), np.array([0.0, 0.0, force]), np.diag([0.0, 0.0, stiffness]), damping)


@pytest.mark.parametrize("body", [10.0, 500.0, 1e6])
@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_at_rest_coupling_and_body_are_two_springs_in_series(body, damping):
    coupling, depth = Coupling(800.0, damping), 0.004
    for _ in range(500):  # the damper's memory fades by B / (B + (K + k) T) or faster per tick
        force = coupling.step(np.array([0.0, 0.0, -depth]), floor(body), T)
    np.testing.assert_allclose(force, [0.0, 0.0, 800.0 * body / (800.0 + body) * depth], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(coupling.proxy[2], -depth * 800.0 / (800.0 + body), rtol=1e-9)


def test_a_model_that_was_made_deep_inside_gives_the_same_force_as_one_from_the_surface():
    deep = ContactModel(np.array([0.1, 0.2, -0.003]), np.array([0.0, 0.0, 0.9]), np.diag([0.0, 0.0, 300.0]))
    place = np.array([0.0, 0.0, -0.005])
    np.testing.assert_allclose(Coupling(500.0).step(place, deep, T), Coupling(500.0).step(place, floor(300.0), T), rtol=1e-9)


def test_in_the_air_there_is_no_force_and_the_proxy_follows():
    coupling = Coupling(500.0, 1.0)
    for height in np.linspace(0.0, 0.01, 100):
        force = coupling.step(np.array([0.0, 0.0, height]), None, T)
        assert not force.any()
    np.testing.assert_allclose(coupling.proxy, [0.0, 0.0, 0.01], atol=1e-12)


def test_the_body_only_pushes():
    assert not Coupling(500.0).step(np.array([0.0, 0.0, 0.001]), floor(1000.0), T).any()


def test_damping_of_the_body_resists_going_in_and_does_not_hold_back():
    def stroke(direction, damping):
        coupling = Coupling(500.0)
        for place in (*[-0.002] * 200, -0.002 + 1e-4 * direction):
            force = coupling.step(np.array([0.0, 0.0, place]), floor(300.0, damping), T)
        return force[2]

    assert stroke(-1, 5.0) > stroke(-1, 0.0)
    assert 0.0 <= stroke(+1, 5.0) < stroke(+1, 0.0)
    assert stroke(+15, 5.0) == 0.0  # much faster than the body can follow


def test_the_proxy_cannot_jump_when_the_body_suddenly_is_much_stiffer():
    coupling, place = Coupling(500.0, 1.0), np.array([0.0, 0.0, -0.005])
    coupling.step(place, floor(10.0), T)
    before = coupling.proxy.copy()
    coupling.step(place, floor(1e9), T)
    # it can move no further than to the surface, and B_c holds it back: what the coupling's spring and damper together allow
    assert abs(coupling.proxy[2] - before[2]) <= 0.005
    assert np.isfinite(coupling.proxy).all()


def test_force_across_the_normal_is_no_more_than_along_it():
    sticky = ContactModel(np.zeros(3), np.array([0.0, 0.0, 0.01]), np.diag([400.0, 400.0, 400.0]))
    force = Coupling(500.0).step(np.array([0.05, 0.0, -0.001]), sticky, T)
    assert 0.0 < np.hypot(force[0], force[1]) <= force[2] * (1 + 1e-12)


@pytest.mark.parametrize(
    "change",
    [
        {"stiffness": np.full((3, 3), np.nan)},
        {"place": np.array([np.inf, 0.0, 0.0])},
        {"force": np.array([0.0, np.nan, 0.0])},
        {"damping": np.nan},
        {"damping": -1.0},
        {"stiffness": np.diag([0.0, 0.0, -100.0])},
        {"stiffness": np.array([[0.0, 50.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]])},
    ],
)
def test_models_that_make_energy_or_are_no_numbers_are_known(change):
    fields = {"place": np.zeros(3), "force": np.array([0.0, 0.0, 1.0]), "stiffness": np.eye(3), "damping": 0.0}
    assert ContactModel(**fields).sound
    assert not ContactModel(**fields | change).sound


def test_the_passive_limit():
    assert passive_stiffness(1.0, 1e-3) == pytest.approx(2000.0)
    assert passive_stiffness(1.0, 1e-3, damping=0.25) == pytest.approx(1500.0)
    assert passive_stiffness(1.0, 1e-3, damping=2.0) == 0.0


@pytest.mark.parametrize(("stiffness", "damping"), [(0.0, 0.0), (np.nan, 0.0), (1.0, -1.0), (1.0, np.inf)])
def test_a_coupling_that_cannot_be_is_refused(stiffness, damping):
    with pytest.raises(ValueError, match="must be"):
        Coupling(stiffness, damping)
