"""Friction on tools: how far blocks slide, whether they stay on slopes, and that no more than mu N ever acts."""

from dataclasses import replace

import numpy as np
import pytest

from yawara import Lattice, Scene, Time, Voigt, compile_scene, simulate
from yawara.scene.tools import Floor
from yawara.scene.tools.tool import rotation_matrix
from yawara.tools.contact import Contact

G = 9.8
LAW = Voigt(k=4e3, c=8.0)


class Loads:
    """Force [N] that each tool felt in every step."""

    def __init__(self):
        self.steps = []

    def observe(self, frame):
        self.steps += [frame.tool_steps[:, :, :3]] if len(frame.log) else []

    @property
    def force(self):
        return np.concatenate(self.steps)[:, 0]


def centre(result, body="block"):
    mass, points = result.compiled.model.point.mass, result.compiled.model.body(body).points
    return np.average(result.state.position[points], axis=0, weights=mass[points])


def block(**fields):
    return Lattice(**{"counts": [4, 4, 2], "spacing": 0.05, "law": LAW, "mass": 1.6, **fields})


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
@pytest.mark.parametrize("mu", [0.0, 0.3])
def test_a_block_slides_as_far_as_friction_lets_it(mu, integrator):
    body, loads = block(velocity=(1.0, 0.0, 0.0)), Loads()
    scene = Scene(
        gravity=(0.0, 0.0, -G),
        time=Time(end=1.0, integrator=integrator),
        body={"block": body},
        tool={"floor": Floor(friction=mu)},
        probe={"where": {"type": "displacement", "body": "block", "points": "all"}},
    )
    result = simulate(scene, observers=[loads])
    time, way = result.history["time"], result.history["where.displacement_x"]
    if mu == 0.0:
        assert way == pytest.approx(time, abs=1e-12)
        assert np.abs(loads.force[:, :2]).max() == 0.0
        return
    stop = 1.0 / (mu * G)
    assert way[-1] == pytest.approx(1.0 / (2.0 * mu * G), rel=0.01)
    sliding = (time > 0.2 * stop) & (time < 0.9 * stop)
    assert -2.0 * np.polyfit(time[sliding], way[sliding], 2)[0] == pytest.approx(mu * G, rel=0.01)
    assert np.abs(result.state.velocity).max() < 1e-3
    along, pressed = np.linalg.norm(loads.force[:, :2], axis=1), -loads.force[:, 2]
    assert (along <= mu * pressed + 1e-12).all()
    assert along[: len(along) // 10].max() == pytest.approx(mu * pressed[np.argmax(along[: len(along) // 10])], rel=0.01)


def test_a_tool_without_friction_of_its_own_has_the_contacts():
    def way(contact, floor):
        body = block(velocity=(0.5, 0.0, 0.0))
        return centre(
            simulate(
                Scene(gravity=(0.0, 0.0, -G), time=Time(end=0.2), body={"block": body}, tool={"floor": floor}, contact=contact)
            )
        )

    own, shared = way(None, Floor(friction=0.4)), way(Contact(friction=0.4), Floor())
    assert own == pytest.approx(shared, abs=1e-12)
    assert way(Contact(friction=0.4), Floor(friction=0.0))[0] > own[0]


def on_slope(angle, mu, *, end, **time):
    """A coarse block of 8 points on a floor that is tilted about y; the body is tilted with it."""
    turn = rotation_matrix((0.0, angle, 0.0))
    body = block(counts=[2, 2, 2], spacing=0.1, law=Voigt(k=500.0, c=10.0), mass=1.0)
    scene = Scene(
        gravity=(0.0, 0.0, -G),
        time=Time(end=end, **time),
        body={"block": body},
        tool={"floor": Floor(normal=tuple(turn[:, 2]), friction=mu)},
        probe={"where": {"type": "displacement", "body": "block", "points": "bottom"}},
    )
    compiled = compile_scene(scene)
    state = compiled.state.copy()
    state.position[:8] = state.position[:8] @ turn.T
    return simulate(replace(compiled, start=state)), turn


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "implicit_euler"])
def test_below_the_friction_angle_a_block_stays(integrator):
    step = {"step": 2e-3} if integrator == "implicit_euler" else {}
    result, turn = on_slope(0.9 * np.arctan(0.3), 0.3, end=60.0, frame=1.0, integrator=integrator, **step)
    way = np.stack([result.history[f"where.displacement_{axis}"] for axis in "xyz"], axis=1) @ turn
    settled = way[20:]
    assert np.abs(settled - settled[0]).max() < 1e-6
    assert abs(way[-1, 0] - way[0, 0]) < 2e-3


@pytest.mark.parametrize("slope", [1.2, 2.0])
def test_above_the_friction_angle_a_block_slides_by_the_formula(slope):
    """a = g (sin - mu cos)"""
    mu = 0.3
    angle = np.arctan(slope * mu)
    result, turn = on_slope(angle, mu, end=1.5, frame=0.01)
    way = np.stack([result.history[f"where.displacement_{axis}"] for axis in "xyz"], axis=1) @ turn
    time = result.history["time"]
    late = time > 0.5
    found = 2.0 * np.polyfit(time[late], way[late, 0], 2)[0]
    assert found == pytest.approx(G * (np.sin(angle) - mu * np.cos(angle)), rel=0.01)
