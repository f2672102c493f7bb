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
from yawara.forces.links.bounds import linear_laws
from yawara.forces.links.constants import FLOW
from yawara.forces.links.pack import LinkGroup
from yawara.forces.operator import no_slopes
from yawara.frame import Frame
from yawara.integrators import SCHEMES
from yawara.integrators.runner import Runner
from yawara.integrators.stability import SAFETY, largest_eigenvalues
from yawara.integrators.watch import PowerIteration
from yawara.observe.energies import balance_error, kinetic_energy
from yawara.plan import plan_steps

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
    assert not grown(compiled, scheme, dt) < 10  # NaN counts as grown


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
    """Links align when a body is stretched and its quickest vibration gets up to twice as quick: the steps must follow.

    Equal masses, as the papers have them, are the hard case: no light corner point keeps the step small from the start.
    """
    body = shape(counts=(5, 5, 5), spacing=0.01, density=1000.0, law=law, mass_sharing="equal")
    pull = Drive(name="pull", body="body", points="top", times=[0.0, 0.5], displacement=[(0, 0, 0), (0, 0, 0.04 * strain)])
    scene = Scene(time=Time(end=0.7, frame=0.02, integrator=scheme), body={"body": body}, fix=[Fix(body="body", points="bottom")],
                  drive=[pull])  # fmt: skip
    result = simulate(scene)
    assert balance_error(result.history) < 0.25  # an unstable run is off by factors of thousands
    assert np.abs(result.state.velocity).max() < 2.0


def largest_eigenvalue(model, position):
    """Of the links alone, all of stiffness 1."""
    points = np.zeros((model.point_count, 8))
    points[:, :3] = position
    slopes = no_slopes(model.arrays)
    slopes.link[:] = 1.0
    iteration = PowerIteration(model.arrays, np.zeros(1, np.int64))
    return float(largest_eigenvalues(iteration, points, slopes)[0][0])


def test_pace_follows_a_stretched_lattice():
    """The state's pace is the ratio of the largest eigenvalues, stretched over at rest."""
    body = Lattice(counts=(5, 5, 5), spacing=0.01, density=1000.0, law=DAMPED, mass_sharing="equal")
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"body": body}))
    at_rest = largest_eigenvalue(compiled.model, compiled.model.rest_position)
    state = compiled.state.copy()
    state.position[:, 2] *= 2.0
    stretched = largest_eigenvalue(compiled.model, state.position)
    for _ in range(40):
        compiled.watch.look(state)
        state.step_count += 200
    assert stretched / at_rest > 1.3
    assert state.pace[0] == pytest.approx(stretched / at_rest, rel=0.05)


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
    column = np.array([[1.0, 1.0], [40.0, 40.0], [0.8, 0.1], [0.0, 0.0]])
    group = LinkGroup(np.array([[0, 1], [1, 2]], np.uint32), FLOW, 1, column)
    assert sorted(law.force[1] for _, law in linear_laws(group)) == [0.1, 0.8]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_power_iteration_does_not_fall_below_the_eigenvalue(shape):
    model = compiled_body(shape, LAWS["voigt"]).model
    x, links, inverse = model.rest_position, model.bodies[0].links.astype(int), model.arrays.point.inverse_mass
    B = np.zeros((3 * len(x), 3 * len(x)))
    for a, b in links:
        row = np.zeros(3 * len(x))
        row[3 * a : 3 * a + 3] = (x[b] - x[a]) / np.linalg.norm(x[b] - x[a])
        row[3 * b : 3 * b + 3] = -row[3 * a : 3 * a + 3]
        B += np.outer(row, row)
    root = np.sqrt(np.repeat(inverse, 3))
    exact = np.linalg.eigvalsh(root[:, None] * B * root)[-1]
    found = largest_eigenvalue(model, x)
    assert exact <= found <= 1.051 * exact
