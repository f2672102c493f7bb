"""What the springs of contacts hold: those along the surface like those across it, as the energy account tells it."""

import numpy as np
import pytest

from yawara import Chain, Force, Scene, Time, Voigt, simulate
from yawara.scene.tools import Floor
from yawara.tools.contact import Contact

G, MASS, MU = 9.8, 0.1, 0.6  # [m/s^2, kg of each point, 1]
K, C = 400.0, 8.0  # [N/m, N s/m]: near critical, so that all is at rest after a second
SIDEWAYS = 0.5 * MU * MASS * G  # [N] on each point: half of what it takes to slip


def at_rest(contact, force, normal=(0.0, 0.0, 1.0), **time):
    """The history of two points that their weight lays on a plane, pulled sideways alike, so that the link between them holds nothing."""
    scene = Scene(
        gravity=tuple(-G * np.array(normal)),
        time=Time(**{"end": 4.0, "frame": 0.5, "step": 1e-3, **time}),
        body={"points": Chain(counts=[2], spacing=0.1, law=Voigt(k=1.0, c=0.0), mass=2 * MASS)},
        tool={"floor": Floor(normal=normal, friction=MU)},
        force=[Force(body="points", points="all", times=[0.0, 1.0], force=[(0, 0, 0), tuple(2.0 * np.array(force))],
                     interpolation="smooth")],
        contact=Contact(**contact, itself=False),
        probe={"way": {"type": "displacement", "body": "points", "points": "all"}},
    )  # fmt: skip
    return simulate(scene).history


SPRINGS = {"penalty": {"method": "penalty"}, "time_integrated": {"method": "time_integrated", "integral": 200.0}}
# Which way it is pulled, and the way out of the plane.
DIRECTIONS = {
    "x": ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0)), "slanting": ((0.6, 0.8, 0.0), (0.0, 0.0, 1.0)), "z": ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0)),
    "skew": ((0.6, 0.64, -0.48), (0.0, 0.6, 0.8)),
}  # fmt: skip


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
@pytest.mark.parametrize("method", SPRINGS)
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_friction_that_holds_stores_what_its_spring_does(direction, method, integrator):
    """F^2 / 2K in each point's spring along the surface, besides what the one across it holds without a pull, (m g)^2 / 2K."""
    contact = {**SPRINGS[method], "stiffness": K, "damping": C}
    force, normal = SIDEWAYS * np.array(DIRECTIONS[direction][0]), DIRECTIONS[direction][1]
    pulled, left = (at_rest(contact, pull, normal, integrator=integrator) for pull in (force, np.zeros(3)))
    held = 2 * SIDEWAYS**2 / (2 * K)
    assert pulled["energy.stored"][-1] - left["energy.stored"][-1] == pytest.approx(held, rel=1e-6)
    if method == "penalty":
        assert left["energy.stored"][-1] == pytest.approx(2 * (MASS * G) ** 2 / (2 * K), rel=1e-6)
    way = np.array([pulled[f"way.displacement_{axis}"][-1] - left[f"way.displacement_{axis}"][-1] for axis in "xyz"])
    assert way == pytest.approx(
        force / K, rel=1e-3
    )  # springs move once per step, of 1 ms in a rise of 1 s: exact in Euler's schemes only
    assert pulled["energy.work_of_forces"][-1] > held
    scale = pulled["energy.stored"][-1]
    assert np.abs(pulled["energy.balance_error"]).max() < 0.02 * scale
    assert pulled["energy.contact"][-1] > -1e-3 * scale  # what is held is not lost: nothing came out of the contact


def test_friction_that_slips_holds_no_more_than_its_limit():
    """Pulled with three times the limit: (mu m g)^2 / 2K in each spring."""
    contact = {"method": "penalty", "stiffness": K, "damping": C}
    slipping, left = (at_rest(contact, (pull, 0.0, 0.0), end=2.0) for pull in (6.0 * SIDEWAYS, 0.0))
    held = 2 * (MU * MASS * G) ** 2 / (2 * K)
    assert slipping["way.displacement_x"][-1] > 1.0
    assert slipping["energy.stored"][-1] - left["energy.stored"][-1] == pytest.approx(held, rel=1e-6)
