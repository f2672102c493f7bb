"""Pictures of stress at the largest load and of what stays, in the report of a run; each only if there is something to see."""

import re

import numpy as np
import pytest

import yawara
from yawara.checks import SceneError
from yawara.methods.fields import Fields
from yawara.observe.probes import measures
from yawara.observe.recorder import Recorder
from yawara.run_report.field_pictures import moments
from yawara.run_report.peak import FILE, Peak
from yawara.scene.compile import compile_scene
from yawara.scene.file import read_scene
from yawara.simulate import simulate

FLOWS = {"type": "three_element", "k1": 60.0, "c1": 1.0, "c2": 30.0}
RETURNS = {"type": "voigt", "k": 60.0, "c": 1.0}
HEADING = "Stress and residual strain"


def pressed(law=FLOWS, depth=0.003, **parts):
    """A block that is pressed until 0.03 s, let up half-way until 0.05 s, and then held."""
    way = [[0, 0, 0], [0, 0, -depth], [0, 0, -0.5 * depth]]
    return {
        "time": {"end": 0.1, "frame": 0.01},
        "body": {"dough": {"shape": "lattice", "counts": [3, 3, 3], "spacing": 0.01, "density": 1000.0, "law": law}},
        "fix": [{"body": "dough", "points": "bottom"}],
        "drive": [{"name": "press", "body": "dough", "points": "top", "times": [0.0, 0.03, 0.05], "displacement": way}],
        **parts,
    }


def page(scene, directory):
    yawara.run_scene(read_scene(scene), directory)
    return (directory / "report.html").read_text(encoding="utf-8")


def section(html):
    """The part of the page with coloured pictures; empty if there is none."""
    found = re.search(rf"<section><h2>{HEADING}</h2>.*?</section>", html, re.DOTALL)
    return found[0] if found else ""


def run_with_peak(scene):
    compiled = compile_scene(read_scene(scene))
    recorder = Recorder(measures(compiled))
    peak = Peak(compiled, recorder.history)
    return simulate(compiled, recorder=recorder, observers=[peak]), peak


def test_both_pictures_have_scales_with_units(tmp_path):
    html = section(page(pressed(), tmp_path / "run"))
    assert html.count('class="drawing picture"') == 2
    assert ">stress [Pa]<" in html
    assert ">residual strain<" in html
    assert "0.03 s: von Mises stress at the largest force of press" in html
    assert "0.1 s: residual strain at the end, largest principal value" in html


def test_probes_have_curves(tmp_path):
    kinds = {"stress": "Stresses of probes", "strain": "Strains of probes", "residual_strain": "Residual strains of probes"}
    probes = {f"p_{kind}": {"type": kind, "body": "dough", "points": "top", "component": "zz"} for kind in kinds}
    html = page(pressed(probe=probes), tmp_path / "run")
    for kind, title in kinds.items():
        assert f">{title}<" in html
        assert f">p_{kind}, zz<" in html


def test_what_springs_back_in_full_has_no_residual_strain(tmp_path):
    html = section(page(pressed(RETURNS), tmp_path / "run"))
    assert html.count('class="drawing picture"') == 1
    assert "residual" not in html.replace(HEADING, "")


def test_what_nobody_touches_has_no_picture(tmp_path):
    assert section(page(pressed(drive=[], fix=[]), tmp_path / "run")) == ""
    assert section(page(pressed(depth=0.0), tmp_path / "held")) == ""


def test_values_are_those_of_the_fields_at_their_times():
    result, peak = run_with_peak(pressed())
    stressed, stayed = moments(result, peak)
    force = np.linalg.norm([result.history[f"press.force_{axis}"] for axis in "xyz"], axis=0)
    assert (stressed.row, peak.row) == (int(force.argmax()),) * 2
    assert stayed.row == len(result.history.rows) - 1
    fields = Fields(result.compiled.model)
    np.testing.assert_array_equal(stayed.field.values, fields.of("residual strain", result.state).values)
    shorter = simulate(read_scene(pressed()), times=result.history["time"][1 : peak.row + 1].tolist())
    np.testing.assert_array_equal(stressed.field.values, fields.of("stress", shorter.state).values)


def test_tools_that_do_something_tell_the_load():
    """Not the floor, which feels the weight of all."""
    tools = {
        "ground": {"shape": "floor"},
        "plate": {
            "shape": "plate", "size": [0.05, 0.05, 0.01], "origin": [0.01, 0.01, 0.0201],
            "motion": {"type": "path", "times": [0.0, 0.03, 0.05], "displacement": [[0, 0, 0], [0, 0, -0.003], [0, 0, 0.02]]},
        },
    }  # fmt: skip
    result, peak = run_with_peak(pressed(tool=tools, drive=[], fix=[], gravity=[0, 0, -9.81]))
    assert peak.names == ["plate"]
    assert "largest force on plate" in moments(result, peak)[0].caption


class KilledError(Exception):
    pass


class Killer:
    def __init__(self, index):
        self.index = index

    def observe(self, frame):
        if frame.index == self.index:
            raise KilledError


@pytest.mark.parametrize("at", [1, 3, 4, 8])
def test_a_run_that_was_killed_shows_the_same_pictures(tmp_path, at):
    """Before, at and after the largest load, which is at frame 3."""
    probes = {kind: {"type": kind, "body": "dough", "points": "top"} for kind in ("stress", "strain", "residual_strain")}
    scene = pressed(probe=probes)
    whole = section(page(scene, tmp_path / "whole"))
    with pytest.raises(KilledError):
        yawara.run_scene(read_scene(scene), tmp_path / "run", checkpoint_seconds=0.0, observers=(Killer(at),))
    yawara.resume_run(tmp_path / "run")
    assert (tmp_path / "run" / "history.csv").read_bytes() == (tmp_path / "whole" / "history.csv").read_bytes()
    assert section((tmp_path / "run" / "report.html").read_text(encoding="utf-8")) == whole
    assert not (tmp_path / "run" / "parts").exists()


def killed_after_the_peak(directory):
    with pytest.raises(KilledError):
        yawara.run_scene(read_scene(pressed()), directory, checkpoint_seconds=0.0, observers=(Killer(8),))
    return directory / "parts" / FILE


def test_without_its_file_a_resumed_run_does_not_call_another_load_the_largest(tmp_path):
    killed_after_the_peak(tmp_path / "run").unlink()
    yawara.resume_run(tmp_path / "run")
    html = section((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
    assert "von Mises" not in html
    assert "residual strain at the end" in html


def test_a_damaged_file_is_named(tmp_path):
    path = killed_after_the_peak(tmp_path / "run")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(SceneError, match=rf"(?s){FILE}.*remove it, and the report does without that picture"):
        yawara.resume_run(tmp_path / "run")


def test_a_run_without_a_report_keeps_nothing(tmp_path):
    with pytest.raises(KilledError):
        yawara.run_scene(
            read_scene(pressed(output={"report": False})), tmp_path / "run", checkpoint_seconds=0.0, observers=(Killer(8),)
        )
    assert not (tmp_path / "run" / "parts" / FILE).exists()
