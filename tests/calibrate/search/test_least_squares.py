"""Least squares: finds the truth behind a creep curve, gets over failures and bounds, refuses what it cannot start from."""

import numpy as np
import pytest

from asking import Asker, failing_beyond, outcome_of, search_with, unit_space
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.search import LeastSquares
from yawara.calibrate.space import Space
from yawara.checks import SceneError
from yawara.laws import GeneralizedVoigt

TIMES = np.linspace(0.0, 60.0, 120)  # [s]
TRUTH = np.array([400.0, 200.0, 150.0, 1500.0, 20000.0])  # [N/m], [N s/m], times 0.5 s and 10 s, then flow


def creep(values):
    """Extension [m] under 2 N of two Voigt parts and a damper in series."""
    k1, c1, k2, c2, c3 = values
    return GeneralizedVoigt(k=(k1, k2, 0.0), c=(c1, c2, c3)).creep(TIMES, 2.0)


@pytest.mark.parametrize("two_sided", [False, True])
def test_recovers_five_parameters_from_a_creep_curve(two_sided):
    """Free of noise, so that the minimum is the truth. Bounds are three decades apart; the start is off by factors of 2 to 4."""
    data = creep(TRUTH)
    noise = 0.01 * data.max()
    space = Space(("k1", "c1", "k2", "c2", "c3"), TRUTH / 20.0, 50.0 * TRUTH, TRUTH * [2.0, 0.4, 0.5, 3.0, 0.25], np.ones(5))
    asker = search_with(
        LeastSquares(two_sided=two_sided), space, lambda values: outcome_of((creep(values) - data) / noise), budget=250
    )
    np.testing.assert_allclose(asker.best, TRUTH, rtol=1e-5)


def test_asks_for_all_derivatives_at_once():
    space = unit_space([0.2, 0.3, 0.4])
    asker = search_with(LeastSquares(), space, lambda values: outcome_of(np.exp(values) - 1.5), budget=100)
    assert {len(batch) for batch in asker.batches} == {1, 3}
    assert asker.batches[0].tolist() == [space.start.tolist()]
    distinct = len(np.unique(asker.questions, axis=0))
    assert distinct == len(asker.known) < len(asker.questions)  # its own points are asked for again


def test_steps_into_failure_are_shortened():
    """The curve is flat at the start, so that the first steps go far beyond the edge at 0.5."""
    space = unit_space([0.05, 0.5])
    answer = failing_beyond(space, lambda v: outcome_of(np.array([np.tanh(6.0 * (v[0] - 0.45)), v[1] - 0.4])), 0.5)
    asker = search_with(LeastSquares(), space, answer, budget=100)
    assert any(outcome.failed for outcome in asker.known.values())
    np.testing.assert_allclose(asker.best, [0.45, 0.4], atol=1e-6)


def test_a_parameter_that_cannot_be_changed_stays():
    """Both neighbours of the start fail in the first parameter; the second is found all the same."""
    space = unit_space([0.5, 0.2])

    def answer(values):
        if values[0] != 0.5:
            return Outcome(FAILED_COST, failure="diverged")
        return outcome_of(values - 0.4)

    asker = search_with(LeastSquares(), space, answer, budget=100)
    np.testing.assert_allclose(asker.best, [0.5, 0.4], atol=1e-6)


def test_a_start_on_the_bounds_is_asked_as_it_is_and_left_at_once():
    """A trust region as large as the position would be nothing here."""
    space = unit_space([0.0, 0.0], log=1.0)
    asker = search_with(LeastSquares(), space, lambda values: outcome_of(np.log(values) - 0.4), budget=40)
    assert asker.batches[0].tolist() == [[1.0, 1.0]]
    assert len({batch.tobytes() for batch in asker.batches if len(batch) == 1 and np.abs(batch - 1.0).max() < 1e-6}) == 1
    np.testing.assert_allclose(asker.best, np.exp(0.4), atol=1e-6)


def test_a_minimum_on_a_bound_is_that_bound():
    space = unit_space([0.5, 0.5], log=1.0)
    asker = search_with(LeastSquares(), space, lambda values: outcome_of(np.log(values) - [1.5, -0.3]), budget=100)
    np.testing.assert_allclose(asker.best, [np.e, 1.0], rtol=1e-5)


def line(loss):
    """Slope and height of a straight line with one point far off; the truth is 0.3 and 0.6."""
    at = np.linspace(-1.0, 1.0, 11)
    data = 0.3 * at + 0.6
    data[9] += 5.0
    space = unit_space([0.5, 0.5])
    search = LeastSquares(loss=loss)
    asker = search_with(search, space, lambda values: outcome_of((values[0] * at + values[1] - data) / 0.1), budget=200)
    return asker.questions[-1]


def test_robust_losses_let_an_outlier_count_less():
    assert np.abs(line("linear") - [0.3, 0.6]).max() > 0.3
    assert np.abs(line("cauchy") - [0.3, 0.6]).max() < 0.01


def test_a_start_that_fails_is_refused_with_a_remedy():
    space = unit_space([0.7, 0.5])
    answer = failing_beyond(space, lambda values: outcome_of(values), 0.5)
    with pytest.raises(
        SceneError, match=r"needs a start that can be simulated \(got p0 = 0.7, p1 = 0.5: diverged\); .*global_local"
    ):
        LeastSquares().run(Asker(answer), space, np.random.default_rng(0))


def test_a_cost_without_residuals_is_refused_with_a_remedy():
    with pytest.raises(SceneError, match=r"least_squares needs residuals .*cma_es"):
        LeastSquares().run(Asker(lambda values: Outcome(1.0)), unit_space([0.7, 0.5]), np.random.default_rng(0))
