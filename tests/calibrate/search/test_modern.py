"""Evolution of a cloud, and samples of the whole box: what is special about them."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yawara
from asking import Asker, bowl, failing_beyond, outcome_of, papers_space, search_with, unit_space
from yawara.calibrate.outcome import FAILED_COST, Outcome
from yawara.calibrate.search import CmaEs, GlobalLocal, LeastSquares
from yawara.calibrate.search.cma_es import FLAT
from yawara.checks import SceneError

SOURCES = str(Path(yawara.__file__).parent.parent)
CENTRE = np.array([0.3, 0.62, 0.4])


def test_cma_es_finds_its_way_along_a_bent_valley():
    """Rosenbrock's function on [-2, 2] x [-1, 3]; its bottom is at (1, 1)."""
    space = unit_space([0.1, 0.9])

    def answer(values):
        x, y = 4.0 * values - [2.0, 1.0]
        return Outcome(100.0 * (y - x * x) ** 2 + (1.0 - x) ** 2)

    asker = search_with(CmaEs(), space, answer, budget=2000)
    np.testing.assert_allclose(4.0 * asker.best - [2.0, 1.0], [1.0, 1.0], atol=1e-4)


def test_cma_es_touches_no_files_no_screen_and_no_common_generator(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cma_signals.in").write_text("{'timeout': 0}")  # would end it at once
    state = np.random.get_state()[1].copy()  # noqa: NPY002 - the one that must not change
    space = papers_space()
    asker = search_with(CmaEs(), space, failing_beyond(space, bowl(space, CENTRE), 0.5), budget=300)
    assert len(asker.known) == 300
    assert [path.name for path in tmp_path.iterdir()] == ["cma_signals.in"]
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert capfd.readouterr() == ("", "")


def test_cma_es_is_loaded_without_warnings():
    """In a process of its own, as modules are loaded once."""
    order = "from yawara.calibrate.search.cma_es import _package; _package()"
    subprocess.run(
        [sys.executable, "-W", "error::UserWarning", "-c", order], check=True, env={**os.environ, "PYTHONPATH": SOURCES}
    )


def test_cma_es_knows_the_bounds():
    """What it draws is inside by itself; nothing is cut off at a bound."""
    space = papers_space()
    asker = search_with(CmaEs(spread=0.5), space, bowl(space, CENTRE), budget=200)
    assert (asker.questions > space.low).all()
    assert (asker.questions < space.high).all()


def test_cma_es_asks_a_generation_at_once():
    space = papers_space()
    asker = search_with(CmaEs(population=9), space, bowl(space, CENTRE), budget=100)
    assert [len(batch) for batch in asker.batches[:3]] == [1, 9, 9]
    assert asker.batches[0].tolist() == [space.start.tolist()]


def test_cma_es_is_drawn_back_from_failure_all_around():
    """All fails but a ball of radius 0.1, four thousandths of the box. The first clouds have at most a point or two in it."""
    space = papers_space(start=(0.5, 0.5, 0.5))
    centre = np.array([0.53, 0.45, 0.52])

    def answer(values):
        unit = space.to_unit(values)
        return Outcome(FAILED_COST) if np.linalg.norm(unit - 0.5) > 0.1 else outcome_of(unit - centre)

    asker = search_with(CmaEs(), space, answer, budget=1500)
    outcomes = list(asker.known.values())
    assert sum(outcome.failed for outcome in outcomes[:15]) > 10
    np.testing.assert_allclose(space.to_unit(asker.best), centre, atol=1e-5)


def test_cma_es_does_not_depend_on_the_scale_of_costs():
    """A power of two changes no bit of their order; failures are as far off in any scale."""
    space = papers_space()

    def asked(scale):
        answer = failing_beyond(space, lambda values: Outcome(scale * bowl(space, CENTRE)(values).cost), 0.5)
        return search_with(CmaEs(), space, answer, budget=2000).questions

    assert asked(2.0**-60).tobytes() == asked(1.0).tobytes()


def test_cma_es_gives_up_if_everything_fails():
    space = papers_space()
    asker = search_with(CmaEs(), space, lambda values: Outcome(FAILED_COST), budget=5000)
    assert len(asker.batches) <= FLAT + 3


def test_cma_es_refuses_one_parameter():
    with pytest.raises(SceneError, match=r"at least 2 parameters \(got 1\); use method = \"least_squares\""):
        CmaEs().run(Asker(lambda values: Outcome(1.0)), unit_space([0.5]), np.random.default_rng(0))


def two_dips(values):
    """The deeper one is at 0.8, the start of the test at the side of the other, at 0.2: r^2 = (1 - 0.6 dip - dip)^2."""
    x, y = values
    dips = 0.6 * np.exp(-(((x - 0.2) / 0.1) ** 2)) + np.exp(-(((x - 0.8) / 0.1) ** 2))
    return outcome_of(np.array([1.0 - dips, y - 0.5]))


@pytest.mark.parametrize("sample", ["sobol", "latin_hypercube"])
def test_global_local_finds_the_deeper_dip(sample):
    space = unit_space([0.25, 0.4])
    near = search_with(LeastSquares(), space, two_dips, budget=200)
    assert near.best[0] == pytest.approx(0.2, abs=0.01)
    asker = search_with(GlobalLocal(sample=sample, samples=32), space, two_dips, budget=200)
    np.testing.assert_allclose(asker.best, [0.8, 0.5], atol=1e-3)  # flat at the bottom: the cost there is (d/0.1)^4


@pytest.mark.parametrize("samples", [20, 32])
@pytest.mark.parametrize("sample", ["sobol", "latin_hypercube"])
def test_the_sample_is_one_batch_with_the_start_and_is_even(sample, samples, recwarn):
    space = unit_space([0.25, 0.4])
    asker = search_with(GlobalLocal(sample=sample, samples=samples), space, two_dips, budget=200)
    assert len(asker.batches[0]) == samples + 1
    assert asker.batches[0][0].tolist() == [0.25, 0.4]
    is_part = sample == "sobol" and samples == 20  # of a sequence of 32
    for column in asker.batches[0][
        1:
    ].T:  # one point in each of as many slices; in a part, at most two too many or few in each of four
        counts = np.histogram(column, 4 if is_part else samples, (0.0, 1.0))[0]
        assert np.abs(counts - counts.mean()).max() <= (2 if is_part else 0)
    assert not list(recwarn)


def test_the_best_that_are_apart_go_on():
    """Of 33 points around one dip, the best, and the best two that are 0.1 away from it and from each other."""
    space = unit_space([0.5, 0.5])
    asker = search_with(GlobalLocal(samples=32), space, bowl(space, np.array([0.3, 0.6])), budget=300)
    points = asker.batches[0]
    order = np.argsort(((points - [0.3, 0.6]) ** 2).sum(axis=1))
    chosen = [points[order[0]]]
    for point in points[order]:
        if len(chosen) < 3 and all(np.abs(point - other).max() >= 0.1 for other in chosen):
            chosen.append(point)
    asked = {batch[0].tobytes() for batch in asker.batches[1:] if len(batch) == 1}
    started = [point.tobytes() for point in points if point.tobytes() in asked]
    assert sorted(started) == sorted(point.tobytes() for point in chosen)


def test_a_box_of_failures_is_refused_with_a_remedy():
    with pytest.raises(SceneError, match=r"\(none of 65 could\); narrow the bounds"):
        GlobalLocal().run(Asker(lambda values: Outcome(FAILED_COST)), unit_space([0.5, 0.5]), np.random.default_rng(0))
