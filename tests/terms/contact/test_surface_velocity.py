"""How a tool's surface moves, and what friction makes of it: turning tools drag across their axis, belts along their surface only."""

from dataclasses import replace

import numpy as np
import pytest
from numba import njit

from yawara import Chain, Lattice, Scene, Time, Voigt, compile_scene, simulate
from yawara.scene.tools import Box, Conveyor
from yawara.scene.tools.tool import rotation_matrix
from yawara.tools.build import tool_arrays
from yawara.tools.contact import Contact, Method
from yawara.tools.pose import POSE, greatest_surface_speed, set_poses, surface_velocity

G, MU, STEP, END = 9.8, 0.1, 1e-4, 0.02  # [m/s^2, 1, s, s]
X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
SPRINGLESS = Voigt(k=1e-6, c=0.0)  # as good as no link: each point is on its own
METHODS = [method for method in Method if method is not Method.BOUNCE]  # which has rules of its own
# Points are laid on the tool after the start of the account, whose potential energy counts from where they were.
LAID = pytest.mark.filterwarnings("ignore:The energies do not add up")

# Directions of a plate's normal, about which it turns.
NORMALS = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "skew": (0.36, 0.48, 0.8),
    "other skew": (-0.6, 0.64, -0.48),
}


def turned(start, end):
    """Rotation [rad], axis times angle, that takes one unit vector to another, not opposite one."""
    axis, cosine = np.cross(start, end), np.dot(start, end)
    sine = np.linalg.norm(axis)
    return tuple(np.arctan2(sine, cosine) * axis / sine) if sine > 0.0 else (0.0, 0.0, 0.0)


@njit
def velocities(tool, points, place, normal):
    """(place_count, 7): of the surface, of its belt, and what no place exceeds [m/s]."""
    pose, result = np.empty(tool.kind.size * POSE), np.empty((len(place), 7))
    set_poses(tool, points, np.zeros(tool.kind.size, np.bool_), pose)
    for n in range(len(place)):
        (x, y, z), (nx, ny, nz) = place[n], normal[n]
        result[n, :6] = surface_velocity(0, pose, x, y, z, nx, ny, nz)
        result[n, 6] = greatest_surface_speed(tool.form, 0, pose)
    return result


@pytest.mark.parametrize("name", NORMALS)
def test_a_surface_moves_as_rigid_bodies_and_belts_do(name):
    """v + omega x r, and of the belt what is left without its part along the normal; places and normals by chance."""
    random = np.random.default_rng(1)
    belt = Conveyor(size=(0.2, 0.3, 0.1), speed=0.7, rotation=turned(Z, NORMALS[name]))
    origin, velocity, speed = random.uniform(-1.0, 1.0, 3), random.uniform(-1.0, 1.0, 3), 2.5
    place, normal = origin + random.uniform(-0.15, 0.15, (50, 3)), random.standard_normal((50, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    found = velocities(tool_arrays({"belt": belt}, 0, 0.0), np.array([*origin, 0.4, *velocity, speed]), place, normal)
    slide = 0.7 * rotation_matrix(belt.rotation)[:, 0]  # it does not turn with its tool
    along = slide - (normal @ slide)[:, None] * normal
    np.testing.assert_allclose(found[:, 3:6], along, atol=1e-14)
    turning = np.cross(speed * np.array(NORMALS[name]), place - origin)
    np.testing.assert_allclose(found[:, :3], velocity + turning + along, atol=1e-14)
    fastest = np.linalg.norm(velocity) + 2.5 * np.linalg.norm([0.1, 0.15, 0.1]) + 0.7
    np.testing.assert_allclose(found[:, 6], fastest, rtol=1e-14)  # the plate's lower corner is the furthest


def lying(places, normal, tool, method, velocity=0.0):
    """A run of points without links to speak of that lie on a tool, pressed on by their weight."""
    first, second = np.array(places)
    body = Chain(counts=[2], spacing=float(np.linalg.norm(second - first)), law=SPRINGLESS, mass=0.2)
    compiled = compile_scene(
        Scene(
            gravity=tuple(-G * np.array(normal)), time=Time(end=END, frame=END, step=STEP), body={"points": body},
            tool={"tool": tool}, contact=Contact(method=method, friction=MU, itself=False),
        )
    )  # fmt: skip
    state = compiled.state.copy()
    state.position[:2], state.velocity[:2] = places, velocity
    return simulate(replace(compiled, start=state))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NORMALS)
@LAID
def test_a_turning_plate_drags_what_lies_on_it_across_its_axis(name, method):
    """Two points at opposite places slip all the time, along omega x r: v = mu (g t + v_n) whatever the contact's own course.

    The way to there, mu g t^2 / 2, turns that direction by its ratio to the arm; and in its first step the plate stands still.
    """
    normal, arm, speed = np.array(NORMALS[name]), 0.1, 5.0
    across = np.cross(normal, (0.0, 0.0, 1.0)) if abs(normal[2]) < 0.99 else np.array([1.0, 0.0, 0.0])
    across *= arm / np.linalg.norm(across)
    origin = np.array([0.3, -0.4, -2.0])
    tool = Box(size=(0.4, 0.4, 0.06), origin=origin, rotation=turned(Z, normal), turn={"type": "driven", "speed": speed})
    result = lying(origin + 0.03 * normal + np.array([across, -across]), normal, tool, method)
    velocity = result.state.velocity[:2]
    away = velocity @ normal
    surface = np.cross(normal, [across, -across]) / arm
    expected = MU * (G * END + away)[:, None] * surface + away[:, None] * normal
    assert np.abs(expected[:, 2]).max() > 0.5 * MU * G * END or name == "z"  # it is dragged along z
    np.testing.assert_allclose(velocity, expected, atol=MU * G * (STEP + END * (0.5 * MU * G * END**2 / arm)))
    work = 0.1 * speed * arm * MU * (G * END + away).sum()  # of the motor, at the speed of the surface
    assert result.history["energy.work_of_drives"][-1] == pytest.approx(work, rel=STEP / END)
    lost = work - result.history["energy.kinetic"][-1]
    assert result.history["energy.contact"][-1] == pytest.approx(lost, rel=0.01)  # but for what its springs still hold


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NORMALS)
@pytest.mark.parametrize("speed", [0.5, -0.5])
@LAID
def test_a_belt_does_nothing_at_its_end(name, speed, method):
    """There it would run along the normal: what lies there stays, and costs no work."""
    normal = np.array(NORMALS[name])
    tool = Conveyor(size=(0.2, 0.2, 0.2), speed=speed, rotation=turned(X, normal), origin=(0.3, -0.4, -2.0))
    x, y, z = rotation_matrix(tool.rotation).T
    result = lying(tool.origin + 0.1 * x - 0.1 * z + 0.05 * np.array([y, -y]), normal, tool, method)
    velocity = result.state.velocity[:2]
    assert np.abs(velocity - np.outer(velocity @ normal, normal)).max() < 1e-12
    assert np.abs(velocity @ normal).max() < 3.0 * G * STEP  # a contact that settles: g over its own rate, which is 0.77 / step
    assert abs(result.history["energy.work_of_drives"][-1]) < 1e-15


@pytest.mark.parametrize("method", METHODS)
def test_a_belt_that_lies_aslant_drags_along_the_surface(method):
    """A block on the ridge of a belt turned by 45 degrees: the way out is up, the belt runs half up and half along.

    Friction turns the block by mu g (a/2) t^2 / 2 over its square of inertia, about a^2/2, and with it the way out: about 5e-4 in the end,
    a third of it in the mean, over mu.
    """
    side, half, end = 0.1, 0.2, 0.01
    body = Lattice(counts=[2, 2, 2], spacing=side, law=Voigt(k=2e4, c=5.0), mass=0.8, origin=(-0.5 * side, -0.5 * side, 0.0))
    turn = rotation_matrix((0.0, -np.pi / 4, 0.0))
    ridge = turn @ (half, 0.0, 0.0)  # of the upper side's end, from the origin
    tool = Conveyor(size=(2 * half, 0.5, 2 * half), speed=2.0, rotation=(0.0, -np.pi / 4, 0.0), origin=tuple(-ridge))
    scene = Scene(
        gravity=(0.0, 0.0, -G), time=Time(end=end, frame=end, step=1e-4), body={"block": body}, tool={"belt": tool},
        contact=Contact(method=method, friction=MU, itself=False),
    )  # fmt: skip
    result = simulate(scene)
    velocity = result.state.velocity[:8].mean(axis=0)
    dragged = MU * (G * end + velocity[2])
    assert velocity[0] == pytest.approx(dragged, rel=5e-4 / 3 / MU)
    assert abs(velocity[2]) < 0.1 * G * end  # not thrown up: the belt's part along the normal is 1.4 m/s
    assert result.history["energy.work_of_drives"][-1] == pytest.approx(0.8 * dragged * np.sqrt(2.0), rel=0.01)


@LAID
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NORMALS)
def test_a_slipping_belt_costs_what_friction_takes_and_gives(name, method):
    """A belt that rises, too: mu m g u t for both points, of which their speed is small; the rest is lost in the contact."""
    normal, speed = np.array(NORMALS[name]), 0.5
    tool = Conveyor(size=(0.6, 0.6, 0.1), speed=speed, rotation=turned(Z, normal), origin=(0.3, -0.4, -2.0))
    x, y, _ = rotation_matrix(tool.rotation).T
    result = lying(tool.origin + 0.1 * np.array([y, -y]), normal, tool, method)
    away = result.state.velocity[:2] @ normal
    dragged = MU * (G * END + away)
    np.testing.assert_allclose(result.state.velocity[:2], np.outer(dragged, x) + np.outer(away, normal), atol=1e-9)
    work = 0.1 * speed * dragged.sum()
    assert result.history["energy.work_of_drives"][-1] == pytest.approx(work, rel=1e-9)
    kinetic = result.history["energy.kinetic"][-1]
    assert result.history["energy.contact"][-1] == pytest.approx(work - kinetic, rel=0.01)


@LAID
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", NORMALS)
def test_a_free_plate_is_dragged_along_and_no_drive_pays(name, method):
    """Two points that slide round its axis spin it up: the angular momentum stays, what kinetic energy goes is lost in the contact."""
    normal, arm, speed, inertia = np.array(NORMALS[name]), 0.1, 1.0, 0.5 * (0.4**2 + 0.4**2) / 12.0
    tool = Box(size=(0.4, 0.4, 0.06), origin=(0.3, -0.4, -2.0), rotation=turned(Z, normal), turn={"type": "free"}, mass=0.5)
    x, y, _ = rotation_matrix(tool.rotation).T
    places = tool.origin + 0.03 * normal + arm * np.array([x, -x])
    result = lying(places, normal, tool, method, velocity=speed * np.array([y, -y]))
    arms, velocity, spin = result.state.position[:2] - tool.origin, result.state.velocity[:2], result.state.points[2, 7]
    momentum = 0.1 * np.cross(arms, velocity).sum(axis=0) @ normal + inertia * spin
    assert momentum == pytest.approx(2 * 0.1 * arm * speed, rel=1e-9)
    assert inertia * spin == pytest.approx(2 * 0.1 * arm * MU * G * END, rel=0.01)  # the points go straight on, and out by 2 %
    assert result.history["energy.work_of_drives"][-1] == 0.0
    lost = result.history["energy.kinetic"][0] - result.history["energy.kinetic"][-1]
    assert lost > 0.0
    assert result.history["energy.contact"][-1] == pytest.approx(lost, rel=0.01)
