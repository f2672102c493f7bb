"""The force of one contact: what the sources' formulas say about rest, depth and settling, for points, sheets and blocks."""

import numpy as np
import pytest

from yawara import Chain, Lattice, Scene, Sheet, Time, Truss, Voigt, simulate
from yawara.scene.tools import Floor
from yawara.terms.contact.internal import SUM
from yawara.tools.contact import Contact

G = 9.8
NO_LINK = Voigt(k=1e-6, c=0.0)


def two_points(contact, *, height=0.0, end=8.0, step=1e-3, frame=0.1):
    """Two points of 1 kg side by side over a floor; heights and integrals of both at the end, and the run."""
    body = Chain(counts=[2], spacing=1.0, law=NO_LINK, mass=2.0, mass_sharing="equal", origin=(0.0, 0.0, height))
    result = simulate(
        Scene(
            gravity=(0.0, 0.0, -G),
            time=Time(end=end, step=step, frame=frame),
            body={"points": body},
            tool={"floor": Floor()},
            contact=contact,
        )
    )
    assert result.plan.largest_step == step
    return result.state.position[:2, 2], result.state.blocks["contact.internal"][[0, 3], SUM], result


def law(method="time_integrated", **coefficients):
    return Contact(method=method, **{"stiffness": 1e4, "damping": 100.0, **coefficients})


def test_a_penalty_lets_a_point_sink_by_its_weight_over_the_stiffness():
    height, _, _ = two_points(law("penalty"))
    assert height == pytest.approx(-9.8e-4, rel=1e-9)


@pytest.mark.parametrize(("zone", "total"), [(0.0, -9.8e-5), (1e-4, -8.8e-5), (5e-4, -4.8e-5), (9.7e-4, -1e-6)])
def test_the_integral_lifts_a_point_to_the_surface(zone, total):
    """What is left of the weight, mg - K eps, is carried by the integral."""
    height, sums, _ = two_points(law(integral=1e5, zone=zone))
    assert np.abs(height).max() < 1e-12
    assert sums == pytest.approx(total, rel=1e-7)


@pytest.mark.parametrize(("zone", "rest"), [(1e-3, 2.0e-5), (2e-3, 1.02e-3), (5e-3, 4.02e-3)])
def test_a_zone_that_carries_the_weight_keeps_a_point_in_it(zone, rest):
    """It stays at eps - mg/K, and is not pulled to the surface: the integral is never positive."""
    height, sums, _ = two_points(law(integral=1e5, zone=zone))
    assert height == pytest.approx(rest, rel=1e-9)
    assert np.abs(sums).max() == 0.0


def test_without_the_integral_the_zone_makes_the_spring_longer():
    height, _, _ = two_points(law(integral=0.0, zone=5e-4))
    assert height == pytest.approx(-4.8e-4, rel=1e-9)


@pytest.mark.parametrize(
    ("contact", "deepest"),
    [
        (law("penalty"), 1.1301e-3),
        (law(integral=1e5, zone=0.0), 1.0409e-3),
        (law(integral=1e5, zone=5e-4), 5.0985e-4),
    ],
    ids=["penalty", "integral", "integral and zone"],
)
def test_how_deep_a_point_gets_that_is_let_go_at_the_surface(contact, deepest):
    _, _, result = two_points(contact, end=1.0)
    assert result.history["contact.penetration"].max() == pytest.approx(deepest, rel=1e-4)


def test_the_zone_lets_a_point_settle_that_would_dance_without_it():
    """Dropped from 1 cm, little damping: with no zone every jump resets the integral."""
    height, _, _ = two_points(law(damping=20.0, integral=1e5, zone=5e-4), height=0.01, end=20.0)
    assert np.abs(height).max() < 1e-12
    _, _, result = two_points(law(damping=20.0, integral=1e5, zone=0.0), height=0.01, end=20.0)
    late = result.history["contact.penetration"][-50:]
    assert late.max() > 1e-3  # between -1.86e-3 and 4.0e-4 m for ever, in a plain loop over one particle
    assert late.max() < 2e-3


def test_points_of_the_second_source_settle_as_its_formulas_say():
    """Step 1e-4 s, K = 1000, C = 50, I = 2000, dropped from eps + 5 cm."""
    slow = {"stiffness": 1e3, "damping": 50.0}
    for contact, height, rest, total in (
        (law("penalty", **slow), 0.05, -0.0098, 0.0),
        (law(**slow, integral=2e3, zone=0.005), 0.055, 0.0, -0.0024),
        (law(**slow, integral=2e3, zone=0.05), 0.1, 0.0402, 0.0),
    ):
        found, sums, _ = two_points(contact, height=height, end=10.0, step=1e-4)
        assert found == pytest.approx(rest, abs=1e-8)
        if contact.method == "time_integrated":
            assert sums == pytest.approx(total, abs=1e-8)


def sheet_on_floor(contact, **time):
    body = Sheet(counts=[4, 3], spacing=0.1, law=Voigt(k=5e3, c=30.0), mass=1.2, pattern="braced")
    scene = Scene(
        gravity=(0.0, -G, 0.0),
        time=Time(**{"end": 4.0, "step": 5e-4, **time}),
        body={"sheet": body},
        tool={"floor": Floor(normal=(0.0, 1.0, 0.0))},
        contact=contact,
    )
    return simulate(scene)


def load_on_floor(result, points):
    """[N], what each point's links and weight press onto the floor at rest."""
    model, x = result.compiled.model, result.state.position
    force = model.point.mass[:, None] * model.point.gravity[:3]
    for body in model.bodies:
        law = result.compiled.scene.body[body.name].law
        for a, b in body.links.astype(int):
            rest = np.linalg.norm(model.rest_position[b] - model.rest_position[a])
            length = np.linalg.norm(x[b] - x[a])
            pull = law.k * (length - rest) * (x[b] - x[a]) / length
            force[a] += pull
            force[b] -= pull
    return -force[points]


def test_in_the_plane_each_point_sinks_by_its_share_of_the_load():
    bottom = np.arange(4)
    sunk = sheet_on_floor(law("penalty", damping=10.0))
    load = load_on_floor(sunk, bottom)[:, 1]
    assert load.sum() == pytest.approx(1.2 * G, rel=1e-9)
    assert np.ptp(load) > 0.1 * load.mean()  # the points do not share alike
    assert sunk.state.position[bottom, 1] == pytest.approx(-load / 1e4, rel=1e-6)
    lifted = sheet_on_floor(law(damping=10.0, integral=6e4, zone=1e-4))
    assert np.abs(lifted.state.position[bottom, 1]).max() < 1e-4 * load.mean() / 1e4


def test_in_the_plane_the_zone_weighs_each_points_own_load():
    """Points that carry less than K eps float in the zone, the others are at the surface."""
    bottom = np.arange(4)
    load = load_on_floor(sheet_on_floor(law("penalty", damping=10.0)), bottom)[:, 1]
    zone = 2.0 * load.max() / 1e4
    floating = sheet_on_floor(law(damping=10.0, integral=2e4, zone=zone))
    heights, load = floating.state.position[bottom, 1], load_on_floor(floating, bottom)[:, 1]
    assert heights == pytest.approx(zone - load / 1e4, rel=1e-6)


@pytest.mark.parametrize(
    "body",
    [
        Lattice(counts=[2, 2, 2], spacing=0.1, law=Voigt(k=2e3, c=2.0), mass=1.0, mass_sharing="equal"),
        Truss(counts=[3, 3, 2], spacing=0.1, law=Voigt(k=4e3, c=8.0), mass=1.0),
    ],
    ids=["8 nodes", "truss"],
)
def test_the_bottom_of_a_block_is_at_the_surface(body):
    """Penalty: as deep as the share of the weight says; time-integrated: not at all."""

    def rest(contact):
        return simulate(
            Scene(
                gravity=(0.0, 0.0, -G),
                time=Time(end=6.0, step=2e-4),
                body={"block": body},
                tool={"floor": Floor()},
                contact=contact,
            )
        )

    sunk = rest(law("penalty", damping=20.0))
    bottom = np.flatnonzero(sunk.compiled.model.rest_position[:-1, 2] == 0.0)
    load = load_on_floor(sunk, bottom)[:, 2]
    assert load.sum() == pytest.approx(G, rel=1e-6)
    assert sunk.state.position[bottom, 2] == pytest.approx(-load / 1e4, rel=1e-5)
    if len(bottom) == 4:
        assert sunk.state.position[bottom, 2] == pytest.approx(-2.45e-4, rel=1e-6)
    lifted = rest(law(damping=20.0, integral=2e4 if len(bottom) == 4 else 1e5, zone=0.2 * load.min() / 1e4))
    assert np.abs(lifted.state.position[bottom, 2]).max() < 1e-4 * load.mean() / 1e4
    zone = 4.0 * load.max() / 1e4
    floating = rest(law(damping=20.0, integral=2e4, zone=zone))
    load = load_on_floor(floating, bottom)[:, 2]
    assert floating.state.position[bottom, 2] == pytest.approx(zone - load / 1e4, rel=1e-5)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_nothing_chatters_on_the_floor(integrator):
    """A block with derived coefficients, dropped from 2 mm: at rest within 10 s, to rounding of the forces."""
    body = Truss(counts=[3, 3, 3], spacing=0.02, law=Voigt(k=300.0, c=1.0), density=1000.0, origin=(0.0, 0.0, 0.002))
    speeds = []

    class Watch:
        def observe(self, frame):
            if frame.time > 9.0:
                speeds.append(np.abs(frame.state.velocity).max())

    result = simulate(
        Scene(
            gravity=(0.0, 0.0, -G),
            time=Time(end=10.0, integrator=integrator),
            body={"block": body},
            tool={"floor": Floor()},
        ),
        observers=[Watch()],
    )
    assert max(speeds) < 1e-9  # [m/s]
    lowest = result.state.position[:-1, 2].min()
    assert abs(lowest) < 1e-9  # [m]
