"""Contact by impulses: forces that are the body's at any step, nothing inside, exact books, and the conditions that impulses must meet."""

import numpy as np
import pytest
import trimesh

from helpers import EXPLICIT, term
from yawara import Chain, Filled, Fix, Lattice, Material, Scene, Time, Truss, Voigt, compile_scene, simulate
from yawara.methods import SCHEMES
from yawara.methods.runner import Runner
from yawara.observe.energies import balance_error
from yawara.scene.tools import Box, Cylinder, Floor, Plate, Sphere
from yawara.terms.contact import rows as places
from yawara.tools.contact import Contact

G = 9.8
NO_LINK = Voigt(k=1e-6, c=0.0)
SOFT = Material(youngs_modulus=2e4, density=1200.0, retardation_time=1e-3, poisson=0.25)


def pressed(step=None, depth=0.006, *, integrator="semi_implicit_euler", friction=0.0, end=0.5, **body):
    """A block of 30 mm between two plates, pressed slowly from rest to rest, and held."""
    block = Truss(**{"counts": [4, 4, 4], "spacing": 0.01, "material": SOFT, "elements": "links", **body})
    way = {"type": "path", "times": [0.0, 0.3], "displacement": [(0, 0, 0), (0, 0, -depth)], "interpolation": "smooth"}
    plate = Plate(size=(0.2, 0.2, 0.01), origin=(0.015, 0.015, 0.03), motion=way, friction=friction)
    tools = {"floor": Floor(friction=friction), "plate": plate}
    return simulate(Scene(time=Time(end=end, frame=0.01, step=step, integrator=integrator), body={"a": block}, tool=tools))


@pytest.mark.parametrize("integrator", EXPLICIT)
@pytest.mark.parametrize("friction", [0.0, 0.3])
def test_what_a_tool_feels_has_no_step_in_it(integrator, friction):
    """Held force at h, h/2 and h/4; nothing overlaps; contact takes nothing that it gives back.

    Semi-implicit Euler: exact. Others look one step ahead, and their loads lag by a step or two, by which friction remembers another way.
    """
    exact = integrator == "semi_implicit_euler"
    first = pressed(integrator=integrator, friction=friction)
    step = first.plan.largest_step
    runs = [first, *(pressed(step / n, integrator=integrator, friction=friction) for n in (2, 4))]
    held = np.array([run.history["plate.force_z"][-1] for run in runs])
    assert held[0] > 1.0
    assert held == pytest.approx(held[-1], rel=1e-4 if exact or friction == 0.0 else 2e-3)
    for run in runs:
        history, work = run.history, run.history["energy.work_of_drives"][-1]
        assert history["contact.penetration"].max() < (1e-12 if exact else 1e-5)  # 1e-3 of the spacing
        assert history["energy.contact"].min() > -(1e-5 if exact else 5e-3) * work
        assert history["a.height"][-1] == pytest.approx(0.024, rel=1e-9)
    if integrator != "euler":  # whose own books are of first order
        assert max(balance_error(run.history) for run in runs) < 2e-3


def two_points(*, height=0.0, mass=2.0, velocity=(0.0, 0.0, 0.0), tool=None, gravity=(0.0, 0.0, -G), contact=None, **time):
    body = Chain(
        counts=[2], spacing=1.0, law=NO_LINK, mass=mass, mass_sharing="equal", origin=(0.0, 0.0, height), velocity=velocity
    )
    tools = tool or {"floor": Floor()}
    return simulate(Scene(gravity=gravity, time=Time(**time), body={"points": body}, tool=tools, contact=contact))


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_a_point_that_lands_rests_on_the_surface_and_weighs_what_it_weighs(integrator):
    result = two_points(height=0.02, end=0.5, step=1e-3, frame=0.05, integrator=integrator)
    assert result.history["floor.force_z"][-1] == pytest.approx(-2.0 * G, rel=1e-9)
    assert np.abs(result.state.velocity[:2]).max() < 1e-9
    assert np.abs(result.state.position[:2, 2]).max() < 1e-5  # other schemes look ahead, and creep to the surface
    assert result.history["contact.penetration"].max() < 1e-5


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_a_point_that_lands_loses_what_it_fell_by(integrator):
    result = two_points(height=0.02, end=0.3, step=1e-4, frame=0.01, integrator=integrator)
    assert result.history["energy.contact"][-1] == pytest.approx(2.0 * G * 0.02, rel=2e-3)
    assert np.abs(result.history["energy.balance_error"]).max() < 2e-3 * 2.0 * G * 0.02


@pytest.mark.parametrize(("restitution", "integrator"), [(0.8, "semi_implicit_euler"), (0.5, "rk4")])
def test_heights_after_each_rebound(restitution, integrator):
    """Each is e^2 times the last."""
    result = two_points(
        height=1.0, end=2.2, step=2e-4, frame=2e-3, integrator=integrator, contact=Contact(restitution=restitution, itself=False)
    )
    energy = result.history["energy.kinetic"] + result.history["energy.potential"]
    after = np.unique(np.round((energy[result.history["time"] > 0.5] + 2.0 * G) / (2.0 * G), 2))
    expected = [restitution ** (2 * n) for n in range(1, 3)]
    assert all(np.abs(after - one).min() < 0.02 for one in expected)


def test_a_point_in_a_corner_is_held_by_both_sides():
    """Pulled obliquely into a floor and a wall: each bears its part of the pull."""
    tools = {"floor": Floor(), "wall": Floor(normal=(0.0, 1.0, 0.0))}
    pull = (0.0, -3.0, -5.0)
    result = two_points(tool=tools, gravity=pull, end=0.1, step=1e-3, frame=0.01)
    assert result.history["floor.force_z"][-1] == pytest.approx(-10.0, rel=1e-9)
    assert result.history["wall.force_y"][-1] == pytest.approx(-6.0, rel=1e-9)
    assert np.abs(result.state.position[:2, 1:]).max() < 1e-12


@pytest.mark.parametrize("mass", [1e-3, 0.2, 50.0])
def test_a_pushed_plate_of_any_mass_stops_with_the_points_it_falls_on(mass):
    """Light or heavy against what it hits: momentum is kept through the landing, and the plate ends where the points are."""
    plate = Plate(size=(4.0, 1.0, 0.1), origin=(0.5, 0.0, 0.1), mass=mass, motion={"type": "pushed", "force": [(0, 0, -1.0)]})
    result = two_points(tool={"plate": plate}, gravity=(0, 0, 0), end=0.4, step=1e-3, frame=0.01, mass=2.0)
    state = result.state
    together = state.velocity[:2, 2].sum() * 1.0 + state.velocity[2, 2] * mass
    assert together == pytest.approx(-1.0 * 0.4, rel=1e-9)
    assert (state.position[2, 2] >= state.position[:2, 2] - 1e-12).all()
    assert (np.abs(state.velocity[:2, 2]) > 0.0).all() == (mass < 10.0)  # the heaviest is not there yet
    assert balance_error(result.history) < 1e-2


def test_what_is_inside_from_the_start_comes_out_without_being_shot_away():
    """A plate 0.2 mm inside a block, as much as is allowed: moved out by 10 edges a second at most."""
    block = Truss(counts=[4, 4, 4], spacing=0.01, material=SOFT, elements="links")
    plate = Plate(size=(0.2, 0.2, 0.01), origin=(0.015, 0.015, 0.0298))
    scene = Scene(time=Time(end=0.3, frame=0.005), body={"a": block}, tool={"floor": Floor(), "plate": plate})
    history = simulate(scene).history
    longest = 0.01 * np.sqrt(3.0)
    assert 0.0 < history["energy.kinetic"].max() < 0.5 * 1200.0 * 0.03**3 * (10.0 * longest) ** 2
    assert history["a.height"][-1] == pytest.approx(0.0298, abs=1e-7)
    assert balance_error(history) < 0.01


def test_points_that_are_held_and_touch_a_tool_stay_where_their_drive_has_them():
    """A fixed layer on the floor: nothing moves it, and what it bears is the fix's."""
    block = Lattice(counts=[3, 3, 3], spacing=0.01, material=SOFT)
    scene = Scene(
        gravity=(0.0, 0.0, -G), time=Time(end=0.2), body={"a": block}, tool={"floor": Floor(friction=0.5)},
        fix=[Fix(body="a", points="bottom")],
    )  # fmt: skip
    result = simulate(scene)
    rest = result.compiled.model.rest_position
    bottom = rest[:, 2] == 0.0
    assert (result.state.position[bottom] == rest[bottom]).all()
    assert balance_error(result.history) < 1e-2


# ---- the conditions of Signorini and Coulomb


def rows_of(runner):
    """The rows of the last step as a structured table."""
    record = next(r for one, r in zip(runner.crew.terms, runner.crew.records, strict=True) if one.name == "contact")[0]
    rows = record.inner["touch"].inner["rows"].values
    count = int(rows["used"][places.FOUND])
    return rows["row"][: places.ROW * count].reshape(-1, places.ROW), rows["who"][: places.WHO * count].reshape(-1, places.WHO)


def crowded():
    """Balls, a roller, a box's corner and a second body, all pressing on one block: nodes, edges and faces share what they move."""
    block = Truss(counts=[4, 4, 3], spacing=0.01, material=SOFT)
    other = Lattice(counts=[3, 3, 2], spacing=0.008, material=SOFT, origin=(0.0, 0.0, 0.0201))
    down = {"type": "path", "times": [0.0, 0.1], "displacement": [(0, 0, 0), (0.001, 0.0005, -0.004)]}
    tools = {
        "floor": Floor(friction=0.2),
        "ball": Sphere(radius=0.005, origin=(0.026, 0.004, 0.0255), motion=down, friction=0.4),
        "roller": Cylinder(radius=0.006, length=0.02, origin=(0.026, 0.022, 0.0262), motion=down, turn={"type": "driven", "speed": 3.0}),
        "corner": Box(size=(0.02, 0.02, 0.02), origin=(0.008, 0.027, 0.0345), rotation=(0.6, 0.5, 0.0), motion=down, friction=0.1),
        "plate": Plate(size=(0.03, 0.03, 0.01), origin=(0.008, 0.008, 0.0285), mass=0.01,
                       motion={"type": "pushed", "force": [(0, 0, -0.5)]}, friction=0.3),
    }  # fmt: skip
    return compile_scene(
        Scene(
            gravity=(0, 0, -G),
            time=Time(end=0.1, step=2e-4),
            body={"a": block, "b": other},
            tool=tools,
            contact=Contact(friction=0.3),
        )
    )


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4"])
def test_impulses_meet_the_conditions_of_contact(integrator):
    """N >= 0, no gap closes beyond what was asked, N acts only where it does, |T| <= mu N, and T opposes what still slides."""
    compiled = crowded()
    runner, state, kinds = Runner(compiled.model, SCHEMES[integrator]), compiled.state.copy(), set()
    for n in range(400):
        control = compiled.control.stretch(n * 2e-4, (n + 1) * 2e-4)
        before = state.copy()
        runner.advance(state, control, 0, 1, 2e-4)
        row, who = rows_of(runner)
        if n % 20 or not len(row):
            continue
        change = relative_change(compiled, runner, before, row, who)
        push, friction = row[:, places.PUSH], row[:, places.FRICTION]
        rub, normal = row[:, places.RUB : places.RUB + 3], row[:, places.NORMAL : places.NORMAL + 3]
        excess = (change * normal).sum(axis=1) - row[:, places.NEED]
        scale = np.abs(row[:, places.NEED]).max()
        assert (push >= 0.0).all()
        assert excess.min() > -1e-6 * scale
        assert np.abs(push * excess).max() <= 1e-6 * scale * push.max()
        size = np.linalg.norm(rub, axis=1)
        assert (size <= friction * push * (1 + 1e-12)).all()
        slip = row[:, places.SLIP : places.SLIP + 3] + change
        slip -= (slip * normal).sum(axis=1)[:, None] * normal
        sticks = size < friction * push * (1 - 1e-6)
        assert np.linalg.norm(slip[sticks & (push > 0)], axis=1).max(initial=0.0) < 1e-5 * scale
        slides = ~sticks & (size > 0.0) & (np.linalg.norm(slip, axis=1) > 1e-3 * scale)
        assert ((rub * slip).sum(axis=1)[slides] < 0.0).all()
        kinds |= {(int((one[:4] >= 0).sum()), int(one[4])) for one, p in zip(who, push, strict=True) if p > 0.0}
    assert {count for count, _ in kinds} == {1, 2, 3, 4}  # nodes, edges, faces, bodies
    assert {tool for _, tool in kinds} == {-1, 0, 1, 2, 3, 4}


def relative_change(compiled, runner, before, row, who):
    """[m/s], (row_count, 3): what all impulses change of each row's relative velocity, added up here from the rows alone."""
    surface, mass = term(compiled, "contact").surface, compiled.model.point.mass
    J = row[:, places.PUSH, None] * row[:, places.NORMAL : places.NORMAL + 3] + row[:, places.RUB : places.RUB + 3]
    W = np.zeros((len(row), len(mass)))
    for n, nodes in enumerate(who[:, :4]):
        for k, node in enumerate(nodes):
            if node >= 0:
                hosts = slice(*surface.first_host[node : node + 2])
                W[n, surface.carrier[surface.host[hosts]]] += row[n, places.WEIGHT + k] * surface.share[hosts]
    inverse = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0)
    change = W @ (inverse[:, None] * (W.T @ J))
    plate = compiled.model.tools.index("plate")
    on_plate = who[:, places.TOOL] == plate
    weight = mass[compiled.model.tool_points[plate]]
    free = np.array([axis in compiled.scene.tool["plate"].motion.axes for axis in "xyz"], float)
    change[on_plate] += J[on_plate].sum(axis=0) * free / weight
    return change


def test_embedded_nodes_hand_their_impulses_on(tmp_path):
    """A filled body's skin has no mass: its hosts bear what touches it, and momentum is kept."""
    path = tmp_path / "ball.stl"
    trimesh.creation.icosphere(subdivisions=3, radius=0.02).export(path)
    body = Filled(file=str(path), spacing=0.008, material=SOFT, origin=(0.0, 0.0, 0.0202))
    scene = Scene(gravity=(0.0, 0.0, -G), time=Time(end=0.8, frame=0.02), body={"a": body}, tool={"floor": Floor(friction=0.3)})
    result = simulate(scene)
    weight = G * result.compiled.model.point.mass.sum()
    assert result.history["floor.force_z"][20:].mean() == pytest.approx(-weight, rel=0.01)
    assert result.history["contact.penetration"].max() < 1e-5
    assert balance_error(result.history) < 0.01
