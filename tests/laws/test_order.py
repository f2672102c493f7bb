"""Every law's creep, recovery and relaxation against its closed form: the error falls with the integrator's declared order.

All cases are damped: an order test without dissipation proves nothing here.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import reference
import yawara.laws as laws
from analytic import loaded_mass, observed_order
from yawara import Chain, Drive, Fix, Force, Scene, Time, simulate
from yawara.methods import SCHEMES

MOVING_MASSES = [name for name, scheme in SCHEMES.items() if scheme.has_inertia]  # for the others see test_quasi_static.py

# Steps at which the error is small enough to be asymptotic and still far above rounding, by order.
STEPS = {1: (1 / 1600, 1 / 3200, 1 / 6400), 4: (1 / 20, 1 / 40, 1 / 80)}
TOLERANCE = 0.1

# Laws whose memory moves through one regime only, so that the exact answer is an exponential.
CREEP = {
    "voigt": laws.Voigt(k=4.0, c=1.0),
    "maxwell": laws.Maxwell(k=4.0, c=3.0),
    "three_element": laws.ThreeElement(k1=4.0, c1=1.0, c2=5.0),
    "generalized_voigt": laws.GeneralizedVoigt(k=(6.0, 4.0, 0.0), c=(1.0, 3.0, 8.0)),
    "spring_first": laws.GeneralizedVoigt(k=(4.0, 5.0), c=(1.5, 0.0)),
    "generalized_maxwell": laws.GeneralizedMaxwell(k=(3.0, 2.0), c=(1.0, 4.0), k_inf=1.0, c_inf=0.5),
    "generalized_maxwell without rest": laws.GeneralizedMaxwell(k=(3.0, 2.0), c=(1.0, 4.0)),
    "force_dependent_damper below f1": laws.ForceDependentDamper(k1=4.0, c1=1.0, c_max=5.0, c_min=1.0, f1=10.0, f2=20.0),
    "internal_friction sticking": laws.InternalFriction(k=4.0, c1=1.0, c2=5.0, friction=10.0),
    "limited_three_element free": laws.LimitedThreeElement(k1=4.0, c1=1.0, c2=5.0, a_min=0.1, a_max=0.9),
}
RELAXATION = {
    "maxwell": laws.Maxwell(k=4.0, c=3.0),
    "three_element": laws.ThreeElement(k1=4.0, c1=1.0, c2=5.0),
    "generalized_voigt": laws.GeneralizedVoigt(k=(6.0, 4.0, 2.0), c=(1.0, 3.0, 8.0)),
    "spring_first": laws.GeneralizedVoigt(k=(4.0, 5.0), c=(1.5, 0.0)),
    "generalized_maxwell": laws.GeneralizedMaxwell(k=(3.0, 2.0), c=(1.0, 4.0), k_inf=1.0, c_inf=0.5),
    "force_dependent_damper softening": laws.ForceDependentDamper(k1=4.0, c1=1.0, c_max=5.0, c_min=0.05, f1=0.0, f2=8.0),
    "internal_friction slipping": laws.InternalFriction(k=4.0, c1=1.0, c2=5.0, friction=0.2),
    "limited_three_element free": laws.LimitedThreeElement(k1=4.0, c1=1.0, c2=5.0, a_min=0.1, a_max=0.9),
}


def creep_error(law, scheme, step):
    """Largest error of the extension [m] while loaded (0-1 s) and recovering (1-2 s)."""
    mass, force = 0.5, 1.0
    scene = Scene(
        time=Time(end=2.0, frame=0.25, step=step, integrator=scheme),
        body={"element": Chain(counts=[2], spacing=10.0, law=law, mass=2 * mass)},
        fix=[Fix(body="element", points="first")],
        force=[Force(body="element", points="last", times=[0.0, 1.0], force=[(force, 0, 0), (0, 0, 0)])],
        probe={"end": {"type": "displacement", "body": "element", "points": "last"}},
    )
    history = simulate(scene).history
    loading = loaded_mass(law, mass, force, [0.25, 0.5, 0.75, 1.0])
    recovering = loaded_mass(law, mass, 0.0, [0.25, 0.5, 0.75, 1.0], start=loading[-1])
    exact = np.concatenate([[0.0], loading[:, 0], recovering[:, 0]])
    return np.abs(history["end.displacement_x"] - exact).max()


def relaxation_error(law, scheme, step):
    """Largest error of the force [N] while stretched (0-1 s) and held (1-2 s), against the law's own closed form."""
    scene = Scene(
        time=Time(end=2.0, frame=0.25, step=step, integrator=scheme),
        body={"element": Chain(counts=[2], spacing=10.0, law=law, mass=1.0)},
        fix=[Fix(body="element", points="first")],
        drive=[Drive(name="pull", body="element", points="last", times=[0.0, 1.0], displacement=[(0, 0, 0), (0.6, 0, 0)])],
    )
    history = simulate(scene).history
    exact = law.relaxation(history["time"], 0.6, 1.0)
    return np.abs(history["pull.force_x"] - exact)[1:].max()


@pytest.mark.parametrize("scheme", MOVING_MASSES)
@pytest.mark.parametrize("name", CREEP)
def test_creep_and_recovery(name, scheme):
    order = SCHEMES[scheme].order
    errors = [creep_error(CREEP[name], scheme, step) for step in STEPS[order]]
    assert observed_order(errors, STEPS[order]) == pytest.approx(order, abs=TOLERANCE), errors


@pytest.mark.parametrize("scheme", MOVING_MASSES)
@pytest.mark.parametrize("name", RELAXATION)
def test_relaxation(name, scheme):
    order = SCHEMES[scheme].order
    errors = [relaxation_error(RELAXATION[name], scheme, step) for step in STEPS[order]]
    assert observed_order(errors, STEPS[order]) == pytest.approx(order, abs=TOLERANCE), errors


def test_voigt_relaxation_has_no_memory_and_no_error():
    assert relaxation_error(laws.Voigt(k=4.0, c=1.0), "euler", 0.01) < 1e-12


@pytest.mark.parametrize("name", ["voigt", "three_element", "generalized_voigt", "generalized_maxwell"])
def test_without_mass_the_closed_forms_are_the_limit(name):
    """Creep with an end mass differs from the massless closed form in proportion to the mass."""
    law, times = CREEP[name], np.array([0.5, 1.0])
    differences = [np.abs(loaded_mass(law, mass, 1.0, times)[:, 0] - law.creep(times, 1.0)).max() for mass in (1e-3, 1e-4)]
    assert differences[0] < 1e-2
    assert differences[1] == pytest.approx(differences[0] / 10, rel=0.1)


# Under load in the regimes where the damper moves: with an end mass there is no closed form, but an integration to 13 digits.
MOVING = {
    "force_dependent_damper softening": laws.ForceDependentDamper(k1=1.0, c1=1.0, c_max=5.0, c_min=0.05, f1=0.0, f2=8.0),
    "internal_friction slipping": laws.InternalFriction(k=1.0, c1=1.0, c2=5.0, friction=0.2),
    "limited_three_element sliding": laws.LimitedThreeElement(k1=1.0, c1=1.0, c2=5.0, ratio=0.9, a_min=0.9, a_max=1.0),
}


def moving_creep(law, mass, force, speed, times):
    """Extension [m] of one element with an end mass, and the least force [N] in it."""
    forces = []

    def rates(_, y):
        f, (memory_rate,), _, _ = reference.respond(law, y[0], y[1], [y[2]], rest=10.0)
        forces.append(f)
        return [y[1], (force - f) / mass, memory_rate]

    run = solve_ivp(rates, (0.0, times[-1]), [0.0, speed, 0.0], "DOP853", t_eval=times, rtol=1e-13, atol=1e-15)
    return run.y[0], min(forces)


@pytest.mark.parametrize("scheme", MOVING_MASSES)
@pytest.mark.parametrize("name", MOVING)
def test_creep_while_the_damper_moves(name, scheme):
    """Thrown and pulled, so that the force is above the corners of the law from the first instant on."""
    law, mass, force, speed, times = MOVING[name], 0.5, 1.5, 1.0, np.array([0.25, 0.5, 0.75, 1.0])
    exact, least = moving_creep(law, mass, force, speed, times)
    assert least > 0.25
    order, errors = SCHEMES[scheme].order, []
    for step in STEPS[order]:
        scene = Scene(
            time=Time(end=1.0, frame=0.25, step=step, integrator=scheme),
            body={"element": Chain(counts=[2], spacing=10.0, law=law, mass=2 * mass, velocity=(speed, 0, 0))},
            fix=[Fix(body="element", points="first")],
            force=[Force(body="element", points="last", times=[0.0], force=[(force, 0, 0)])],
            probe={"end": {"type": "displacement", "body": "element", "points": "last"}},
        )
        errors.append(np.abs(simulate(scene).history["end.displacement_x"][1:] - exact).max())
    assert observed_order(errors, STEPS[order]) == pytest.approx(order, abs=TOLERANCE), errors
