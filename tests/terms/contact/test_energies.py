"""What contacts take is booked rightly: balances close, whatever the tool, law, scheme and step; what lands loses what a formula says."""

import numpy as np
import pytest

from yawara import simulate
from yawara.laws import Voigt
from yawara.materials import Material
from yawara.observe.energies import balance_error
from yawara.scene.actions import Drive, Fix
from yawara.scene.bodies import Chain, Sheet, Truss
from yawara.scene.scene import Scene, Time
from yawara.scene.tools import Box, Floor, Plate, Sphere
from yawara.scene.tools.motion import Path, Pushed
from yawara.tools.contact import Contact

GRAVITY = (0.0, 0.0, -9.81)  # [m/s^2]


def chain_on_floor(**time):
    """A chain of six points, one end fixed, falls on a floor."""
    body = Chain(counts=[6], spacing=0.03, origin=(0.0, 0.0, 0.1), density=1000.0, law=Voigt(k=1.2, c=0.0015))
    return Scene(
        gravity=GRAVITY, time=Time(end=2.0, frame=0.04, **time), body={"a": body}, fix=[Fix(body="a", points="left")],
        tool={"floor": Floor()},
    )  # fmt: skip


def dropped_block(**time):
    """A soft block is dropped by 5 cm."""
    material = Material(youngs_modulus=2000.0, density=1200.0, retardation_time=0.01)
    body = Truss(counts=[4, 4, 4], spacing=0.01, origin=(0.0, 0.0, 0.05), material=material, elements="links")
    return Scene(gravity=GRAVITY, time=Time(end=0.5, frame=0.01, **time), body={"a": body}, tool={"floor": Floor()})


@pytest.mark.parametrize("scene", [chain_on_floor, dropped_block])
@pytest.mark.parametrize("time", [{}, {"step": 5e-5}, {"integrator": "rk4"}], ids=str)
def test_what_falls_on_a_floor_keeps_its_books(scene, time):
    history = simulate(scene(**time)).history
    assert balance_error(history) < 0.01
    assert history["energy.contact"].min() > -1e-12
    assert history["energy.contact"][-1] > 0.05 * abs(history["energy.potential"]).max()  # the landing is no small matter


@pytest.mark.parametrize("scene", [chain_on_floor, dropped_block])
def test_the_error_falls_with_the_step(scene):
    coarse, fine = (balance_error(simulate(scene(step=step)).history) for step in (1e-4, 2.5e-5))
    assert fine < 0.4 * coarse  # of first order: a quarter, if landings fell on the same phase of a step


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
@pytest.mark.parametrize("method", ["time_integrated", "penalty"])
def test_a_point_that_lands_loses_its_energy_to_the_floor(integrator, method):
    """A single point has no springs: what it had is taken by the contact, to half a step of gravity."""
    height, mass, step = 0.02, 0.05, 1e-4
    body = Chain(counts=[2], spacing=0.01, origin=(0.0, 0.0, height), mass=mass, law=Voigt(k=1.0, c=0.0))
    scene = Scene(
        gravity=GRAVITY, time=Time(end=0.6, frame=0.01, step=step, integrator=integrator), body={"a": body},
        tool={"floor": Floor()}, contact=Contact(method=method),
    )  # fmt: skip
    history = simulate(scene).history
    fallen = mass * 9.81 * height
    half_a_step = 0.5 * step * mass * 9.81 * np.sqrt(2 * 9.81 * height)
    assert np.abs(history["energy.balance_error"]).max() < 2.0 * half_a_step
    assert history["energy.contact"][-1] == pytest.approx(fallen, rel=0.02)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_moved_pushed_and_rough_tools(integrator):
    """A plate that is moved, a ball with mass that is pushed, friction on both."""
    material = Material(youngs_modulus=3000.0, density=1000.0, retardation_time=0.005, relaxation_time=0.5)
    body = Truss(counts=[4, 4, 4], spacing=0.01, origin=(0.0, 0.0, 1e-4), material=material)
    down = Path(times=[0.0, 0.2, 0.3], displacement=[[0, 0, 0], [0.004, 0, -0.006], [0.004, 0, 0.0]])
    tools = {
        "floor": Floor(friction=0.4),
        "plate": Plate(size=(0.1, 0.1, 0.01), origin=(0.015, 0.015, 0.0305), friction=0.3, motion=down),
    }
    pushed = {
        "floor": Floor(friction=0.4),
        "ball": Sphere(
            radius=0.01, origin=(0.015, 0.015, 0.042), friction=0.3, mass=0.02, motion=Pushed(force=[[0.0, 0.0, -0.2]])
        ),
    }
    for tool in (tools, pushed):
        # The ball falls through the soft block to the floor: dampers whose direction turns within a step are booked to first order.
        step = {"implicit_euler": 2e-4, "semi_implicit_euler": 5e-4}.get(integrator)
        time = Time(end=0.3, frame=0.01, integrator=integrator, step=step)
        history = simulate(Scene(gravity=GRAVITY, time=time, body={"a": body}, tool=tool)).history
        assert balance_error(history) < 0.01


def bouncing(restitution, step=None, below=0.01, **tool):
    body = Sheet(counts=[5, 4], spacing=0.02, mass=0.1, law=Voigt(k=200.0, c=0.2))
    return Scene(
        gravity=(0.0, -9.81, 0.0), time=Time(end=0.6, frame=0.01, step=step), body={"a": body},
        tool={"floor": Floor(normal=(0.0, 1.0, 0.0), origin=(0.0, -below, 0.0)), **tool},
        contact=Contact(method="bounce", restitution=restitution),
    )  # fmt: skip


def test_a_body_that_rests_without_bouncing_keeps_its_books():
    """Forces press points in, and they are put back, step by step: nothing happens, and nothing must be booked."""
    history = simulate(bouncing(0.0)).history
    assert balance_error(history) < 0.02  # of first order in the step, from the landing
    after = history["time"] > 0.3
    assert np.ptp(history["energy.contact"][after]) < 0.02 * history["energy.contact"][-1]
    assert history["energy.contact"].min() > -1e-12


def test_a_plate_presses_without_bouncing():
    """The work of the plate is stored, dissipated and lost on landing; a press that is held does no work at all."""
    down = Path(times=[0.0, 0.2, 0.6], displacement=[[0, 0, 0], [0, -0.02, 0], [0, -0.02, 0]], interpolation="smooth")
    plate = Box(size=(0.3, 0.02, 0.3), origin=(0.04, 0.0701, 0.0), motion=down)
    history = simulate(bouncing(0.0, below=1e-5, plate=plate)).history
    assert balance_error(history) < 0.01
    held = history["time"] > 0.3
    assert np.ptp(history["energy.contact"][held]) < 1e-3 * history["energy.work_of_drives"][-1]


@pytest.mark.parametrize("restitution", [0.5, 1.0])
def test_bounces_are_booked_better_with_smaller_steps(restitution):
    """Where a point is put, dampers do no work; the books take the whole force on it, which errs by a share of the step."""
    coarse, fine = (balance_error(simulate(bouncing(restitution, step)).history) for step in (1e-3, 1e-4))
    assert fine < min(0.3 * coarse, 0.02)


def test_backward_euler_says_what_it_takes():
    """A spring let go, with steps far larger than its vibration: all it held is taken by the scheme."""
    body = Chain(counts=[2], spacing=0.1, mass=0.2, law=Voigt(k=1000.0, c=0.0))
    pull = Drive(
        body="a", points="right", times=[0.0, 0.5], displacement=[[0, 0, 0], [0.01, 0, 0]], release=0.5, interpolation="smooth"
    )
    scene = Scene(
        time=Time(end=4.0, frame=0.1, step=0.1, integrator="implicit_euler"), body={"a": body}, fix=[Fix(body="a", points="left")],
        drive=[pull],
    )  # fmt: skip
    history = simulate(scene).history
    held = 0.5 * 1000.0 * 0.01**2
    assert (
        np.abs(history["energy.balance_error"]).max() < 2e-3 * held
    )  # the mass of the driven point, by the curvature of its path
    assert history["energy.scheme"][-1] - history["energy.scheme"][5] == pytest.approx(held, rel=1e-3)
    assert (np.diff(history["energy.scheme"][5:]) > -1e-9 * held).all()  # it never gives
