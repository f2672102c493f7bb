"""Volumes that stay the same by constraints: reference numbers, the critically damped return, locking, presses, what is conserved."""

import numpy as np
import pytest
from reference_constraints import pressures

from helpers import EXPLICIT, term
from plain import plain
from yawara import Drive, Fix, Force, Lattice, Material, Scene, Sheet, Time, Truss, Voigt, compile_scene, simulate
from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.meshes.facets import cell_sizes, facet_components
from yawara.methods import SCHEMES
from yawara.methods.fields import Fields
from yawara.methods.runner import Runner
from yawara.observe.energies import balance_error
from yawara.scene.bodies.from_cells import geometry_of_cells
from yawara.scene.file import read_scene
from yawara.scene.refill import refill
from yawara.status import SimulationError
from yawara.terms.incompressible import simplices, turning
from yawara.terms.incompressible.locking import freedom_of

tetrahedron, triangle, add_turning = plain(simplices.tetrahedron), plain(simplices.triangle), plain(turning.add_turning)
WEAK = Voigt(k=0.0, c=1e-9)
TRIANGLE = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]
CORNER = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def constraints(compiled):
    return term(compiled, "incompressible")


def volumes(compiled, state):
    """[m^3], of each constraint, as the body is."""
    found = []
    for group in constraints(compiled).groups:
        found.append(np.bincount(group.of, group.thickness * cell_sizes(state.position, group.corner)))
    return np.concatenate(found)


def error(compiled, state):
    """Largest relative error of a volume."""
    return float(np.abs(volumes(compiled, state) / constraints(compiled).rest - 1.0).max())


@pytest.fixture
def cell(monkeypatch):
    """A body of one triangle or tetrahedron, 1 kg at each corner, w = 10 /s."""

    def build(position):
        padded = np.zeros((len(position), 3))
        padded[:, : len(position) - 1] = position
        shape, counts = (Sheet, (2, 2)) if len(position) == 3 else (Truss, (2, 2, 2))
        monkeypatch.setattr(shape, "geometry", lambda body: geometry_of_cells(padded, np.arange(len(position))[None]))
        own = shape(
            counts=counts, spacing=1.0, mass=float(len(position)), law=WEAK, incompressible={"per": "element", "rate": 10.0}
        )
        return compile_scene(Scene(time=Time(end=1.0), body={"it": own}))

    return build


# ---- reference numbers


@pytest.mark.parametrize(
    ("position", "rest", "velocity", "expected"),
    [
        (TRIANGLE, 0.6, np.zeros((3, 2)), 10.0),
        (TRIANGLE, 0.6, [[0.1, 0.0], [-0.2, 0.3], [0.05, -0.1]], 13.955),
        (CORNER, 0.2, [[0.1, 0.0, 0.2], [-0.2, 0.3, 0.0], [0.05, -0.1, 0.1], [0.0, 0.2, -0.3]], 37.51),
    ],
)
@pytest.mark.parametrize("integrator", EXPLICIT)
def test_pressure_of_one_cell(cell, integrator, position, rest, velocity, expected):
    compiled = cell(position)
    constraints(compiled).rest[:] = rest
    state = compiled.state.copy()
    state.velocity[:, : len(position) - 1] = velocity
    before = state.velocity.copy()
    dt = 1e-9
    Runner(compiled.model, SCHEMES[integrator]).advance(state, compiled.control.stretch(0.0, 1.0), 0, 1, dt)
    assert state.blocks["incompressible.pressure"][0] == pytest.approx(expected, abs=1e-6)
    if not np.any(velocity):  # A = 1/2 (-1 -1 1 0 0 1)
        force = (state.velocity - before) / dt
        np.testing.assert_allclose(force[:, :2].ravel(), [-5.0, -5.0, 5.0, 0.0, 0.0, 5.0], atol=1e-6)


BODIES = {
    "triangles": (Sheet, {"pattern": "triangles", "thickness": 0.3}),
    "alternating": (Sheet, {"pattern": "alternating", "thickness": 0.3}),
    "braced": (Sheet, {"pattern": "braced", "thickness": 0.3}),
    "truss": (Truss, {}),
    "lattice": (Lattice, {}),
}


def body(name, per="cell", **more):
    shape, options = BODIES[name]
    counts = (4, 3) if shape is Sheet else (4, 3, 3)
    law = {} if "elements" in more or "material" in more else {"law": Voigt(k=40.0, c=0.8)}
    return shape(counts=counts, spacing=0.2, **({"mass": 5.0} if "material" not in more else {}), **law, **options, **more,
                 incompressible=per if isinstance(per, dict) else {"per": per})  # fmt: skip


@pytest.mark.parametrize("per", ["element", "cell", "patch", "body"])
@pytest.mark.parametrize("name", BODIES)
def test_pressures_agree_with_the_slow_version(name, per):
    """With gravity, an outer force, held points, and a drive that speeds up."""
    flat = BODIES[name][0] is Sheet
    up, gravity = (("y", (0.0, 0.01, 0.0)), (1.0, -9.81, 0.0)) if flat else (("z", (0.0, 0.0, 0.01)), (1.0, 0.0, -9.81))
    push = Force(body="it", points="right", times=(0.0,), force=((3.0, 1.0, 0.0),))
    lift = Drive(body="it", points="top", axes=up[0], times=(0.0, 1.0), displacement=((0, 0, 0), up[1]), interpolation="smooth")
    scene = Scene(
        time=Time(end=1.0), gravity=gravity, body={"it": body(name, per, velocity=(0.1, 0.0, 0.0))},
        fix=(Fix(body="it", points="left", axes="x"),), force=(push,), drive=(lift,),
    )  # fmt: skip
    compiled = compile_scene(scene)
    rng, state = np.random.default_rng(3), compiled.state.copy()
    axes = 2 if flat else 3
    state.position[:, :axes] += 0.01 * rng.standard_normal((compiled.model.point_count, axes))
    state.velocity[:, :axes] += 0.1 * rng.standard_normal((compiled.model.point_count, axes))
    control, dt = compiled.control.stretch(0.0, 1.0), 1e-9
    held = control.axis_drive >= 0
    state.position[held], state.velocity[held] = compiled.model.rest_position[held], 0.0
    frame = Frame(0, compiled.model, state.copy(), control, 0.0)
    acceleration = np.zeros_like(state.position)
    acceleration[held] = 2.0 * control.drive[:, :, 2][control.axis_drive[held], np.nonzero(held)[1]]
    w = 200.0
    constraints(compiled).rate[:] = w
    expected, wanted = pressures(compiled, state, frame.evaluation.force, held, acceleration, w)
    Runner(compiled.model, SCHEMES["rk4"]).advance(state, control, 0, 1, dt)
    found = state.blocks["incompressible.pressure"]
    # where constraints repeat each other only what they do together is known
    np.testing.assert_allclose(wanted @ found, wanted @ expected, atol=2e-6 * np.abs(wanted @ expected).max())


def scaled(compiled, factor):
    """Larger by that factor along every axis, at rest."""
    state = compiled.state.copy()
    axes = compiled.model.bodies[0].dimension
    state.position[:, :axes] *= factor
    return state


@pytest.mark.parametrize("name", ["braced", "truss"])
@pytest.mark.parametrize("integrator", EXPLICIT)
def test_errors_of_the_volume_fall_critically_damped(integrator, name):
    """R = (R0 + (R0' + w R0) t) exp(-w t), whatever the springs do; with the order of the scheme."""
    w, end = 20.0, 0.2
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": body(name, {"per": "cell", "rate": w})}))
    rest, control = constraints(compiled).rest, compiled.control.stretch(0.0, 1.0)
    misses, order = [], SCHEMES[integrator].order
    for steps in (10, 20) if order == 4 else (200, 400):
        state = scaled(compiled, 1.02)
        axes = compiled.model.bodies[0].dimension
        state.velocity[:, :axes] = 0.1 * state.position[:, :axes]
        R0 = volumes(compiled, state) - rest
        rate = 0.1 * axes * volumes(compiled, state)
        Runner(compiled.model, SCHEMES[integrator]).advance(state, control, 0, steps, end / steps)
        expected = (R0 + (rate + w * R0) * end) * np.exp(-w * end)
        misses.append(np.abs(volumes(compiled, state) - rest - expected).max() / np.abs(R0).max())
    assert misses[1] < (1e-6 if order == 4 else 0.01)
    assert np.log2(misses[0] / misses[1]) > order - 0.1


# ---- locking


@pytest.mark.parametrize(
    ("n", "pattern", "faces", "expected"),
    [
        (4, "triangles", ("bottom", "top"), (32, 30, 27, 3)),
        (8, "triangles", ("bottom", "top"), (128, 126, 119, 7)),
        (12, "triangles", ("bottom", "top"), (288, 286, 275, 11)),
        (8, "triangles", ("bottom",), (128, 144, 128, 16)),
        (8, "alternating", ("bottom", "top"), (128, 126, 96, 30)),
        (8, "alternating", ("bottom",), (128, 144, 100, 44)),
    ],
)
def test_a_constraint_per_triangle_leaves_few_modes(n, pattern, faces, expected):
    own = Sheet(counts=(n + 1, n + 1), spacing=0.1, mass=1.0, law=WEAK, pattern=pattern, incompressible={"per": "element"})
    compiled = compile_scene(
        Scene(time=Time(end=1.0), body={"it": own}, fix=tuple(Fix(body="it", points=face) for face in faces))
    )
    group = constraints(compiled).groups[0]
    found = freedom_of(group, compiled.model.bodies[0], compiled.control, compiled.model.rest_position)
    assert (found.constraints, found.coordinates, found.rank, found.modes) == expected
    (notice,) = compiled.notices
    assert f"{expected[3]} free modes left" in notice
    assert "use per = 'cell' or 'patch' or 'body'" in notice


@pytest.mark.parametrize("per", ["cell", "patch", "body"])
@pytest.mark.parametrize("name", BODIES)
def test_coarser_constraints_leave_enough(name, per):
    fix = (Fix(body="it", points="bottom"),)
    assert compile_scene(Scene(time=Time(end=1.0), body={"it": body(name, per)}, fix=fix)).notices == ()


def test_many_constraints_are_only_counted():
    own = Truss(counts=(8, 8, 8), spacing=0.1, mass=1.0, law=WEAK, incompressible={"per": "element"})
    (notice,) = compile_scene(Scene(time=Time(end=1.0), body={"it": own})).notices
    assert "1715 constraints on 1536 free coordinates leave 0 free modes, or a few more" in notice


def test_constraints_that_contradict_each_other_are_met_as_far_as_they_can_be():
    """Corners of a glued top move with it: no pressure can help, and none grows without bound."""
    own = Truss(counts=(3, 3, 3), spacing=0.1, mass=1.0, law=Voigt(k=100.0, c=1.0), incompressible={"per": "element"})
    down = Drive(body="it", points="top", times=(0.0, 1.0), displacement=((0, 0, 0), (0, 0, -1e-4)))
    scene = Scene(time=Time(end=0.01, step=1e-4), body={"it": own}, fix=(Fix(body="it", points="bottom"),), drive=(down,))
    compiled = compile_scene(scene)
    assert "locks" in compiled.notices[0]
    result = simulate(compiled)
    assert np.abs(result.state.velocity).max() < 1e-2
    assert np.abs(result.state.blocks["incompressible.pressure"]).max() < 1e8


def test_a_run_whose_constraints_contradict_each_other_says_so():
    own = Truss(counts=(4, 4, 4), spacing=0.01, density=1000.0, law=Voigt(k=100.0, c=0.5), incompressible={"per": "element"})
    down = Drive(body="it", points="top", times=(0.0, 0.2), displacement=((0, 0, 0), (0, 0, -0.006)))
    scene = Scene(
        time=Time(end=0.2, frame=0.01, threads=1), body={"it": own}, fix=(Fix(body="it", points="bottom"),), drive=(down,)
    )
    with pytest.raises(SimulationError, match="contradict each other") as caught:
        simulate(scene)
    assert "per = 'patch' or 'body'" in str(caught.value)


# ---- presses


def pressed(per, height, *, integrator="semi_implicit_euler", **options):
    """A block of links whose top is led down to a share of its height, and held there."""
    block = Lattice(counts=(5, 5, 5), spacing=0.01, density=1000.0, law=Voigt(k=100.0, c=0.5), incompressible={"per": per})
    down = ((0.0, 0.0, 0.0), (0.0, 0.0, -(1.0 - height) * 0.04))
    press = Drive(name="press", body="it", points="top", times=(0.0, 0.4), displacement=down, interpolation="smooth", **options)
    bottom = Fix(body="it", points="bottom", **options)
    return Scene(
        time=Time(end=0.5, frame=0.005, integrator=integrator, threads=1), body={"it": block}, fix=(bottom,), drive=(press,)
    )


class Errors:
    """Of the volumes, frame by frame."""

    def __init__(self, compiled):
        self.compiled, self.found = compiled, []

    def observe(self, frame):
        self.found.append(error(self.compiled, frame.state))


@pytest.mark.parametrize("axes", ["xyz", "z"])
@pytest.mark.parametrize("per", ["body", "cell", "patch"])
@pytest.mark.parametrize("integrator", EXPLICIT)
def test_volume_stays_through_a_press_to_60_percent(integrator, per, axes):
    """Glued to plates, or between plates without friction. Without oscillation: the press feels a force that only rises."""
    compiled = compile_scene(pressed(per, 0.6, integrator=integrator, axes=axes))
    seen = Errors(compiled)
    history = simulate(compiled, observers=[seen]).history
    assert max(seen.found) < 1e-5
    force = np.abs(history["press.force_z"])
    assert np.abs(np.diff(force)).sum() < 1.02 * np.ptp(force)
    assert history["it.inverted"].max() == 0
    assert balance_error(history) < (1e-6 if integrator == "rk4" else 1e-3)


@pytest.mark.parametrize("per", ["body", "cell", "patch"])
@pytest.mark.parametrize("integrator", ["implicit_euler", "quasi_static"])
def test_implicit_steps_come_to_the_same(integrator, per):
    """A press in 50 steps ends with the force of thousands of explicit ones, and with the volume at rest."""
    scene = pressed(per, 0.6)
    end = simulate(scene)
    long = scene.model_copy(update={"time": Time(end=0.5, frame=0.05, step=0.01, integrator=integrator, threads=1)})
    compiled = compile_scene(long)
    seen = Errors(compiled)
    result = simulate(compiled, observers=[seen])
    assert max(seen.found) < 1e-6
    assert balance_error(result.history) < 1e-4
    assert result.history["press.force_z"][-1] == pytest.approx(
        end.history["press.force_z"][-1], rel=2e-2 if per == "body" else 2e-3
    )
    pressure = [one.state.blocks["incompressible.pressure"] for one in (result, end)]
    np.testing.assert_allclose(pressure[0], pressure[1], rtol=0, atol=0.01 * np.abs(pressure[1]).max())


@pytest.mark.parametrize("thickness", [0.0, 0.3])
def test_gradients_turn_as_corners_move(thickness):
    """Beside differences of gradients, which are quadratic in the corners' places."""
    rng, corner = np.random.default_rng(5), np.arange(4, dtype=np.uint32)
    corner[3] = 2 if thickness else 3
    points, u, h = rng.standard_normal(32), rng.standard_normal(16), 1e-3

    def gradients(step):
        moved, found = points.copy(), np.zeros(12)
        for n in range(4):
            moved[8 * n : 8 * n + 3] += step * u[4 * n : 4 * n + 3]
        if thickness:
            triangle(moved, corner, 0, thickness, found)
        else:
            tetrahedron(moved, corner, 0, found)
        return found.reshape(4, 3)

    found = np.zeros(16)
    add_turning(corner, 0, thickness, points, u, 2.0, found, 0)
    expected = (gradients(h) - gradients(-h)) / h
    np.testing.assert_allclose(found.reshape(4, 4)[:, :3], expected, atol=1e-10)


@pytest.mark.parametrize("name", ["triangles", "alternating", "truss", "lattice"])
def test_patches_hang_together_and_share_nothing(name):
    group = constraints(compile_scene(Scene(time=Time(end=1.0), body={"it": body(name, "patch")}))).groups[0]
    size = {3: 4, 4: 8}[group.corner.shape[1]]
    many = np.bincount(group.of)
    assert many.min() >= 0.5 * size
    assert many.max() <= 2 * size
    for patch in range(group.count):
        assert len(np.unique(facet_components(group.corner[group.of == patch]))) == 1


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
@pytest.mark.parametrize("per", ["body", "cell", "patch"])
def test_volume_stays_under_tools(per, integrator):
    """Contacts by impulse come at the end of a step; without foresight a surface cell would lose 2 % of its volume."""
    block = {
        "shape": "lattice",
        "counts": [4, 4, 4],
        "spacing": 0.01,
        "density": 1000.0,
        "law": {"type": "voigt", "k": 50.0, "c": 0.3},
    }
    motion = {"type": "path", "times": [0.0, 0.3], "displacement": [[0, 0, 0], [0, 0, -0.01]], "interpolation": "smooth"}
    plate = {"shape": "box", "size": [0.1, 0.1, 0.01], "origin": [0.015, 0.015, 0.0352], "motion": motion}
    data = {
        "time": {"end": 0.4, "frame": 0.01, "integrator": integrator, "threads": 1}, "gravity": [0.0, 0.0, -9.81],
        "body": {"it": {**block, "incompressible": {"per": per}}}, "tool": {"floor": {"shape": "floor"}, "plate": plate},
    }  # fmt: skip
    if integrator == "implicit_euler":
        data["time"]["step"] = 2e-3
    compiled = compile_scene(read_scene(data))
    seen = Errors(compiled)
    history = simulate(compiled, observers=[seen]).history
    assert max(seen.found) < 1e-4
    assert np.abs(history["plate.force_z"]).max() > 1.0
    assert balance_error(history) < 1e-3


# ---- moduli


def stretched(own, axis, **more):
    """A pull by 1e-3 between rollers, slowly enough for dampers."""
    points = {1: "top", 2: "top"}[axis]
    move, letter = [0.0, 0.0, 0.0], "xyz"[axis]
    length = (own.counts[axis] - 1) * own.spacing
    move[axis] = 1e-3 * length
    pull = Drive(
        name="pull",
        body="it",
        points=points,
        axes=letter,
        times=(0.0, 1.0),
        displacement=((0, 0, 0), tuple(move)),
        interpolation="smooth",
    )
    scene = Scene(
        time=Time(end=3.0, frame=0.1),
        body={"it": own},
        fix=(Fix(body="it", points="bottom", axes=letter),),
        drive=(pull,),
        **more,
    )
    return simulate(scene).history[f"pull.force_{letter}"][-1]


SHEAR = {"type": "shear_volume", "shear_modulus": 100.0, "shear_viscosity": 20.0, "bulk_modulus": 0.0}


def test_youngs_modulus_is_three_shear_moduli():
    """Hirai 2005, eqs. (4.61)-(4.62): G = E/3 if nothing but shear is left."""
    own = Truss(counts=(3, 3, 4), spacing=0.1, density=30.0, elements=SHEAR, incompressible={"per": "body"})
    assert stretched(own, 2) / (0.2 * 0.2 * 1e-3) == pytest.approx(300.0, rel=2e-3)


@pytest.mark.parametrize("per", ["cell", "body"])
def test_in_a_plane_it_is_four(per):
    """Plane strain: the thickness cannot give way."""
    own = Sheet(counts=(4, 5), spacing=0.1, thickness=0.05, density=30.0, elements=SHEAR, incompressible={"per": per})
    assert stretched(own, 1) / (0.3 * 0.05 * 1e-3) == pytest.approx(400.0, rel=2e-3)


# ---- rules of mechanics


FAMILIES = {
    "links": {},
    "shear_volume": {"elements": SHEAR},
    "polyhedra": {"elements": {"type": "polyhedra", "k": 40.0, "D": 0.5}},
    "material": {"material": Material(density=1000.0, youngs_modulus=500.0, poisson=0.4, relaxation_time=2.0)},
}


def tumbling(compiled, seed=0):
    state = compiled.state
    rng, axes = np.random.default_rng(seed), compiled.model.bodies[0].dimension
    state.velocity[:, :axes] = 0.05 * rng.standard_normal((compiled.model.point_count, axes))
    spin = np.zeros((compiled.model.point_count, 3))
    spin[:, 0], spin[:, 1] = -state.position[:, 1], state.position[:, 0]
    state.velocity[:] += spin
    return compiled


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", ["alternating", "truss"])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_momenta_are_kept_and_energies_add_up(integrator, name, family):
    own = body(name, {"per": "cell", "rate": 100.0}, **FAMILIES[family])
    scene = Scene(time=Time(end=0.2, frame=0.02, step=2e-4, integrator=integrator, threads=1), body={"it": own})
    compiled = tumbling(compile_scene(scene))
    mass = compiled.model.point.mass[:, None]

    def momenta(state):
        return (mass * state.velocity).sum(axis=0), (mass * np.cross(state.position, state.velocity)).sum(axis=0)

    before = momenta(compiled.state)
    result = simulate(compiled)
    for one, two in zip(before, momenta(result.state), strict=True):
        if integrator == "semi_implicit_euler" or one is before[0]:  # the others keep angular momentum to their order
            np.testing.assert_allclose(two, one, atol=1e-8 if integrator == "implicit_euler" else 1e-12)
    assert balance_error(result.history) < (1e-5 if integrator == "rk4" else 2e-3)
    assert np.abs(result.history["energy.incompressible"]).max() > 0.0
    assert error(compiled, result.state) < 1e-5


def hanging(integrator="semi_implicit_euler", threads=1, per="cell", rate=None):
    """Two bodies, one of them flat, that hang and swing."""
    table = {"per": per} if rate is None else {"per": per, "rate": rate}
    bodies = {"block": body("truss", dict(table)), "sheet": body("alternating", dict(table), origin=(3.0, 0.0, 0.0))}
    fix = (Fix(body="block", points="left"), Fix(body="sheet", points="left"))
    time = Time(
        end=0.1, frame=0.01, step=2e-3 if integrator == "implicit_euler" else 2e-4, integrator=integrator, threads=threads
    )
    return Scene(time=time, gravity=(0.0, -9.81, -3.0), body=bodies, fix=fix)


class Seen:
    def __init__(self):
        self.states = []

    def observe(self, frame):
        self.states.append(frame.state.copy())


@pytest.mark.parametrize("integrator", [*EXPLICIT, "implicit_euler"])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_is_taken_up_bit_for_bit(integrator, threads):
    asked, seen = hanging(integrator, threads), Seen()
    whole = simulate(asked, observers=[seen]).state
    again = simulate(asked, start=(5, seen.states[5])).state
    assert all(block.tobytes() == again.blocks[name].tobytes() for name, block in whole.blocks.items())
    assert np.abs(whole.blocks["incompressible.pressure"]).max() > 0.0


@pytest.mark.parametrize("per", ["cell", "patch", "body"])
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "implicit_euler"])
def test_threads_agree(integrator, per):
    one, two = (simulate(hanging(integrator, threads=count, per=per)).state for count in (1, 2))
    np.testing.assert_allclose(two.points, one.points, rtol=0, atol=1e-8)


# ---- steps


def test_a_given_rate_bounds_the_step():
    """Semi-implicit Euler is stable up to w dt = 8**0.5 - 2, Runge's and Kutta's scheme up to 2.785; with a margin."""
    w = 1e4
    step = compile_scene(hanging(rate=w)).model.stable_step
    assert 0.7 * 0.8284 < w * step["semi_implicit_euler"] < 0.8284
    assert 0.7 * 2.785 < w * step["rk4"] < 2.785
    assert compile_scene(hanging()).model.stable_step["rk4"] > step["rk4"]


# ---- what people see


@pytest.mark.parametrize("name", ["braced", "truss"])
@pytest.mark.parametrize("per", ["cell", "patch", "body"])
def test_pressure_is_seen_in_the_stress(name, per):
    """Kirchhoff's: times the volume over that at rest. A flat body has it in its plane."""
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": body(name, per, elements=SHEAR)}))
    state = scaled(compiled, 1.1)
    state.blocks["incompressible.pressure"][:] = 500.0
    at_rest = state.copy()
    at_rest.blocks["incompressible.pressure"][:] = 0.0
    stress = Fields(compiled.model).stress(state) - Fields(compiled.model).stress(at_rest)
    axes = compiled.model.bodies[0].dimension
    expected = -500.0 * 1.1**axes * np.diag([1.0, 1.0, float(axes == 3)])
    np.testing.assert_allclose(stress, np.broadcast_to(expected, stress.shape), atol=1e-9)


def test_which_volume_is_to_blame():
    compiled = compile_scene(hanging())
    state = compiled.state.copy()
    count = constraints(compiled).groups[0].count
    state.blocks["incompressible.pressure"][count + 2] = np.nan
    assert constraints(compiled).blame(state) == ("sheet", "volume of cell 2")
    assert constraints(compiled).nbytes > 0


def test_a_rate_is_a_number_and_a_cell_is_not():
    compiled, new = compile_scene(hanging(rate=100.0)), hanging(rate=150.0)
    filled, fresh = refill(compiled, new), compile_scene(new)
    assert filled is not None
    assert filled.model is compiled.model
    assert filled.model.stable_step["rk4"] == fresh.model.stable_step["rk4"]
    one, two = simulate(filled).state, simulate(fresh).state
    assert all(block.tobytes() == two.blocks[name].tobytes() for name, block in one.blocks.items())
    assert refill(compiled, hanging(rate=100.0, per="body")) is None
    assert (
        refill(compiled, hanging(rate=100.0).model_copy(update={"body": {"block": body("truss"), "sheet": body("braced")}}))
        is None
    )


def test_a_scene_file_may_ask_for_it():
    text = {
        "time": {"end": 0.1},
        "body": {"it": {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.1, "mass": 1.0, "law": {"type": "voigt", "k": 1.0, "c": 1.0},
                        "incompressible": {"per": "body", "rate": 50.0}}},
    }  # fmt: skip
    compiled = compile_scene(read_scene(text))
    assert constraints(compiled).pattern.constraint_count == 1
    assert constraints(compiled).rest[0] == pytest.approx(0.008)


@pytest.mark.parametrize(
    ("shape", "table", "what"),
    [
        ("truss", {"rate": -1.0}, "must be > 0 1/s"),
        ("truss", {"per": "tetrahedron"}, "body.it.incompressible.per"),
        ("chain", {}, "incompressible must be left out"),
    ],
)
def test_what_cannot_be_is_refused(shape, table, what):
    counts = [3] if shape == "chain" else [3, 3, 3]
    text = {
        "time": {"end": 0.1},
        "body": {"it": {"shape": shape, "counts": counts, "spacing": 0.1, "mass": 1.0, "law": {"type": "voigt", "k": 1.0, "c": 1.0},
                        "incompressible": table}},
    }  # fmt: skip
    with pytest.raises(SceneError, match=what):
        compile_scene(read_scene(text))
