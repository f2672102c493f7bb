"""How sure an answer is, on a problem whose intervals are known in closed form: readings = matrix @ parameters + noise."""

import numpy as np
import pytest
from scipy import stats

from calibration_cases import linear_problem
from yawara.calibrate.fit import fit_problem
from yawara.calibrate.identifiability import identifiability
from yawara.calibrate.intervals import Best, IntervalMethod, bootstrap_intervals, linear_intervals, profile_intervals
from yawara.calibrate.outcome import Outcome
from yawara.calibrate.space import Space

TRUTH = np.array([2.0, -1.0])
LOW, HIGH = np.array([-10.0, -20.0]), np.array([10.0, 15.0])
ALL = tuple(IntervalMethod)


def line(count=60, *, sigma=0.5, scatter=1.0, seed=0):
    """A straight line through `count` points; readings scatter `scatter` times as much as is said."""
    matrix = np.stack([np.ones(count), np.linspace(-1.0, 2.0, count)], axis=1)
    readings = matrix @ TRUTH + np.random.default_rng(seed).normal(0.0, sigma * scatter, count)
    return matrix, readings


def fitted(matrix, readings, *, sigma=0.5, low=LOW, high=HIGH, start=(0.0, 0.0), counts=None):
    problem = linear_problem(matrix, readings, sigma=sigma, low=low, high=high, start=start, counts=counts)
    return fit_problem(problem, intervals=ALL, executor="here")


def ends(found, method):
    return np.array([[one.intervals[method].low, one.intervals[method].high] for one in found.estimates.values()])


def closed_form(matrix, readings, sigma):
    """Estimate and half widths of ordinary least squares; the noise is that which is said, or that which is seen if it is more."""
    estimate, *_ = np.linalg.lstsq(matrix, readings, rcond=None)
    freedom = len(readings) - len(estimate)
    seen = np.sum(((matrix @ estimate - readings) / sigma) ** 2) / freedom
    covariance = sigma**2 * max(1.0, seen) * np.linalg.inv(matrix.T @ matrix)
    return estimate, stats.t.ppf(0.975, freedom) * np.sqrt(np.diag(covariance)), covariance


@pytest.mark.parametrize("scatter", [0.5, 1.0, 3.0], ids=["less", "as said", "more"])
def test_linear_and_profile_are_the_closed_form(scatter):
    """Readings that scatter more than their noise says widen the intervals; less does not narrow them."""
    matrix, readings = line(scatter=scatter)
    estimate, half, covariance = closed_form(matrix, readings, 0.5)
    found = fitted(matrix, readings)
    np.testing.assert_allclose(found.free_values, estimate, atol=1e-6)  # the search ends where steps are below 1e-8 of a range
    expected = np.stack([estimate - half, estimate + half], axis=1)
    np.testing.assert_allclose(ends(found, IntervalMethod.LINEAR), expected, atol=2e-6)
    # a profile's end is looked for to 2 % of twice the half width
    np.testing.assert_allclose(ends(found, IntervalMethod.PROFILE), expected, atol=0.05 * half.max())
    spread = np.sqrt(np.diag(covariance))
    np.testing.assert_allclose(found.correlation, covariance / np.outer(spread, spread), atol=1e-6)


def test_bootstrap_is_close():
    """Within 10 %: 2000 draws find an end to about 3 % of the half width, and 200 residuals their own scatter to 5 %."""
    matrix, readings = line(200)
    estimate, half, _ = closed_form(matrix, readings, 0.5)
    found = ends(fitted(matrix, readings), IntervalMethod.BOOTSTRAP)
    np.testing.assert_allclose(found, np.stack([estimate - half, estimate + half], axis=1), atol=0.1 * half.min())


def test_bootstrap_knows_that_a_single_reading_has_noise():
    """The second parameter is seen by one reading alone, as by a volume; it is as uncertain as that is."""
    matrix = np.vstack([np.tile([1.0, 0.0], (30, 1)), [[0.0, 1.0]]])
    readings = matrix @ TRUTH + np.append(np.random.default_rng(3).normal(0.0, 0.5, 30), 0.0)
    found = fitted(matrix, readings, counts=[30, 1])
    low, high = ends(found, IntervalMethod.BOOTSTRAP)[1]
    assert high - low == pytest.approx(2 * 1.96 * 0.5 * found.scatter, rel=0.1)  # 2000 draws find it to about 3 %


@pytest.mark.parametrize("method", ALL)
def test_an_end_at_a_bound_is_flagged(method):
    matrix, readings = line()
    estimate, half, _ = closed_form(matrix, readings, 0.5)
    high = np.array([estimate[0] + 0.5 * half[0], 15.0])
    found = fitted(matrix, readings, high=high).estimates["p0"].intervals[method]
    assert found.high == high[0]
    assert (found.open_low, found.open_high) == (False, True)


def test_an_answer_on_a_bound_is_warned_of():
    matrix, readings = line()
    found = fitted(matrix, readings, high=np.array([1.0, 15.0]))
    assert found.estimates["p0"].value == pytest.approx(1.0, abs=1e-6)
    assert any(words.startswith("p0 is at its upper bound 1 ") and "widen the range" in words for words in found.warnings)
    assert not any(words.startswith("p1 is at") for words in found.warnings)


@pytest.mark.parametrize("method", ALL)
def test_parameters_that_only_act_together_are_not_known(method):
    """Two equal columns: the sum, 0, is known, neither of the two. Intervals span the bounds, and it is said."""
    matrix = np.tile([[1.0, 1.0]], (20, 1))
    readings = np.tile([0.4, -0.4, 0.3, -0.3], 5)
    found = fitted(matrix, readings, low=(-10.0, -10.0), high=(10.0, 10.0), start=(1.0, 1.0))
    for one in found.estimates.values():
        interval = one.intervals[method]
        assert (interval.low, interval.high) == (one.low, one.high)
        assert interval.open_low
        assert interval.open_high
    assert any("p0 and p1 can hardly be told apart" in words for words in found.warnings)
    assert any("say next to nothing about" in words for words in found.warnings)


def test_a_column_of_zeros_is_a_parameter_without_effect():
    matrix = np.stack([np.linspace(1.0, 2.0, 20), np.zeros(20)], axis=1)
    found = fitted(matrix, matrix @ TRUTH, start=(1.0, 3.0))
    assert found.values["p0"] == pytest.approx(2.0, abs=1e-6)
    assert found.values["p1"] == 3.0
    assert found.estimates["p1"].kept == "changes nothing in what was measured"
    assert found.estimates["p1"].interval is None
    assert found.free_names == ("p0",)
    (words,) = found.warnings
    assert words.startswith("p1 changes nothing in what was measured and cannot be found: it is kept at its start;")


def test_doubts_are_those_of_the_answer_not_of_the_start():
    """Exp(p0) hardly shows at the start and does at the answer."""
    space = Space(("p0",), np.zeros(1), np.ones(1), np.zeros(1), np.zeros(1))
    weak, strong = (identifiability(space, np.array([[slope], [0.0]])) for slope in (0.5, 50.0))
    assert len(weak.doubts()) == 1
    assert strong.doubts() == []
    assert weak.effect_warnings() == []


def curved(bend):
    """One parameter, unit range, residual r(u) = (a(u), 1 ... 1): a(u) bends, so that the profile is not the linear interval."""
    space = Space(("p",), np.zeros(1), np.ones(1), np.full(1, 0.5), np.zeros(1))

    def ask(values):
        moved = np.asarray(values)[:, 0] - 0.5
        return [Outcome(0.0, np.append(20.0 * moved + bend * moved**2, np.ones(30))) for moved in moved]

    best = Best(np.array([0.5]), ask([[0.5]])[0].residual, np.append(20.0, np.zeros(30))[:, None], (31,))
    return space, best, ask


def test_profile_sees_what_bends():
    """20 x + 40 x^2 = +-t s, solved for x."""
    space, best, ask = curved(40.0)
    limit = best.quantile * best.scatter
    (found,) = profile_intervals(space, best, ask)
    up, down = (np.roots([40.0, 20.0, -sign * limit]) for sign in (1.0, -1.0))
    assert found.high == pytest.approx(0.5 + up.max(), rel=0.02)
    assert found.low == pytest.approx(0.5 + down.real.max(), rel=0.02)
    (linear,) = linear_intervals(space, best)
    assert found.high < linear.high - 0.005


def test_a_profile_that_grows_slowly_is_followed_to_its_end():
    """Much flatter further out than at the answer: the end lies beyond four times the linear one, and is found or flagged."""
    space = Space(("p",), np.zeros(1), np.ones(1), np.full(1, 0.5), np.zeros(1))

    def flat(values, height):
        return [
            Outcome(0.0, np.append(height * np.tanh(40.0 * (v - 0.5)) + 3.0 * (v - 0.5), np.zeros(30))) for v in np.ravel(values)
        ]

    for height, is_open in ((1.0, False), (0.2, True)):
        slope = 40.0 * height + 3.0
        best = Best(np.array([0.5]), np.zeros(31), np.append(slope, np.zeros(30))[:, None], (31,))
        (found,) = profile_intervals(space, best, lambda values, height=height: flat(values, height))
        assert found.open_high is is_open
        if not is_open:
            reached = height * np.tanh(40.0 * (found.high - 0.5)) + 3.0 * (found.high - 0.5)
            assert reached == pytest.approx(best.quantile, rel=0.02)


def test_the_bootstrap_is_the_same_for_the_same_seed():
    best = Best(np.array([0.5]), np.random.default_rng(0).normal(size=31), np.ones((31, 1)), (31,))
    space = Space(("p",), np.zeros(1), np.ones(1), np.full(1, 0.5), np.zeros(1))
    first, second, other = (bootstrap_intervals(space, best, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == second
    assert first != other
