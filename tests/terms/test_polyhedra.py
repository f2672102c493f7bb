"""Elements that keep their shapes: rotations against the polar decomposition, forces against NumPy, momentum, energy, recovery."""

import warnings
from dataclasses import replace

import numba
import numpy as np
import pytest

import yawara.terms.polyhedra.term
from yawara import Lattice, Material, Scene, Sheet, Time, Truss, compile_scene, simulate
from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.kernels.rotation import ATAN, LINEAR, PLANE, POLAR, WORK, turn
from yawara.methods.fields import Fields
from yawara.methods.tangent import Tangent
from yawara.observe.energies import balance_error
from yawara.scene.refill import refill
from yawara.studies.cube_drop import CORNERS as CUBE
from yawara.studies.cube_drop import Cube, fall, rodrigues
from yawara.terms.polyhedra.constants import DEFORMING, PRINTED
from yawara.terms.polyhedra.elements import Group

AT_REST = (1.0, 0.0, 0.0, 0.0)
SCHEMES = ["semi_implicit_euler", "rk4", "implicit_euler"]


# ---- rotations


@numba.njit
def _turned(way, passes, s, q, rest2, work):
    return turn(way, passes, s, q, rest2, work)


def turned(way, passes, shape, place, q=AT_REST):
    """The rotation matrix of a shape at rest whose corners are at `place` now."""
    shape, place = shape - shape.mean(axis=0), place - place.mean(axis=0)
    s = tuple(float(value) for value in (shape.T @ place).ravel())
    w, x, y, z = _turned(way, passes, s, tuple(q), float((shape**2).sum()), np.zeros(WORK))
    assert w * w + x * x + y * y + z * z == pytest.approx(1.0, abs=1e-14)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip


def polar(shape, place):
    """The best proper rotation, by singular values."""
    shape, place = shape - shape.mean(axis=0), place - place.mean(axis=0)
    u, _, vt = np.linalg.svd(place.T @ shape)
    return u @ np.diag([1.0, 1.0, np.linalg.det(u) * np.linalg.det(vt)]) @ vt


F = np.array([[1.2, 0.1, 0.0], [0.0, 0.9, 0.2], [0.1, 0.0, 1.05]])
TURNED = CUBE @ (rodrigues(np.array([0.1, 0.2, 0.3])) @ F).T


@pytest.mark.parametrize(
    ("way", "errors"), [(LINEAR, (6.413619e-3, 6.213353e-7, 1e-14)), (ATAN, (8.574778e-4, 3.973497e-8, 4e-16))]
)
def test_a_deformed_cube_is_turned_as_by_the_polar_decomposition(way, errors):
    for passes, error in enumerate(errors, 1):
        off = np.abs(CUBE @ (turned(way, passes, CUBE, TURNED) - polar(CUBE, TURNED)).T).max()
        assert off == pytest.approx(error, rel=2e-6) if error > 1e-12 else off < 2e-13


def test_the_moment_that_is_left():
    """|sum r x R| of the printed passes."""
    for passes, left in enumerate((3.526780e-2, 4.173693e-6), 1):
        R = CUBE @ turned(LINEAR, passes, CUBE, TURNED).T
        assert np.linalg.norm(np.cross(TURNED, R).sum(axis=0)) == pytest.approx(left, rel=1e-6)


def test_the_polar_rotation_is_the_one_of_singular_values():
    expected = polar(CUBE, TURNED)
    axial = 0.5 * np.array([expected[2, 1] - expected[1, 2], expected[0, 2] - expected[2, 0], expected[1, 0] - expected[0, 1]])
    assert axial == pytest.approx([-0.00137688, 0.13602075, 0.25171248], abs=1e-8)
    np.testing.assert_allclose(turned(POLAR, 1, CUBE, TURNED), expected, atol=1e-14)


@pytest.mark.parametrize("seed", range(20))
def test_polar_finds_the_best_of_all_rotations_from_anywhere(seed):
    random = np.random.default_rng(seed)
    shape, place, q = random.standard_normal((9, 3)), random.standard_normal((9, 3)), random.standard_normal(4)
    np.testing.assert_allclose(turned(POLAR, 1, shape, place, q / np.linalg.norm(q)), polar(shape, place), atol=1e-12)


@pytest.mark.parametrize(("angle", "left"), [(0.05, 2.781e-5), (0.1, 2.231e-4), (0.2, 1.807e-3), (0.5, 3.086e-2)])
def test_one_printed_pass_turns_a_rigid_cube_by_the_tangent_of_the_angle(angle, left):
    """alpha m/k = (2/3) sin(tan phi - phi)"""
    axis = np.array([1.0, 2.0, -2.0]) / 3.0
    place = CUBE @ rodrigues(angle * axis).T
    moment = np.linalg.norm(np.cross(place, CUBE @ turned(LINEAR, 1, CUBE, place).T).sum(axis=0)) / (CUBE**2).sum()
    assert moment == pytest.approx(2 / 3 * np.sin(np.tan(angle) - angle), rel=1e-9)
    assert moment == pytest.approx(left, rel=1e-3)
    np.testing.assert_allclose(turned(ATAN, 1, CUBE, place), rodrigues(angle * axis), atol=1e-14)


@pytest.mark.parametrize(("strain", "angle", "printed", "atan"), [
    (0.0, 0.3, (7.6e-3, 2.2e-7, 1e-14), (1e-14, 1e-14, 1e-14)),
    (0.1, 0.1, (2.9e-4, 1.2e-9, 1e-14), (9.3e-5, 5.3e-11, 1e-14)),
    (0.3, 0.6, (6.9e-2, 2.5e-4, 2.7e-9), (1.1e-2, 2.4e-6, 3e-13)),
    (0.3, 1.0, (0.45, 5.4e-2, 1.5e-4), (3.5e-2, 2.3e-5, 2e-11)),
])  # fmt: skip
def test_medians_of_random_deformations(strain, angle, printed, atan):
    """Decades only: samples are others than those of the reference numbers."""
    random = np.random.default_rng(1)
    found = {LINEAR: [], ATAN: []}
    for _ in range(100):
        sym = random.uniform(-1.0, 1.0, (3, 3))
        axis = random.standard_normal(3)
        M = rodrigues(angle * axis / np.linalg.norm(axis))
        place = CUBE @ (M @ (np.eye(3) + 0.5 * strain * (sym + sym.T))).T
        best = polar(CUBE, place)
        for way, errors in found.items():
            errors.append([np.linalg.norm(turned(way, n, CUBE, place) - best) / np.linalg.norm(best) for n in (1, 2, 3)])
    for way, expected in ((LINEAR, printed), (ATAN, atan)):
        for median, reference in zip(np.median(found[way], axis=0), expected, strict=True):
            assert median < 3.0 * reference
            assert median > reference / 10.0 or reference < 1e-12


def test_the_printed_passes_do_not_converge_beyond_1_17_rad():
    place = CUBE @ rodrigues(np.array([0.0, 0.0, 1.4])).T
    assert np.abs(turned(LINEAR, 3, CUBE, place) - polar(CUBE, place)).max() > 0.5
    assert np.abs(turned(ATAN, 1, CUBE, place) - polar(CUBE, place)).max() < 1e-12


def test_flat_shapes_have_a_closed_form():
    """The angle of a 7-gon is that of its singular values; the plain arc tangent would take the opposite one."""
    random = np.random.default_rng(3)
    shape = np.append(random.standard_normal((7, 2)), np.zeros((7, 1)), axis=1)
    shape -= shape.mean(axis=0)
    G = np.zeros((3, 3))
    G[:2, :2] = rodrigues(np.array([0.0, 0.0, 2.5]))[:2, :2] @ [[1.3, 0.4], [-0.2, 0.7]]
    place = shape @ G.T
    num, den = (shape[:, 0] * place[:, 1] - shape[:, 1] * place[:, 0]).sum(), (shape[:, :2] * place[:, :2]).sum()
    u, _, vt = np.linalg.svd(place[:, :2].T @ shape[:, :2])
    M = u @ vt
    assert np.linalg.det(M) > 0.0
    found = turned(PLANE, 1, shape, place)
    assert np.arctan2(found[1, 0], found[0, 0]) == pytest.approx(np.arctan2(num, den), abs=1e-14)
    np.testing.assert_allclose(found[:2, :2], M, atol=1e-14)
    for angle in (0.0, 1.0, np.pi / 2, 3.0, np.pi, -2.0):
        turn = rodrigues(np.array([0.0, 0.0, angle or 1e-30]))
        np.testing.assert_allclose(turned(PLANE, 1, shape, shape @ turn.T), turn, atol=1e-14)


@pytest.mark.parametrize("way", [ATAN, LINEAR, POLAR])
@pytest.mark.parametrize("lost", [np.diag([0.0, 0.0, 1.0]), np.zeros((3, 3)), np.diag([1.0, 1.0, -1.0])])
def test_what_has_no_nearest_rotation_keeps_its_own(way, lost):
    """A line, a point, a mirror image."""
    np.testing.assert_allclose(turned(way, 2, CUBE, CUBE @ lost), np.eye(3), atol=1e-14)


@pytest.mark.parametrize(("passes", "mean", "most"), [(1, 0.29993, 0.51317), (2, 4.0364e-8, 8.307e-8)])
def test_a_cube_that_falls_and_tumbles(passes, mean, most):
    """Miyazaki et al. 1999, Table 1, in the first 0.3 s."""
    cube = Cube(edge=1.0, tilt=(0.5, 0.3, 0.2), restitution=0.8, friction=0.3)
    size, largest = fall(cube, 1e4, 0.006, LINEAR, passes, 0.3)
    assert (size.mean(), size.max(), largest) == pytest.approx((mean, most, 0.2867), rel=2e-4)


# ---- one cube in the package


def cube(k=1e4, D=0.0, **family):
    """Of 8 points of 1 kg, edge 1 m."""
    return Lattice(
        counts=(2, 2, 2), spacing=1.0, mass=8.0, mass_sharing="equal", elements={"type": "polyhedra", "k": k, "D": D, **family}
    )


def scene(body, end=1.0, step=1e-3, integrator="semi_implicit_euler", **more):
    return Scene(time=Time(end=end, frame=end / 4, step=step, integrator=integrator, **more), body={"body": body})


def run(compiled, state, **more):
    """From a state of our own; what one printed pass, or two schemes at large steps, do to the energy is looked at elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return simulate(replace(compiled, start=state.copy()), strict=False, **more)


def spinning(compiled, seed=0):
    """About 10 rad/s, with noise."""
    random, state = np.random.default_rng(seed), compiled.state.copy()
    state.velocity[...] = np.cross([4.0, 6.0, 7.0], state.position - state.position.mean(axis=0))
    state.velocity[...] += 0.1 * random.standard_normal(state.velocity.shape)
    return state


def momenta(state, mass=1.0):
    place = state.position - state.position.mean(axis=0)
    return mass * state.velocity.sum(axis=0), mass * np.cross(place, state.velocity - state.velocity.mean(axis=0)).sum(axis=0)


@pytest.mark.parametrize(("family", "step", "change"), [
    ({"rotation": "linear", "iterations": 1}, 1e-3, 3.2e-4),
    ({"rotation": "linear", "iterations": 2}, 1e-3, 0.0),
    ({"iterations": 1}, 1e-3, 0.0),
    ({}, 1e-3, 0.0),
    ({"rotation": "polar"}, 1e-3, 0.0),
    ({"rotation": "linear", "iterations": 1}, 6e-3, 7.5e-2),
    ({"rotation": "linear", "iterations": 2}, 6e-3, 0.0),
    ({}, 6e-3, 0.0),
    ({"D": 5.0}, 1e-3, 0.0),
    ({"D": 5.0, "damping_form": "printed"}, 1e-3, np.expm1(-5.0)),
])  # fmt: skip
def test_momentum_in_free_flight(family, step, change):
    """One printed pass spins a body up, and the printed damping brakes it: exp(-D t/m). Nothing else touches momentum."""
    compiled = compile_scene(scene(cube(**family), step=step))
    state = spinning(compiled)
    linear, angular = momenta(state)
    result = run(compiled, state).state
    now = momenta(result)
    np.testing.assert_allclose(now[0], linear, atol=1e-11)
    size = np.linalg.norm(now[1]) / np.linalg.norm(angular) - 1.0
    if change == 0.0:
        assert abs(size) < 1e-8
    else:
        assert size == pytest.approx(change, rel=0.35 if change > 0.0 else 2e-3)


FLAT = np.diag([1.0, 1.0, 0.0])
TILTED = rodrigues(np.array([0.3, 0.5, 0.1])) @ np.diag([1.0, 1.0, -0.5])
STATES = {
    "flat": FLAT,
    "flattened": np.diag([1.0, 1.0, 1e-3]),
    "inverted": np.diag([1.0, 1.0, -0.5]),
    "inverted and tilted": TILTED,
    "reflected": -np.eye(3),
    "mirrored": np.diag([1.0, 1.0, -1.0]),
    "line": np.diag([0.0, 0.0, 1.0]),
    "point": np.zeros((3, 3)),
    "random": None,
}


@pytest.mark.parametrize("rotation", ["atan", "linear", "polar"])
@pytest.mark.parametrize("name", STATES)
def test_a_cube_recovers_from_any_state(name, rotation):
    compiled = compile_scene(scene(cube(D=20.0, rotation=rotation), end=2.0))
    state = compiled.state.copy()
    state.position[...] -= 0.5
    lost = STATES[name]
    state.position[...] = state.position @ lost.T if lost is not None else np.random.default_rng(2).uniform(-1, 1, (8, 3))
    place = run(compiled, state).state.position
    rest = compiled.model.rest_position
    best = polar(rest, place)
    assert np.linalg.det((place - place.mean(axis=0)).T @ (rest - rest.mean(axis=0))) > 0.0
    off = np.abs(place - place.mean(axis=0) - (rest - rest.mean(axis=0)) @ best.T).max()
    # so far from all rotations, two passes leave a moment in the first steps: the cube turns, and is stretched by that
    assert off < (1e-7 if name != "random" or rotation == "polar" else 1e-2)


def test_a_square_recovers_from_any_state():
    body = Sheet(counts=(2, 2), spacing=1.0, mass=4.0, pattern="braced", elements={"type": "polyhedra", "k": 1e4, "D": 20.0})
    compiled = compile_scene(scene(body, end=2.0))
    for lost in (np.diag([1.0, 0.0, 1.0]), np.diag([1.0, -1.0, 1.0]), -np.eye(3), np.zeros((3, 3))):
        state = compiled.state.copy()
        state.position[...] = state.position @ lost
        place = run(compiled, state).state.position
        x, y = place[1] - place[0], place[2] - place[0]
        np.testing.assert_allclose([x @ x, y @ y, x @ y, x[0] * y[1] - x[1] * y[0]], [1.0, 1.0, 0.0, 1.0], atol=1e-7)


# ---- forces, energies, tangent


def reference(corners, rest, place, velocity, k, D, form):
    """Forces [N] of all elements, stored energy [J] and dissipated power [W], in plain NumPy."""
    force, stored, power = np.zeros_like(place), 0.0, 0.0
    for corner, kk, DD in zip(corners, k, D, strict=True):
        r, v = place[corner] - place[corner].mean(axis=0), velocity[corner] - velocity[corner].mean(axis=0)
        Ro = rest[corner] - rest[corner].mean(axis=0)
        d = r - Ro @ polar(Ro, r).T
        if form == DEFORMING:
            J = (r**2).sum() * np.eye(3) - r.T @ r
            v = v - np.cross(np.linalg.solve(J, np.cross(r, v).sum(axis=0)), r)
        force[corner] -= kk * d + DD * v
        stored, power = stored + 0.5 * kk * (d**2).sum(), power + DD * (v**2).sum()
    return force, stored, power


ODD = ([0, 1, 3, 4, 9, 10], [1, 2, 4, 10, 11], list(range(9, 27)), [13, 14, 16, 22, 25, 17, 26])  # a wedge, a pyramid, anything


@pytest.fixture
def odd_elements(monkeypatch):
    """Polyhedra with 5 to 18 corners in place of the cubes of a lattice."""
    size = np.array([900.0, 400.0, 1500.0, 700.0])

    def group_of(piece):
        corners = [np.array(corner, np.int64) + piece.offset for corner in ODD]
        return Group(corners, size, 1e-3 * size, np.full(4, 1e-3), POLAR, 1, FORM[0])

    FORM = [DEFORMING]
    monkeypatch.setattr(yawara.terms.polyhedra.term, "group_of", group_of)
    return FORM, size


@pytest.mark.parametrize("form", [DEFORMING, PRINTED])
def test_polyhedra_with_any_number_of_corners(odd_elements, form):
    odd_elements[0][0], k = form, odd_elements[1]
    body = Lattice(counts=(3, 3, 3), spacing=0.1, mass=2.7, elements={"type": "polyhedra", "k": 1.0})
    compiled = compile_scene(scene(body, step=1e-4))
    random, state = np.random.default_rng(5), compiled.state.copy()
    M = rodrigues(np.array([0.5, -1.0, 0.8]))
    state.position[...] = (state.position + 0.01 * random.standard_normal((27, 3))) @ M.T
    state.velocity[...] = random.standard_normal((27, 3))
    found = Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation
    rest, place, speed = compiled.model.rest_position, state.position, state.velocity
    force, stored, power = reference(ODD, rest, place, speed, k, 1e-3 * k, form)
    np.testing.assert_allclose(found.force[:27], force, atol=1e-11)
    assert (found.stored, found.dissipation) == pytest.approx((stored, power), rel=1e-12)


def shaken(compiled, seed=0, size=0.1, spacing=0.1):
    random, state = np.random.default_rng(seed), compiled.state.copy()
    state.position[...] += size * spacing * random.uniform(-1, 1, state.position.shape)
    state.velocity[...] = 0.2 * random.standard_normal(state.velocity.shape)
    if compiled.model.bodies[0].dimension == 2:
        state.position[:, 2] = state.velocity[:, 2] = 0.0
    return state


def soft(**more):
    return Material(density=1000.0, youngs_modulus=1e4, **more)


BODIES = {
    "lattice": lambda **more: Lattice(counts=(3, 3, 4), spacing=0.1, **more),
    "truss": lambda **more: Truss(counts=(4, 3, 3), spacing=0.1, **more),
    "sheet": lambda **more: Sheet(counts=(4, 4), spacing=0.1, pattern="alternating", **more),
    "braced": lambda **more: Sheet(counts=(4, 3), spacing=0.1, pattern="braced", **more),
}


def strained(compiled, e):
    state = compiled.state.copy()
    state.position[...] = compiled.model.rest_position @ (np.eye(3) + e)
    return state, Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.stored


def elements_of(compiled):
    return next(term for term in compiled.model.terms if term.name == "polyhedra").elements


STRETCH, SHEAR = np.diag([1.0, 0.0, 0.0]), np.array([[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]])


@pytest.mark.parametrize("strain", [STRETCH, SHEAR])
@pytest.mark.parametrize(("shape", "k"), [("lattice", 1e4 * 0.1 / 2), ("braced", 1e4 * 0.01)])
def test_affine_strain_has_young_s_modulus_and_no_poisson_s_ratio(shape, k, strain):
    """Stored: E/2 |e|^2 V; k = E L/2 of cubes, E t of squares. The stress is E e."""
    compiled = compile_scene(scene(BODIES[shape](material=soft(), elements="polyhedra")))
    assert elements_of(compiled).k == pytest.approx(k)
    np.testing.assert_allclose(elements_of(compiled).D, 0.01 * k)
    e, fields, body = 1e-5 * strain, Fields(compiled.model), compiled.model.bodies[0]
    state, stored = strained(compiled, e)
    assert stored == pytest.approx(0.5e4 * (e**2).sum() * body.share.sum(), rel=1e-4)
    np.testing.assert_allclose(fields.stress(state), np.broadcast_to(1e4 * e, (compiled.model.point_count, 3, 3)), atol=1e-4)
    np.testing.assert_allclose(
        fields.strain(state)[:, :2, :2], np.broadcast_to(e[:2, :2], (compiled.model.point_count, 2, 2)), atol=1e-9
    )


@pytest.mark.parametrize("shape", BODIES)
def test_stretches_along_all_directions_have_young_s_modulus_on_average(shape):
    """Means over the six axes of an icosahedron, and over five in a plane, are those over all directions for fourth powers."""
    compiled = compile_scene(scene(BODIES[shape](material=soft(), elements="polyhedra")))
    golden, body = (1.0 + np.sqrt(5.0)) / 2.0, compiled.model.bodies[0]
    if body.dimension == 3:
        axes = np.array(
            [(0, 1, s * golden) for s in (1, -1)] + [(1, s * golden, 0) for s in (1, -1)] + [(s * golden, 0, 1) for s in (1, -1)]
        )
    else:
        axes = np.array([(np.cos(angle), np.sin(angle), 0.0) for angle in np.pi * np.arange(5) / 5])
    axes = axes / np.linalg.norm(axes, axis=1)[:, None]
    mean = np.mean([strained(compiled, 1e-5 * np.outer(axis, axis))[1] for axis in axes])
    assert mean == pytest.approx(0.5e4 * 1e-10 * body.share.sum(), rel=1e-4)


@pytest.mark.parametrize("shape", BODIES)
@pytest.mark.parametrize("integrator", SCHEMES)
def test_energies_add_up(shape, integrator):
    body = BODIES[shape](material=soft(), elements="polyhedra")
    compiled = compile_scene(scene(body, end=0.1, step=2e-4 if integrator != "rk4" else 1e-3, integrator=integrator))
    result = run(compiled, shaken(compiled))
    assert balance_error(result.history) < 3e-3
    assert result.history["energy.dissipated"][-1] > 0.1 * result.history["energy.stored"][0]


@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize("shape", ["lattice", "truss"])
def test_momenta_of_bodies(shape, integrator):
    compiled = compile_scene(
        scene(BODIES[shape](material=soft(), elements="polyhedra"), end=0.05, step=5e-4, integrator=integrator)
    )
    state, mass = shaken(compiled), compiled.model.point.mass[:, None]

    def both(one):
        return np.append((mass * one.velocity).sum(axis=0), np.cross(one.position, mass * one.velocity).sum(axis=0))

    before, size = both(state), np.abs(mass * state.velocity).sum()
    after = both(run(compiled, state).state)
    np.testing.assert_allclose(after[:3], before[:3], atol=1e-9 * size)
    if integrator != "implicit_euler":  # which turns along chords
        np.testing.assert_allclose(after[3:], before[3:], atol=1e-7 * size)


@pytest.mark.parametrize("integrator", SCHEMES)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_run_is_taken_up_bit_for_bit(integrator, threads):
    body = BODIES["lattice"](material=soft(), elements="polyhedra")
    compiled = compile_scene(scene(body, end=0.04, step=5e-4, integrator=integrator, threads=threads))
    start, seen = shaken(compiled), []

    class Seen:
        def observe(self, frame):
            seen.append(frame.state.copy())

    whole = run(compiled, start, observers=[Seen()]).state
    again = run(compiled, start, start=(2, seen[2])).state
    assert all(block.tobytes() == again.blocks[name].tobytes() for name, block in whole.blocks.items())
    assert np.abs(whole.blocks["polyhedra.turned"]).max() > 1e-3


@pytest.mark.parametrize("integrator", SCHEMES)
def test_threads_agree(integrator):
    found = []
    for threads in (1, 2):
        body = BODIES["truss"](material=soft(), elements="polyhedra")
        compiled = compile_scene(scene(body, end=0.04, step=5e-4, integrator=integrator, threads=threads))
        found.append(run(compiled, shaken(compiled)).state)
    np.testing.assert_allclose(found[1].points, found[0].points, rtol=0, atol=1e-10)


@pytest.mark.parametrize(("counts", "factor"), [((2, 2, 2), 2.0), ((3, 3, 3), 0.7705), ((4, 4, 4), 0.7250)])
def test_the_stable_step(counts, factor):
    """2/sqrt(k/m) of one cube; of lattices with equal masses, lambda = 6.74 k/m and 7.61 k/m."""
    body = Lattice(
        counts=counts, spacing=0.1, mass=float(np.prod(counts)), mass_sharing="equal", elements={"type": "polyhedra", "k": 1e4}
    )
    step = compile_scene(scene(body, step=None)).model.stable_step["semi_implicit_euler"]
    assert 0.75 * factor / 100.0 < step < 0.81 * factor / 100.0


@pytest.mark.parametrize("shape", BODIES)
def test_the_tangent_at_rest_is_k_times_what_is_no_rigid_motion(shape):
    """Its matrix is that of finite differences, and has no negative eigenvalue."""
    compiled = compile_scene(scene(BODIES[shape](material=soft(retardation_time=0.0), elements="polyhedra")))
    ahead, count = 0.01, compiled.model.point_count
    B = Tangent(compiled.model).at(compiled.state, ahead).sparse.toarray()
    values = np.linalg.eigvalsh(0.5 * (B + B.T))
    k = next(term for term in compiled.model.terms if term.name == "polyhedra").elements.k
    assert values.min() > -1e-9 * values.max()
    assert values.max() < 8.001 * ahead * k.max() * (3 if shape == "truss" else 1)
    np.testing.assert_allclose(B, B.T, atol=1e-9 * values.max())
    size, columns = 1e-6, np.random.default_rng(0).choice(3 * count, 6)
    for column in columns:
        forces = []
        for sign in (1.0, -1.0):
            state = compiled.state.copy()
            state.position[column // 3, column % 3] += sign * size
            forces.append(
                Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force[:count].ravel()
            )
        np.testing.assert_allclose(ahead * (forces[1] - forces[0]) / (2 * size), B[:, column], atol=1e-6 * values.max())


# ---- scenes


def test_material_and_coefficients_of_their_own():
    with pytest.raises(SceneError, match="coefficients of their own"):
        Lattice(counts=(2, 2, 2), spacing=0.1, material=soft(), elements={"type": "polyhedra", "k": 10.0})
    with pytest.raises(SceneError, match="D must be given together with k"):
        Lattice(counts=(2, 2, 2), spacing=0.1, material=soft(), elements={"type": "polyhedra", "D": 10.0})
    with pytest.raises(SceneError, match="exactly one of density"):
        Lattice(counts=(2, 2, 2), spacing=0.1, elements={"type": "polyhedra", "k": 10.0})
    with pytest.raises(SceneError, match="iterations"):
        Lattice(counts=(2, 2, 2), spacing=0.1, mass=1.0, elements={"type": "polyhedra", "k": 10.0, "iterations": 4})


@pytest.mark.parametrize(("body", "what"), [
    (lambda: BODIES["truss"](material="wheat_dough", elements="polyhedra"), "must not flow"),
    (lambda: BODIES["truss"](material=soft(poisson=0.4), elements="polyhedra"), "poisson must be left out"),
    (lambda: yawara.Chain(counts=(4,), spacing=0.1, mass=1.0, elements={"type": "polyhedra", "k": 1.0}), "which has no cells"),
    (
        lambda: BODIES["truss"](mass=1.0, elements={"type": "polyhedra", "k": 1.0}, region={"a": {"links": "core", "material": soft()}}),
        "must be left out with elements.k",
    ),
])  # fmt: skip
def test_bodies_that_cannot_be(body, what):
    with pytest.raises(SceneError, match=what):
        compile_scene(scene(body()))


@pytest.mark.parametrize("shape", ["lattice", "braced", "truss"])
def test_regions_have_materials_of_their_own(shape):
    box = {"min": [-1.0, -1.0, -1.0], "max": [0.5, 1.0, 1.0]}
    hard = Material(density=1000.0, youngs_modulus=3e4, retardation_time=0.02)
    counts = (5, 3, 3) if shape != "braced" else (5, 3)
    body = BODIES[shape](material=soft(), elements="polyhedra")
    body = body.model_copy(
        update={
            "counts": counts,
            "region": {"hard": yawara.scene.bodies.Region(links={"min": (-1, -1, -1), "max": (0.2, 1, 1)}, material=hard)},
        }
    )
    term = next(term for term in compile_scene(scene(body)).model.terms if term.name == "polyhedra")
    elements = term.elements
    middle = np.add.reduceat(compile_scene(scene(body)).model.rest_position[elements.corner], elements.first[:-1].astype(int))
    middle /= np.diff(elements.first.astype(int))[:, None]
    ratio = elements.D / elements.k
    assert ratio[middle[:, 0] < 0.2] == pytest.approx(0.02)
    assert ratio[middle[:, 0] > 0.2] == pytest.approx(0.01)
    assert box


def test_new_numbers_without_building():
    materials = soft(), Material(density=900.0, youngs_modulus=4e4)
    old, new = (scene(BODIES["lattice"](material=one, elements="polyhedra"), end=0.02) for one in materials)
    compiled, fresh = compile_scene(old), compile_scene(new)
    filled = refill(compiled, new)
    assert filled is not None
    assert filled.model.stable_step["rk4"] == fresh.model.stable_step["rk4"]
    start = shaken(fresh)
    one, two = (run(each, start).state for each in (filled, fresh))
    assert all(block.tobytes() == two.blocks[name].tobytes() for name, block in one.blocks.items())


def test_blame_and_checks():
    compiled = compile_scene(scene(cube()))
    term, state = compiled.model.terms[0], compiled.state.copy()
    assert list(term.wrong(state)) == []
    state.blocks["polyhedra.turned"][0, 1] = 0.5
    assert [name for name, _ in term.wrong(state)] == ["turned"]
    state.blocks["polyhedra.turned"][0, 1] = np.nan
    assert term.blame(state) == ("body", "element with the points 0, 1, 3, 2, 4, 5, 7, 6")
