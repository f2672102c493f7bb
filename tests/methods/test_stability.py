"""The estimated largest stable step: below it nothing grows, a little above the limit without margin something does."""

import numpy as np
import pytest

from helpers import EXPLICIT, LAWS, SHAPES, body_of, compiled_body, shaken
from yawara import (
    Chain,
    Drive,
    Fix,
    ForceDependentDamper,
    GeneralizedMaxwell,
    InternalFriction,
    Lattice,
    LimitedThreeElement,
    Scene,
    SceneError,
    ThreeElement,
    Time,
    Truss,
    Voigt,
    compile_scene,
    simulate,
)
from yawara.core.contribution import Vibration
from yawara.core.response import damped_response, voigt_response
from yawara.core.state import State
from yawara.frame import Frame
from yawara.laws.families import flow
from yawara.methods import SCHEMES
from yawara.methods.operator import Operator
from yawara.methods.runner import Runner
from yawara.methods.stability import PRECISION, SAFETY, _is_stable, _limit, _voigt_limit, largest_eigenvalues, stable_step
from yawara.methods.tangent import Tangent
from yawara.observe.energies import balance_error, kinetic_energy
from yawara.plan import plan_steps
from yawara.terms.links.bounds import responses
from yawara.terms.links.pack import LinkGroup

CASES = [
    (shape, law, scheme)
    for shape in SHAPES
    for law in LAWS
    for scheme in EXPLICIT
    # an undamped first vibration has no stable explicit Euler step: refused below
    if compiled_body(shape, LAWS[law]).model.stable_step[scheme] > 0
]


def energy(compiled, state):
    """Kinetic and stored [J]: unlike positions, it does not grow when a free body turns or drifts."""
    frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0)
    return kinetic_energy(compiled.model, state) + frame.evaluation.stored


def grown(compiled, scheme, dt, steps=3000):
    """How much energy a slightly shaken body has after `steps` steps, over what it had before."""
    state = shaken(compiled, 3, size=1e-7, speed=1e-6, memory=0.0)
    before = energy(compiled, state)
    runner = Runner(compiled.model, SCHEMES[scheme])
    runner.advance(state, compiled.control.stretch(0.0, 1.0), 0, steps, dt)
    return energy(compiled, state) / before


@pytest.mark.parametrize(("shape", "law", "scheme"), CASES)
def test_stable_at_the_estimate(shape, law, scheme):
    compiled = compiled_body(shape, LAWS[law])
    assert grown(compiled, scheme, compiled.model.stable_step[scheme]) < 2


@pytest.mark.parametrize("shape", ["chain", "lattice", "truss"])
@pytest.mark.parametrize("law", ["voigt", "three_element", "generalized_maxwell"])
@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "rk4"])
def test_not_far_below_the_true_limit(shape, law, scheme):
    """1.3 times the limit without its margin blows up: the estimate wastes less than a third."""
    compiled = compiled_body(shape, LAWS[law])
    dt = 1.3 * compiled.model.stable_step[scheme] / SAFETY
    assert (
        not grown(compiled, scheme, dt, steps=200) < 10
    )  # NaN counts as grown; longer, and what is no number comes out as anything


def test_a_step_that_is_too_large_is_split_and_told():
    scene = Scene(time=Time(end=1.0, step=0.5), body={"body": body_of("truss", LAWS["three_element"])})
    plan = plan_steps(compile_scene(scene))
    assert plan.is_split
    assert plan.largest_step <= plan.stable_step
    assert (0.5 / plan.largest_step) == pytest.approx(round(0.5 / plan.largest_step))
    assert "split" in plan.notice()
    with pytest.warns(UserWarning, match="split"):
        assert simulate(scene).state.is_finite()


def test_explicit_euler_without_damping_is_refused_with_the_remedy():
    with pytest.raises(SceneError, match="semi_implicit_euler or rk4"):
        compile_scene(Scene(time=Time(end=1.0, integrator="euler"), body={"body": body_of("truss", Voigt(k=10.0, c=0.0))}))


DAMPED = ThreeElement(k1=100.0, c1=2.0, c2=300.0)


@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize(
    ("shape", "law", "strain"),
    [
        (Lattice, DAMPED, 0.5),
        (Lattice, DAMPED, 1.5),
        (Lattice, Voigt(k=0.0, c=2.0), -0.8),
        (Truss, DAMPED, 1.0),
        (Truss, GeneralizedMaxwell(k=(50.0, 50.0), c=(5.0, 50.0), c_inf=1.0), 1.0),
        (Truss, ForceDependentDamper(k1=100.0, c1=1.0, c_max=300.0, c_min=3.0, f1=0.05, f2=0.3), 1.0),
        (Truss, InternalFriction(k=100.0, c1=1.0, c2=30.0, friction=0.1), 1.0),
        (Truss, LimitedThreeElement(k1=100.0, c1=1.0, c2=30.0), 1.0),
    ],
)
def test_stays_stable_however_far_the_body_is_stretched_or_crushed(shape, law, strain, scheme):
    """Links align when a body is stretched and its highest mode gets up to twice as quick: the steps must follow.

    Equal masses, as the papers have them, are the hard case: no light corner point keeps the step small from the start.
    """
    body = shape(counts=(5, 5, 5), spacing=0.01, density=1000.0, law=law, mass_sharing="equal")
    pull = Drive(name="pull", body="body", points="top", times=[0.0, 0.5], displacement=[(0, 0, 0), (0, 0, 0.04 * strain)])
    scene = Scene(time=Time(end=0.7, frame=0.02, integrator=scheme), body={"body": body}, fix=[Fix(body="body", points="bottom")],
                  drive=[pull])  # fmt: skip
    result = simulate(scene)
    assert balance_error(result.history) < 0.25  # an unstable run is off by factors of thousands
    assert np.abs(result.state.velocity).max() < 2.0


def largest_eigenvalue(model):
    """Of the links alone at rest, all of stiffness 1."""
    operator, (links,) = Operator(model, np.zeros(1, np.int64)), model.terms
    slots = len(links.packed.arrays.start)
    state = State.at_rest(model, np.zeros((model.point_count, 4)))
    operator.assume(state, links, {"slope": np.ones(slots), "transverse": np.zeros(slots)})
    return float(largest_eigenvalues(operator)[0][0])


def tangent(model, position, along, across):
    """M^-1/2 K M^-1/2 of links between these places, as stiff `along` and `across` [N/m], each a number per link."""
    size, links = 3 * len(position), model.bodies[0].links.astype(int)
    K, root = np.zeros((size, size)), np.sqrt(np.repeat(model.point.inverse_mass, 3))
    for (a, b), k, h in zip(links, along, across, strict=True):
        n = (position[b] - position[a]) / np.linalg.norm(position[b] - position[a])
        block = (k - h) * np.outer(n, n) + h * np.eye(3)
        for p, q, sign in ((a, a, 1), (b, b, 1), (a, b, -1), (b, a, -1)):
            K[3 * p : 3 * p + 3, 3 * q : 3 * q + 3] += sign * block
    return root[:, None] * K * root


def test_pace_follows_a_stretched_lattice():
    """p with k + 2 c p / h = p^2 (k0 + 2 c0 / h), k and c those of the highest mode as it is now; links that pull are stiff across, too."""
    body = Lattice(counts=(4, 4, 4), spacing=0.01, density=1000.0, law=DAMPED, mass_sharing="equal")
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"body": body}))
    model, state, h = compiled.model, compiled.state.copy(), compiled.watch.step
    state.position[:, 2] *= 2.0
    column = DAMPED.link_columns(np.ones(1), np.ones(1))
    a, b = float(column["a"][0]), float(column["b"][0])
    rest, now = (
        np.linalg.norm(np.diff(x[model.bodies[0].links.astype(int)], axis=1)[:, 0], axis=1)
        for x in (model.rest_position, state.position)
    )
    ones = np.ones(len(rest))
    at_rest = np.linalg.eigvalsh(tangent(model, model.rest_position, (a + 2 * b / h) * ones, 0 * ones))[-1]
    pull = np.maximum(a * (now - rest) / now, 0.0)
    both = tangent(model, state.position, (a + 2 * b / h) * ones, pull)
    damper = tangent(model, state.position, b * ones, 0 * ones)
    value, vectors = np.linalg.eigh(both)
    damping = 2 / h * vectors[:, -1] @ damper @ vectors[:, -1] / at_rest
    expected = 0.5 * damping + np.sqrt(0.25 * damping**2 + value[-1] / at_rest - damping)
    for _ in range(40):
        compiled.watch.look(state)
        state.step_count += 200
    assert expected > 1.1
    assert state.pace[0] == pytest.approx(expected, rel=0.05)


def test_a_softening_damper_limits_the_step_by_its_tangent():
    """Between f1 and f2 the rate f/c2(f) rises far more steeply than f/c_min: with too large steps the force would zigzag."""
    law = ForceDependentDamper(k1=100.0, c1=0.0, c_max=1000.0, c_min=1.0, f1=0.1, f2=0.2)
    chain = Chain(counts=(2,), spacing=1.0, law=law, mass=1.0)
    pull = Drive(name="pull", body="chain", points="last", times=[0.0, 1.0], displacement=[(0, 0, 0), (0.2, 0, 0)])
    scene = Scene(time=Time(end=1.0, frame=0.1), body={"chain": chain}, fix=[Fix(body="chain", points="first")], drive=[pull])
    history = simulate(scene).history
    assert history["pull.force_x"][5:] == pytest.approx(law.relaxation(history["time"][5:], 0.2, 1.0), rel=0.02)


def test_a_split_is_told_from_python_too():
    scene = Scene(time=Time(end=0.01, frame=0.01, step=0.01), body={"body": body_of("truss", Voigt(k=1e6, c=1.0))})
    with pytest.warns(UserWarning, match="split"):
        simulate(scene)


@pytest.mark.parametrize(
    "law",
    [
        ForceDependentDamper(k1=40.0, c1=0.05, c_max=60.0, c_min=0.05, f1=0.2, f2=1.5),
        InternalFriction(k=40.0, c1=0.05, c2=0.05, friction=0.3),
        LimitedThreeElement(k1=40.0, c1=0.05, c2=0.05),
    ],
)
@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "rk4"])
def test_the_softest_damper_limits_the_step(law, scheme):
    soft = compiled_body("truss", ThreeElement(k1=40.0, c1=0.05, c2=0.05)).model.stable_step[scheme]
    assert compiled_body("truss", law).model.stable_step[scheme] <= soft * (1 + 1e-6)


def test_every_kind_of_link_is_looked_at():
    names, values = ("rest_length", "a", "b", "phi"), ([1.0, 1.0], [40.0, 40.0], [0.8, 0.1], [0.0, 0.0])
    column = {name: np.array(value) for name, value in zip(names, values, strict=True)}
    group = LinkGroup(np.array([[0, 1], [1, 2]], np.uint32), flow, 1, column, flow.columns(1))
    assert sorted(response.force[1] for _, response in responses(group)) == [0.1, 0.8]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_power_iteration_does_not_fall_below_the_eigenvalue(shape):
    model = compiled_body(shape, LAWS["voigt"]).model
    ones = np.ones(len(model.bodies[0].links))
    exact = np.linalg.eigvalsh(tangent(model, model.rest_position, ones, 0 * ones))[-1]
    found = largest_eigenvalue(model)
    assert exact <= found <= 1.051 * exact


@pytest.mark.parametrize("scheme", EXPLICIT)
@pytest.mark.parametrize(
    "law", [(100.0, 0.0, 1e9), (100.0, 0.3, 1e9), (100.0, 0.3, 2.0), (1e4, 5.0, 0.01), (0.0, 1.0, 3.0), (1e-6, 1e3, 1e5)]
)
def test_the_limit_of_a_mode_is_where_stability_ends(scheme, law):
    A, chosen = Vibration(((damped_response(*law), 30.0),)).matrix(1.0), SCHEMES[scheme]
    limit = _limit(chosen, A)
    if limit == 0.0:
        assert scheme == "euler"  # a spring without a damper has none
        return
    assert _is_stable(chosen, A, limit)
    assert not _is_stable(chosen, A, (1.0 + 2.0 * PRECISION) * limit)


@pytest.mark.parametrize(("k", "c"), [(100.0, 0.0), (100.0, 0.5), (0.0, 2.0), (1e-9, 1e3)])
def test_springs_and_dampers_alone_have_a_closed_form(k, c):
    """The same as what bisection finds, and lower modes allow more."""
    semi_implicit, vibration = SCHEMES["semi_implicit_euler"], Vibration(((voigt_response(k, c), 1.0),))
    exact = _voigt_limit(vibration.matrix(1.0))
    assert stable_step(semi_implicit, [vibration]) == pytest.approx(SAFETY * exact)
    assert _limit(semi_implicit, vibration.matrix(1.0)) == pytest.approx(exact, rel=2.0 * PRECISION)
    assert all(_is_stable(semi_implicit, vibration.matrix(fraction), (1.0 - 1e-9) * exact) for fraction in (1.0, 0.3, 1e-2, 1e-4))


def test_a_power_iteration_is_what_plain_python_makes_of_it():
    bodies = {name: Truss(counts=(3, 3, n), spacing=0.1, mass=0.5, law=Voigt(k=40.0, c=0.4)) for n, name in ((3, "a"), (4, "b"))}
    compiled = compile_scene(Scene(time=Time(end=0.1), body=bodies))
    operator, state, first = compiled.watch.operator, compiled.state, [0, 27]
    mass, B = np.repeat(compiled.model.point.mass, 3), Tangent(compiled.model).at(state, 0.01).dense()
    operator.linearise(state, 0.01)
    noise, u = operator.noise(5), operator.noise(2)
    found, growth = operator.iterate(u, 3, noise, 0.1)

    def plain(values):
        return values.reshape(-1, 4)[:, :3].ravel()

    def norms(values):
        return np.repeat(np.sqrt(np.add.reduceat(mass * values**2, 3 * np.array(first))), [81, 108])

    expected = plain(u)
    for _ in range(3):
        direction = expected / norms(expected) + 0.1 * plain(noise) / norms(plain(noise))
        expected = B @ direction / mass
    np.testing.assert_allclose(plain(found), expected, rtol=1e-9, atol=1e-9 * abs(expected).max())
    np.testing.assert_allclose(growth, (norms(expected) / norms(direction))[[0, 100]], rtol=1e-10)
