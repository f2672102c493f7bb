"""Drawings and words of the page that a fit leaves: scales, names, points that can be seen, maps of errors."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest

from yawara.calibrate.fit import Estimate
from yawara.calibrate.identifiability import identifiability
from yawara.calibrate.intervals import Interval, IntervalMethod
from yawara.calibrate.observation.base import Comparison
from yawara.calibrate.observation.cloud import Cloud
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.problem import Problem
from yawara.calibrate.report.convergence import _steps
from yawara.calibrate.report.matrices import condition_words, correlation_map, direction_text
from yawara.calibrate.report.panel import LogAxis, evenly
from yawara.calibrate.report.range_bar import LEFT, RIGHT, range_bar
from yawara.calibrate.report.residuals import residual_figure
from yawara.calibrate.report.seen import viewpoint, visible
from yawara.calibrate.report.shapes import POINTS, Captured, _Stage, points_per_picture, shape_pictures
from yawara.calibrate.report.words import cut, interval_text, plus_minus, to_width, unit_text
from yawara.calibrate.synth import points_on
from yawara.core.model import Model
from yawara.report.camera import fitted
from yawara.report.colour import rgb
from yawara.report.svg import NAMESPACE, text_width
from yawara.scene.bodies import Lattice
from yawara.scene.compile import compile_scene
from yawara.scene.scene import Scene, Time
from yawara.scene.tools.drawing import cuboid

SVG = f"{{{NAMESPACE}}}"
LAW = {"type": "three_element", "k1": 60.0, "c1": 1.0, "c2": 30.0}


# --- words


@pytest.mark.parametrize(
    ("value", "width", "shown"),
    [
        (1.97, 0.0317, "1.970"),
        (0.5, 0.017, "0.500"),
        (-3.14159, 0.2, "−3.14"),
        (1234.5, 56.0, "1234"),
        (4.2e7, 3e5, "42 × 10⁶"),
        (3.21e-8, 2e-9, "32.1 × 10⁻⁹"),
        (0.0, 1e-9, "0"),
        (2.5, 0.0, "2.5"),
        (float("nan"), 1.0, "–"),
    ],
)
def test_values_have_the_digits_of_their_uncertainty(value, width, shown):
    assert to_width(value, width) == shown


def estimate(**changes) -> Estimate:
    intervals = {IntervalMethod.LINEAR: changes.pop("interval")} if "interval" in changes else {}
    usual = {"name": "k", "value": 2.0, "unit": "N/m", "low": 1.0, "high": 100.0, "start": 10.0, "intervals": intervals}
    return Estimate(**{**usual, **changes})


def test_lopsided_and_open_intervals_have_no_plus_minus():
    assert plus_minus(estimate(interval=Interval(1.9, 2.1))) == " ± 0.10"
    assert plus_minus(estimate(interval=Interval(1.9, 3.0))) == ""
    assert plus_minus(estimate(interval=Interval(1.9, 2.1, open_high=True))) == ""
    assert interval_text(Interval(1.0, 2.15, open_low=True)) == "1.00 (bound) to 2.15"


def test_units_are_printed():
    assert (unit_text("kg/m^3"), unit_text("1"), unit_text("N s/m")) == ("kg/m³", "", "N s/m")


def test_long_names_keep_their_ends():
    names = [f"stiffness_of_the_region_number_{n}" for n in range(3)]
    short = [cut(name, 100.0) for name in names]
    assert len(set(short)) == 3
    assert all(text_width(name) <= 100.0 for name in short)
    assert cut("k1", 100.0) == "k1"


# --- drawings


def circles(markup: str) -> list[float]:
    return [float(circle.attrib["cx"]) for circle in ET.fromstring(markup).iter(f"{SVG}circle")]


def test_range_bars_show_where_a_value_lies():
    start, value = circles(range_bar(estimate(value=1.0), log=True))
    assert (start, value) == pytest.approx((0.5 * (LEFT + RIGHT), LEFT))  # 10 is halfway from 1 to 100
    start, value = circles(range_bar(estimate(value=100.0), log=False))
    assert (start, value) == pytest.approx((LEFT + 9 / 99 * (RIGHT - LEFT), RIGHT), abs=0.01)  # coordinates are to a hundredth
    assert range_bar(estimate(low=None, high=None), log=False) == "–"


@pytest.mark.parametrize(
    ("low", "high"), [(0.0995, 15.92), (6000.0, 80000.0), (1e-9, 1e12), (1.9, 2.1), (0.5, 3.0), (1.0, 1000.0)]
)
def test_logarithmic_ticks_are_few_and_inside(low, high):
    axis = LogAxis("", low, high, 0.0, 100.0, 5)
    assert 2 <= len(axis.ticks) <= 8
    assert all(low * 0.999 <= value <= high * 1.001 for value in axis.ticks)
    assert len(set(axis.tick_texts)) == len(axis.ticks)
    np.testing.assert_allclose(axis.place(np.array([low, np.sqrt(low * high), high])), [0.0, 50.0, 100.0], atol=1e-9)


def test_the_best_so_far_is_a_stair():
    turn, best = _steps(np.arange(1.0, 6.0), np.array([9.0, 9.0, 4.0, 4.0, 4.0]))
    assert turn.tolist() == [1.0, 3.0, 3.0, 5.0]
    assert best.tolist() == [9.0, 9.0, 4.0, 4.0]


def test_correlations_stand_in_their_squares():
    drawn = ET.fromstring(correlation_map(("a", "b"), np.array([[1.0, -0.456], [-0.456, 1.0]])))
    words = [text.text for text in drawn.iter(f"{SVG}text")]
    assert words.count("−0.46") == 2
    assert words.count("1") == 2
    long = ET.fromstring(correlation_map([f"parameter_{n}_with_a_long_name" for n in range(12)], np.eye(12)))
    assert len(list(long.iter(f"{SVG}rect"))) == 144


def test_conditions_are_put_into_words():
    space = a_space(2)
    assert "That is well" in condition_words(identifiability(space, np.diag([50.0, 10.0])))
    assert "much worse" in condition_words(identifiability(space, np.diag([5000.0, 10.0])))
    assert "That is bad" in condition_words(identifiability(space, np.diag([1e6, 1.0])))
    assert "say nothing at all" in condition_words(identifiability(space, np.diag([1.0, 0.0])))
    assert direction_text(("a", "b", "c"), np.array([0.3, -0.95, 0.01])) == "0.95 b − 0.30 a"


def a_space(size: int):
    names = [f"p{n}" for n in range(size)]
    parameters = {name: Parameter(target="t", low=0.0, high=1.0, start=0.5) for name in names}
    return Problem(parameters, dict.fromkeys(names, 0.5), ()).space


def test_few_readings_have_no_histogram():
    noise = np.random.default_rng(2).normal(size=400)
    drawn = residual_figure("t", [noise, np.array([9.0, np.nan])])
    assert "1 of 401 are further off" in drawn
    assert residual_figure("t", [noise[:10]]) == ""


# --- what is seen of a cloud

CUBE, FACES = cuboid((1.0, 1.0, 1.0), 0.0)


def test_the_viewpoint_shows_the_side_that_was_captured():
    side = points_on(CUBE, FACES[np.cross(*_edges())[:, 1] > 0.5], 100, np.random.default_rng(3))  # the side of +y
    azimuth, _ = viewpoint(side, CUBE, FACES.astype(np.int64))
    assert np.sin(np.radians(azimuth)) > 0.7


def _edges():
    corner = CUBE[FACES]
    return corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]


def test_points_behind_the_body_are_hidden():
    camera = fitted(np.array([[-0.5] * 3, [0.5] * 3]), (-90.0, 24.0), (0.0, 0.0, 300.0, 300.0))
    places = np.array([[0.0, -0.5, 0.0], [0.0, -0.47, 0.0], [0.0, 0.0, 0.5], [0.0, 0.5, 0.0], [0.0, 0.0, -0.5], [0.0, 0.6, 0.7]])
    distance = np.array([0.0, -0.03, 0.0, 0.0, 0.0, 0.2])
    seen = visible(places, distance, CUBE, FACES.astype(np.int64), camera)
    assert seen.tolist() == [True, True, True, False, False, True]  # front, just below it, top; back, bottom; above the back


def test_the_map_of_errors_is_the_mean_around_each_vertex():
    model = compile_scene(block([3, 3, 3])).model
    corner = model.rest_position[model.bodies[0].point_begin]
    few = captured(model, np.array([corner, corner, corner]), np.array([1.0, -3.0, 2.0]))
    means = _Stage([few], 100)._means(few)
    assert means[0] == pytest.approx(2.0)
    assert np.isnan(means[1:]).all()
    assert (
        most_colour(_Stage([few], 100).error_map(few)) < 0.06
    )  # no face has three known corners: all are grey, as far as light goes
    rng = np.random.default_rng(5)
    whole = captured(model, points_on(model.rest_position, model.bodies[0].closed, 200, rng), rng.normal(0.0, 1e-3, 200))
    assert most_colour(_Stage([whole], 100).error_map(whole)) > 0.2


def most_colour(picture: str) -> float:
    """The largest difference between red, green and blue of any face."""
    faces = [path.attrib["fill"] for path in ET.fromstring(picture).iter(f"{SVG}path") if {"fill", "stroke"} <= set(path.attrib)]
    return max(max(rgb(fill)) - min(rgb(fill)) for fill in faces if fill.startswith("#"))


def test_points_are_thinned_evenly():
    assert evenly(10).tolist() == list(range(10))
    kept = evenly(3600, 1500)
    assert len(kept) == 1500
    assert (kept[0], kept[-1]) == (0, 3599)
    assert {b - a for a, b in pairwise(kept.tolist())} == {2, 3}
    assert points_per_picture(4) == POINTS
    assert points_per_picture(10_000) == 300


def block(counts: list[int]) -> Scene:
    return Scene(time=Time(end=1.0), body={"b": Lattice(counts=counts, spacing=0.01, law=LAW, mass=1.0)})


def captured(model: Model, points: np.ndarray, distance: np.ndarray, *, time: float = 1.0) -> Captured:
    """Points beside a body at rest, with distances that are made up."""
    metrics = {"S [m]": 1.0, "beyond": 0.0, "points": float(len(points)), "rms [m]": 1e-3}
    details = {"distance": distance, "position": model.rest_position, "body": model.bodies[0]}
    cloud = Cloud("cloud", points, time, "b", 1e-3, 1e-3, 0.0025, "c.ply")
    return Captured(cloud, Comparison(distance / cloud.noise, metrics, details))


def test_pictures_of_a_fine_body_with_many_points_are_small():
    model, rng = compile_scene(block([40, 40, 20])).model, np.random.default_rng(4)
    points = points_on(model.rest_position, model.bodies[0].closed, 3600, rng) + rng.normal(0.0, 1e-3, (3600, 3))
    distance = rng.normal(0.0, 1e-3, 3600)
    page = shape_pictures([captured(model, points, distance, time=1.0 * n) for n in range(4)], points_per_picture(4))
    assert len(page.encode()) < 2.5e6
    assert "1500 points are drawn, picked evenly" in page
