"""A run that goes wrong stops, says where, when and what helps, and keeps its last good state."""

import re

import numpy as np
import pytest

import yawara
import yawara.cli
import yawara.methods.stability
from yawara.scene.file import scene_text
from yawara.status import Failure

BEGIN, FRAME = 0.021, 0.005  # [s] when the blow falls, between two frames


def torn_scene(*, force, integrator="semi_implicit_euler", scale=1.0):
    """Two blocks, the second of which is torn by a force on one of its points; no step estimate foresees that.

    The steps do not depend on the scale of masses and moduli, but the accelerations do.
    """
    law = yawara.ThreeElement(k1=300.0 * scale, c1=6.0 * scale, c2=900.0 * scale)
    block = {"counts": (3, 3, 3), "spacing": 0.01, "density": 1200.0 * scale, "law": law}
    return yawara.Scene(
        time=yawara.Time(end=0.05, frame=FRAME, integrator=integrator),
        body={"calm": yawara.Truss(**block), "torn": yawara.Truss(**block, origin=(0.1, 0.0, 0.0))},
        fix=(yawara.Fix(body="torn", points="bottom"),),
        drive=(
            yawara.Drive(body="torn", points=(18,), times=(0.0, 0.01), displacement=((0, 0, 0), (0, 0, -0.001)), release=0.015),
        ),
        force=(yawara.Force(body="torn", points=(26,), times=(BEGIN,), force=((0.0, 0.0, force),)),),
    )


FLOWN_APART = torn_scene(force=1e12)
NOT_FINITE = torn_scene(force=1e30, integrator="rk4", scale=1e-220)


@pytest.fixture
def reckless_steps(monkeypatch):
    """Steps far above the stable one."""
    monkeypatch.setattr(yawara.methods.stability, "SAFETY", 20.0 * yawara.methods.stability.SAFETY)


@pytest.mark.parametrize(
    ("scene", "status"),
    [
        pytest.param(NOT_FINITE, "A value is no longer a finite number.", id="not finite"),
        pytest.param(FLOWN_APART, "A body has flown apart: a point is further away than", id="flown apart"),
    ],
)
def test_the_command_ends_with_3_and_keeps_the_last_good_state(tmp_path, command, scene, status):
    (tmp_path / "scene.toml").write_text(scene_text(scene), encoding="utf-8")
    code, printed, message = command("run", tmp_path / "scene.toml", "--out", tmp_path / "run", "--checkpoint", "0")
    assert code == 3
    assert message.startswith(f"yawara: {status}")
    found = re.search(r"Body '(\w+)', (?:point|link) \d+.*, at t = (\S+) s; lower time\.step below (\S+) s", message)
    assert found, message
    assert found[1] == "torn"
    assert BEGIN < float(found[2]) <= 0.025
    assert 0.0 < float(found[3]) < 1e-3
    assert "or load the body more slowly" in message
    assert f"The last good state (t = 0.02 s) is in {tmp_path / 'run' / 'checkpoint.npz'}." in message
    assert "Traceback" not in printed + message
    check_directory(tmp_path / "run")


def check_directory(run):
    """The last good state, whole and finite, and the history up to it; nothing that says the run is complete."""
    assert not (run / "summary.json").exists()
    assert not (run / "history.h5").exists()
    assert [path.name for path in run.rglob(".*")] == []
    with np.load(run / "checkpoint.npz") as saved:
        arrays = dict(saved)
    assert all(np.isfinite(values).all() for values in arrays.values())
    assert arrays["time"] == 4 * FRAME
    assert arrays["frame"] == 4
    assert arrays["step_count"] > 0
    times = np.loadtxt(run / "history.csv", delimiter=",", skiprows=1)[:, 0]
    np.testing.assert_allclose(times, FRAME * np.arange(5), rtol=1e-15)


def test_resuming_a_failed_run_fails_alike(tmp_path, command):
    (tmp_path / "scene.toml").write_text(scene_text(FLOWN_APART), encoding="utf-8")
    *_, message = command("run", tmp_path / "scene.toml", "--out", tmp_path / "run")
    code, printed, again = command("run", "--resume", tmp_path / "run")
    assert code == 3
    assert again == message
    assert "Going on from t = 0.02 s." in printed
    check_directory(tmp_path / "run")


@pytest.mark.parametrize("scene", [NOT_FINITE, FLOWN_APART], ids=["not finite", "flown apart"])
def test_strict_raises_what_the_other_returns(scene):
    with pytest.raises(yawara.SimulationError) as error:
        yawara.simulate(scene)
    result = yawara.simulate(scene, strict=False)
    assert isinstance(result.failure, Failure)
    assert error.value.failure == result.failure
    assert str(error.value) == str(result.failure)
    assert result.status is result.failure.status is not yawara.StepStatus.DONE


def test_the_last_good_state_is_that_of_the_frame_before():
    result = yawara.simulate(FLOWN_APART, strict=False)
    good = yawara.simulate(FLOWN_APART.model_copy(update={"time": yawara.Time(end=4 * FRAME, frame=FRAME)}))
    assert result.state.time == good.state.time == 4 * FRAME
    assert result.state.step_count == good.state.step_count
    for name in ("points", "links.internal", "anchor", "account"):
        np.testing.assert_array_equal(result.state.blocks[name], good.state.blocks[name], err_msg=name)
    assert result.history.csv() == good.history.csv()


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_steps_above_the_stable_one_are_noticed(reckless_steps, integrator):
    law = yawara.Voigt(k=300.0, c=0.1)
    block = yawara.Truss(counts=(3, 3, 3), spacing=0.01, density=1200.0, law=law, velocity=(0.0, 0.0, -0.1))
    scene = yawara.Scene(
        time=yawara.Time(end=2.0, frame=0.5, integrator=integrator),
        body={"block": block},
        fix=(yawara.Fix(body="block", points="bottom"),),
    )
    result = yawara.simulate(scene, strict=False)
    assert result.failure
    assert result.failure.body == "block"
    assert 0.0 <= result.state.time < result.failure.time <= 2.0
    assert result.state.is_finite()
    assert len(result.history.rows) >= 1


def test_a_run_that_ends_well_has_no_failure():
    result = yawara.simulate(torn_scene(force=0.001))
    assert result.failure is None
    assert result.status is yawara.StepStatus.DONE


def test_a_run_that_stays_finite_but_is_unstable_is_noticed(monkeypatch):
    """Dampers that turn out more energy than ever came in: the account gives it away."""
    monkeypatch.setattr(yawara.methods.stability, "SAFETY", 1.6 * yawara.methods.stability.SAFETY)
    law = yawara.ThreeElement(k1=100.0, c1=2.0, c2=300.0)
    block = yawara.Lattice(counts=(5, 5, 5), spacing=0.01, density=1000.0, law=law, mass_sharing="equal")
    pull = yawara.Drive(body="block", points="top", times=(0.0, 0.2), displacement=((0, 0, 0), (0, 0, 0.02)))
    fix = yawara.Fix(body="block", points="bottom")
    result = yawara.simulate(
        yawara.Scene(time=yawara.Time(end=1.0, frame=0.02), body={"block": block}, fix=(fix,), drive=(pull,)), strict=False
    )
    assert result.status in (yawara.StepStatus.UNSTABLE, yawara.StepStatus.FLOWN_APART, yawara.StepStatus.NOT_FINITE)
    assert result.failure.body == "block"
    assert result.state.is_finite()
