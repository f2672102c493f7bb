"""Derivatives of residuals by differences, against those by hand."""

import numpy as np
import pytest

from asking import Asker, outcome_of, unit_space
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.search import jacobian

STEP = 1e-3


def residual(unit):
    """Three waves of two parameters."""
    a, b = unit
    return np.array([np.sin(2.0 * a) * np.exp(b), a * b, np.cos(a + 3.0 * b)])


def by_hand(unit):
    a, b = unit
    return np.array(
        [
            [2.0 * np.cos(2.0 * a) * np.exp(b), np.sin(2.0 * a) * np.exp(b)],
            [b, a],
            [-np.sin(a + 3.0 * b), -3.0 * np.sin(a + 3.0 * b)],
        ]
    )


SECOND, THIRD = 4.0 * np.e, 27.0  # bounds of the second and third derivatives in the box: 4 sin(2a) e^b or 9; 8 e^b or 27
ROUNDING = 8.0 * np.finfo(float).eps / STEP

PLACES = [(0.4, 0.6), (0.0, 1.0), (1.0, 0.0), (0.0004, 0.9997)]  # inside, in corners, less than a step from them


def at(unit, answer=None, *, two_sided=False, log=0.0):
    """The Jacobian there, and who was asked."""
    space = unit_space(np.array(unit), log=log)
    asker = Asker(answer or (lambda values: outcome_of(residual(space.to_unit(values)))))
    return jacobian(asker, space, np.array(unit), residual(unit), STEP, two_sided=two_sided), asker


@pytest.mark.parametrize("log", [0.0, 1.0])
@pytest.mark.parametrize("unit", PLACES)
def test_one_side_is_of_first_order_and_asks_one_batch(unit, log):
    found, asker = at(unit, log=log)
    # r(h) - r(0) = h r' + h^2/2 r''
    np.testing.assert_allclose(found, by_hand(unit), atol=0.5 * STEP * SECOND)
    assert [len(batch) for batch in asker.batches] == [2]


@pytest.mark.parametrize("unit", PLACES)
def test_two_sides_are_of_second_order_and_ask_one_batch(unit):
    found, asker = at(unit, two_sided=True)
    # h^2/6 r''' if there is room on both sides, h^2/3 r''' from h and 2 h
    np.testing.assert_allclose(found, by_hand(unit), atol=STEP**2 / 3.0 * THIRD + ROUNDING)
    assert [len(batch) for batch in asker.batches] == [4]
    assert asker.questions.min() >= 0.0
    assert asker.questions.max() <= 1.0


@pytest.mark.parametrize("two_sided", [False, True])
def test_straight_lines_are_exact(two_sided):
    slopes = np.array([[2.0, -1.0], [0.5, 3.0], [0.0, 4.0]])
    unit = np.array([0.3, 1.0])
    asker = Asker(lambda values: outcome_of(slopes @ values))
    found = jacobian(asker, unit_space(unit), unit, slopes @ unit, STEP, two_sided=two_sided)
    np.testing.assert_allclose(found, slopes, atol=10.0 * ROUNDING)


def failing(is_lost):
    return lambda values: Outcome(FAILED_COST, failure="diverged") if is_lost(values) else outcome_of(residual(values))


def test_a_failed_column_is_tried_on_the_other_side():
    found, asker = at((0.4, 0.6), failing(lambda values: values[1] > 0.6))
    np.testing.assert_allclose(found, by_hand((0.4, 0.6)), atol=0.5 * STEP * SECOND)
    np.testing.assert_allclose(asker.batches[1], [[0.4, 0.6 - STEP]], rtol=1e-15)
    assert len(asker.batches) == 2


def test_of_two_sides_the_one_that_did_not_fail_is_taken():
    found, asker = at((0.4, 0.6), failing(lambda values: values[1] > 0.6), two_sided=True)
    np.testing.assert_allclose(found, by_hand((0.4, 0.6)), atol=0.5 * STEP * SECOND)
    assert len(asker.batches) == 1


@pytest.mark.parametrize("two_sided", [False, True])
@pytest.mark.parametrize("b", [0.6, 1.0])
def test_a_column_that_fails_everywhere_is_not_a_number(two_sided, b):
    found, _ = at((0.4, b), failing(lambda values: values[1] != b), two_sided=two_sided)
    assert np.isnan(found[:, 1]).all()
    np.testing.assert_allclose(found[:, 0], by_hand((0.4, b))[:, 0], atol=0.5 * STEP * SECOND)
