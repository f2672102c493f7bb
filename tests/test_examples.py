"""The example scenes run, and do what their first line says; shortened, as their whole length takes a while."""

from pathlib import Path

import pytest

from yawara import load_scene, simulate
from yawara.integrators import SCHEMES
from yawara.scene.scene import IntegratorName
from yawara.summary import balance_error

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.toml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path):
    scene = load_scene(path, ["time.end=2.5"])
    result = simulate(scene)
    assert balance_error(result.history) < 0.05
    for recovery in result.recoveries:
        assert 0.1 < recovery.residual_fraction < 0.9  # rheological: a part returns, a part stays


def test_there_is_an_example():
    assert EXAMPLES


def test_every_scheme_can_be_named_in_a_scene():
    assert {name.value for name in IntegratorName} == set(SCHEMES)
