"""`yawara.calibrate` is what programs use: its names, its example, and what it costs to import it."""

import ast
import doctest
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import yawara as yw
from fit_case import PUSHED
from yawara import calibrate
from yawara.checks import SceneError
from yawara.scene.file import read_scene

PAGE = Path(__file__).parents[2] / "docs" / "calibration.md"


@pytest.mark.parametrize("name", calibrate.__all__)
def test_every_name_leads_to_something_of_that_name(name):
    found = getattr(calibrate, name)
    assert found.__name__ == name  # not a module of this name, which an import would put in its place
    assert found.__doc__
    assert name in dir(calibrate)


def test_names_are_the_same_for_readers_checkers_and_programs():
    """One list is for mypy, one for programs, one for readers."""
    tree = ast.parse(Path(calibrate.__file__).read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    checked = {(name.name, line.module.removeprefix("yawara.calibrate.")) for line in block.body for name in line.names}
    looked_up = {(name, module) for module, names in calibrate._HOME.items() for name in names}
    assert checked == looked_up
    assert sorted(name for name, _ in checked) == sorted(calibrate.__all__)
    section = PAGE.read_text(encoding="utf-8").partition("## From Python")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row)) == sorted(calibrate.__all__)


def test_a_name_that_is_not_there_is_said_so():
    with pytest.raises(AttributeError, match=r"module 'yawara.calibrate' has no attribute 'fit_scene'"):
        _ = calibrate.fit_scene


def test_importing_it_loads_nothing_else():
    """Worker processes import it with everything below it."""
    asked = (
        "import sys, yawara; before = set(sys.modules); import yawara.calibrate; "
        "print(sorted(name for name in set(sys.modules) - before if name.startswith('yawara')))"
    )
    found = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True).stdout
    assert found == "['yawara.calibrate']\n"


def test_the_package_does_not_load_it():
    asked = "import sys, yawara; sys.exit(any(name.startswith('yawara.calibrate') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


def test_the_example_of_the_page_finds_the_truth():
    (block,) = re.findall(r"```\{doctest\}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    example = doctest.DocTestParser().get_doctest(block, {"yw": yw, "np": np}, "calibration", str(PAGE), 0)
    assert len(example.examples) > 5
    said = []
    doctest.DocTestRunner().run(example, out=said.append)
    assert said == []


def curve(**changed):
    given = {
        "name": "force",
        "quantity": "push.force_z",
        "time": np.array([0.1, 0.2]),
        "values": np.ones(2),
        "noise": 0.1,
        "unit": "N",
    }
    return calibrate.Curve(**{**given, **changed})


def test_what_cannot_have_been_measured_is_refused_all_at_once():
    scene = read_scene(PUSHED)
    k1 = {"k1": calibrate.Parameter(target="body.dough.law.k1", low=1.0, high=100.0)}
    late = calibrate.Experiment.of("late", scene, [curve(time=np.array([0.1, 0.9]))])
    other = calibrate.Experiment.of("other", scene, [curve(unit="")])
    with pytest.raises(SceneError) as refused:
        calibrate.build_problem(k1, [late, other, late])
    words = str(refused.value)
    assert "experiment.late: force: reaches to 0.9 s, the scene ends at 0.2 s" in words
    assert "'push.force_z' is in N, the curve in no unit" in words
    assert "experiment.late: is there twice" in words
    with pytest.raises(SceneError, match="must be at least one"):
        calibrate.build_problem(k1, [])


def test_starts_and_units_are_those_of_the_scene():
    scene = read_scene(PUSHED)
    parts = {"k1": calibrate.Parameter(target="body.dough.law.k1", low=1.0, high=100.0)}
    loaded = calibrate.build_problem(parts, [calibrate.Experiment.of("bench", scene, [curve()])])
    assert (dict(loaded.problem.start), loaded.problem.units) == ({"k1": 60.0}, {"k1": "N/m"})
    assert loaded.warnings == (
        "2 readings for 1 parameters: hardly anything is left to check the answer by; measure more, or fix some",
    )
    wrong = {"k9": calibrate.Parameter(target="body.dough.law.k9", low=1.0, high=100.0)}
    with pytest.raises(SceneError, match=r"parameter.k9: there is no body.dough.law.k9"):
        calibrate.build_problem(wrong, [calibrate.Experiment.of("bench", scene, [curve()])])
