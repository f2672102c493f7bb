"""Published results: what the sources print is what we get. (Those that measure speed or take long are run by `make studies`.)"""

import json

import numpy as np
import pytest

from yawara.studies import STUDIES, dough_models, recovery, run_study
from yawara.studies.row import StudyRow, near


@pytest.mark.parametrize(
    "name",
    [
        "chain",
        "generalized_voigt",
        "extraction",
        "networks",
        "edge_counts",
        "topology",
        "volume",
        "polyhedra",
        "shear_volume",
        "fe_memory",
        "incompressible",
        "continuum_press",
    ],
)
def test_study_meets_the_printed_numbers(name):
    rows = run_study(name)
    assert rows
    assert json.loads(json.dumps([row.as_dict() for row in rows]))[0]["study"] == name
    assert [row.row for row in rows if row.ok is False] == []
    assert any(row.ok for row in rows)


def test_a_miss_is_shown_as_a_miss():
    assert near("s", "r", "m", 1.0, 1.2, 0.1).ok is False
    assert near("s", "r", "m", 1.0, 1.05, 0.1).ok is True
    assert StudyRow("s", "r", "m", None, 1.0).ok is None
    assert StudyRow("s", "r", "edges", 100, 99, low=100).ok is False


def test_json_keys():
    assert list(near("s", "r", "m", 1.0, 1.0, 0.1).as_dict()) == ["study", "row", "unit", "printed", "ours", "low", "high", "ok"]


def test_every_study_has_a_title():
    assert all(study.title for study in STUDIES.values())


def test_every_printed_number_of_the_models_stands_beside_one_of_ours():
    assert set(dough_models.PRINTED) <= {(case.model, case.across) for case in dough_models.CASES}


@pytest.mark.parametrize("case", [case for case in dough_models.CASES if case.across == 6], ids=lambda case: case.model)
def test_every_model_of_dough_can_be_run(case, coarse_dough):
    """The whole study takes minutes; here each model is run once, in both pushes, beside a dough that is no finer than it."""
    problem = dough_models.problem_of(case, *coarse_dough, dough_models.START)
    for experiment in problem.experiments:
        comparisons = problem.compare(problem.space.start, experiment)
        assert all(np.isfinite(one.residual).all() for one in comparisons)
        if case.model != "3":  # whose extra forces are those of the dough, too much for a body as soft as the start
            assert comparisons[-1].details["simulated"] == pytest.approx(75e-6, rel=0.2)


@pytest.fixture(scope="module")
def coarse_dough():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dough_models, "FINE", (6, 6, 4))
        return dough_models.measured_pushes()


def test_the_truth_behind_the_recovery_study_explains_its_data():
    posed = recovery.problem(recovery.sample(recovery.CAMERA, 3))
    outcome = posed.evaluate(list(recovery.TRUTH.values()))
    assert outcome.residual @ outcome.residual == pytest.approx(len(outcome.residual), rel=5 * np.sqrt(2 / len(outcome.residual)))
    assert posed.evaluate(list(recovery.START.values())).cost > 2 * outcome.cost
