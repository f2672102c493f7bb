"""Springs that stiffen, in every arrangement of dampers: against integrators that know nothing of links; energies; and a hundredfold."""

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from plain import call, plain
from yawara import Chain, Drive, Fix, Force, Scene, SceneError, Time, Truss, compile_scene, simulate
from yawara.kernels.records import Bound
from yawara.laws.block import Block, law_kernels
from yawara.laws.families import spring as family
from yawara.laws.nonlinear_parallel import NonlinearParallel
from yawara.laws.nonlinear_series import NonlinearSeries
from yawara.laws.springs import Exponential, Polynomial, Table
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.observe.energies import balance_error
from yawara.status import StepStatus

SPRINGS = {
    "exponential": Exponential(k=40.0, hardening=6.0),
    "falling": Exponential(k=40.0, hardening=-4.0),
    "polynomial": Polynomial(k=40.0, a=(1.5, 20.0)),
    "table": Table(strain=(-0.5, -0.1, 0.0, 0.1, 0.3), tension=(-30.0, -4.0, 0.0, 4.0, 30.0)),
}
ARRANGEMENTS = {
    "voigt": lambda spring: NonlinearSeries(spring=spring, c=0.8),
    "maxwell": lambda spring: NonlinearSeries(spring=spring, parts_k=(0.0,), parts_c=(30.0,)),
    "three-element": lambda spring: NonlinearSeries(spring=spring, c=0.8, parts_k=(0.0,), parts_c=(25.0,)),
    "generalised Voigt": lambda spring: NonlinearSeries(spring=spring, c=1.0, parts_k=(40.0, 0.0), parts_c=(6.0, 50.0)),
    "generalised Maxwell": lambda spring: NonlinearParallel(spring=spring, c=0.4, arms_k=(30.0, 20.0), arms_c=(3.0, 15.0)),
}
each_spring = pytest.mark.parametrize("spring", SPRINGS)
each_arrangement = pytest.mark.parametrize("arrangement", ARRANGEMENTS)


def law_of(spring, arrangement):
    return ARRANGEMENTS[arrangement](SPRINGS[spring])


def force_of(spring, e, rest=1.0):
    """[N], in plain words."""
    x = e / rest
    match spring:
        case Exponential():
            return spring.k * rest * np.expm1(spring.hardening * x) / spring.hardening
        case Polynomial():
            return spring.k * rest * (x + sum(a * x ** (n + 2) for n, a in enumerate(spring.a)))
        case Table():
            xs, fs = np.array(spring.strain), np.array(spring.tension)
            n = int(np.clip(np.searchsorted(xs, x) - 1, 0, len(xs) - 2))
            return rest * (fs[n] + (fs[n + 1] - fs[n]) / (xs[n + 1] - xs[n]) * (x - xs[n]))


@each_spring
def test_a_spring_has_its_curve_its_slope_and_its_energy(spring):
    spring, kernel = SPRINGS[spring], plain(family.spring)
    entries = np.array([spring.kind, len(spring.entries), *spring.entries], float)
    for x in (-0.45, -0.2, -1e-6, 0.0, 1e-7, 0.05, 0.25, 0.6):
        g, slope, energy = kernel(entries, np.uint64(0), np.uint64(1), x)
        assert spring.k * g == pytest.approx(force_of(spring, x), rel=1e-12, abs=1e-15)
        h = 1e-7
        if not isinstance(spring, Table) or min(abs(x - knot) for knot in spring.strain) > h:
            assert spring.k * slope == pytest.approx((force_of(spring, x + h) - force_of(spring, x - h)) / (2 * h), rel=1e-6)
        breaks = [knot for knot in getattr(spring, "strain", ()) if min(0.0, x) < knot < max(0.0, x)]
        work = quad(lambda y: force_of(spring, y), 0.0, x, points=breaks or None, epsabs=1e-15)[0]
        assert spring.k * energy == pytest.approx(work, rel=1e-9, abs=1e-16)
        curve = family.curve_of(
            {
                column.name: np.array([value])
                for column, value in zip(family.spring_columns(len(spring.entries)), entries, strict=True)
            }
        )
        assert curve(np.array([x]))[0][0] == pytest.approx(g, rel=1e-12, abs=1e-18)


def rates(law, d, v, internal):
    """Force [N] and rates of the internal variables [m/s] of a link of 1 m."""
    if isinstance(law, NonlinearParallel):
        arms = np.array(law.arms_k) * (d - internal)
        return force_of(law.spring, d) + law.c * v + arms.sum(), arms / np.array(law.arms_c)
    phi, k = 1.0 / np.array(law.parts_c), np.array(law.parts_k)
    e = d - internal.sum()
    f = (force_of(law.spring, e) + law.c * (v + (k * phi * internal).sum())) / (1.0 + law.c * phi.sum())
    return f, phi * (f - k * internal)


@each_arrangement
@each_spring
def test_a_link_follows_its_equations(spring, arrangement):
    law = law_of(spring, arrangement)
    pull = Force(
        body="c", points="last", times=[0.0, 0.5, 0.5001], force=[(2.5, 0, 0), (2.5, 0, 0), (-1.5, 0, 0)], interpolation="linear"
    )
    scene = Scene(
        time=Time(end=1.0, frame=0.5, step=1e-4, integrator="rk4"),
        body={"c": Chain(counts=[2], spacing=1.0, law=law, mass=0.4)},
        fix=[Fix(body="c", points="first")],
        force=[pull],
    )
    found = simulate(scene).state.position[1, 0] - 1.0

    def motion(t, y):
        f, flow = rates(law, y[0], y[1], y[2:])
        push = np.interp(t, [0.0, 0.5, 0.5001], [2.5, 2.5, -1.5])
        return [y[1], (push - f) / 0.2, *flow]

    expected = solve_ivp(motion, (0, 1), np.zeros(2 + law.parts), rtol=1e-10, atol=1e-13, max_step=1e-3).y[0, -1]
    assert found == pytest.approx(expected, rel=2e-5 if spring == "table" else 1e-6)  # corners of a table have order 2


def block_of(law, d, v, internal, dt):
    count = len(d)
    columns = np.concatenate(list(law.link_columns(np.ones(count), np.ones(count)).values()))
    scratch = (np.empty(count), np.empty(law.parts * count), np.empty(count), np.empty(count))
    numbers = 0, 0, count, count, law.parts, dt, 0.0, 0.0, 0.0
    return Bound(Block(columns, internal.ravel().copy(), (1 + d) ** 2, (1 + d) * v, *scratch, *numbers))


@each_arrangement
@each_spring
@pytest.mark.parametrize("dt", [0.0, 1e-3, 1.0])
def test_the_end_of_a_step_is_solved_and_its_slope_is_a_derivative(spring, arrangement, dt):
    law, random, h = law_of(spring, arrangement), np.random.default_rng(3), 1e-7
    d, v = 0.2 * random.uniform(-1, 1, 60), random.standard_normal(60)
    internal = 0.05 * random.standard_normal((law.parts, 60))
    found = []
    for way in (0.0, h, -h):
        bound = block_of(law, d + dt * way, v + way, internal, dt)
        call(law_kernels(law.family)[2].address, bound.address)
        found.append(bound.values["factor"] * (1 + d + dt * way))
        if way == 0.0:
            rate, slope = bound.values["internal_rate"].reshape(law.parts, 60).copy(), bound.values["slope"].copy()
    for n in range(60):
        f, flow = rates(law, d[n], v[n], internal[:, n] + dt * rate[:, n])
        assert found[0][n] == pytest.approx(f, rel=1e-9, abs=1e-11)
        assert rate[:, n] == pytest.approx(flow, rel=1e-8, abs=1e-10)
    difference = (found[1] - found[2]) / (2 * h)
    smooth = np.abs((found[1] - found[0]) - (found[0] - found[2])) <= 1e-3 * np.abs(found[1] - found[2]) + 1e-13
    assert smooth.mean() > 0.9
    assert slope[smooth] == pytest.approx(difference[smooth], rel=1e-4, abs=1e-6)


def pressed(law, integrator, share=0.4, **time):
    body = Truss(counts=(4, 4, 4), spacing=0.1, law=law, mass=2.0)
    way = Drive(name="press", body="b", points="top", times=[0.0, 0.3], displacement=[(0, 0, 0), (0, 0, -0.3 * share)])
    return Scene(time=Time(**{"end": 0.5, "frame": 0.05, "integrator": integrator, **time}), body={"b": body},
                 fix=[Fix(body="b", points="bottom")], drive=[way])  # fmt: skip


@each_arrangement
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_energies_add_up(arrangement, integrator):
    result = simulate(pressed(law_of("falling", arrangement), integrator, step=2e-4))
    assert balance_error(result.history) < 3e-3


STIFF_ARRANGEMENTS = ARRANGEMENTS | {  # one that does not flow away meanwhile
    "three-element": lambda spring: NonlinearSeries(spring=spring, c=0.8, parts_k=(0.0,), parts_c=(5e3,)),
}
STIFF = Exponential(k=40.0, hardening=12.0)  # pulled by 0.4, exp(4.8) = 120 times as stiff as at rest


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
@pytest.mark.parametrize("arrangement", ["voigt", "three-element", "generalised Maxwell"])
def test_links_that_stiffen_a_hundredfold_make_steps_follow(arrangement, integrator):
    seen = Seen()
    asked = pressed(
        STIFF_ARRANGEMENTS[arrangement](STIFF),
        integrator,
        share=-0.42,
        **({"step": 2e-4} if integrator == "implicit_euler" else {}),
    )
    result = simulate(asked, observers=[seen])
    assert balance_error(result.history) < 0.02
    assert np.abs(result.state.velocity).max() < 5.0
    if integrator != "implicit_euler":
        assert max(seen.stiffening) > 70.0
        assert max(seen.pace) > 3.0


class Seen:
    def __init__(self):
        self.pace, self.stiffening, self.states = [], [], []

    def observe(self, frame):
        self.pace.append(float(frame.state.pace[0]))
        self.stiffening.append(float(frame.state.stiffening[0]))
        self.states.append(frame.state.copy())


def test_a_link_that_has_slackened_counts_as_slack():
    """What steps must bear is what was seen at the last look, not what was worst before it."""
    law = NonlinearSeries(spring={"type": "exponential", "k": 100.0, "hardening": 20.0}, c=0.0)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"chain": Chain(counts=[2], spacing=0.1, mass=0.2, law=law)}))
    runner, state = Runner(compiled.model, SCHEMES["semi_implicit_euler"]), compiled.state.copy()
    state.position[1, 0] += 0.015
    state.stiffening[0] = 100.0  # bearable
    control, found = compiled.control.stretch(0.0, 1.0), []
    for steps in (1, 400):
        runner.advance(state, control, 0, steps, 1e-4)
        found.append((float(state.position[1, 0] - state.position[0, 0]) / 0.1 - 1.0, runner.stiffening))
    (stretched, stiff), (slack, soft) = found
    assert stretched > 0.14
    assert stiff == pytest.approx(np.exp(20.0 * stretched), rel=0.01)
    assert slack < 0.05
    assert soft == pytest.approx(max(1.0, np.exp(20.0 * slack)), rel=0.05)


def test_a_run_that_stiffens_is_taken_up_bit_for_bit():
    seen, asked = Seen(), pressed(ARRANGEMENTS["three-element"](STIFF), "semi_implicit_euler", share=-0.4)
    whole = simulate(asked, observers=[seen]).state
    again = simulate(asked, start=(6, seen.states[6])).state
    assert all(block.tobytes() == again.blocks[name].tobytes() for name, block in whole.blocks.items())


@pytest.mark.parametrize(
    ("spring", "words"),
    [
        ({"type": "polynomial", "k": 1.0, "a": [-3.0]}, r"a must let the tension rise from a strain of -0.9 to 2"),
        ({"type": "table", "strain": [0.0, 0.2, 0.1], "tension": [0.0, 1.0, 2.0]}, r"must increase from value to value"),
        ({"type": "table", "strain": [0.1, 0.2], "tension": [1.0, 2.0]}, r"must be 0 at strain 0"),
        ({"type": "exponential", "k": 1.0, "hardening": 0.0}, r"hardening must be from 1e-6 to 100 in size \(got 0\)"),
        ({"type": "cubic", "k": 1.0}, r"type 'cubic' is not known"),
    ],
)
def test_what_is_no_spring_is_refused(spring, words):
    with pytest.raises(SceneError, match=words):
        NonlinearSeries(spring=spring, c=0.1)


def test_residual_of_arms_that_hold_a_nonlinear_spring():
    law = law_of("exponential", "generalised Maxwell")
    q = np.array([[0.1], [-0.03]])
    column = law.link_columns(np.array([0.7]), np.array([1.0]))
    found = law.family.residual(column, q)[0]
    balance = lambda d: force_of(law.spring, d, 0.7) + 30.0 * (d - 0.1) + 20.0 * (d + 0.03)  # noqa: E731
    assert found == pytest.approx(brentq(balance, -0.5, 0.5, xtol=1e-15), rel=1e-9)


@pytest.mark.parametrize("speed", [10.0, 20.0, 40.0])
def test_a_blow_that_stiffens_a_link_within_one_step_is_made_again_with_smaller_ones(speed):
    """At these speeds a step of the planned size takes the link through all of its stiffening: the run once flew apart.

    What so quick a blow is worth, the energies tell.
    """
    law = NonlinearSeries(spring={"type": "exponential", "k": 100.0, "hardening": 40.0}, c=0.05)
    scene = Scene(time=Time(end=0.05, frame=0.01), body={"chain": Chain(counts=[2], spacing=0.1, mass=0.2, law=law)})
    compiled = compile_scene(scene)
    compiled.state.velocity[:, 0] = (-speed, speed)
    result = simulate(compiled, strict=False, notify=lambda words: None)
    assert result.failure is None
    assert result.state.step_count > 5 * result.plan.duration / result.plan.largest_step
    kinetic = result.history["energy.kinetic"]
    assert kinetic.max() <= 1.3 * kinetic[0]
    assert balance_error(result.history) < 0.3


def test_what_no_step_can_save_fails_at_once():
    """Steps are made again a few times, and no more."""
    law = NonlinearSeries(spring={"type": "exponential", "k": 100.0, "hardening": 40.0}, c=0.05)
    body = Truss(counts=(4, 4, 4), spacing=0.1, mass=2.0, law=law)
    compiled = compile_scene(Scene(time=Time(end=10.0, frame=10.0, step=1e-3), body={"block": body}))
    compiled.state.velocity[5, 0] = 1e200
    result = simulate(compiled, strict=False, notify=lambda words: None)
    assert result.failure is not None
    assert result.failure.status in (StepStatus.NOT_FINITE, StepStatus.FLOWN_APART)
