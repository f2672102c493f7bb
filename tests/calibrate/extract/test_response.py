"""Answers of laws to straight courses: against the laws' closed forms, six-digit numbers computed apart, and a fine numerical solution."""

import numpy as np
import pytest

from yawara.calibrate.extract.course import Course, ramp_and_hold, step, straightened
from yawara.calibrate.extract.curve import estimated_noise
from yawara.calibrate.extract.response import displacement_under, force_under, recovery_after
from yawara.laws import GeneralizedMaxwell, GeneralizedVoigt, Maxwell, ThreeElement, Voigt

LAWS = {
    "voigt": Voigt(k=10.0, c=3.0),
    "maxwell": Maxwell(k=10.0, c=30.0),
    "three_element": ThreeElement(k1=10.0, c1=3.0, c2=50.0),
    "generalized_voigt": GeneralizedVoigt(k=(10.0, 20.0, 5.0), c=(3.0, 200.0, 7.0)),
    "spring and damper in series": GeneralizedVoigt(k=(10.0, 20.0, 0.0), c=(3.0, 0.0, 50.0)),
    "generalized_maxwell": GeneralizedMaxwell(k=(10.0, 20.0), c=(3.0, 50.0), k_inf=5.0, c_inf=1.0),
    "arms alone": GeneralizedMaxwell(k=(10.0, 20.0), c=(3.0, 50.0)),
}
ROUNDING = 1e-13
TIMES = np.linspace(0.25, 20.0, 80)


@pytest.mark.parametrize("name", LAWS)
def test_ramp_and_hold_is_the_closed_form(name):
    force = force_under(LAWS[name], ramp_and_hold(0.1, 2.0, 20.0), TIMES)
    np.testing.assert_allclose(force, LAWS[name].relaxation(TIMES, 0.1, 2.0), rtol=ROUNDING, atol=ROUNDING)


@pytest.mark.parametrize("name", LAWS)
def test_creep_and_recovery_are_the_closed_forms(name):
    law, loaded = LAWS[name], TIMES <= 5.0
    course = Course(np.array([0.0, 0.0, 5.0, 5.0]), np.array([0.0, 2.0, 2.0, 0.0]))
    found = displacement_under(law, course, TIMES)
    np.testing.assert_allclose(found[loaded], law.creep(TIMES[loaded], 2.0), rtol=ROUNDING)
    np.testing.assert_allclose(found[~loaded], law.recovery(TIMES[~loaded] - 5.0, 2.0, 5.0), rtol=ROUNDING)


@pytest.mark.parametrize("name", ["maxwell", "spring and damper in series", "arms alone"])
def test_a_step_where_a_spring_answers_it(name):
    found = force_under(LAWS[name], step(0.1, 0.0, 20.0), TIMES)
    np.testing.assert_allclose(found, LAWS[name].relaxation(TIMES, 0.1, 0.0), rtol=ROUNDING)


def test_a_step_is_refused_where_a_damper_would_answer_it():
    with pytest.raises(ValueError, match="ramp_time must be > 0 s"):
        force_under(LAWS["voigt"], step(0.1, 0.0, 20.0), TIMES)


@pytest.mark.parametrize("name", LAWS)
def test_the_recovery_is_that_of_the_force_that_acted(name):
    """Displacement after the release = answer to the force of the press, here through 4000 straight pieces of it.

    The force is exact at the knots and curved in between: h^2/8 f'' of it is left, with h = 1 ms and rates up to 1/(3/10 s)^2.
    """
    law, pressed = LAWS[name], ramp_and_hold(0.1, 2.0, 4.0)
    fine = np.linspace(0.0, 4.0, 4001)
    fine = np.sort(np.append(fine, np.nextafter([0.0, 2.0], np.inf)))  # the force jumps with the speed
    force = force_under(law, pressed, fine)
    acted = Course(np.append(fine, 4.0), np.append(force, 0.0))
    after = np.array([4.5, 6.0, 10.0, 50.0])
    np.testing.assert_allclose(
        recovery_after(law, pressed, 4.0, after), displacement_under(law, acted, after), rtol=3e-6, atol=1e-12
    )


# Hirai 2005, Table 5.3 and sec. 5.5, computed apart: force at times, displacement at times (here compression is positive)
REFERENCE = {
    "Table 5.3": (
        GeneralizedVoigt(k=(10.0, 20.0), c=(30.0, 300.0)),
        {1e-12: 0.201192, 6.1: 0.562092, 6.1 + 1e-9: 0.360900, 16.1: 0.324536, 36.1: 0.303983, 96.5: 0.300016},
        {100.0: 2.121936e-2, 120.0: 3.142516e-3, 160.0: 2.175267e-4, 180.0: 5.733941e-5},
    ),
    "foam": (
        GeneralizedVoigt(k=(513.607111, 513.607111), c=(237.0, 1000.0)),
        {1e-12: 1.413388, 6.1: 13.832035, 6.1 + 1e-9: 12.418647, 96.5: 11.556160},
        {120.0: 1.29e-7},
    ),
    "foam, slope as measured": (
        GeneralizedVoigt(k=(513.607111, 513.607111), c=(237.0, 15706.637)),
        {6.1: 22.274530, 6.1 + 1e-9: 20.552159, 96.5: 11.582743},
        {},
    ),
}


@pytest.mark.parametrize("name", REFERENCE)
def test_the_reference_numbers(name):
    law, forces, displacements = REFERENCE[name]
    course = ramp_and_hold(0.045, 6.1, 96.5)
    found = force_under(law, course, np.array(list(forces)))
    np.testing.assert_allclose(found, list(forces.values()), atol=2e-6)  # printed to six digits, and 1e-9 s after the corner
    if displacements:
        found = recovery_after(law, course, 96.5, np.array(list(displacements)))
        np.testing.assert_allclose(found, list(displacements.values()), rtol=5e-3 if name == "foam" else 1e-6)


# --- courses


def test_a_straight_course_is_found_again_under_noise():
    times = np.linspace(0.0, 100.0, 1001)
    exact = np.interp(times, [0.0, 6.0, 100.0], [0.0, 0.045, 0.045])
    noisy = exact + 1e-4 * np.random.default_rng(3).standard_normal(len(times))
    course = straightened(times, noisy, 5e-4)
    assert course.values[0] == 0.0
    late = course.values[course.times > 6.5]
    assert np.ptp(late) == 0.0  # held, so without any speed
    assert late[0] == pytest.approx(0.045, abs=3e-5)  # the mean of 940 rows, with noise of 1e-4/sqrt(940) and the corner's error


def test_a_course_without_noise_is_kept():
    times = np.linspace(0.0, 10.0, 101)
    course = straightened(times, np.interp(times, [0.0, 2.0, 10.0], [0.0, 1.0, 1.0]), 0.01)
    np.testing.assert_allclose(course.times, [0.0, 2.0, 10.0])
    np.testing.assert_allclose(course.values, [0.0, 1.0, 1.0], atol=1e-12)


def test_noise_is_estimated_on_a_curve():
    times = np.sort(np.random.default_rng(1).uniform(0.0, 10.0, 2000))
    noisy = np.exp(-times) + 0.01 * np.random.default_rng(2).standard_normal(2000)
    assert estimated_noise(times, noisy) == pytest.approx(0.01, rel=0.1)  # a median of 2000: 3 %, three times over
