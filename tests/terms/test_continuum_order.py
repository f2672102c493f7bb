"""Guards that are mild while a body that began crushed finds its way back, and what that does to energies."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.support.reference_continuum import rotation_of, stabiliser_energy

from yawara import Drive, Lattice, Material, Scene, Time, Truss, compile_scene, simulate
from yawara.frame import Frame
from yawara.observe.energies import balance_error
from yawara.terms.continuum.constants import BECAME, BEGAN, BENDING, GUARD, STEADIER, STEADIER_MODES, WARPING
from yawara.terms.continuum.order import are_in_order

SHAPES = {
    "boxes": lambda material: Lattice(counts=(4, 4, 4), spacing=0.03, material=material),
    "nodal": lambda material: Truss(
        counts=(4, 4, 4), spacing=0.03, elements={"type": "continuum", "cells": "nodal"}, material=material
    ),
}
SOFT = Material(density=1000.0, youngs_modulus=1e4, poisson=0.3, retardation_time=0.002)
CRUSHED = "continuum.crushed"


def block(shape, step=2e-4, material=SOFT, end=1.5, integrator="semi_implicit_euler"):
    time = Time(end=end, frame=0.05, step=step, integrator=integrator)
    scene = Scene(gravity=(0, 0, 0), time=time, body={"body": SHAPES[shape](material)})
    return compile_scene(scene)


def stored(compiled, position, crushed):
    state = compiled.state.copy()
    state.position[...], state.blocks[CRUSHED][...] = position, crushed
    return Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.stored


def watched(compiled, start):
    """Whether the body counts as crushed, frame by frame."""
    seen = []

    class Seen:
        def observe(self, frame):
            seen.append(float(frame.state.blocks[CRUSHED][0]))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = simulate(replace(compiled, start=start), strict=False, observers=[Seen()])
    return seen, result


@pytest.mark.parametrize("shape", SHAPES)
def test_a_body_that_begins_crushed_has_mild_guards_until_it_is_in_order(shape):
    compiled, random = block(shape), np.random.default_rng(6)
    start = compiled.state.copy()
    start.position[...] = compiled.model.rest_position * [1.0, 1.0, -1.0] + 1e-6 * random.standard_normal(start.position.shape)
    seen, result = watched(compiled, start)
    assert seen[0] == 1.0
    assert seen[-1] == 0.0
    assert np.all(np.diff(seen) <= 0.0)  # it does not begin again
    assert result.history["body.inverted"][-1] == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_other_bodies_have_whole_guards(shape):
    compiled = block(shape)
    start = compiled.state.copy()
    start.position[...] *= [1.0, 1.0, 0.1]
    seen, _ = watched(compiled, start)
    assert set(seen) == {0.0}


@pytest.mark.parametrize(("shape", "share"), [("boxes", 0.025), ("nodal", 0.125)])
def test_the_guard_is_milder(shape, share):
    """By its share, of a body inside out that came to be so."""
    compiled, without = block(shape), block(shape)
    for each in (compiled, without):
        each.model.terms[0].packed.shared.lone_stiffness[:] = 0.0
    packed = without.model.terms[0].packed
    packed.guarded.guard_strength[:], packed.shared.parameter[GUARD] = 0.0, 0.0
    position = np.random.default_rng(1).uniform(0.0, 0.09, compiled.model.rest_position.shape)
    bare = stored(without, position, 0.0)
    assert stored(without, position, BECAME) == bare
    whole, mild = stored(compiled, position, 0.0) - bare, stored(compiled, position, BECAME) - bare
    assert mild == pytest.approx(share * whole, rel=1e-9)
    assert whole > 0.1 * bare


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_stored_when_a_body_is_in_order_again(shape):
    """Bodies as uneven as they may be in order: no guard pushes, and what stiffer modes and a stiffer stabiliser store more is known."""
    compiled, random, tried = block(shape), np.random.default_rng(3), 0
    term = compiled.model.terms[0]
    [group] = term.packed.groups
    without = block(shape)
    without.model.terms[0].packed.shared.parameter[BENDING : WARPING + 1] = 0.0
    for _ in range(400):
        shaken = random.uniform(0.0, 0.012) * random.uniform(-1, 1, compiled.model.rest_position.shape)
        position = (compiled.model.rest_position + shaken) @ (np.eye(3) + 0.6 * random.uniform(-1, 1, (3, 3)))
        if not are_in_order(term.corners, position)[0]:
            continue
        tried += 1
        whole = stored(compiled, position, 0.0)
        assert stored(compiled, position, BECAME) == whole
        more = stored(compiled, position, BEGAN) - whole
        if shape == "boxes":
            even = stored(without, position, 0.0)
            assert more == pytest.approx((STEADIER_MODES - 1.0) * (whole - even), rel=1e-8)
        else:
            assert more == pytest.approx(
                2.0 * (STEADIER - 1.0) * group.law.stabiliser[0] * stabiliser_energy(group.points, position), rel=1e-8
            )
        assert more > 0.0
    assert tried > 20


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "implicit_euler"])
@pytest.mark.parametrize("shape", SHAPES)
def test_energies_add_up_while_a_body_finds_its_way_back(shape, integrator):
    """Also where modes and stabiliser become as they should be: what they stored more is lost, and no part of what a scheme takes."""
    compiled, random = (
        block(shape, step=5e-5 if integrator != "implicit_euler" else 1e-3, integrator=integrator),
        np.random.default_rng(7),
    )
    start = compiled.state.copy()
    start.position[...] = 1e-3 * random.standard_normal(start.position.shape)
    seen, result = watched(compiled, start)
    assert seen[0] == 1.0
    assert seen[-1] == 0.0
    assert balance_error(result.history) < (2e-3 if integrator != "implicit_euler" else 1e-6)


STARTS = {
    "point": np.zeros((3, 3)),
    "line": np.diag([1.0, 0.0, 0.0]),
    "mirror image": np.diag([1.0, 1.0, -1.0]),
    "anywhere": None,
}


@pytest.mark.parametrize("nu", [0.3, 0.45])
@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("shape", SHAPES)
def test_bodies_come_back(shape, start, nu):
    """Five of each: every point a little elsewhere, so that elements begin turned in other ways."""
    compiled = block(shape, material=SOFT.model_copy(update={"poisson": nu}), end=3.0)
    rest, F = compiled.model.rest_position, STARTS[start]
    for seed in range(5):
        random, state = np.random.default_rng(seed), compiled.state.copy()
        state.position[...] = rest @ F.T if F is not None else random.uniform(0.0, 0.09, rest.shape)
        state.position[...] += 1e-8 * random.standard_normal(rest.shape)
        _, result = watched(compiled, state)
        place, own = result.state.position - result.state.position.mean(axis=0), rest - rest.mean(axis=0)
        # what was mirrored may be left spinning, and is stretched by that
        assert np.abs(place - own @ rotation_of(place.T @ own).T).max() < (2e-2 if start == "mirror image" else 2e-3) * 0.09


@pytest.mark.parametrize("nu", [0.3, 0.45])
def test_a_body_that_was_dragged_anywhere_comes_back(nu):
    """All its points are led to random places, and let go: the guard that holds the cells of a pressed body is then mild, too."""
    random, body = np.random.default_rng(1), SHAPES["boxes"](SOFT.model_copy(update={"poisson": nu}))
    way = random.uniform(0.0, 0.09, (64, 3)) - body.geometry().position
    drives = [
        Drive(
            name=f"d{p}", body="body", points=[p], times=[0.0, 0.2], displacement=[(0.0, 0.0, 0.0), tuple(way[p])], release=0.25
        )
        for p in range(64)
    ]
    compiled = compile_scene(Scene(gravity=(0, 0, 0), time=Time(end=2.0, frame=0.05), body={"body": body}, drive=drives))
    seen, result = watched(compiled, None)
    assert set(seen) == {0.0, BECAME}
    place, rest = result.state.position, compiled.model.rest_position
    place, rest = place - place.mean(axis=0), rest - rest.mean(axis=0)
    assert np.abs(place - rest @ rotation_of(place.T @ rest).T).max() < 0.02 * 0.09


def test_no_run_leaves_a_body_crushed_by_another_number():
    compiled = block("boxes")
    state, term = compiled.state.copy(), compiled.model.terms[0]
    assert list(term.wrong(state)) == []
    state.blocks[CRUSHED][...] = -1.0
    assert list(term.wrong(state)) == [("crushed", "must be 0, 0.5 or 1 (got -1)")]


def test_a_run_that_is_taken_up_does_not_begin_again():
    """What is crushed by then, but was in order when the run began, keeps its whole guards."""
    compiled = block("boxes")
    state = compiled.state.copy()
    state.position[...] *= [1.0, 1.0, 0.04]  # pressed by something, after a beginning in order
    seen = []

    class Seen:
        def observe(self, frame):
            seen.append(float(frame.state.blocks[CRUSHED][0]))

    simulate(compiled, strict=False, start=(3, state), observers=[Seen()])
    assert set(seen) == {0.0}
