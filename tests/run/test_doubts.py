"""A run that came to its end says what speaks against it: on the screen, in the summary, in Python; and its exit code tells."""

import json

import numpy as np
import pytest
import tomli_w

from yawara import simulate
from yawara.doubts import finest_spacing
from yawara.laws import Voigt
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Sheet, Truss
from yawara.scene.compile import compile_scene
from yawara.scene.effects import InversionBarrier
from yawara.scene.file import scene_data
from yawara.scene.scene import Output, Scene, Time
from yawara.scene.tools import Floor, Plate
from yawara.scene.tools.motion import Path
from yawara.status import StepStatus
from yawara.tools.contact import Contact


def pressed_truss(share=0.4, **body):
    """An elastic truss, its top driven down and let go."""
    truss = Truss(counts=[5, 5, 5], spacing=0.01, density=1200.0, law=Voigt(k=300.0, c=0.5), **body)
    press = Drive(
        name="press", body="b", points="top", times=[0.0, 0.3], displacement=[[0, 0, 0], [0, 0, -share * 0.04]], release=0.35
    )
    return Scene(
        time=Time(end=0.6, frame=0.05), body={"b": truss}, fix=[Fix(body="b", points="bottom")], drive=[press],
        output=Output(report=False),
    )  # fmt: skip


def unsteady():
    """An undamped block let go with explicit Euler, which pumps energy into vibrations."""
    truss = Truss(counts=[3, 3, 3], spacing=0.01, density=1200.0, law=Voigt(k=300.0, c=0.02))
    pull = Drive(body="b", points="top", times=[0.0, 0.05], displacement=[[0, 0, 0], [0, 0, 0.002]], release=0.05)
    return Scene(
        time=Time(end=0.3, frame=0.01, integrator="euler", step=1e-4), body={"b": truss}, fix=[Fix(body="b", points="bottom")],
        drive=[pull], output=Output(report=False),
    )  # fmt: skip


def soft_contact(**time):
    """A plate driven into a block so hard that contacts penetrate."""
    truss = Truss(counts=[4, 4, 4], spacing=0.01, origin=(0.0, 0.0, 1e-4), density=1200.0, law=Voigt(k=3000.0, c=1.0))
    down = Path(times=[0.0, 0.1], displacement=[[0, 0, 0], [0, 0, -0.012]])
    plate = Plate(size=(0.1, 0.1, 0.01), origin=(0.015, 0.015, 0.031), motion=down)
    return Scene(
        time=Time(end=0.12, frame=0.01, **time), body={"b": truss}, tool={"floor": Floor(), "plate": plate},
        contact=Contact(method="time_integrated", stiffness=3000.0), output=Output(report=False),
    )  # fmt: skip


def saved(scene, path):
    path.write_text(tomli_w.dumps(scene_data(scene)))
    return path


def test_cells_inside_out_are_told_in_words_with_the_remedy(command, tmp_path):
    code, out, _ = command("run", saved(pressed_truss(), tmp_path / "scene.toml"), "--out", tmp_path / "run")
    assert code == 0
    told = " ".join(out.split()).split("Warning: ")[1:]
    assert len(told) == 2  # when it happened, and at the end
    assert all(
        words.startswith("Body 'b': ") and "inside out" in words and "[body.b.inversion_barrier]" in words for words in told
    )
    (warning,) = json.loads((tmp_path / "run" / "summary.json").read_text())["warnings"]
    assert "cells turned flat or inside out at t = " in warning
    assert "at the end" in warning


def test_no_doubts_about_a_sound_run(command, tmp_path):
    code, out, _ = command("run", saved(pressed_truss(0.1), tmp_path / "scene.toml"), "--out", tmp_path / "run")
    assert code == 0
    assert "Warning" not in out
    assert json.loads((tmp_path / "run" / "summary.json").read_text())["warnings"] == []


def test_a_body_with_a_barrier_is_told_what_to_do_with_it():
    with pytest.warns(UserWarning, match=r"raise threshold or stiffness of \[body.b.inversion_barrier\]"):
        simulate(pressed_truss(0.97, inversion_barrier=InversionBarrier(threshold=0.01, stiffness=1e-3)))


def test_energies_that_do_not_add_up(command, tmp_path):
    path = saved(unsteady(), tmp_path / "scene.toml")
    code, out, error = command("run", path, "--out", tmp_path / "run")
    assert code == 3
    assert "output.energy_tolerance" in error
    assert "The energies do not add up" in " ".join(out.split())
    assert "lower time.step below" in " ".join(out.split())
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())  # everything is there nevertheless
    assert summary["status"] == str(StepStatus.IMBALANCED)
    assert summary["energy_balance_error"] > 0.1
    code, out, _ = command("run", path, "--out", tmp_path / "accepted", "--set", "output.energy_tolerance=1e3")
    assert code == 0
    assert "The energies do not add up" in " ".join(out.split())  # accepted, not hidden


def test_contacts_that_penetrate():
    with pytest.warns(UserWarning, match="Contacts penetrated by up to") as caught:
        result = simulate(soft_contact())
    (sentence,) = [str(warning.message) for warning in caught if "penetrated" in str(warning.message)]
    assert "of the spacing of 10 mm" in sentence
    assert sentence in result.doubts


def test_the_spacing_is_that_of_the_grid_not_of_its_diagonals():
    assert finest_spacing(compile_scene(pressed_truss())) == pytest.approx(0.01)


def test_a_sheet_that_hangs_out_of_its_plane_has_no_cells_inside_out():
    """Seen from above, its triangles turn over; but they have no inside."""
    sheet = Sheet(counts=[5, 4], spacing=0.01, density=1000.0, law=Voigt(k=2.0, c=0.02))
    scene = Scene(
        gravity=(0.0, 0.0, -9.81), time=Time(end=0.3, frame=0.05), body={"a": sheet}, fix=[Fix(body="a", points="left")],
        output=Output(report=False),
    )  # fmt: skip
    result = simulate(scene)
    assert np.ptp(result.state.position[:, 2]) > 0.02
    assert not [doubt for doubt in result.doubts if "inside out" in doubt]
    assert not result.history["a.inverted"].any()


def test_a_recording_that_begins_later_has_no_recovery_of_what_it_did_not_see():
    result = simulate(pressed_truss(0.1))
    assert len(result.recoveries) == 1
    result.history.rows = result.history.rows[-3:]
    assert result.recoveries == []


def carried(integrator, speed):
    """A block on a belt."""
    body = {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, "material": {"youngs_modulus": 2e4, "density": 1200.0}}
    belt = {"shape": "conveyor", "size": [2.0, 0.2, 0.02], "origin": [0.0, 0.0, 0.0], "speed": speed, "friction": 0.5}
    time = {"end": 0.5, "frame": 0.01, "integrator": integrator}
    return Scene.model_validate({"gravity": (0.0, 0.0, -9.81), "time": time, "body": {"a": body}, "tool": {"belt": belt}})


@pytest.mark.filterwarnings("ignore:Bodies moved", "ignore:The implicit scheme")
@pytest.mark.parametrize(
    ("integrator", "speed", "is_held"),
    [("quasi_static", 0.2, True), ("quasi_static", 0.0, False), ("implicit_euler", 0.2, False)],
)
def test_what_quasi_static_steps_hold_back_is_told(integrator, speed, is_held):
    """A block that slips on a belt: it should have 0.2 m/s after a twentieth of a second, v = mu g t."""
    result = simulate(carried(integrator, speed))
    moved = result.state.velocity[:27, 0].mean()
    assert (moved < 0.9 * speed - 1e-9) == is_held
    assert any("held them back" in doubt for doubt in result.doubts) == is_held
