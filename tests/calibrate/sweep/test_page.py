"""The page of a sweep, and what its drawings add to the toolkit: logarithmic axes, dots, maps, tables that can be sorted."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from browser import chromium
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.sweep.page import sweep_page
from yawara.calibrate.sweep.perform import summarise
from yawara.calibrate.sweep.plan import plan_of
from yawara.calibrate.sweep.printed import head
from yawara.calibrate.sweep.request import Request
from yawara.calibrate.sweep.runs import WALL_TIME
from yawara.calibrate.sweep.short import short_names
from yawara.calibrate.sweep.table import table_of
from yawara.report.axes import Axis
from yawara.report.heat_map import Steps, heat_map
from yawara.report.numbers import log_ticks
from yawara.report.page import Section, page, table
from yawara.report.plot import Series, line_plot
from yawara.scene.scene import Scene

SVG = "{http://www.w3.org/2000/svg}"
SCENE = Scene.model_validate({
    "time": {"end": 0.5, "frame": 0.1},
    "body": {
        "chain": {
            "shape": "chain", "counts": [3], "spacing": 0.1, "mass": 0.2,
            "law": {"type": "three_element", "k1": 200.0, "c1": 1.0, "c2": 50.0},
        },
    },
})  # fmt: skip
LAW = "body.chain.law"


def swept(*over, **options):
    """A page of made-up results: the sum of the parameters, and a constant; the first run failed."""
    plan = plan_of(Request(scene=SCENE, over=over, **options))
    outcomes = [
        Outcome(0.0, metrics={"chain.length:end": float(point.sum()), "chain.height:end": 0.2, WALL_TIME: 0.5})
        for point in plan.points
    ]
    outcomes[0] = Outcome(FAILED_COST, failure="A body has flown <apart>, far")
    found = table_of("a chain", plan.axes, plan.points, outcomes, plan.columns)
    return found, sweep_page(plan, found, summarise(found, 1.0))


def drawings(html):
    return re.findall(r'aria-label="([^"]*)"', html)


def test_one_parameter_makes_curves():
    _, html = swept(f"{LAW}.k1=100:300:5")
    assert drawings(html) == ["chain"]  # length and height, in one unit
    assert "The same in all runs" not in html
    assert "A body has flown &lt;apart&gt;, far" in html


def test_two_parameters_make_maps():
    _, html = swept(f"{LAW}.k1=100:300:5", f"{LAW}.c2=1,2,3")
    assert drawings(html) == ["chain.length:end"]
    assert "The same in all runs, to a millionth: chain.height:end = 0.2 m." in html
    assert html.count("<rect") == 15 + 16 + 1  # cells, the key of colours, the frame


@pytest.mark.parametrize(
    "options", [{"over": ("k1=1:9:3", "c1=1:9:3", "c2=1:9:3")}, {"over": ("k1=1:9", "c1=1:9"), "sample": 20}]
)
def test_more_parameters_and_samples_make_dots(options):
    over = [f"{LAW}.{one}" for one in options.pop("over")]
    _, html = swept(*over, **options)
    assert drawings(html) == ["chain.length:end"] * len(over)


def test_a_parameter_with_one_value_is_no_axis():
    _, html = swept(f"{LAW}.k1=100:300:5", f"{LAW}.c2=7")
    assert drawings(html) == ["chain"]
    assert "5 runs over k1; 1 failed" in html


def test_together_is_drawn_over_the_first_parameter():
    _, html = swept(f"{LAW}.k1=100:300:3", f"{LAW}.c2=1,2,3", together=True)
    assert drawings(html) == ["chain"]


def test_a_sweep_without_any_result_still_has_a_page():
    plan = plan_of(Request(scene=SCENE, over=(f"{LAW}.k1=1,2",)))
    found = table_of("a chain", plan.axes, plan.points, [Outcome(FAILED_COST, failure="no")] * 2, plan.columns)
    html = sweep_page(plan, found, summarise(found, 1.0))
    assert drawings(html) == []
    assert "Runs that failed" in html


def test_the_printed_head_says_what_it_leaves_out():
    found, _ = swept(f"{LAW}.k1=100:300:20")
    printed, words = head(found, 8, 200)
    assert (printed.row_count, words) == (8, "and 12 more rows")
    printed, words = head(found, 19, 30)
    assert words == "and 1 more row and 2 more columns"
    assert [str(column.header).split("\n")[0] for column in printed.columns] == ["k1", "status"]


@pytest.mark.parametrize(
    ("paths", "short"),
    [
        (["body.a.law.k1", "body.a.law.c2"], ["k1", "c2"]),
        (["body.a.law.k1", "body.b.law.k1"], ["a.law.k1", "b.law.k1"]),
        (["drive.0.displacement.1.2", "gravity.2"], ["displacement.1.2", "gravity.2"]),
        (["time.end"], ["end"]),
    ],
)
def test_short_names_tell_paths_apart(paths, short):
    assert short_names(paths) == short


def test_equal_factors_are_equally_far_apart_on_a_logarithmic_axis():
    axis = Axis("k [N/m]", 1.0, 1000.0, begin=0.0, end=300.0, log=True)
    np.testing.assert_allclose(axis.place(np.array([1.0, 10.0, 100.0, 1000.0])), [0.0, 100.0, 200.0, 300.0], atol=1e-9)  # [px]
    assert axis.tick_texts == ["1", "3", "10", "30", "100", "300", "1000"]


@pytest.mark.parametrize(
    ("low", "high", "found"),
    [
        (1.0, 100.0, [1, 2, 5, 10, 20, 50, 100]),
        (100.0, 3000.0, [100, 200, 500, 1000, 2000]),
        (1e-3, 1e6, [1e-2, 1, 1e2, 1e4, 1e6]),
        (2.0, 2.5, [2.0, 2.1, 2.2, 2.3, 2.4, 2.5]),  # no power of ten in between: even ticks
    ],
)
def test_logarithmic_ticks(low, high, found):
    assert log_ticks(low, high) == pytest.approx(found, rel=1e-12)


def test_dots_without_a_line():
    svg = line_plot(
        [Series("", [1, 2, 3], [1, np.nan, 2], dots=True, joined=False)], x_label="", y_label="", title="t", log_x=True
    )
    (group,) = [group for group in ET.fromstring(svg).iter(f"{SVG}g") if group.find(f"{SVG}title") is not None]
    (dots,) = group.findall(f"{SVG}path")
    assert dots.attrib["d"].count("M") == dots.attrib["d"].count("h0") == 2


def test_a_map_shows_numbers_where_there_is_room_and_crosses_out_what_is_missing():
    values = np.array([[1.0, 2.0], [np.nan, 4.0], [5.0, 6.0]])
    root = ET.fromstring(heat_map(Steps("x [m]", [0.1, 0.2, 0.3]), Steps("y", [1, 2]), values, value_label="[N]", title="map"))
    titles = [title.text for title in root.iter(f"{SVG}title")]
    assert titles[0] == "x [m]: 0.1, y: 1: 1"
    assert titles[2] == "x [m]: 0.2, y: 1: failed"
    words = [text.text for text in root.iter(f"{SVG}text")]
    assert [word for word in ("1", "2", "4", "5", "6", "map", "[N]", "x [m]", "y") if word not in words] == []
    assert "NaN" not in words


def test_numbers_in_a_map_have_digits_enough_to_differ():
    svg = heat_map(Steps("x", [1, 2]), Steps("y", [1]), np.array([[24.0129], [24.0131]]), value_label="", title="")
    assert "24.0129" in svg
    assert "24.0131" in svg


def test_a_table_is_sorted_by_a_click_in_a_browser(tmp_path):
    rows = [[20.00002, "b", 3], [20.00001, "a", None], [-1e-9, "c", 1]]
    (tmp_path / "page.html").write_text(
        page("t", [Section("s", table(["x", "name", "count"], rows, sortable=True))]), encoding="utf-8"
    )
    with chromium() as browser:
        tab = browser.new_page()
        complaints = []
        tab.on("pageerror", lambda problem: complaints.append(str(problem)))
        tab.goto((tmp_path / "page.html").as_uri())

        def order(heading):
            tab.get_by_role("button", name=heading).click()
            return "".join(tab.locator("tbody tr td:nth-child(2)").all_inner_texts())

        assert [order("x"), order("x")] == ["cab", "bac"]  # by all digits, not by the four that are shown
        assert [order("name"), order("name")] == ["abc", "cba"]
        assert [order("count"), order("count")] == ["cba", "bca"]  # what has none is last
        assert complaints == []
