"""The stiffness that the solver tells the loop is that of the body."""

import numpy as np
import pytest

from yawara.haptics.estimate import LocalStiffness

UP = np.array([0.0, 0.6, 0.8])


def stroke(estimate, stiffness, count=400, noise=0.0):
    random, depths = np.random.default_rng(3), 0.003 + 0.002 * np.sin(np.linspace(0.0, 12.0, count))
    for depth in depths:
        result = estimate.update(-depth * UP, (stiffness * depth + noise * random.normal()) * UP)
    return result


@pytest.mark.parametrize("stiffness", [20.0, 300.0, 1500.0])
def test_a_spring_is_found_along_its_normal(stiffness):
    result = stroke(LocalStiffness(), stiffness)
    np.testing.assert_allclose(result, stiffness * np.outer(UP, UP), rtol=0.01, atol=1e-9)


def test_noise_is_averaged():
    result = stroke(LocalStiffness(), 300.0, noise=1e-3)
    assert UP @ result @ UP == pytest.approx(300.0, rel=0.1)


def test_it_is_bounded_and_never_negative():
    assert UP @ stroke(LocalStiffness(largest=1000.0), 5000.0) @ UP == pytest.approx(1000.0)
    softening = LocalStiffness()
    for depth in np.linspace(0.001, 0.002, 100):
        result = softening.update(-depth * UP, (1.0 - 200.0 * depth) * UP)  # pushes less the deeper it is
    np.testing.assert_array_equal(result, 0.0)


def test_any_input_gives_a_matrix_that_can_only_resist():
    random, estimate = np.random.default_rng(5), LocalStiffness()
    for _ in range(500):
        result = estimate.update(1e-3 * random.normal(size=3), random.normal(size=3))
        np.testing.assert_allclose(result, result.T)
        assert np.linalg.eigvalsh(result).min() >= -1e-9
        assert np.linalg.eigvalsh(result).max() <= 2000.0 * (1 + 1e-9)


def test_without_touch_it_is_zero_and_forgets():
    estimate = LocalStiffness()
    stroke(estimate, 300.0)
    np.testing.assert_array_equal(estimate.update(np.zeros(3), np.zeros(3)), 0.0)
    assert estimate.value == 0.0
    np.testing.assert_array_equal(estimate.update(np.zeros(3), np.full(3, np.nan)), 0.0)


def test_a_hand_at_rest_does_not_forget():
    estimate = LocalStiffness()
    stroke(estimate, 300.0)
    for _ in range(5000):
        result = estimate.update(-0.003 * UP, 0.9 * UP)
    assert UP @ result @ UP == pytest.approx(300.0, rel=0.02)


@pytest.mark.parametrize("wrong", [{"largest": 0.0}, {"memory": 1.0}])
def test_settings_that_cannot_be_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        LocalStiffness(**wrong)
