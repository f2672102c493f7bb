"""The estimated largest stable step: below it nothing grows, a little above the limit without margin something does."""

import pytest

from helpers import LAWS, SHAPES, body_of, compiled_body, shaken
from yawara import Scene, SceneError, Time, Voigt, compile_scene, simulate
from yawara.frame import Frame
from yawara.integrators import SCHEMES
from yawara.integrators.runner import Runner
from yawara.integrators.stability import SAFETY
from yawara.observe.energies import kinetic_energy
from yawara.plan import plan_steps

CASES = [
    (shape, law, scheme)
    for shape in SHAPES
    for law in LAWS
    for scheme in SCHEMES
    # an undamped first vibration has no stable explicit Euler step: refused below
    if compiled_body(shape, LAWS[law]).model.stable_step[scheme] > 0
]


def energy(compiled, state):
    """Kinetic and stored [J]: unlike positions, it does not grow when a free body turns or drifts."""
    frame = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0)
    return kinetic_energy(frame) + frame.evaluation.stored


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
    assert simulate(scene).state.is_finite()


def test_explicit_euler_without_damping_is_refused_with_the_remedy():
    with pytest.raises(SceneError, match="semi_implicit_euler or rk4"):
        compile_scene(Scene(time=Time(end=1.0, integrator="euler"), body={"body": body_of("truss", Voigt(k=10.0, c=0.0))}))
