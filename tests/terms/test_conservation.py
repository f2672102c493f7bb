"""What every internal force must keep, on random states: linear and angular momentum; and the energy account of whole runs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analytic import observed_order
from helpers import LAWS, SHAPES, body_of, compiled_body, shaken
from yawara import Drive, Fix, Force, Scene, Time, simulate
from yawara.frame import Frame
from yawara.methods import SCHEMES
from yawara.observe.energies import balance_error

COMPILED = {(shape, law): compiled_body(shape, LAWS[law]) for shape in SHAPES for law in LAWS}


@settings(max_examples=60, deadline=None)
@given(
    shape=st.sampled_from(SHAPES),
    law=st.sampled_from(sorted(LAWS)),
    seed=st.integers(0, 2**32 - 1),
    size=st.floats(0.0, 0.1),
    speed=st.floats(0.0, 5.0),
)
def test_internal_forces_keep_both_momenta(shape, law, seed, size, speed):
    compiled = COMPILED[shape, law]
    state = shaken(compiled, seed, size=size, speed=speed)
    force = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force
    scale = np.abs(force).sum() + 1e-300
    # sums of n numbers are off by at most n roundings of the largest partial sum
    rounding = 4 * len(force) * np.finfo(float).eps
    assert np.abs(force.sum(axis=0)).max() <= rounding * scale
    torque = np.cross(state.position, force).sum(axis=0)
    assert np.abs(torque).max() <= rounding * scale * np.abs(state.position).max()


@settings(max_examples=40, deadline=None)
@given(law=st.sampled_from(sorted(LAWS)), seed=st.integers(0, 2**32 - 1))
def test_dampers_never_feed_energy(law, seed):
    compiled = COMPILED["truss", law]
    evaluation = Frame(0, compiled.model, shaken(compiled, seed), compiled.control.stretch(0.0, 1.0), 0.0).evaluation
    assert evaluation.dissipation >= 0.0
    assert evaluation.stored >= 0.0


def full_scene(shape, law, scheme, step):
    """Everything that does work: gravity, a held, a driven and released, and a pushed set of points."""
    ends = ("first", "last") if shape == "chain" else ("bottom", "top")
    up = {"chain": (1, 0, 0), "lattice": (0, 0, 1), "truss": (0, 0, 1)}.get(shape, (0, 1, 0))
    down = tuple(-0.04 * component for component in up)
    return Scene(
        gravity=tuple(-0.5 * component for component in up),
        time=Time(end=1.2, frame=0.1, step=step, integrator=scheme),
        body={"body": body_of(shape, LAWS[law])},
        fix=[Fix(body="body", points=ends[0])],
        drive=[
            Drive(
                body="body", points=ends[1], times=[0.1, 0.5, 0.6], displacement=[(0, 0, 0), down, down], interpolation="smooth",
                release=0.8,
            )
        ],
        force=[Force(body="body", points=[1], times=[0.0, 1.0], force=[(0, 0, 0), (0.2, 0.1, 0)], interpolation="linear")],
    )  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("law", LAWS)
def test_energy_balance_closes(shape, law):
    """Work in = kinetic + stored + potential + dissipated, to the scheme's order: 1e-8 with RK4 at half a millisecond.

    A damper that stops makes its link's force jump: such a step closes to the second order only, 2.5e-7 of what the jump does.
    """
    result = simulate(full_scene(shape, law, "rk4", 5e-4))
    assert balance_error(result.history) < (2e-7 if law == "limited_three_element" else 1e-8)
    assert result.history["energy.dissipated"][-1] > 0


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("law", ["voigt", "three_element", "generalized_voigt", "generalized_maxwell"])
def test_energy_balance_closes_with_the_declared_order(scheme, law):
    order = SCHEMES[scheme].order
    steps = (4e-4, 2e-4) if SCHEMES[scheme].is_implicit else {1: (1e-4, 5e-5), 4: (1e-3, 5e-4)}[order]
    errors = [balance_error(simulate(full_scene("truss", law, scheme, step)).history) for step in steps]
    assert observed_order(errors, steps) == pytest.approx(order, abs=0.1), errors


def test_catching_a_moving_point_costs_its_energy():
    """A free body that is caught and stopped gives its kinetic energy to the drive: the account shows it as negative work."""
    body = body_of("truss", LAWS["three_element"]).model_copy(update={"velocity": (1.0, 0.0, 0.0)})
    stop = Drive(body="body", points="all", times=[0.5, 1.0], displacement=[(0, 0, 0), (0, 0, 0)])
    result = simulate(Scene(time=Time(end=1.0, frame=0.1), body={"body": body}, drive=[stop]))
    assert result.history["energy.work_of_drives"][-1] == pytest.approx(-0.5 * 5.0 * 1.0, rel=1e-12)
    assert balance_error(result.history) < 1e-12
    assert np.ptp(result.state.position[:, 0] - result.compiled.model.rest_position[:, 0]) < 1e-12
    assert (result.state.position - result.compiled.model.rest_position)[:, 0] == pytest.approx(0.5, rel=1e-12)
