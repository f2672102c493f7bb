"""Cells, inversion barriers, closed surfaces and embedded nodes: gradients, momenta, energies, against plain NumPy."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import reference
from helpers import LAWS, internal, shaken, term
from yawara import Lattice, Material, Scene, Sheet, Time, Truss, Voigt, compile_scene
from yawara.core.geometry import heights
from yawara.frame import Frame
from yawara.meshes.facets import cell_sizes
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.observe.measure import enclosed_volume

WEAK = Voigt(k=1e-9, c=0.0)  # links that do not count
BARRIER = {"threshold": 0.1, "stiffness": 50.0, "damping": 0.5}


def compiled_with(shape, law=WEAK, **effects):
    match shape:
        case "sheet":
            body = Sheet(counts=[4, 3], spacing=0.25, law=law, mass=3.0, pattern="alternating", thickness=0.02, **effects)
        case "lattice":
            body = Lattice(counts=[3, 3, 4], spacing=0.2, law=law, mass=5.0, **effects)
        case "truss":
            body = Truss(counts=[4, 3, 3], spacing=0.2, law=law, mass=5.0, **effects)
    return compile_scene(Scene(time=Time(end=1.0), body={"body": body}))


def shaken_flat(compiled, seed, **kwargs):
    """Random, with the embedded nodes in their places; a flat body stays in its plane."""
    state = shaken(compiled, seed, **kwargs)
    if compiled.model.bodies[0].dimension == 2:
        state.points[:, [2, 6]] = 0.0
    runner = Runner(compiled.model, SCHEMES["rk4"])
    runner.advance(state, compiled.control.stretch(0.0, 1.0), 0, 0, 0.0)
    return state


def evaluate(compiled, state):
    return Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation


def assert_momenta(state, force, *, angular=True):
    scale = np.abs(force).sum() + 1e-300
    assert np.abs(force.sum(axis=0)).max() <= 1e-12 * scale
    if angular:
        assert np.abs(np.cross(state.position, force).sum(axis=0)).max() <= 1e-12 * scale


EFFECTS = {
    "whole": {"volume": {"cavity": 2e3, "cavity_damping": 30.0}},
    "cells": {"volume": {"cells": 2e3, "cells_damping": 30.0}},
    "both": {"volume": {"cavity": 500.0, "cavity_damping": 3.0, "cells": 700.0, "cells_damping": 8.0}},
}


@settings(max_examples=40, deadline=None)
@given(shape=st.sampled_from(["sheet", "lattice", "truss"]), effect=st.sampled_from(sorted(EFFECTS)), seed=st.integers(0, 2**31))
def test_pressures_keep_both_momenta(shape, effect, seed):
    compiled = compiled_with(shape, **EFFECTS[effect])
    state = shaken_flat(compiled, seed)
    assert_momenta(state, evaluate(compiled, state).force)


@settings(max_examples=30, deadline=None)
@given(shape=st.sampled_from(["sheet", "lattice", "truss"]), seed=st.integers(0, 2**31))
def test_barriers_keep_linear_momentum_always(shape, seed):
    compiled = compiled_with(shape, inversion_barrier=BARRIER)
    state = shaken_flat(compiled, seed, size=0.2)
    force = evaluate(compiled, state).force
    assume(np.abs(force).max() > 0.1)  # some cells are inside out, as nearly always
    assert_momenta(state, force, angular=False)


@pytest.mark.parametrize("shape", ["sheet", "lattice", "truss"])
def test_barriers_agree_with_their_definition(shape):
    """Heights, feet and ratios found by solving for them, cell by cell, on states with many low and reversed cells."""
    compiled = compiled_with(shape, inversion_barrier=BARRIER)
    cells, rest = compiled.model.bodies[0].elements.astype(int), compiled.model.rest_position
    for seed in range(3):
        state = shaken_flat(compiled, seed, size=0.2)
        expected = reference.barrier_forces(state.position, state.velocity, cells, rest, 0.1, 50.0, 0.5)
        force = evaluate(compiled, state).force
        assert np.abs(expected).max() > 1.0
        assert np.abs(force - expected).max() <= 1e-7 * np.abs(expected).max()  # links of 1e-9 N/m are there, too


@pytest.mark.parametrize("shape", ["sheet", "lattice", "truss"])
def test_cell_pressures_agree_with_their_definition(shape):
    """p = -(a (V - V0 - q) + b Vdot), and a memory that flows, by finite differences of each cell's size."""
    flows = Material(density=1000.0, youngs_modulus=2e3, poisson=0.4, retardation_time=0.01, relaxation_time=0.05)
    kind, counts = {"sheet": (Sheet, (3, 3)), "lattice": (Lattice, (2, 3, 2)), "truss": (Truss, (3, 2, 2))}[shape]
    extra = {"pattern": "alternating", "thickness": 0.02} if shape == "sheet" else {}
    body = kind(counts=counts, spacing=0.2, material=flows, elements="links", **extra)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"body": body}))
    state, body = shaken_flat(compiled, 1), compiled.model.bodies[0]
    cells = term(compiled, "triangles" if shape == "sheet" else "tetrahedra")
    arrays, flowed = cells.packed, state.blocks[f"{cells.name}.flowed"]
    flowed[:] = 0.1 * arrays.rest * np.random.default_rng(2).standard_normal(len(flowed))
    with_cells = evaluate(compiled, state).force
    # lambda - mu over the relative change, as a three-element law: k1, c1 = k1 tau1, c2 = k1 (tauR - tau1)
    k1 = flows.shear * flows.bulk_weight(body.dimension) * (0.02 if shape == "sheet" else 1.0)
    c1, c2, h = 0.01 * k1, 0.04 * k1, 1e-6
    corners = arrays.corner.reshape(len(arrays.rest), -1).astype(int)
    expected = np.zeros_like(with_cells)
    for cell, rest, q in zip(corners, arrays.rest, flowed, strict=True):
        size = cell_sizes(state.position, cell[None])[0]
        gradient = np.zeros((len(cell), 3))
        for i, point in enumerate(cell):
            for axis in range(body.dimension):
                x = np.array([state.position, state.position])
                x[0, point, axis] -= h
                x[1, point, axis] += h
                gradient[i, axis] = (cell_sizes(x[1], cell[None])[0] - cell_sizes(x[0], cell[None])[0]) / (2 * h)
        rate = (gradient * state.velocity[cell]).sum()
        flow = (k1 * (size - rest - q) + c1 * rate) / (c1 + c2)  # k1 e + c1 (Vdot - qdot) = c2 qdot
        expected[cell] -= c2 * flow / rest * gradient
    bare = replace(compiled.model, terms=tuple(one for one in compiled.model.terms if one is not cells))
    without_cells = Frame(0, bare, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force
    assert np.abs(expected).max() > 0.01
    assert np.abs(with_cells - without_cells - expected).max() <= 1e-6 * np.abs(expected).max()


def one_tetrahedron_flattened(height, offset, threshold):
    """The truss's first cells, with one corner brought close to the opposite face; where its foot is, `offset` decides."""
    compiled = compiled_with("truss", inversion_barrier=BARRIER | {"threshold": threshold})
    state = compiled.state.copy()
    a, b, c, d = compiled.model.bodies[0].elements[1].astype(int)  # a corner cell
    face = state.position[[b, c, d]]
    normal = np.cross(face[1] - face[0], face[2] - face[0])
    normal /= np.linalg.norm(normal)
    inward = np.sign(normal @ (state.position[a] - face[0])) * normal
    state.position[a] = face.mean(axis=0) + offset * (face[0] - face.mean(axis=0)) + height * inward
    state.velocity[...] = np.random.default_rng(1).standard_normal(state.velocity.shape)
    return compiled, state


def test_barriers_keep_angular_momentum_while_the_foot_is_inside():
    """A flat cell has four low corners, not all with their feet inside; half as high as at rest, it has one."""
    compiled, state = one_tetrahedron_flattened(0.49 * 0.2 / np.sqrt(3), 0.1, 0.5)
    force = evaluate(compiled, state).force
    assert np.abs(force).max() > 1e-3
    elements = compiled.model.bodies[0].elements.astype(int)
    low = heights(state.position, elements) < 0.5 * heights(compiled.model.rest_position, elements)
    assert low.sum() == 1
    assert_momenta(state, force)


def test_the_clamp_costs_angular_momentum_and_the_energies_still_add_up():
    """The papers' clamped ratios: a foot outside the face leaves a torque."""
    compiled, state = one_tetrahedron_flattened(0.002, 1.4, 0.1)
    force = evaluate(compiled, state).force
    assert_momenta(state, force, angular=False)
    assert np.abs(np.cross(state.position, force).sum(axis=0)).max() > 1e-6
    assert evaluate(compiled, state).taken == pytest.approx(-(force * state.velocity).sum(), rel=1e-6)


@pytest.mark.parametrize("shape", ["sheet", "lattice", "truss"])
@pytest.mark.parametrize(
    "effects", [*EFFECTS.values(), {"inversion_barrier": BARRIER}, {"inversion_barrier": BARRIER, **EFFECTS["both"]}]
)
def test_power_is_what_stored_energy_and_dissipation_say(shape, effects):
    """d(stored)/dt + dissipated + taken by barriers = -sum F.v, by a central difference along the motion."""
    compiled = compiled_with(shape, **effects)
    state = shaken_flat(compiled, 4, size=0.06)
    now = evaluate(compiled, state)
    h, stored = 1e-7, []
    for sign in (-1, 1):
        moved = state.copy()
        moved.position[...] += sign * h * state.velocity
        stored.append(evaluate(compiled, moved).stored)
    change = (stored[1] - stored[0]) / (2 * h)
    assert change + now.dissipation + now.taken == pytest.approx(-(now.force * state.velocity).sum(), rel=1e-5)


@pytest.mark.parametrize("shape", ["sheet", "lattice", "truss"])
def test_pressures_against_finite_differences_of_the_volume(shape):
    """Force = p dV/dx with V measured by itself: the sum of the cells, or for a lattice what its triangles enclose."""
    compiled = compiled_with(shape, volume={"cavity": 2e3})
    state = shaken_flat(compiled, 2)
    state.velocity[...] = 0.0
    body = compiled.model.bodies[0]

    def content(position):
        if shape == "lattice":
            return enclosed_volume(position, body.triangles)
        return cell_sizes(position, body.elements.astype(int)).sum()

    thickness = 0.02 if shape == "sheet" else 1.0
    rest = content(compiled.model.rest_position)
    p = -2e3 * thickness * (content(state.position) - rest) / rest
    force, expected, h = evaluate(compiled, state).force, np.zeros_like(state.position), 1e-6
    for point in range(compiled.model.point_count):
        for axis in range(2 if shape == "sheet" else 3):
            x = np.array([state.position, state.position])
            x[0, point, axis] -= h
            x[1, point, axis] += h
            expected[point, axis] = p * (content(x[1]) - content(x[0])) / (2 * h)
    assert np.abs(force - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("shape", ["sheet", "lattice", "truss"])
def test_threads_agree(shape, threads):
    effects = {"inversion_barrier": BARRIER, "volume": {"cavity": 500.0, "cells": 700.0, "centres": shape == "lattice"}}
    compiled = compiled_with(shape, LAWS["three_element"], **effects)
    ends = []
    for count in (1, threads):
        state = shaken_flat(compiled, 5, size=0.06, memory=0.0)
        runner = Runner(compiled.model, SCHEMES["rk4"], threads=count)
        runner.advance(state, compiled.control.stretch(0.0, 1.0), 0, 20, 1e-4)
        runner.close()
        ends.append(state)
    np.testing.assert_allclose(ends[1].points, ends[0].points, rtol=0, atol=1e-11)
    np.testing.assert_allclose(internal(ends[1]), internal(ends[0]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(ends[1].account, ends[0].account, rtol=1e-9, atol=1e-12)


def test_centres_lie_in_the_middle_and_keep_momenta():
    compiled = compiled_with("lattice", LAWS["three_element"], volume={"centres": True})
    body = compiled.model.bodies[0]
    assert body.point_end - body.mass_end == 2 * 2 * 3
    assert len(body.links) == compiled.scene.body["body"].size()[1]
    state = shaken_flat(compiled, 3)
    hexahedra = body.cells["hexahedron"].astype(int)
    np.testing.assert_allclose(state.position[body.mass_end :], state.position[hexahedra].mean(axis=1), atol=1e-15)
    force = evaluate(compiled, state).force
    assert np.abs(force[body.mass_end :]).max() == 0.0  # all handed on
    assert_momenta(state, force)
