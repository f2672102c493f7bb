"""Guards that are mild while a body that began crushed finds its way back, and what that does to energies."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

from yawara import Lattice, Material, Scene, Time, Truss, compile_scene, simulate
from yawara.frame import Frame
from yawara.terms.continuum.constants import GUARD
from yawara.terms.continuum.order import are_in_order

SHAPES = {
    "boxes": lambda material: Lattice(counts=(4, 4, 4), spacing=0.03, material=material),
    "nodal": lambda material: Truss(
        counts=(4, 4, 4), spacing=0.03, elements={"type": "continuum", "cells": "nodal"}, material=material
    ),
}
SOFT = Material(density=1000.0, youngs_modulus=1e4, poisson=0.3, retardation_time=0.002)
CRUSHED = "continuum.crushed"


def block(shape):
    return compile_scene(Scene(gravity=(0, 0, 0), time=Time(end=1.5, frame=0.05, step=2e-4), body={"body": SHAPES[shape](SOFT)}))


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


@pytest.mark.parametrize(("shape", "share"), [("boxes", 0.05), ("nodal", 0.125)])
def test_only_the_guard_is_milder(shape, share):
    """The energy of a body inside out is linear in the guard's share, and without guards it does not matter."""
    compiled, without = block(shape), block(shape)
    packed = without.model.terms[0].packed
    packed.guarded.guard_strength[:], packed.shared.parameter[GUARD] = 0.0, 0.0
    position = np.random.default_rng(1).uniform(0.0, 0.09, compiled.model.rest_position.shape)
    bare = stored(without, position, 0.0)
    assert stored(without, position, 1.0) == bare
    whole, mild = stored(compiled, position, 0.0) - bare, stored(compiled, position, 1.0) - bare
    assert mild == pytest.approx(share * whole, rel=1e-9)
    assert whole > 0.1 * bare


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_is_stored_in_guards_when_they_become_whole(shape):
    """Bodies as uneven as they may be in order: no guard pushes, so the account of energies has no step."""
    compiled, random, tried = block(shape), np.random.default_rng(3), 0
    corners = compiled.model.terms[0].corners
    for _ in range(400):
        shaken = random.uniform(0.0, 0.012) * random.uniform(-1, 1, compiled.model.rest_position.shape)
        position = (compiled.model.rest_position + shaken) @ (np.eye(3) + 0.6 * random.uniform(-1, 1, (3, 3)))
        if are_in_order(corners, position)[0]:
            tried += 1
            assert stored(compiled, position, 1.0) == stored(compiled, position, 0.0)
    assert tried > 20


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
