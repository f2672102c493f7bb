"""Thin sheets of measured materials: their thickness is what leaves no stress across, at any strain, with memory and flow."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

from reference_hyperelastic import compiled as solid
from reference_hyperelastic import evaluated, pulled, stretched, whole_energy
from yawara import Scene, compile_scene, simulate
from yawara.materials import Hencky, NeoHookean, Ogden, Yeoh
from yawara.observe.energies import balance_error
from yawara.terms.continuum.constants import LANES

ENERGIES = {
    "neo_hookean": NeoHookean(mu=10.0),
    "yeoh": Yeoh(C1=2.15, C2=0.06, C3=0.072),
    "ogden": Ogden(mu=(6.0, 3.0), alpha=(2.5, -4.0)),
    "hencky": Hencky(mu=10.0),
}
each_energy = pytest.mark.parametrize("name", ENERGIES)
PRONY = [{"share": 0.3, "time": 0.1}, {"share": 0.4, "time": 1.0}]
LAWS = {
    "elastic": {},
    "memory": {"prony": PRONY},
    "flow": {"yield_stress": 1.0, "yield_viscosity": 3.0},
    "both": {"prony": PRONY, "yield_stress": 1.0, "yield_viscosity": 3.0},
}


def sheet(energy, cells="boxes", counts=(2, 2), scene=None, **more):
    """With edges of 1 m, 1 m thick."""
    material = {"density": 1.0, "retardation_time": 0.0, "energy": energy, "bulk_modulus": 100.0, **more}
    body = {
        "shape": "sheet", "counts": list(counts), "spacing": 1.0, "thickness": 1.0, "material": material,
        "elements": {"type": "continuum", "cells": cells},
    }  # fmt: skip
    return compile_scene(Scene.model_validate({"time": {"end": 1.0, "frame": 1.0}, "body": {"b": body}, **(scene or {})}))


def gradients(count, seed):
    """In the plane, of stretches above 0.5 and areas above 0.3."""
    random, found = np.random.default_rng(seed), []
    while len(found) < count:
        F = np.eye(3)
        F[:2, :2] += 0.5 * random.standard_normal((2, 2))
        if np.linalg.det(F) > 0.3 and np.linalg.svd(F[:2, :2], compute_uv=False).min() > 0.5:
            found.append(F)
    return found


def thick(F, s):
    found = F.copy()
    found[2, 2] = s
    return found


def least_energy(energy, F, K=100.0):
    """[Pa], of all thicknesses; near that which keeps the volume there is one."""

    def slope(x, h=1e-5):
        return (whole_energy(energy, K, thick(F, np.exp(x + h))) - whole_energy(energy, K, thick(F, np.exp(x - h)))) / (2 * h)

    x = -np.log(np.linalg.det(F))
    far = next(one for one in (0.1, 0.2, 0.4, 0.6, 0.8) if slope(x - one) < 0.0 < slope(x + one))
    return whole_energy(energy, K, thick(F, np.exp(brentq(slope, x - far, x + far, xtol=1e-13))))


@each_energy
@pytest.mark.parametrize("cells", ["boxes", "nodal", "simple"])
def test_a_sheet_takes_the_thickness_of_least_energy(name, cells):
    model = sheet(ENERGIES[name], cells, (2, 2) if cells == "boxes" else (3, 3))
    size = 1.0 if cells == "boxes" else 4.0
    for F in gradients(6, seed=1):
        found = evaluated(model, stretched(model, F))
        assert found.stored / size == pytest.approx(least_energy(ENERGIES[name], F), rel=1e-8)


@each_energy
def test_forces_are_the_slope_of_that_energy(name):
    model = sheet(ENERGIES[name])
    X = model.model.rest_position - model.model.rest_position.mean(axis=0)
    for F in gradients(4, seed=2):
        P = (-evaluated(model, stretched(model, F)).force.T @ X)[:2, :2]
        for i, j in np.ndindex(2, 2):
            step = np.zeros((3, 3))
            step[i, j] = 1e-4
            one, two = (least_energy(ENERGIES[name], F + sign * step) for sign in (1.0, -1.0))
            assert P[i, j] == pytest.approx((one - two) / 2e-4, abs=1e-5 * (1.0 + np.abs(P).max()))


@each_energy
@pytest.mark.parametrize("stretch", [0.5, 0.8, 1.5, 3.0])
def test_a_pulled_strip_bears_what_a_bar_does(name, stretch):
    """Free at its sides, in the plane and across: the same nominal stress and the same width as a solid one."""
    model, bar = sheet(ENERGIES[name]), solid({"energy": ENERGIES[name], "bulk_modulus": 100.0})
    X = model.model.rest_position - model.model.rest_position.mean(axis=0)

    def stress(width):
        return -evaluated(model, stretched(model, np.diag([stretch, width, 1.0]))).force.T @ X

    P, expected = pulled(bar, stretch)
    width = brentq(lambda one: stress(one)[1, 1], 0.8 * expected, 1.2 * expected, xtol=1e-14)
    assert width == pytest.approx(expected, rel=1e-9)
    assert stress(width)[0, 0] == pytest.approx(P, rel=1e-9)


def led_in_the_plane(body, axes, corners, law, integrator, step):
    """Pulled along x to 1.6 within 0.5 s and held, while y keeps its length; what else there is is free."""
    X = np.array(corners, float)
    drives = [
        {"body": "b", "points": [p], "axes": axes, "times": [0.0, 0.5, 1.0], "displacement": [(0, 0, 0), (0.6 * x, 0, 0), (0.6 * x, 0, 0)]}
        for p, x in enumerate(X[:, 0])
    ]  # fmt: skip
    material = {"density": 1e-9, "retardation_time": 0.0, "energy": NeoHookean(mu=10.0), "bulk_modulus": 100.0, **LAWS[law]}
    probes = {f"stress_{one}": {"type": "stress", "body": "b", "points": "all", "component": one} for one in ("xx", "yy", "zz")}
    time = {"end": 1.0, "frame": 0.05, "step": step, "integrator": integrator}
    scene = {"time": time, "body": {"b": body | {"material": material}}, "drive": drives, "probe": probes}
    if body["shape"] == "lattice":
        scene["fix"] = [{"body": "b", "points": "bottom", "axes": "z"}]
    return simulate(Scene.model_validate(scene)).history


@pytest.mark.parametrize(
    ("law", "integrator", "tolerance"),
    [*((law, "implicit_euler", 1e-8) for law in LAWS), ("elastic", "quasi_static", 1e-7), ("memory", "quasi_static", 1e-5)],
)
def test_a_sheet_bears_what_a_block_with_free_sides_does(law, integrator, tolerance):
    """A cube whose corners are led along x and y and are free along z; thickness, memory and flow are its own.

    Quasi-static steps take the strain rate of a step for constant: both are of the second order there.
    """
    flat = {"shape": "sheet", "counts": [2, 2], "spacing": 1.0, "thickness": 1.0}
    block = {"shape": "lattice", "counts": [2, 2, 2], "spacing": 1.0}
    corners = [(x, y) for y in (0, 1) for x in (0, 1)]
    one = led_in_the_plane(flat, "xy", corners, law, integrator, 0.01)
    two = led_in_the_plane(block, "xy", corners + corners, law, integrator, 0.01)
    assert np.abs(two["stress_zz"]).max() < 1e-6
    for name in ("stress_xx", "stress_yy"):
        np.testing.assert_allclose(one[name], two[name], atol=tolerance * np.abs(two[name]).max())
    assert np.abs(one["stress_xx"]).max() > 4.0


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    ("integrator", "step", "tolerance"),
    [("rk4", 2e-3, 1e-7), ("semi_implicit_euler", 1e-3, 1e-2), ("implicit_euler", 1e-3, 1e-3)],
)
def test_energies_add_up(law, integrator, step, tolerance):
    """A sheet that swings: what thickens and thins is in the account."""
    scene = {"time": {"end": 0.5, "frame": 0.1, "step": step, "integrator": integrator}, "gravity": [0.0, 0.0, 0.0]}
    model = sheet(ENERGIES["neo_hookean"], counts=(3, 3), scene=scene, **LAWS[law])
    state, random = stretched(model, np.diag([1.4, 0.9, 1.0])), np.random.default_rng(5)
    state.velocity[:, :2] = 0.5 * random.standard_normal((len(state.velocity), 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        history = simulate(replace(model, start=state), strict=False).history
    assert balance_error(history) < tolerance
    if law != "elastic" and integrator != "implicit_euler":
        assert history["energy.dissipated"][-1] > 0.05 * history["energy.stored"][0]


@each_energy
@pytest.mark.parametrize("law", ["elastic", "both"])
def test_nothing_pushes_or_turns_itself(name, law):
    model = sheet(ENERGIES[name], "nodal", (3, 3), retardation_time=0.05, **LAWS[law])
    random = np.random.default_rng(8)
    state = stretched(
        model, gradients(1, 3)[0], rate=thick(random.standard_normal((3, 3)) * [[1, 1, 0], [1, 1, 0], [0, 0, 0]], 0.0)
    )
    internal = state.blocks.get("continuum.internal", np.zeros(0)).reshape(-1, 6, LANES)
    internal[:, [0, 1, 2, 5]] = 0.05 * random.standard_normal((len(internal), 4, LANES))  # nothing shears a sheet across
    state.position[:, :2] += 0.05 * random.standard_normal((len(state.position), 2))
    force = evaluated(model, state).force
    size = np.abs(force).sum()
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-13 * size)
    np.testing.assert_allclose(np.cross(state.position, force).sum(axis=0), 0.0, atol=1e-12 * size)


@each_energy
def test_a_sheet_comes_back_from_a_line(name):
    """By implicit steps. (What is turned over cannot turn back within the plane.)"""
    scene = {"time": {"end": 60.0, "frame": 20.0, "step": 0.02, "integrator": "implicit_euler"}, "gravity": [0.0, 0.0, 0.0]}
    model = sheet(ENERGIES[name], counts=(4, 4), scene=scene, retardation_time=0.2)
    rest, random, state = model.model.rest_position, np.random.default_rng(2), model.state.copy()
    state.position[...] = (rest + 1e-6 * random.standard_normal(rest.shape)) * [1, 0, 0]
    state.position[:, 1] = 1e-6 * random.standard_normal(len(rest))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        place = simulate(replace(model, start=state), strict=False).state.position
    lengths = np.linalg.norm(place[:, None] - place[None], axis=2)
    np.testing.assert_allclose(lengths, np.linalg.norm(rest[:, None] - rest[None], axis=2), atol=1e-3)
