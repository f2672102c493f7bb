"""Published results: what the sources print is what we get. (Those that measure speed or take long are run by `make studies`.)"""

import json

import pytest

from yawara.studies import STUDIES, run_study
from yawara.studies.row import StudyRow, near


@pytest.mark.parametrize("name", ["chain", "generalized_voigt", "extraction", "networks", "edge_counts", "topology", "volume"])
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
