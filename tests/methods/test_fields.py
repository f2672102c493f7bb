"""Stress, strain and residual strain at points, against closed forms: for every law, for bodies of a law and of a material alike."""

import numpy as np
import pytest

from helpers import LAWS
from yawara import Chain, Fix, Force, Lattice, Material, Scene, Sheet, Time, Truss, Voigt, compile_scene, simulate
from yawara.frame import Frame
from yawara.laws import GeneralizedMaxwell, GeneralizedVoigt
from yawara.methods.fields import Fields
from yawara.methods.strain_fit import StrainFit

AREA = 0.01**2


def pulled(law, force=0.5, end=1.0):
    """A chain of three links under a constant force [N], after `end` [s]."""
    chain = Chain(counts=[4], spacing=0.3, law=law, mass=1e-6)
    pull = Force(body="chain", points="last", times=[0.0], force=[(force, 0, 0)])
    time = Time(end=end, frame=end, integrator="implicit_euler", step=end / 4000)
    return simulate(Scene(time=time, body={"chain": chain}, fix=[Fix(body="chain", points="first")], force=[pull]))


@pytest.mark.parametrize("law", LAWS)
def test_stress_of_a_chain_is_its_force_over_its_section(law):
    result = pulled(LAWS[law])
    body = result.compiled.model.bodies[0]
    area = body.share.sum() / 0.9
    found = Fields(result.compiled.model).stress(result.state)
    # the volume of an end point is half of an inner one's, and so is what its one link brings
    length = np.ptp(result.state.position[:, 0]) / 0.9
    assert found[:, 0, 0] == pytest.approx(0.5 * length / area, rel=1e-3)
    assert np.abs(found[:, 1:, 1:]).max() <= 1e-9 * found.max()


def slack(law, force, time):
    """[m]: extension of a link at which it is without force, after so long a time under a constant one: by each law's own words."""
    match law:
        case GeneralizedMaxwell():  # the arms' dampers hold the bare spring: k d + sum k_i (d - q_i) = 0
            return creep(law, force, time) - force / (law.k_inf + sum(law.k))
        case GeneralizedVoigt():
            first = law.order[0]
            parts = [(k, c) for n, (k, c) in enumerate(zip(law.k, law.c, strict=True)) if n != first]
            return sum(force / k * (1 - np.exp(-k / c * time)) if k else force / c * time for k, c in parts)
        case _:  # what the serial damper has
            return float(law.recovery(1e4, force, time))


def creep(law, force, time):
    return float(law.creep(time, force))


@pytest.mark.parametrize("law", LAWS)
def test_residual_strain_of_a_chain_is_the_slack_of_its_links(law):
    """Where a Voigt part comes first, it is not a part of it: it goes back by itself."""
    result, law = pulled(LAWS[law]), LAWS[law]
    found = Fields(result.compiled.model).of("residual strain", result.state).values
    rate = law.c_inf * (creep(law, 0.5, 1.0) - creep(law, 0.5, 0.99)) / 0.01 if isinstance(law, GeneralizedMaxwell) else 0.0
    expected = slack(law, 0.5, 1.0) + (rate / (law.k_inf + sum(law.k)) if rate else 0.0)
    assert found == pytest.approx(np.full(4, expected / 0.3), rel=1e-2, abs=1e-6)


STIFF = Material(density=1000.0, youngs_modulus=1e4, poisson=0.4)
SHAPES = {"lattice": (Lattice, (4, 4, 5)), "truss": (Truss, (5, 5, 5))}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("poisson", [0.25, 0.4])
def test_stress_and_strain_of_a_block_that_is_squeezed_evenly(shape, poisson):
    """Hooke's law: all points are put where an even strain has them."""
    kind, counts = SHAPES[shape]
    material = Material(density=1000.0, youngs_modulus=1e4, poisson=poisson)
    body = kind(counts=counts, spacing=0.01, material=material)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"block": body}))
    strain = 1e-6 * np.array([[3.0, 1.0, 0.5], [1.0, -2.0, 0.7], [0.5, 0.7, 4.0]])
    state = compiled.state.copy()
    state.position[...] += state.position @ strain
    mu, lam = 1e4 / (2 * (1 + poisson)), 1e4 * poisson / ((1 + poisson) * (1 - 2 * poisson))
    expected = 2 * mu * strain + lam * np.trace(strain) * np.eye(3)
    fields = Fields(compiled.model)
    np.testing.assert_allclose(fields.strain(state), np.broadcast_to(strain, (len(state.position), 3, 3)), atol=1e-11)
    found, inner = fields.stress(state), _inner(compiled.model.rest_position)
    mean = np.average(found, axis=0, weights=compiled.model.volume)
    np.testing.assert_allclose(mean, expected, atol=3e-5 * np.abs(expected).max())
    np.testing.assert_allclose(
        found[inner],
        np.broadcast_to(expected, (inner.sum(), 3, 3)),
        atol=3e-5 * np.abs(expected).max(),
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("poisson", [0.25, 0.4])
def test_stress_of_a_block_that_is_pulled_along_an_axis_is_exact_at_every_point(shape, poisson):
    kind, counts = SHAPES[shape]
    body = kind(counts=counts, spacing=0.01, material=Material(density=1000.0, youngs_modulus=1e4, poisson=poisson))
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"block": body}))
    state = compiled.state.copy()
    state.position[...] *= 1.0 + 1e-6 * np.array([-poisson, -poisson, 1.0])
    found = Fields(compiled.model).stress(state)
    expected = np.zeros((3, 3))
    expected[2, 2] = 1e4 * 1e-6
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), atol=1e-5 * 1e-2)
    assert Fields(compiled.model).of("stress", state).values == pytest.approx(1e-2, rel=1e-4)


def _inner(position):
    low, high = position.min(axis=0), position.max(axis=0)
    return ((position > low + 1e-6) & (position < high - 1e-6)).all(axis=1)


def test_a_fit_of_lines_in_all_directions_gives_the_tensor():
    random = np.random.default_rng(1)
    direction = random.standard_normal((9, 3))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    points = np.stack([np.zeros(9, int), np.arange(1, 10)], axis=1)
    strain = random.standard_normal((3, 3))
    strain = strain + strain.T
    six = StrainFit(10, points, direction)(np.einsum("ni,ij,nj->n", direction, strain, direction))
    assert six[0] == pytest.approx(strain[[0, 1, 2, 1, 2, 0], [0, 1, 2, 2, 0, 1]])


@pytest.mark.parametrize(
    "body",
    [
        Chain(counts=[5], spacing=0.2, mass=5.0, law=Voigt(k=40.0, c=0.8)),
        Lattice(counts=[3, 4, 3], spacing=0.2, mass=5.0, law=Voigt(k=40.0, c=0.8)),
        Lattice(counts=[3, 4, 3], spacing=0.2, mass=5.0, law=Voigt(k=40.0, c=0.8), volume={"centres": True}),
        Truss(counts=[3, 4, 3], spacing=0.2, mass=5.0, law=Voigt(k=40.0, c=0.8)),
        Truss(counts=[3, 4, 3], spacing=0.2, material=STIFF),
        Lattice(counts=[3, 4, 3], spacing=0.2, material=STIFF),
        Sheet(counts=[4, 3], spacing=0.2, thickness=0.03, material=STIFF),
        Truss(counts=[3, 4, 3], spacing=0.2, mass=5.0, law=Voigt(k=40.0, c=0.8), volume={"cavity": 3e3}),
        Sheet(counts=[4, 3], spacing=0.2, thickness=0.03, mass=5.0, law=Voigt(k=40.0, c=0.8), volume={"cavity": 3e3}),
    ],
    ids=["chain", "lattice", "centres", "truss", "pressures", "lattice pressures", "sheet pressures", "cavity", "sheet cavity"],
)
def test_stresses_are_those_of_the_forces_on_the_whole(body):
    """Their sum over the volume is that of place times force over all points (Clausius), whatever carries whom."""
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"one": body}))
    model, state = compiled.model, compiled.state.copy()
    state.position[...] = state.position @ np.diag([1.3, 0.8, 1.1 if body.dimension == 3 else 1.0])
    force = Frame(0, model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force
    expected = -np.einsum("ni,nj->ij", state.position, force)
    found = np.einsum("n,nij->ij", model.volume, Fields(model).stress(state))
    np.testing.assert_allclose(found, expected, atol=1e-9 * abs(expected).max())
