"""Scenes, paths and columns of earlier versions: they work as they did, and each old name is told in one line."""

import tomllib
import warnings

import numpy as np
import pytest

import yawara as yw
from yawara.calibrate.parameter import Parameter
from yawara.calibrate.sweep.axes import parse_axes
from yawara.calibrate.sweep.readings import parse_readings
from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.observe.measure import Column
from yawara.observe.recorder import History
from yawara.old_names import COLUMNS, OldName
from yawara.scene.file import read_scene, scene_data

OLD = """
time = { end = 0.01 }
[body.dough]
shape = "truss"
counts = [3, 3, 3]
spacing = 0.01
density = 1000.0
law = { type = "voigt", k = 100.0, c = 1.0 }
topology = { threshold = 0.2, stiffness = 30.0 }
volume = { whole = 1e4, whole_damping = 10.0 }
"""
NEW = OLD.replace("topology", "inversion_barrier").replace("whole", "cavity")


def read(text, settings=()):
    """A scene, and what was said of old names."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        scene = read_scene(tomllib.loads(text), settings)
    return scene, [str(one.message) for one in told if one.category is OldName]


def test_a_scene_of_an_earlier_version_is_the_same_scene():
    scene, told = read(OLD)
    assert scene == read(NEW)[0]
    assert told == [
        "body.dough.topology is now called inversion_barrier; change the key",
        "body.dough.volume.whole is now called cavity; change the key",
        "body.dough.volume.whole_damping is now called cavity_damping; change the key",
    ]


def test_new_names_are_told_nothing_and_are_what_is_written():
    scene, told = read(NEW)
    assert told == []
    assert tomllib.loads(yw.scene_text(scene))["body"]["dough"]["volume"]["cavity"] == 1e4
    assert "topology" not in yw.scene_text(scene)


@pytest.mark.parametrize("text", [OLD, NEW])
@pytest.mark.parametrize("path", ["body.dough.topology.stiffness", "body.dough.inversion_barrier.stiffness"])
def test_settings_reach_old_and_new_scenes_by_old_and_new_paths(text, path):
    scene, _ = read(text, [f"{path}=77.0"])
    assert scene.body["dough"].inversion_barrier.stiffness == 77.0


def test_a_program_may_use_old_names():
    block = {"counts": (3, 3, 3), "spacing": 0.01, "density": 1000.0, "law": yw.Voigt(k=100.0, c=1.0)}
    with pytest.warns(OldName, match="Truss: topology is now called inversion_barrier"):
        old = yw.Truss(**block, topology={"threshold": 0.2})
    with pytest.warns(OldName, match=r"yawara\.Topology is now called InversionBarrier"):
        assert old == yw.Truss(**block, inversion_barrier=yw.Topology(threshold=0.2))
    with pytest.raises(AttributeError, match="no attribute 'Topologie'"):
        yw.Topologie  # noqa: B018


def test_old_and_new_at_once_are_refused():
    with pytest.raises(SceneError, match=r"body\.dough\.topology: is now called inversion_barrier, which is given, too"):
        read(OLD + "inversion_barrier = {}\n")


def test_sweeps_and_fits_find_old_paths():
    scene, _ = read(NEW)
    with pytest.warns(OldName, match=r"body\.dough\.volume\.whole is now called cavity"):
        (axis,) = parse_axes(["body.dough.volume.whole=1e3:1e4:3"], scene)
    assert (axis.path, axis.unit) == ("body.dough.volume.cavity", "Pa")
    with pytest.warns(OldName):
        found = Parameter(target="body.dough.topology.stiffness", low=1.0, high=2.0)
    assert found.target == ("body.dough.inversion_barrier.stiffness",)


def test_names_of_bodies_are_no_old_names():
    """A body may be called as a key once was."""
    text = NEW.replace("body.dough", "body.topology")
    scene, told = read(text, ["body.topology.volume.cavity=5.0"])
    assert (list(scene.body), told) == (["topology"], [])
    assert scene_data(scene)["body"]["topology"]["volume"]["cavity"] == 5.0


@pytest.mark.parametrize(("old", "new"), COLUMNS.items())
def test_columns_are_found_by_old_names(old, new):
    history = History((Column("time", "s"), Column(new, "m")), [(0.0, 7.0)])
    with pytest.warns(OldName, match=f"{old} is now called {new}"):
        np.testing.assert_array_equal(history[old], [7.0])


def test_observers_find_old_names():
    compiled = yw.compile_scene(read(NEW)[0])
    frame = Frame(0, compiled.model, compiled.state, compiled.control.stretch(0.0, 0.01), 0.0)
    with pytest.warns(OldName, match=r"Frame\.holding_force is now called reaction_force"):
        np.testing.assert_array_equal(frame.holding_force, frame.reaction_force)
    with pytest.warns(OldName, match=r"Frame\.overlap is now called penetration"):
        assert frame.overlap == frame.penetration
    with pytest.raises(AttributeError, match="'overlaps'"):
        _ = frame.overlaps


def test_readings_are_found_by_old_names():
    with pytest.warns(OldName):
        (reading,) = parse_readings(["energy.guards:max"], yw.compile_scene(read(NEW)[0]))
    assert reading.source == "energy.barriers"
