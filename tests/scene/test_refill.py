"""New numbers in a compiled model: the same bits as a scene compiled anew, whatever the numbers belong to."""

import os

import numpy as np
import pytest
import trimesh

from yawara import Scene, compile_scene, simulate
from yawara.checks import SceneError
from yawara.laws.base import LAWS
from yawara.scene.refill import refill

pytestmark = pytest.mark.filterwarnings("ignore:The energies do not add up")  # presses that are quick for so few steps

PRESS = {"points": "top", "times": [0.0, 0.02], "displacement": [[0.0, 0.0, 0.0], [0.001, 0.0, -0.004]]}
MATERIAL = {"density": 1000.0, "youngs_modulus": 5000.0, "poisson": 0.3, "relaxation_time": 0.5}


def scene(body, **more):
    whole = {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, **body}
    data = {
        "time": {"end": 0.03, "frame": 0.01},
        "gravity": [0.0, 0.0, -9.81],
        "body": {"it": whole},
        "fix": [{"body": "it", "points": "bottom"}],
        "drive": [{"body": "it", **PRESS}],
    }
    return Scene.model_validate(data | more)


def assert_same(one, two):
    assert one.scene == two.scene
    for name in ("semi_implicit_euler", "rk4"):
        assert one.model.stable_step[name] == two.model.stable_step[name]
    first, second = (simulate(compiled).state for compiled in (one, two))
    assert first.step_count == second.step_count
    for name, block in first.blocks.items():
        assert np.array_equal(block, second.blocks[name], equal_nan=True), name


def assert_refills(old, new):
    compiled = compile_scene(old)
    simulate(compiled)  # what was found out on the way must not stay behind
    filled = refill(compiled, new)
    assert filled is not None
    assert filled.model is compiled.model
    assert_same(filled, compile_scene(new))


def stiffer(law):
    """The law with its first number, that of a spring, a fifth larger."""
    law = dict(law)
    name = next(name for name, value in law.items() if not isinstance(value, str))
    law[name] = _larger(law[name])
    return law


def _larger(value):
    if isinstance(value, dict):
        return {**value, **stiffer(value)}
    return [_larger(value[0]), *value[1:]] if isinstance(value, list | tuple) else 1.2 * value


@pytest.mark.parametrize("name", sorted(name for name, law in LAWS.items() if law.example))
def test_every_law_takes_new_numbers(name):
    law = {"type": name, **LAWS[name].example}
    old, new = (scene({"mass": 0.01, "law": one}) for one in (law, stiffer(law)))
    assert old != new
    assert_refills(old, new)


@pytest.mark.parametrize(
    "change",
    [
        {"material": MATERIAL | {"youngs_modulus": 20000.0}},
        {"material": MATERIAL | {"relaxation_time": 0.05}},
        {"material": MATERIAL | {"poisson": 0.4}},
        {"material": MATERIAL | {"density": 300.0}},
        {"mass": 0.02},
        {"velocity": [0.1, 0.0, 0.0]},
        {"volume": {"cavity": 9e4}},
        {"incompressible": {"per": "cell", "rate": 300.0}},
        {"inversion_barrier": {"threshold": 0.4, "stiffness": 300.0}},
    ],
    ids=lambda change: "-".join(change),
)
def test_a_material_with_pressures_and_barriers_takes_new_numbers(change):
    body = {"material": MATERIAL, "volume": {"cavity": 1e4}, "inversion_barrier": {}, "incompressible": {"rate": 200.0}}
    assert_refills(scene(body), scene(body | change))


@pytest.mark.parametrize(
    "change",
    [
        {"youngs_modulus": 20000.0},
        {"relaxation_time": 0.05},
        {"poisson": 0.4},
        {"density": 300.0},
    ],
    ids="-".join,
)
def test_linear_elements_take_new_numbers(change):
    body = {"material": MATERIAL, "elements": "small_strain"}
    assert_refills(scene(body), scene(body | {"material": MATERIAL | change}))


def test_implicit_steps_take_new_numbers():
    body, time = (
        {"material": MATERIAL, "inversion_barrier": {}},
        {"end": 0.03, "frame": 0.01, "step": 0.002, "integrator": "implicit_euler"},
    )
    assert_refills(scene(body, time=time), scene({**body, "material": MATERIAL | {"youngs_modulus": 3e4}}, time=time))


def test_contact_that_follows_from_the_bodies_follows_new_ones():
    tools = {"tool": {"ball": {"shape": "sphere", "radius": 0.01, "origin": [0.01, 0.01, 0.0305]}}}
    assert_refills(
        scene({"material": MATERIAL}, drive=[], **tools),
        scene({"material": MATERIAL | {"youngs_modulus": 2e4, "density": 700.0}}, drive=[], **tools),
    )


def test_regions_take_new_numbers():
    def with_region(stiffness, own):
        soft = {"links": {"min": [0.0, 0.0, 0.0], "max": [1.0, 1.0, 0.5]}, "law": {"type": "voigt", "k": stiffness, "c": 0.1}}
        return scene({"mass": 0.01, "law": {"type": "three_element", "k1": own, "c1": 0.1, "c2": 5.0}, "region": {"soft": soft}})

    assert_refills(with_region(10.0, 50.0), with_region(700.0, 20.0))


def test_flat_bodies_and_ties_take_new_numbers():
    def sheet(modulus):
        material = MATERIAL | {"poisson": 0.4, "youngs_modulus": modulus}
        fine = [{"min": [0.0, 0.0, -1.0], "max": [0.5, 1.0, 1.0]}]
        body = {
            "shape": "sheet",
            "counts": [5, 5],
            "thickness": 0.004,
            "refine": fine,
            "pattern": "alternating",
            "material": material,
            "inversion_barrier": {},
        }
        return scene(body, fix=[{"body": "it", "points": "left"}], drive=[], gravity=[0.0, -1.0, 0.0])

    assert_refills(sheet(4000.0), sheet(9000.0))


def test_what_the_outside_does_and_how_long_changes_too():
    body = {"material": MATERIAL}
    drive = [{"body": "it", **PRESS, "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.003]]}]
    assert_refills(scene(body), scene(body, drive=drive, time={"end": 0.02, "frame": 0.005}, gravity=[0.0, 1.0, 0.0]))


@pytest.mark.parametrize(
    "body",
    [
        {"material": MATERIAL, "counts": [3, 3, 4]},
        {"material": MATERIAL, "spacing": 0.02},
        {"material": MATERIAL, "origin": [0.0, 0.0, 1.0]},
        {"material": MATERIAL, "elements": "links"},
        {"material": MATERIAL | {"energy": {"type": "neo_hookean", "mu": 2e3}, "youngs_modulus": None, "relaxation_time": None}},
        {"material": {name: value for name, value in MATERIAL.items() if name != "relaxation_time"}, "inversion_barrier": {}},
        {"mass": 0.01, "law": {"type": "maxwell", "k": 10.0, "c": 1.0}},
    ],
)
def test_what_is_more_than_numbers_must_be_built(body):
    compiled = compile_scene(scene({"material": MATERIAL}))
    assert refill(compiled, scene(body)) is None
    assert_same(compiled, compile_scene(compiled.scene))  # and nothing was touched


@pytest.mark.parametrize(
    ("without", "with_it"),
    [
        ({"material": MATERIAL | {"poisson": 0.25}, "elements": "links"}, {"material": MATERIAL, "elements": "links"}),
        ({"material": MATERIAL}, {"material": MATERIAL, "volume": {"cavity": 1e4}}),
        ({"mass": 0.01, "law": {"type": "voigt", "k": 10.0, "c": 0.1}},
         {"mass": 0.01, "law": {"type": "voigt", "k": 10.0, "c": 0.1}, "inversion_barrier": {}}),
        ({"mass": 0.01, "law": {"type": "voigt", "k": 10.0, "c": 0.1}},
         {"mass": 0.01, "law": {"type": "voigt", "k": 10.0, "c": 0.1}, "volume": {"cells": 1e4}}),
    ],
)  # fmt: skip
def test_a_kind_of_force_that_comes_or_goes_with_a_number_must_be_built(without, with_it):
    for old, new in ((without, with_it), (with_it, without)):
        compiled = compile_scene(scene(old))
        assert refill(compiled, scene(new)) is None
        assert_same(compiled, compile_scene(compiled.scene))


def test_a_mesh_that_has_changed_on_disk_is_built(tmp_path):
    def box(edge):
        trimesh.creation.box((edge,) * 3).export(tmp_path / "box.stl")
        os.utime(tmp_path / "box.stl", (edge * 1e9, edge * 1e9))
        body = {"shape": "filled", "file": str(tmp_path / "box.stl"), "spacing": 0.02, "material": MATERIAL}
        return Scene.model_validate({"time": {"end": 0.01}, "body": {"it": body}})

    compiled = compile_scene(box(0.06))
    assert refill(compiled, compiled.scene) is not None
    assert refill(compiled, box(0.1)) is None


def test_numbers_that_cannot_be_leave_the_model_as_it_was():
    old = scene({"material": MATERIAL})
    compiled = compile_scene(old)
    with pytest.raises(SceneError, match="steps"):
        refill(compiled, scene({"material": MATERIAL | {"youngs_modulus": 1e30}}))
    assert_same(compiled, compile_scene(old))
