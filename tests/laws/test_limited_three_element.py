"""The limits of a three-element link in whole runs: reached, kept, slid along, left again; and what closed forms say of them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import reference
from helpers import internal
from yawara import Chain, Drive, Fix, LimitedThreeElement, Scene, ThreeElement, Time, simulate

LAW = LimitedThreeElement(k1=40.0, c1=4.0, c2=30.0, ratio=0.5, a_min=0.45, a_max=0.52)


def pulled(law, times, ways, *, step=1e-3, scheme="rk4", frame=0.1):
    """One link of 1 m whose end goes `ways` [m] along; returns the run."""
    return simulate(
        Scene(
            time=Time(end=times[-1], frame=frame, step=step, integrator=scheme),
            body={"element": Chain(counts=[2], spacing=1.0, law=law, mass=1.0)},
            fix=[Fix(body="element", points="first")],
            drive=[Drive(name="pull", body="element", points="last", times=times, displacement=[(way, 0, 0) for way in ways])],
        )
    )


@pytest.mark.parametrize("way", [0.3, -0.3])
def test_a_held_link_stops_at_its_limit(way):
    """It overshoots by no more than one step's flow; the three-element law would let go of nearly all its force."""
    run = pulled(LAW, [0.0, 1.0, 8.0], [0.0, way, way])
    (q,) = internal(run.state)[:1]
    bound = LAW.a_min if way > 0 else LAW.a_max
    assert 0.5 + way - q == pytest.approx(bound * (1.0 + way), abs=1e-3 * abs(way))  # flows at less than the ramp's speed
    exact = LAW.relaxation(run.history["time"], way, 1.0)
    assert run.history["pull.force_x"][-1] == pytest.approx(exact[-1], rel=1e-3)
    assert abs(exact[-1]) > 2.0
    assert abs(ThreeElement(k1=40.0, c1=4.0, c2=30.0).relaxation(8.0, way, 1.0)) < 1e-2


@pytest.mark.parametrize("scheme", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("way", [0.6, -0.2])
def test_a_run_through_the_limit_converges_to_the_closed_form(way, scheme):
    """The step in which the damper stops has a force that jumps: first order, whatever the scheme."""
    law = LimitedThreeElement(k1=40.0, c1=20.0, c2=60.0, ratio=0.5, a_min=0.48, a_max=0.52)
    times, steps = [0.0, 1.0, 3.0], (1e-3, 2.5e-4)
    errors = []
    for step in steps:
        history = pulled(law, times, [0.0, way, way], step=step, scheme=scheme).history
        exact = law.relaxation(history["time"], way, 1.0)
        errors.append(np.abs(history["pull.force_x"] - exact)[1:].max())
    assert errors[0] < 2e-2
    assert errors[1] < 0.5 * errors[0]


def test_small_vibrations_do_not_carry_the_damper_over_its_limit():
    """Each swing brings the limit in and out again. A damper that always slid out with it would go on for ever."""
    law = LimitedThreeElement(k1=40.0, c1=4.0, c2=30.0, ratio=0.5, a_min=0.5, a_max=0.5)
    swings = np.arange(20, 400)
    run = pulled(law, [0.0, *(0.05 * swings), 20.0], [0.0, *(0.2 + 0.01 * (swings % 2)), 0.2], frame=1.0)
    (q,) = internal(run.state)[:1]
    assert q < 0.5 * 0.21 + 0.01


def test_flow_back_is_free_at_the_limit():
    run = pulled(LAW, [0.0, 1.0, 6.0, 7.0, 12.0], [0.0, 0.3, 0.3, -0.1, -0.1])
    (q,) = internal(run.state)[:1]
    assert q < 0.0


@pytest.mark.parametrize("force", [6.0, -6.0])
@pytest.mark.parametrize("c1", [4.0, 40.0])
def test_creep_rides_on_the_limit(force, c1):
    """The massless element, integrated: f = F gives the rate of its length, free or as the limit has it."""
    law = LimitedThreeElement(k1=40.0, c1=c1, c2=30.0, ratio=0.5, a_min=0.45, a_max=0.55)
    times, side = np.linspace(0.0, 5.0, 11), np.sign(force)
    bound = law.a_min if force > 0 else law.a_max

    def rates(_, y):
        e, q = y
        speed = (force - law.k1 * e) / law.c1
        at_limit = side * (bound * (1.0 + e + q) - (law.ratio + e)) >= -1e-9
        ride = (1.0 - bound) / bound * speed
        return [speed, min(force / law.c2, ride, key=abs) if at_limit else force / law.c2]

    run = solve_ivp(rates, (0.0, 5.0), [0.0, 0.0], t_eval=times, rtol=1e-8, atol=1e-10, max_step=1e-3)
    assert law.creep(times, force) == pytest.approx(run.y.sum(axis=0), rel=0, abs=3e-4)
    q = run.y[1, -1]
    assert abs(q) < abs(force) * 5.0 / law.c2 * 0.9, "the limit was reached"
    assert law.recovery(1e3, force, 5.0) == pytest.approx(q, abs=3e-4)


def test_dissipation_is_never_negative():
    random = np.random.default_rng(0)
    for d, ldot, q in random.uniform(-0.3, 0.3, (2000, 3)):
        f, (rate,), _, power = reference.respond(LAW, d, ldot, [q])
        assert power >= 0.0
        assert f * rate >= 0.0
