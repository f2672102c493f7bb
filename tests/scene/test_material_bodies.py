"""Bodies of links with a material: pulled, held and let go, they have its moduli and times, however finely they are divided."""

from functools import cache

import numpy as np
import pytest
import tomli_w

import yawara as yw
from yawara.checks import SceneError
from yawara.materials import PRESETS

WIDTH, LENGTH, YOUNGS = 0.04, 0.08, 1e4  # [m], [m], [Pa]
KINDS = {"lattice": yw.Lattice, "truss": yw.Truss}
# cells across: a truss has a soft skin, and needs four
SIZES = [("lattice", 3), ("lattice", 4), ("lattice", 6), ("truss", 4), ("truss", 5), ("truss", 6)]


def elastic(poisson, **fields):
    return yw.Material(density=1000.0, youngs_modulus=YOUNGS, poisson=poisson, **{"retardation_time": 0.01, **fields})


def sliding():
    """Held below along z only, and by no more than it takes not to be shifted or turned."""
    far = {"near": (WIDTH, 0.0, 0.0)}
    return [
        yw.Fix(body="bar", points="bottom", axes="z"),
        yw.Fix(body="bar", points=[0], axes="xy"),
        yw.Fix(body="bar", points=far, axes="y"),
    ]


def pull(shape, cells, material, *, strain=0.01, press=0.2, end=0.4, step=0.02, release=None):
    """A bar of the given cells across whose top is moved along z, its sides and ends free to slide; the run and its body."""
    height = LENGTH if release is None else WIDTH
    counts = (cells + 1, cells + 1, round(height / WIDTH) * cells + 1)
    body = KINDS[shape](counts=counts, spacing=WIDTH / cells, material=material, elements="links")
    by = (0.0, 0.0, strain * height)
    drive = yw.Drive(name="pull", body="bar", points="top", axes="z", times=[0.0, press], displacement=[(0, 0, 0), by],
                     interpolation="linear" if release else "smooth", release=release)  # fmt: skip
    scene = yw.Scene(
        time=yw.Time(end=end, frame=0.02, step=step, integrator="implicit_euler"),
        body={"bar": body},
        fix=sliding(),
        drive=[drive],
    )
    return yw.simulate(scene), body


@cache
def moduli(shape, cells, poisson):
    """Young's modulus [Pa] and Poisson's ratio, as measured."""
    run, body = pull(shape, cells, elastic(poisson))
    youngs = run.history["pull.force_z"][-1] / WIDTH**2 / 0.01
    rest, moved = run.compiled.model.rest_position, run.state.position - run.compiled.model.rest_position
    share, across = body.geometry().share, []
    for axis in (0, 1):
        near, far = (np.abs(rest[:, axis] - place) < 1e-9 for place in (0.0, WIDTH))
        change = np.average(moved[far, axis], weights=share[far]) - np.average(moved[near, axis], weights=share[near])
        across.append(-change / WIDTH / 0.01)
    return youngs, float(np.mean(across))


@pytest.mark.parametrize("poisson", [0.25, 0.35, 0.45])
@pytest.mark.parametrize(("shape", "cells"), SIZES)
def test_moduli_are_the_materials(shape, cells, poisson):
    """Pulled by 1 %: half a percent of that is the bar's own change of shape, not an error."""
    youngs, ratio = moduli(shape, cells, poisson)
    assert youngs == pytest.approx(YOUNGS, rel=0.02 if shape == "truss" else 0.008)
    assert ratio == pytest.approx(poisson, abs=0.02 if shape == "truss" else 0.01)


@pytest.mark.parametrize("shape", KINDS)
@pytest.mark.parametrize("poisson", [0.25, 0.45])
def test_moduli_do_not_depend_on_the_division(shape, poisson):
    found = np.array([moduli(shape, cells, poisson) for kind, cells in SIZES if kind == shape])
    assert np.ptp(found[:, 0]) < 0.01 * YOUNGS
    assert np.ptp(found[:, 1]) < 0.005


@pytest.mark.parametrize("poisson", [0.25, 0.4])
@pytest.mark.parametrize(
    ("shape", "cells"), [("lattice", 2), ("lattice", 3), ("lattice", 4), ("truss", 3), ("truss", 4), ("truss", 5)]
)
def test_a_held_stretch_relaxes_in_the_materials_time(shape, cells, poisson):
    """Within 2 %; most of that is the scheme, whose force falls by 1/(1 + dt/tau) in a step."""
    tau, step = 0.5, 0.01
    run, _ = pull(shape, cells, elastic(poisson, relaxation_time=tau), press=0.1, end=0.7, step=step)
    held = run.history["time"] > 0.25
    time, force = run.history["time"][held], run.history["pull.force_z"][held]
    found = -1.0 / np.polyfit(time, np.log(force), 1)[0]
    assert found == pytest.approx(tau, rel=0.02)
    assert found == pytest.approx(step / np.log1p(step / tau), rel=0.002)


def sheet_moduli(pattern, cells, poisson):
    """As above, of a sheet that is pulled along y."""
    counts = (cells + 1, 2 * cells + 1)
    body = yw.Sheet(counts=counts, spacing=WIDTH / cells, material=elastic(poisson), pattern=pattern, elements="links")
    by = (0.0, 0.01 * LENGTH, 0.0)
    scene = yw.Scene(
        time=yw.Time(end=0.4, frame=0.02, step=0.02, integrator="implicit_euler"),
        body={"sheet": body},
        fix=[
            yw.Fix(body="sheet", points="bottom", axes="y"),
            yw.Fix(body="sheet", points=[0], axes="x"),
            yw.Fix(body="sheet", points="all", axes="z"),
        ],
        drive=[yw.Drive(name="pull", body="sheet", points="top", axes="y", times=[0.0, 0.2], displacement=[(0, 0, 0), by])],
    )
    run, share = yw.simulate(scene), body.geometry().share
    rest, moved = run.compiled.model.rest_position[:, 0], (run.state.position - run.compiled.model.rest_position)[:, 0]
    near, far = (np.average(moved[side], weights=share[side]) for side in (rest < 1e-9, rest > WIDTH - 1e-9))
    return run.history["pull.force_y"][-1] / (WIDTH * body.thickness) / 0.01, (near - far) / WIDTH / 0.01


@pytest.mark.parametrize("poisson", [1.0 / 3.0, 0.5])
@pytest.mark.parametrize("cells", [4, 6, 8])
@pytest.mark.parametrize(("pattern", "error"), [("braced", 0.005), ("alternating", 0.15)])
def test_moduli_of_sheets_are_the_materials(pattern, cells, poisson, error):
    """A thin sheet's, in plane stress. With one diagonal per square the skin is soft: 13 % over the cells across, at nu = 1/3."""
    youngs, ratio = sheet_moduli(pattern, cells, poisson)
    assert youngs == pytest.approx(YOUNGS, rel=error if pattern == "braced" else error / cells)
    assert ratio == pytest.approx(poisson, abs=0.01)


def test_what_stays_is_the_residual_fraction():
    """Pressed by 5 % in half a second, held for as long, let go: the share that was asked for stays."""
    material = elastic(0.35, residual_fraction=0.3, residual_after=(0.5, 0.5), retardation_time=0.02)
    run, _ = pull("lattice", 3, material, strain=-0.05, press=0.5, release=1.0, end=1.5, step=0.005)
    (recovery,) = run.recoveries
    assert abs(recovery.pressed) == pytest.approx(0.05 * WIDTH, rel=1e-9)
    assert recovery.residual / recovery.pressed == pytest.approx(0.3, abs=0.02)
    assert 1.0 - run.history["bar.height"][-1] / WIDTH == pytest.approx(0.3 * 0.05, abs=0.02 * 0.05)


@pytest.mark.parametrize(("shape", "cells"), [("lattice", 2), ("truss", 4)])
def test_mass_is_density_times_volume(shape, cells):
    run, _ = pull(shape, cells, elastic(0.3), end=0.2)
    assert run.compiled.model.point.mass.sum() == pytest.approx(1000.0 * WIDTH**2 * LENGTH, rel=1e-12)


BLOCK, FLAT = {"counts": (3, 3, 3), "spacing": 0.01}, {"counts": (3, 3), "spacing": 0.01}
LAW = yw.Voigt(k=100.0, c=1.0)


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        (yw.Truss, {**BLOCK, "law": LAW, "material": "rubber"}, "needs exactly one of law and material (got both); keep one"),
        (yw.Truss, {**BLOCK, "density": 1.0}, "needs exactly one of law and material (got neither); keep one of them"),
        (yw.Truss, {**BLOCK, "law": LAW}, "needs exactly one of density [kg/m^3] and mass [kg] (got neither)"),
        (yw.Truss, {**BLOCK, "material": "rubber", "density": 1.0, "mass": 1.0}, "density [kg/m^3] and mass [kg] (got both)"),
        (yw.Sheet, {**FLAT, "material": elastic(0.25), "elements": "links"}, "poisson must be 0.333 to 0.5 in a sheet (got 0.25)"),
        (yw.Lattice, {**BLOCK, "material": elastic(0.5), "elements": "links"}, "poisson must be 0.25 to 0.49 in a body with volume"),
        (yw.Lattice, {**BLOCK, "material": "rubber", "volume": {"cells": 1e4}}, "volume.cells must be 0 with a material"),
        (yw.Truss, {**BLOCK, "material": "rubber", "volume": {"cells_damping": 1.0}}, "volume.cells must be 0 with a material"),
        (yw.Truss, {**BLOCK, "material": "ruber"}, "material 'ruber' is not known; did you mean 'rubber'?"),
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(kind, fields, words):
    with pytest.raises(SceneError) as error:
        kind(**fields)
    assert words in str(error.value)


@pytest.mark.parametrize("fields", [{"mass": 0.5}, {"density": 900.0}, {}])
def test_the_mass_may_be_given_beside_a_material(fields):
    body = yw.Truss(**BLOCK, material="rubber", **fields)
    expected = fields.get("mass", fields.get("density", PRESETS["rubber"].density) * 0.02**3)
    assert body.point_mass(body.geometry()).sum() == pytest.approx(expected, rel=1e-12)


def test_a_sheet_may_have_any_ratio_that_it_can():
    for poisson in (0.333, 1.0 / 3.0, 0.5):
        body = yw.Sheet(**FLAT, material=elastic(poisson), pattern="alternating", elements="links")
        yw.compile_scene(yw.Scene(time=yw.Time(end=1.0), body={"sheet": body}))


def test_materials_by_name_in_files_and_in_python(tmp_path):
    """The same body, whichever way; the numbers are written out in the run's own copy of the scene."""
    table = {"time": {"end": 0.1}, "body": {"dough": {"shape": "lattice", **BLOCK, "material": "wheat_dough"}}}
    (tmp_path / "scene.toml").write_text(tomli_w.dumps(table), encoding="utf-8")
    read = yw.load_scene(tmp_path / "scene.toml")
    named = yw.Scene(time=yw.Time(end=0.1), body={"dough": yw.Lattice(**BLOCK, material="wheat_dough")})
    given = yw.Scene(time=yw.Time(end=0.1), body={"dough": yw.Lattice(**BLOCK, material=yw.material("wheat_dough"))})
    assert read == named == given
    (tmp_path / "copy.toml").write_text(yw.scene_text(read), encoding="utf-8")
    assert "youngs_modulus = 10000.0" in yw.scene_text(read)
    assert yw.load_scene(tmp_path / "copy.toml") == read


def test_scenes_with_every_new_field_survive_being_written(tmp_path):
    fine = ({"min": (0.0, 0.0, 0.0), "max": (0.01, 0.01, 0.01)},)
    bodies = {
        "block": yw.Truss(**BLOCK, material=elastic(0.4, residual_fraction=0.2, residual_after=(1.0, 0.0)), refine=fine,
                          inversion_barrier={"threshold": 0.1}, volume={"cavity": 1e4}),
        "grid": yw.Lattice(**BLOCK, law=LAW, mass=1.0, inversion_barrier={}, volume={"centres": True, "centre_factor": 0.7}),
        "sheet": yw.Sheet(counts=(3, 3), spacing=0.01, material="rubber", pattern="alternating", refine=fine),
        "row": yw.Chain(counts=(3,), spacing=0.01, material="rubber"),
        "file": yw.Mesh(file=str(tmp_path / "mesh.vtu"), unit="mm", law=LAW, mass=1.0),
        "surface": yw.Filled(file=str(tmp_path / "ball.stl"), unit="in", spacing=0.1, cells="lattice", material="clay"),
    }  # fmt: skip
    scene = yw.Scene(time=yw.Time(end=0.1, integrator="implicit_euler"), body=bodies)
    (tmp_path / "scene.toml").write_text(yw.scene_text(scene), encoding="utf-8")
    assert yw.load_scene(tmp_path / "scene.toml") == scene


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_makes_a_body_that_runs(name):
    """Dropped for two frames, by the implicit scheme; nothing is lost on the way."""
    body = yw.Lattice(**BLOCK, material=name)
    time = yw.Time(end=0.002, frame=0.001, integrator="implicit_euler")
    run = yw.simulate(yw.Scene(gravity=(0, 0, -9.81), time=time, body={"body": body}))
    assert run.history["body.height"][-1] == pytest.approx(0.02, rel=1e-9)
