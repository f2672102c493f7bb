"""A strip of dough on a belt under a roller: what the roller feels is the same with implicit steps, and at half the spacing."""

import tomllib
from pathlib import Path

import pytest

from yawara import Scene, simulate
from yawara.observe.energies import balance_error

EXAMPLE = Path(__file__).parents[3] / "examples" / "roller.toml"
LENGTH, WIDTH, HEIGHT = 0.06, 0.012, 0.024  # [m]


def rolled(spacing, integrator="semi_implicit_euler", end=0.25):
    """The example with a short, narrow strip; after 0.25 s it is half through, after 0.5 s it has left the roller."""
    scene = tomllib.loads(EXAMPLE.read_text())
    counts = [round(side / spacing) + 1 for side in (LENGTH, WIDTH, HEIGHT)]
    scene["body"]["dough"] |= {"counts": counts, "spacing": spacing, "origin": [-0.082, -WIDTH / 2, 0.0]}
    scene["time"] |= {"end": end, "integrator": integrator, "threads": 1}
    history = simulate(Scene.model_validate(scene)).history
    assert balance_error(history) < 0.01
    assert history["contact.penetration"].max() < 0.01 * spacing
    return history


@pytest.mark.filterwarnings("ignore:The implicit scheme itself")
def test_implicit_steps_feel_what_explicit_ones_do():
    """Steps of a millisecond, in which the roller turns by half a degree."""
    explicit, implicit = (rolled(0.012, name, end=0.5)["roller.force_z"] for name in ("semi_implicit_euler", "implicit_euler"))
    assert implicit.max() == pytest.approx(explicit.max(), rel=0.01)
    assert implicit.sum() == pytest.approx(explicit.sum(), rel=0.01)


def test_half_the_spacing_changes_the_peak_little():
    """The surface between nodes follows the roller; flat faces that stayed outside would make it lower by s^2/(8 R), 5 % here."""
    coarse, fine = (rolled(spacing)["roller.force_z"].max() for spacing in (0.006, 0.003))
    assert coarse == pytest.approx(fine, rel=0.03)
