"""The example scenes load, compile and run: those of drives far enough to see what they say, those of contact for a moment."""

from pathlib import Path

import numpy as np
import pytest

from yawara import load_scene, simulate
from yawara.methods import SCHEMES
from yawara.observe.energies import balance_error
from yawara.scene.scene import IntegratorName

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.toml"))
TOUCHING = [path for path in EXAMPLES if load_scene(path).tool]
DRIVEN = [path for path in EXAMPLES if path not in TOUCHING]
FRAMES = 4


@pytest.mark.parametrize("path", DRIVEN, ids=lambda path: path.stem)
def test_example_runs(path):
    scene = load_scene(path, ["time.end=2.5"])
    result = simulate(scene)
    assert balance_error(result.history) < 0.01
    for recovery in result.recoveries:
        assert 0.1 < recovery.residual_fraction < 0.9  # rheological: a part returns, a part stays


@pytest.mark.parametrize("path", TOUCHING, ids=lambda path: path.stem)
def test_example_of_contact_begins(path):
    scene = load_scene(path)
    history = simulate(load_scene(path, [f"time.end={FRAMES * scene.time.frame}"])).history
    assert np.isfinite(history.table).all()
    assert len(history["time"]) == FRAMES + 1
    assert history["contact.penetration"].max() < 0.02 * min(body.spacing for body in scene.body.values())
    inverted = [name for name in history.names if name.endswith(".inverted")]
    assert all(history[name].max() == 0.0 for name in inverted)


@pytest.mark.parametrize("path", TOUCHING, ids=lambda path: path.stem)
def test_example_of_contact_says_what_to_expect(path):
    first, expect, *_ = path.read_text(encoding="utf-8").splitlines()
    assert first.startswith("# ")
    assert expect.startswith("# Expect: ")


def test_two_blocks_on_a_slope():
    """Of the example that has a closed form: one stays, one slides as a rigid block would."""
    scene = load_scene(Path(__file__).parents[2] / "examples" / "slide.toml")
    history, time = simulate(scene).history, scene.time.end
    along, normal = scene.gravity[0], -scene.gravity[2]
    assert history["stayed.displacement_x"][-1] < 2e-4
    assert history["slid.displacement_x"][-1] == pytest.approx(0.5 * (along - 0.1 * normal) * time**2, rel=0.01)
    assert balance_error(history) < 0.002


def test_there_is_an_example():
    assert len(TOUCHING) == 8
    assert DRIVEN


def test_every_scheme_can_be_named_in_a_scene():
    assert {name.value for name in IntegratorName} == set(SCHEMES)
