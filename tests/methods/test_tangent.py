"""The tangent as a matrix: the same as its products and its diagonal, symmetric, and good for solving."""

import numpy as np
import pytest

from helpers import LAWS, body_of, shaken
from yawara import Lattice, Material, Scene, Sheet, Time, Truss, Voigt, compile_scene
from yawara.core.crew import Crew, Needs
from yawara.core.table import IMPLICIT
from yawara.methods.tangent import Tangent, colours, coupling

AHEAD = 3e-3  # [s]
MATERIAL = Material(density=1000.0, youngs_modulus=500.0, poisson=0.4, relaxation_time=2.0)
BODIES = {
    **{f"{shape} of links": body_of(shape, LAWS["three_element"]) for shape in ("chain", "braced", "lattice", "truss")},
    "cells": Truss(counts=[4, 3, 3], spacing=0.2, material=MATERIAL, elements="links", inversion_barrier={"threshold": 0.5}),
    "flat cells": Sheet(counts=[4, 3], spacing=0.2, thickness=0.02, material=MATERIAL, elements="links", inversion_barrier={}),
    "cavity": Truss(counts=[4, 3, 3], spacing=0.2, mass=5.0, law=Voigt(k=40.0, c=0.8), volume={"cavity": 900.0, "cavity_damping": 3.0}),
    "embedded centres": Lattice(counts=[3, 3, 4], spacing=0.2, mass=5.0, law=Voigt(k=40.0, c=0.8), volume={"centres": True}),
    "ties": Sheet(
        counts=[5, 5], spacing=0.2, thickness=0.02, material=MATERIAL, elements="links", pattern="alternating",
        refine=[{"min": [0.0, 0.0, -1.0], "max": [0.5, 1.0, 1.0]}],
    ),
}  # fmt: skip


@pytest.fixture(params=BODIES)
def compiled(request):
    return compile_scene(Scene(time=Time(end=1.0), body={"one": BODIES[request.param]}))


def products(compiled, state, vectors):
    """By the phases of an implicit step, on two threads' worth of records."""
    from yawara.methods.implicit import linearise, multiply

    model = compiled.model
    crew = Crew(model, model.terms, Needs(IMPLICIT, needs_tangent=True, keeps_start=True, account=False))
    crew.bind_state(state)
    crew.contexts[0].put("ahead", AHEAD)
    linearise(crew.contexts[0].address)
    found = []
    for vector in vectors:
        crew.direction.reshape(-1, 4)[:, :3] = vector.reshape(-1, 3)
        multiply(crew.contexts[0].address)
        found.append((crew.forces.reshape(-1, 4)[:, :3] * (model.point.mass[:, None] > 0.0)).ravel())
    return np.array(found)


def test_the_matrix_does_what_products_do(compiled):
    state, random = shaken(compiled, 1), np.random.default_rng(2)
    B = Tangent(compiled.model).at(state, AHEAD)
    vectors = random.standard_normal((5, 3 * compiled.model.point_count))
    expected = products(compiled, state, vectors)
    assert np.allclose(vectors @ B.dense(), expected, rtol=0.0, atol=1e-11 * abs(expected).max())
    assert abs(B.sparse - B.sparse.T).max() <= 1e-12 * abs(B.sparse).max()


def test_it_is_that_of_the_present_state(compiled):
    tangent = Tangent(compiled.model)
    at_rest, turned = tangent.at(compiled.state, AHEAD), compiled.state.copy()
    turned.position[...] = compiled.state.position[:, [1, 2, 0]] if compiled.model.bodies[0].dimension == 3 else turned.position
    places = (3 * np.arange(compiled.model.point_count)[:, None] + [1, 2, 0]).ravel()
    if compiled.model.bodies[0].dimension == 3:
        assert np.allclose(tangent.at(turned, AHEAD).dense(), at_rest.dense()[np.ix_(places, places)], atol=1e-9)


def test_it_solves(compiled):
    state, model = shaken(compiled, 3), compiled.model
    B = Tangent(model).at(state, AHEAD)
    mass = np.repeat(np.where(model.point.mass > 0.0, model.point.mass, 1.0), 3) / AHEAD
    b = np.random.default_rng(4).standard_normal(3 * model.point_count)
    x = B.factorised(mass)(b)
    assert np.allclose((np.diag(mass) + B.dense()) @ x, b, atol=1e-9 * abs(b).max())


def test_no_row_sees_two_points_of_one_colour():
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"one": body_of("lattice", LAWS["voigt"])}))
    pairs = coupling(compiled.model, compiled.model.terms)
    found = colours(pairs)
    for row in range(pairs.shape[0]):
        seen = found[pairs.indices[pairs.indptr[row] : pairs.indptr[row + 1]]]
        assert len(set(seen)) == len(seen)
    assert len(set(found)) < len(found)
