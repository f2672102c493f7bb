"""What was measured beside what a run shows: closed forms on a cube that is grown and moved, weights, times."""

from dataclasses import replace

import numpy as np
import pytest

from calibration_cases import (
    SIDE,
    TRUTH,
    clouds_of,
    driven_scene,
    experiment_of,
    height_of,
    loaded_scene,
    parameters,
    problem_of,
    still_cube,
)
from yawara.calibrate.observation.base import Showing
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.observation.curve import Curve
from yawara.calibrate.observation.markers import Marker
from yawara.calibrate.observation.volume import VolumeAt
from yawara.calibrate.problem import Objective, run_times, show
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene
from yawara.simulate import simulate

CENTRE = np.full(3, SIDE / 2)
TRUE_VALUES = list(TRUTH.values())


def grown(factor, shift=(0.0, 0.0, 0.0), *, time=1.0):
    """A run in which the cube is grown about its centre and moved at 1 s."""
    compiled = still_cube()
    position = CENTRE + factor * (compiled.model.rest_position - CENTRE) + np.array(shift)
    return Showing(compiled, {time: position}, {})


def cloud(points, *, noise=5e-4, ignore=5e-4, beyond=2.5e-3):
    return Cloud("cloud 1", np.asarray(points, float), 1.0, "dough", noise, ignore, beyond, "made up")


def box_distance(points, half):
    """Signed distance [m] from a cube around CENTRE, negative inside: the closed form."""
    away = np.abs(points - CENTRE) - half
    return np.linalg.norm(np.maximum(away, 0.0), axis=1) + np.minimum(away.max(axis=1), 0.0)


# --- clouds


def test_distances_are_signed_and_the_papers_measures_are_made_of_their_size():
    """A cube of 22 mm: half a side is 11 mm. Offsets from its middle in mm, and what they are away from its surface."""
    offsets = 1e-3 * np.array([[12, 0, 0], [0, -10.7, 0], [0, 0, 0], [12, 12, 0], [12, 12, 12], [0, 0, 11.4]])
    expected = 1e-3 * np.array([1.0, -0.3, -11.0, np.sqrt(2.0), np.sqrt(3.0), 0.4])
    found = cloud(CENTRE + offsets + [0.003, -0.001, 0.002]).compare(grown(1.1, (0.003, -0.001, 0.002)))
    np.testing.assert_allclose(found.residual, expected / 5e-4, atol=1e-9)
    counted = 1e-3 * (1.0 + 11.0 + np.sqrt(2.0) + np.sqrt(3.0))  # 0.3 and 0.4 mm are below the camera's 0.5 mm
    assert found.metrics["S [m]"] == pytest.approx(counted, rel=1e-12)
    assert found.metrics["S/N [m]"] == pytest.approx(counted / 6, rel=1e-12)
    assert found.metrics["beyond"] == 1.0
    assert found.metrics["points"] == 6.0
    assert found.metrics["rms [m]"] == pytest.approx(np.sqrt(np.mean(expected**2)), rel=1e-12)


def test_distances_of_points_anywhere_are_those_of_a_box():
    points = CENTRE + np.random.default_rng(5).uniform(-0.02, 0.02, (300, 3))
    found = cloud(points, noise=1.0).compare(grown(0.9))
    np.testing.assert_allclose(found.residual, box_distance(points, 0.9 * SIDE / 2), atol=1e-15)


def test_a_distance_that_equals_the_limit_counts_in_s_and_is_not_beyond():
    limit = 2.0**-10  # of 2^-5 m: without rounding
    compiled = still_cube()
    position = compiled.model.rest_position * (2.0**-5 / SIDE)
    points = np.array([[2.0**-5 + limit, 2.0**-6, 2.0**-6]])
    found = cloud(points, ignore=limit, beyond=limit).compare(Showing(compiled, {1.0: position}, {}))
    assert (found.metrics["S [m]"], found.metrics["beyond"]) == (limit, 0.0)


def test_noise_divides():
    points = CENTRE + np.random.default_rng(6).uniform(-0.02, 0.02, (20, 3))
    fine, coarse = (cloud(points, noise=noise).compare(grown(1.0)) for noise in (1e-4, 4e-4))
    np.testing.assert_allclose(fine.residual, 4.0 * coarse.residual)
    assert fine.metrics == coarse.metrics
    assert fine.chi2 == pytest.approx(16.0 * coarse.chi2)


# --- volume, markers, curves


def test_volume_of_a_cube_that_has_grown():
    one = VolumeAt("volume 1", 8e-6, 1.0, "dough", 2e-7, "made up")
    found = one.compare(grown(1.1, (0.01, 0.02, 0.03)))
    assert found.metrics["error [m^3]"] == pytest.approx(8e-6 * (1.1**3 - 1.0), rel=1e-10)
    np.testing.assert_allclose(found.residual, 8e-6 * (1.1**3 - 1.0) / 2e-7, rtol=1e-10)


SHEAR = np.array([[1.1, 0.2, 0.0], [0.0, 0.9, -0.1], [0.05, 0.0, 1.2]])


@pytest.mark.parametrize(
    "rest",
    [(0.01, 0.01, 0.01), (0.02, 0.02, 0.02), (0.0031, 0.0172, 0.0094), (0.02, 0.0071, 0.0113), (0.0215, 0.0071, 0.0113)],
    ids=["a point", "a corner", "inside", "on a face", "in front of a face"],
)
def test_a_marker_goes_with_what_is_around_it(rest):
    """A linear map of all points moves every marker as itself, also between the points."""
    compiled = still_cube()
    showing = Showing(compiled, {1.0: compiled.model.rest_position @ SHEAR.T + 0.004}, {})
    there = np.array(rest) @ SHEAR.T + 0.004
    marker = Marker("marker 1", np.array([0.0, 1.0]), np.array([rest, there]), "dough", np.array(rest), 1e-4, "made up")
    np.testing.assert_allclose(marker.compare(showing).residual, 0.0, atol=1e-9)
    assert marker.times == (1.0,)
    assert marker.count == 6


def test_a_marker_s_error_is_told_by_coordinate():
    moved = np.array([0.01, 0.01, 0.01]) + 1e-3 * np.array([1.0, -2.0, 2.0])
    marker = Marker("marker 1", np.array([1.0]), moved[None], "dough", np.array([0.01, 0.01, 0.01]), 1e-4, "made up")
    found = marker.compare(grown(1.0))
    np.testing.assert_allclose(found.residual, [-10.0, 20.0, -20.0], atol=1e-9)
    assert found.metrics["largest [m]"] == pytest.approx(3e-3)
    assert found.metrics["rms [m]"] == pytest.approx(np.sqrt(3.0) * 1e-3)


def test_a_marker_on_a_chain_goes_with_its_nearest_points():
    body = {"shape": "chain", "counts": [4], "spacing": 0.01, "mass": 0.01, "law": {"type": "voigt", "k": 1.0, "c": 0.1}}
    compiled = compile_scene(read_scene({"time": {"end": 1.0}, "body": {"arm": body}}))
    showing = Showing(compiled, {1.0: compiled.model.rest_position + np.array([0.001, 0.0, 0.002])}, {})
    marker = Marker("m", np.array([1.0]), np.array([[0.016, 0.0, 0.002]]), "arm", np.array([0.015, 0.0, 0.0]), 1e-4, "made up")
    np.testing.assert_allclose(marker.compare(showing).residual, 0.0, atol=1e-9)


def test_a_curve_is_compared_between_frames_along_straight_lines():
    history = {"time": np.array([0.0, 0.5, 1.0]), "push.force_z": np.array([0.0, 2.0, 3.0])}
    one = Curve("curve 1", "push.force_z", np.array([0.25, 0.5, 0.75]), np.array([1.0, 1.5, 3.0]), 0.1, "made up", "N")
    found = one.compare(replace(grown(1.0), history=history))
    np.testing.assert_allclose(found.residual, [0.0, 5.0, -5.0])
    assert found.metrics == {"rms [N]": pytest.approx(np.sqrt(1 / 6)), "largest [N]": pytest.approx(0.5)}


def test_what_a_run_shows_is_what_a_plain_run_gives():
    scene = driven_scene()
    one = Curve("curve 1", "push.force_z", np.linspace(0.1, 1.0, 10), np.zeros(10), 1.0, "made up", "N")
    history = simulate(scene).history
    np.testing.assert_array_equal(show(scene, [one]).history["push.force_z"], history["push.force_z"])


# --- when a run is looked at


def test_runs_are_looked_at_when_something_was_measured_only():
    """Each cloud's time, and the frames until the last reading if there is a curve; no time twice that differs by rounding only."""
    scene = loaded_scene()
    assert run_times(scene, clouds_of(scene, times=(0.25, 0.7))) == [0.25, 0.7]
    times = run_times(scene, (*clouds_of(scene, times=(0.1 + 0.2, 0.55)), replace(height_of(scene), time=np.array([0.1, 0.72]))))
    np.testing.assert_allclose(times, [0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.7, 0.72], rtol=1e-15)
    assert 0.1 + 0.2 in times
    assert len(times) == 9


def test_times_that_differ_by_rounding_only_are_shown_alike():
    scene = loaded_scene()
    first, second = clouds_of(scene, times=(0.3, 0.5))
    shown = show(scene, (first, second, replace(first, time=0.1 + 0.2), replace(second, name="same")))
    np.testing.assert_allclose(shown.positions[0.3], shown.positions[0.1 + 0.2], atol=1e-12)


# --- several experiments


def test_residuals_are_weighted_and_stand_one_after_the_other():
    scene = loaded_scene()
    clouds, height = clouds_of(scene, noise=3e-4), height_of(scene, noise=1e-4)
    first, second = experiment_of(scene, *clouds), experiment_of(scene, height, name="heights", weight=4.0)
    spare = experiment_of(scene, replace(height, values=height.values + 1.0), name="spare", held_out=True)
    problem = problem_of(first, second, spare)
    outcome = problem.evaluate(TRUE_VALUES)
    alone = [problem_of(one).evaluate(TRUE_VALUES) for one in (first, replace(second, weight=1.0))]
    np.testing.assert_array_equal(outcome.residual, np.concatenate([alone[0].residual, 2.0 * alone[1].residual]))
    assert outcome.cost == pytest.approx(alone[0].cost + 4.0 * alone[1].cost)
    assert problem.residual_count == len(outcome.residual) == 3 * 40 + 10
    assert not [name for name in outcome.metrics if name.startswith("spare")]


def test_the_sum_of_distances_is_that_of_all_clouds():
    scene = loaded_scene()
    problem = replace(problem_of(experiment_of(scene, *clouds_of(scene, noise=1e-3))), objective=Objective.DISTANCE_SUM)
    outcome = problem.evaluate(problem.space.start)
    assert outcome.cost == pytest.approx(sum(value for name, value in outcome.metrics.items() if name.endswith(".S [m]")))
    assert outcome.cost > 0.0


def test_values_that_cannot_be_run_are_an_answer_too():
    """c2 must be above zero; with very soft links the cube is pressed inside out, and the run is given up."""
    scene = loaded_scene()
    parts = parameters()
    parts["c2"] = parts["c2"].model_copy(update={"low": -1.0})
    problem = problem_of(experiment_of(scene, *clouds_of(scene)), parts=parts)
    outcome = problem.evaluate([2.0, 0.3, -1.0])
    assert outcome.failed
    assert len(outcome.residual) == 0
    assert outcome.failure.startswith("bench: the scene has 1 error:\n  body.dough.law.c2: must be > 0 N s/m (got -1)")


# --- units of curves


@pytest.mark.parametrize("factor", [1e3, 1e-3, 0.0])
def test_a_curve_that_is_off_by_a_thousand_is_doubted(factor):
    height = height_of(loaded_scene())
    doubtful = replace(height, values=factor * height.values, source="heights.csv")
    scene = loaded_scene()
    problem = problem_of(experiment_of(scene, *clouds_of(scene), doubtful, weight=4.0))
    (words,) = problem.doubts(problem.evaluate(TRUE_VALUES))
    measured, simulated = f"{abs(doubtful.values).max():.3g} m", f"{height.values.max():.3g} m"
    assert words.startswith(f"bench, curve 1: the largest dough.height is {measured} as measured in heights.csv, but {simulated}")
    assert words.endswith("check the unit and the scale of the column, or the start")


def test_a_start_that_is_off_by_ten_is_no_reason_to_doubt():
    scene = loaded_scene()
    problem = problem_of(experiment_of(scene, replace(height_of(scene), values=10.0 * height_of(scene).values)))
    assert problem.doubts(problem.evaluate(TRUE_VALUES)) == []
