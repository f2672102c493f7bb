"""Bounces off tools: single impacts by their formula, heights of a bouncing point, energies."""

import numpy as np
import pytest

from yawara import Chain, Scene, SceneError, Time, Truss, Voigt, compile_scene, simulate
from yawara.scene.tools import Floor, Plate, Sphere
from yawara.tools.contact import Contact

G = 9.8
NO_LINK = Voigt(k=1e-6, c=0.0)


def two_points(velocity, height, contact, *, friction=0.0, gravity=0.0, tool=None, **time):
    body = Chain(
        counts=[2], spacing=1.0, law=NO_LINK, mass=2.0, mass_sharing="equal", velocity=velocity, origin=(0.0, 0.0, height)
    )
    scene = Scene(
        gravity=(0.0, 0.0, -gravity),
        time=Time(**time),
        body={"points": body},
        tool={"floor": tool or Floor(friction=friction)},
        contact=contact,
        probe={"where": {"type": "displacement", "body": "points", "points": "all"}},
    )
    return simulate(scene)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize(("before", "after"), [((3.0, -4.0), (1.8, 2.0)), ((1.0, -4.0), (0.0, 2.0)), ((0.0, -4.0), (0.0, 2.0))])
def test_one_impact(before, after, integrator):
    """e = 0.5, mu = 0.2: V'_n = -e V_n, V'_t = V_t max(0, 1 - mu (1 + e) |V_n| / |V_t|); the way counts from the impact."""
    height, end = 0.0123, 0.02  # the impact falls inside a step
    contact = Contact(method="bounce", restitution=0.5)
    result = two_points((before[0], 0.0, before[1]), height, contact, friction=0.2, end=end, step=1e-3, integrator=integrator)
    assert result.state.velocity[:2] == pytest.approx(np.array([(after[0], 0.0, after[1])] * 2), abs=1e-12)
    impact = height / -before[1]
    expected = (before[0] * impact + after[0] * (end - impact), 0.0, after[1] * (end - impact))
    assert result.state.position[0] == pytest.approx(expected, abs=1e-12)
    impulse = result.history["floor.force_z"].sum() * end / (len(result.history.rows) - 1)
    assert impulse == pytest.approx(-2.0 * (after[1] - before[1]), rel=1e-12)


def test_an_impact_on_a_plate_that_moves():
    """What counts is the velocity relative to the tool: it rises at 1 m/s."""
    motion = {"type": "path", "times": [0.0, 1.0], "displacement": [(0, 0, 0), (0, 0, 1.0)]}
    plate = Plate(size=(4.0, 4.0, 0.5), origin=(0.0, 0.0, -0.5), motion=motion)
    result = two_points((0.0, 0.0, -4.0), 0.01, Contact(method="bounce", restitution=0.5), tool=plate, end=0.02, step=1e-3)
    assert result.state.velocity[:2, 2] == pytest.approx(1.0 + 0.5 * 5.0, rel=1e-12)
    assert abs(result.history["energy.balance_error"]).max() < 1e-9


@pytest.mark.parametrize(
    ("restitution", "integrator"), [(0.9, "semi_implicit_euler"), (0.7, "rk4"), (0.5, "semi_implicit_euler")]
)
def test_heights_after_each_bounce(restitution, integrator):
    """Each is e^2 times the last."""
    first = 1.0
    result = two_points(
        (0.0, 0.0, 0.0), first, Contact(method="bounce", restitution=restitution), gravity=G, integrator=integrator,
        end=3.2, frame=4e-3, step=1e-4,
    )  # fmt: skip
    height = first + result.history["where.displacement_z"]
    tops = height[1:-1][(height[1:-1] >= height[:-2]) & (height[1:-1] > height[2:])]
    count = 4
    assert tops[:count] == pytest.approx(first * restitution ** (2.0 * np.arange(1, count + 1)), rel=0.02)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_bouncing_points_never_gain_energy(restitution, integrator):
    """Kinetic and potential together, over 10 s; the links are so weak that they do not count."""
    contact = Contact(method="bounce", restitution=restitution)
    result = two_points((0.3, 0.0, 0.0), 0.5, contact, gravity=G, friction=0.1, integrator=integrator, end=10.0, step=1e-3)
    total = result.history["energy.kinetic"] + result.history["energy.potential"]
    start = total[0] + 2.0 * G * 0.5  # over the floor
    assert (np.diff(total) <= 1e-9 * start).all()
    if restitution == 1.0 and integrator == "rk4":
        assert total[-1] - total[0] > -0.02 * start  # friction has taken the slide, and steps a little
    if restitution == 0.0:
        assert np.abs(result.state.velocity[:, 2]).max() < 0.02  # a step of gravity


BLOCK_ENERGY = 0.04**3 * 1000.0 * G * 0.05  # [J], before its fall


def bouncing_block(restitution, **time):
    body = Truss(counts=[3, 3, 3], spacing=0.02, law=Voigt(k=100.0, c=0.05), density=1000.0, origin=(0.0, 0.0, 0.05))
    scene = Scene(
        gravity=(0.0, 0.0, -G),
        time=Time(integrator="rk4", **time),
        body={"block": body},
        tool={"floor": Floor(friction=0.3)},
        contact=Contact(method="bounce", restitution=restitution, itself=False),
    )
    return simulate(scene).history


@pytest.mark.parametrize("restitution", [0.3, 1.0])
def test_a_bouncing_block_never_gains_energy(restitution):
    """Kinetic, potential and stored together; that points are put back costs or gives their links a little."""
    history = bouncing_block(restitution, end=10.0, step=2e-4)
    total = sum(history[f"energy.{name}"] for name in ("kinetic", "potential", "stored"))
    assert total.max() <= total[0] + 1e-12 * BLOCK_ENERGY
    assert (np.diff(total) <= 1e-3 * BLOCK_ENERGY).all()
    assert history["contact.penetration"].max() < 3e-4  # less than a step of its speed


def test_the_energies_of_a_bouncing_block_add_up():
    """What putting points back does to weight and links belongs to the account, too."""
    history = bouncing_block(0.3, end=2.0, step=2e-4)
    assert abs(history["energy.balance_error"]).max() < 0.02 * BLOCK_ENERGY


def test_a_bouncing_block_is_not_called_unstable():
    history = bouncing_block(1.0, end=10.0)
    assert history["time"][-1] == 10.0


def test_points_bounce_off_a_ball_along_its_normal():
    """At 45 degrees over the ball's side, without friction: the velocity is mirrored about the tangent plane."""
    ball = Sphere(radius=0.2, origin=(0.2 * np.sqrt(0.5), 0.0, -0.2 * np.sqrt(0.5) - 0.01))
    body = Chain(counts=[2], spacing=5.0, law=NO_LINK, mass=2.0, mass_sharing="equal", velocity=(0.0, 0.0, -1.0))
    scene = Scene(
        time=Time(end=0.02, step=1e-4),
        body={"points": body},
        tool={"ball": ball},
        contact=Contact(method="bounce", restitution=1.0),
    )
    result = simulate(scene)
    assert result.state.velocity[0] == pytest.approx((-1.0, 0.0, 0.0), abs=1e-3)
    assert result.state.velocity[1] == pytest.approx((0.0, 0.0, -1.0), abs=1e-6)


def test_what_cannot_bounce_is_refused():
    def refused(match, tool=None, **time):
        body = Chain(counts=[2], spacing=1.0, law=NO_LINK, mass=2.0, origin=(0.0, 0.0, 1.0))
        scene = Scene(
            time=Time(end=1.0, **time), body={"points": body}, tool={"tool": tool or Floor()}, contact=Contact(method="bounce")
        )
        with pytest.raises(SceneError, match=match):
            compile_scene(scene)

    refused(
        r"time\.integrator: must be explicit where bodies bounce \(got implicit_euler\); use rk4", integrator="implicit_euler"
    )
    pushed = Plate(size=(0.1, 0.1, 0.1), mass=1.0, motion={"type": "pushed"}, origin=(0.0, 0.0, 2.0))
    refused(r"tool\.tool\.motion: must be a path or by hand where bodies bounce \(got a force\)", tool=pushed)
    turning = Sphere(radius=0.1, mass=1.0, turn={"type": "free"})
    refused(r"tool\.tool\.motion: must be a path or by hand where bodies bounce \(got a force\)", tool=turning)
