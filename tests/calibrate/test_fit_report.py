"""The page that a fit leaves: it shows every parameter with its interval, what was measured beside what was simulated, and stays small."""

import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest

from fit_case import NASTY, a_problem
from yawara.calibrate.fit import Compared, fit_problem
from yawara.calibrate.identifiability import identifiability
from yawara.calibrate.intervals import IntervalMethod
from yawara.calibrate.observation.base import rms
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.report.page import fit_page
from yawara.calibrate.report.words import interval_text, known, value_text
from yawara.report.svg import NAMESPACE

SVG = f"{{{NAMESPACE}}}"


@pytest.fixture(scope="module")
def found():
    return fit_problem(a_problem(), executor="here")


@pytest.fixture(scope="module")
def html(found):
    return fit_page(found, title="pushed <dough>", files=["fitted scene.toml", "javascript:alert(1)"])


class _Nesting(HTMLParser):
    """Every element ends, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)

    def handle_startendtag(self, tag, attrs): ...

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def words_of(html: str) -> str:
    """What is read, with one space between words."""
    plain = unescape(re.sub(r"<style.*?</style>|<title>.*?</title>|<[^>]+>", " ", html, flags=re.DOTALL))
    return " ".join(plain.replace("\u00a0", " ").split())


def checked(html: str) -> str:
    """The words of a page, after all that every page must fulfil."""
    parser = _Nesting()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    for drawing in re.findall(r"<svg.*?</svg>", html, re.DOTALL):
        ET.fromstring(drawing)
    assert not re.search(r"\b(nan|inf)\b|∞", html.lower())
    assert not re.search(r"\bNone\b", html)
    assert "<script" not in html
    assert not re.search(r"""(?:src|href)=["'](?:https?:|//|javascript:)""", html)
    return words_of(html)


# --- the whole page


def test_every_parameter_stands_there_with_its_interval(found, html):
    words = checked(html)
    for one in found.estimates.values():
        assert f"{one.name} = {value_text(one)}" in words
        assert found.problem.parameters[one.name].target[0] in words
        for interval in one.intervals.values():
            assert interval_text(interval) in words
    assert len(found.estimates["c2"].intervals) == 2
    assert "not searched: fixed" in words
    assert "linear" in words
    assert "bootstrap" in words


def test_names_are_escaped(html):
    assert NASTY not in html
    assert "&lt;b&gt;k1 &amp; &#x27;c&#x27;&lt;/b&gt;" in html
    assert "pushed &lt;dough&gt;" in html
    assert 'href="fitted%20scene.toml"' in html
    assert 'href="javascript%3Aalert%281%29"' in html  # the name of a file, no address


def test_the_head_says_what_was_searched(found, html):
    words = checked(html)
    assert "2 parameters searched and 1 kept, 354 readings of 1 experiment, 1 more held out" in words  # 2 * 150 + 41 + 3 * 4 + 1
    assert f"Search by least_squares: {found.evaluations} evaluations" in words
    assert "it converged" in words
    assert "synthetic" not in words


def test_measured_and_simulated_are_shown(found, html):
    words = checked(html)
    assert html.count('class="drawing picture"') == 8  # two clouds of two experiments, points and map of each
    assert html.count("<title>captured points</title>") == 4
    for title in ("curve 1: push.force_z", "marker 1: distance from its place at rest", "Errors of captured points"):
        assert words.count(f" {title} ") == 2, title
    cloud, after = found.compared[0].experiment.observations[0], found.compared[0].comparisons[0]
    assert f"S/N = {known(1e3 * after.metrics['S [m]'] / cloud.count, 3)} mm" in words
    assert f"of {cloud.count} points beyond 2.5 mm" in words
    assert known(1e6 * found.compared[0].experiment.observations[-1].value) in words  # the measured volume [cm^3]


def test_the_tables_put_the_start_beside_the_answer(found, html):
    rows = [[words_of(cell) for cell in re.findall(r"<td.*?</td>", row)] for row in re.findall(r"<tr>.*?</tr>", html)]
    row = next(cells for cells in rows if cells and cells[0] == "cloud 1, c.ply")
    after, before = found.compared[0].comparisons[0], found.compared[0].before[0]
    assert row[3:5] == [known(100 * one.metrics["S [m]"], 3) for one in (after, before)]
    assert row[-2:] == [known(1000 * one.metrics["rms [m]"], 3) for one in (after, before)]
    curve = next(cells for cells in rows if cells and cells[0] == "curve 1, push.force_z")
    assert curve[-2:] == [known(rms(one.residual), 3) for one in (found.compared[0].comparisons[2], found.compared[0].before[2])]


def test_the_held_out_have_a_section_only_if_there_are_some(found, html):
    assert "<h2>Not fitted: deeper</h2>" in html
    alone = replace(found, compared=found.compared[:1], problem=replace(found.problem, experiments=found.problem.experiments[:1]))
    without = checked(fit_page(alone, title="t"))
    assert "Not fitted" not in without
    assert "held out" not in without
    twice = checked(fit_page(replace(found, compared=[*found.compared, found.compared[1]]), title="t"))
    assert twice.count("Not fitted") == 1


@pytest.mark.parametrize("kinds", [("curve", "marker", "volume"), ("cloud",), ("volume",)])
def test_pages_need_not_have_everything(found, kinds):
    """Without clouds, without curves, with a volume alone."""

    def some(compared: Compared) -> Compared:
        kept = [n for n, one in enumerate(compared.experiment.observations) if one.kind in kinds]
        picked = tuple(compared.experiment.observations[n] for n in kept)
        return Compared(
            replace(compared.experiment, observations=picked), [compared.comparisons[n] for n in kept],
            [compared.before[n] for n in kept],
        )  # fmt: skip

    page = fit_page(replace(found, compared=[some(one) for one in found.compared]), title="t")
    words = checked(page)
    assert ('class="drawing picture"' in page) == ("cloud" in kinds)
    assert ("curve 1" in words) == ("curve" in kinds)
    assert ("measured [cm³]" in words) == ("volume" in kinds)


def test_a_start_that_could_not_be_run_is_no_hindrance(found):
    failed = Outcome(FAILED_COST, failure="bench: the run broke <here>")
    trace = [(found.trace[0][0], failed), *found.trace[1:]]
    page = fit_page(
        replace(
            found,
            start_outcome=failed,
            trace=trace,
            at_start=None,
            compared=[replace(one, before=None) for one in found.compared],
        ),
        title="t",
    )
    words = checked(page)
    assert "The start could not be run: bench: the run broke <here>." in words
    assert "With the start values this experiment could not be run" in words
    assert "simulated, start" not in words
    assert "1 run that could not be finished" in words


def test_a_budget_that_was_spent_at_once(found):
    """Nothing but the start is known: no intervals, no correlation, one evaluation."""
    bare = {name: replace(one, intervals={}, sensitivity=0.0) for name, one in found.estimates.items()}
    words = checked(
        fit_page(
            replace(
                found, estimates=bare, at_start=None, at_end=None, scatter=float("nan"), trace=found.trace[:1], evaluations=1,
                stopped="budget spent", rate=0.0,
            ),
            title="t",
        )
    )  # fmt: skip
    assert "it ended with its budget spent" in words
    assert "how sure this is, is not known" in words
    assert "Not known: runs next to the start and to the answer fail" in words


def test_a_fit_that_really_ran_out_of_budget():
    spent = fit_problem(a_problem(held_out=False), executor="here", budget=2, intervals=(IntervalMethod.LINEAR,))
    assert spent.stopped == "budget spent"
    assert "it ended with its budget spent" in checked(fit_page(spent, title="t"))


def test_one_parameter_has_no_correlation(found):
    one = identifiability(found.problem.space.without({NASTY}), np.array([[3.0], [4.0]]))
    words = checked(fit_page(replace(found, at_end=one, correlation=one.correlation, free_names=("c2",)), title="t"))
    assert "Correlation of the estimates" not in words
    assert "1.00 c2" in words


def test_synthetic_data_say_so(found):
    assert "The data are synthetic" in words_of(fit_page(found, title="push (Synthetic)"))
    experiment = found.problem.experiments[0]
    marked = replace(experiment, observations=(replace(experiment.observations[0], source="synthetic/cloud_1.ply"),))
    problem = replace(found.problem, experiments=(marked,))
    assert "The data are synthetic" in words_of(fit_page(replace(found, problem=problem), title="push"))


def test_warnings_stand_at_the_top(found):
    page = fit_page(replace(found, warnings=("c2 is at its upper bound <100>",)), title="t")
    words = checked(page)
    assert words.index("c2 is at its upper bound <100>") < words.index("where in its range")
    assert "Before you use these values" not in words_of(fit_page(found, title="t"))
