"""Shear and volume elements: reference numbers, objectivity, conservation, energies, what each form can and cannot do."""

import numpy as np
import pytest
import reference_shear as slow
from scipy.spatial.transform import Rotation

from yawara import Drive, Fix, Lattice, Material, Scene, Sheet, Time, Truss, compile_scene, simulate
from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.methods.fields import Fields
from yawara.methods.tangent import Tangent
from yawara.observe.energies import balance_error
from yawara.scene.bodies.from_cells import geometry_of_cells
from yawara.scene.file import read_scene
from yawara.scene.refill import refill

TRIANGLE = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
EQUILATERAL = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 0.75**0.5]])
CORNER = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
REGULAR = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, -1.0, 1.0], [-1.0, 1.0, -1.0]]) / 8**0.5
TRIANGLES = ("printed", "cot", "deviatoric")


@pytest.fixture
def cell(monkeypatch):
    """A body of one cell, or of any; compiled, with the elements asked for."""

    def build(position, cells=None, **options):
        flat = np.shape(position)[1] == 2
        padded = np.zeros((len(position), 3))
        padded[:, : np.shape(position)[1]] = position
        cells = np.arange(len(position))[None] if cells is None else np.asarray(cells)
        shape = Sheet if flat else Truss
        monkeypatch.setattr(shape, "geometry", lambda body: geometry_of_cells(padded, cells, thickness=1.0))
        counts = (2, 2) if flat else (2, 2, 2)
        table = {"type": "shear_volume", "shear_modulus": 1.0, "bulk_modulus": 0.0, **options}
        return compile_scene(Scene(time=Time(end=1.0), body={"it": shape(counts=counts, spacing=1.0, mass=1.0, elements=table)}))

    return build


def evaluation(compiled, position=None, F=None, velocity=None):
    state = compiled.state.copy()
    if F is not None:
        position = compiled.model.rest_position[:, : len(F)] @ np.array(F).T
    state.position[:, : np.shape(position)[1]] = position
    if velocity is not None:
        state.velocity[:, : np.shape(velocity)[1]] = velocity
    return Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation


def force_of(compiled, **at):
    force = evaluation(compiled, **at).force
    return force[:, :2] if np.abs(force[:, 2]).max() == 0.0 else force


S1 = {
    "deviatoric": (0.04744074, 0.04769042, 0.00249688, -0.05018731, -0.04993762, 0.00249688),
    "cot": (0.040725, 0.0411775, 0.002275, -0.0432025, -0.043, 0.002025),
    "printed": (0.0255, 0.03, 0.0855, -0.12, -0.111, 0.09),
}
S2 = {
    "deviatoric": (0.05, -0.055, -0.05, 0, 0, 0.055),
    "cot": (0.04151014, -0.05022727, -0.04378287, 0.00206612, 0.00227273, 0.04816116),
    "printed": (0.08, -0.07045455, -0.085, 0.00454545, 0.005, 0.06590909),
}


@pytest.mark.parametrize("form", TRIANGLES)
def test_forces_of_a_sheared_and_of_a_stretched_triangle(cell, form):
    compiled = cell(TRIANGLE, form=form)
    np.testing.assert_allclose(force_of(compiled, F=[[1, 0.1], [0, 1]]).ravel(), S1[form], atol=6e-9)
    np.testing.assert_allclose(force_of(compiled, F=[[1.1, 0], [0, 1]]).ravel(), S2[form], atol=6e-9)


def test_forces_of_both_at_once(cell):
    F = [[1.1, 0.2], [0.05, 0.9]]
    expected = (0.1981622, 0.00143347, -0.07472762, -0.12726756, -0.12343458, 0.12583409)
    np.testing.assert_allclose(force_of(cell(TRIANGLE), F=F).ravel(), expected, atol=6e-9)
    volume = cell(TRIANGLE, shear_modulus=0.0, bulk_modulus=1.0)
    np.testing.assert_allclose(force_of(volume, F=F).ravel(), (-0.0085, -0.009, 0.009, -0.002, -0.0005, 0.011), atol=1e-12)
    stretched = force_of(volume, F=[[1.1, 0], [0, 1]]).ravel()
    np.testing.assert_allclose(stretched, (0.05, 0.055, -0.05, 0, 0, -0.055), atol=1e-12)


def test_forces_of_a_tetrahedron(cell):
    compiled = cell(CORNER)
    F = np.eye(3)
    F[0, 1] = 0.1
    expected = [0.01595238, 0.01602173, -0.0002776, 0.00069349, -0.01671522, 0, -0.01664587, 0.00069349, 0, 0, 0, 0.0002776]
    np.testing.assert_allclose(force_of(compiled, F=F).ravel(), expected, atol=6e-9)
    stretched = force_of(compiled, F=np.diag([1.1, 1.0, 1.0])).ravel()
    expected = [0.02222222, -0.01222222, -0.01222222, -0.02222222, 0, 0, 0, 0.01222222, 0, 0, 0, 0.01222222]
    np.testing.assert_allclose(stretched, expected, atol=6e-9)


def square(**options):
    table = {"type": "shear_volume", "form": "printed", "shear_modulus": 1.0, "bulk_modulus": 0.0, **options}
    return Sheet(counts=(2, 2), spacing=1.0, thickness=1.0, pattern="braced", mass=1.0, elements=table)


def test_a_square_has_its_shear_modulus_exactly():
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": square()}))
    g = 1e-4
    force = force_of(compiled, F=[[1, g], [0, 1]])
    np.testing.assert_allclose(force[0] / g, (0.50005, 0.5), atol=1e-9)
    for g, normal in ((1e-4, 2e-8), (0.3, 0.18)):
        force = force_of(compiled, F=[[1, g], [0, 1]])
        x = compiled.model.rest_position[:, :2] @ np.array([[1, g], [0, 1]]).T
        np.testing.assert_allclose(-force.T @ x, [[normal, g], [g, 0.0]], atol=1e-12)
    assert np.abs(force_of(compiled, F=np.diag([2.0, 0.5]))).max() < 1e-14  # a rectangle of the same area


S7 = [
    ((1.0, 1.0, 10.0), 0.0633736, 0.0542827, 0.0218700, 0.0759430),
    ((1.0, 1.0, 1e5), 0.1099929, 0.0999930, 0.0999830, 1.59985e-5),
    ((0.0, 5.0, 5.0), 0.025, 0.0, 0.0, 0.1),
]


@pytest.mark.parametrize(("law", "before", "after", "end", "residual"), S7)
def test_a_sheared_square_creeps_like_three_elements(law, before, after, end, residual):
    """0.01 /s for 10 s, then held for 10 s."""
    elements = dict(zip(("shear_modulus", "shear_viscosity", "shear_flow"), law, strict=True))
    top = Drive(name="top", body="it", points="top", times=(0.0, 10.0), displacement=((0, 0, 0), (0.1, 0, 0)))
    scene = Scene(
        time=Time(end=20.0, frame=1.0, step=1e-2, integrator="rk4"), body={"it": square(**elements)}, drive=(top,),
        fix=(Fix(body="it", points="bottom"),), output={"energies": True},
    )  # fmt: skip
    result = simulate(scene)
    force = {round(float(t)): f for t, f in zip(result.history["time"], result.history["top.force_x"], strict=True)}
    assert force[20] == pytest.approx(end, abs=2e-7)
    assert min(abs(force[10] - one) for one in (before, after)) < 2e-7  # a frame at the corner of the drive may have either speed
    flowed = result.state.blocks["printed_corners.internal"]
    if law[0] == 0.0:  # the first damper has the other half, and no spring to take it back
        residual *= 0.5
    assert np.abs(flowed).max() == pytest.approx(residual, abs=1e-6 * residual + 1e-9)
    assert balance_error(result.history) < 1e-4


# ---- beside the slow version


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", TRIANGLES)
def test_triangles_agree_with_the_slow_version(cell, form, seed):
    rng = np.random.default_rng(seed)
    X = EQUILATERAL + 0.2 * rng.standard_normal((3, 2))
    x = X + 0.15 * rng.standard_normal((3, 2))
    expected = getattr(slow, form)(X, x)
    np.testing.assert_allclose(force_of(cell(X, form=form), position=x), expected, atol=1e-8)
    pressure = force_of(cell(X, shear_modulus=0.0, bulk_modulus=1.0), position=x)
    np.testing.assert_allclose(pressure, slow.volume(X, x), atol=1e-12)


@pytest.mark.parametrize("inverted", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_deviatoric_cells_agree_inside_out_as_well(cell, seed, inverted):
    rng = np.random.default_rng(seed)
    for X in (EQUILATERAL, REGULAR):
        x = X + 0.2 * rng.standard_normal(X.shape)
        if inverted:
            x = x * np.array([-1.0, 1.0, 1.0][: X.shape[1]])
        np.testing.assert_allclose(force_of(cell(X), position=x), slow.deviatoric(X, x), atol=1e-12)
        np.testing.assert_allclose(
            force_of(cell(X, shear_modulus=0.0, bulk_modulus=1.0), position=x), slow.volume(X, x), atol=1e-12
        )


HEXAHEDRON = ((0, 1, 3, 4), (1, 2, 0, 5), (2, 3, 1, 6), (3, 0, 2, 7), (4, 7, 5, 0), (5, 4, 6, 1), (6, 5, 7, 2), (7, 6, 4, 3))
TETRAHEDRON = ((0, 1, 2, 3), (1, 2, 0, 3), (2, 0, 1, 3), (3, 1, 0, 2))


@pytest.mark.parametrize("reaction", ["line", "thirds"])
def test_printed_corners_in_space_agree_with_the_slow_version(cell, reaction):
    rng = np.random.default_rng(1)
    x = REGULAR + 0.05 * rng.standard_normal((4, 3))
    force = force_of(cell(REGULAR, form="printed", reaction=reaction), position=x)
    np.testing.assert_allclose(force, slow.printed_solid(REGULAR, x, TETRAHEDRON, reaction), atol=1e-12)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": cube(form="printed", reaction=reaction)}))
    X, order = compiled.model.rest_position, [0, 1, 3, 2, 4, 5, 7, 6]
    x = X + 0.1 * rng.standard_normal((8, 3))
    expected = np.zeros((8, 3))
    expected[order] = slow.printed_solid(X[order], x[order], HEXAHEDRON, reaction)
    np.testing.assert_allclose(force_of(compiled, position=x), expected, atol=1e-12)


def cube(**options):
    table = {"type": "shear_volume", "shear_modulus": 1.0, "bulk_modulus": 0.0, **options}
    return Lattice(counts=(2, 2, 2), spacing=1.0, mass=1.0, elements=table)


# ---- moduli


def moduli_2d(compiled, X):
    strains = [np.diag([1.0, 0.0]), np.diag([0.0, 1.0]), np.array([[0.0, 0.5], [0.5, 0.0]])]
    found = slow.tangent_moduli(lambda _, x: force_of(compiled, position=x), X, strains)
    return np.array([[s[0, 0], s[1, 1], 0.5 * (s[0, 1] + s[1, 0])] for s in found]).T


@pytest.mark.parametrize(
    ("X", "expected"),
    [
        (TRIANGLE, [[1.5, -1.5, -2], [-1.5, 1.5, -2], [0, 0, 2.5]]),
        (EQUILATERAL, [[1.5, -1.5, 0], [-1.5, 1.5, 0], [0, 0, 1.5]]),
    ],
)
def test_printed_triangles_do_not_have_their_shear_modulus(cell, X, expected):
    np.testing.assert_allclose(moduli_2d(cell(X, form="printed"), X), expected, atol=1e-7)


@pytest.mark.parametrize("form", ["cot", "deviatoric"])
@pytest.mark.parametrize("seed", range(2))
def test_repaired_triangles_have_it_whatever_their_shape(cell, form, seed):
    X = EQUILATERAL + 0.2 * np.random.default_rng(seed).standard_normal((3, 2))
    np.testing.assert_allclose(moduli_2d(cell(X, form=form), X), [[1, -1, 0], [-1, 1, 0], [0, 0, 1]], atol=1e-7)


def moduli_3d(compiled, X, volume):
    strains = [np.zeros((3, 3)) for _ in range(3)]
    strains[0][0, 0] = strains[1][1, 1] = 1.0
    strains[2][0, 1] = strains[2][1, 0] = 0.5
    found, h = [], 1e-6
    for e in strains:
        pair = []
        for sign in (1, -1):
            x = X @ (np.eye(3) + sign * h * e).T
            pair.append(-force_of(compiled, position=x).T @ x / volume)
        found.append((pair[0] - pair[1]) / (2 * h))
    return found[0][0, 0], found[1][0, 0], 0.5 * (found[2][0, 1] + found[2][1, 0])


@pytest.mark.parametrize("X", [CORNER, REGULAR])
def test_moduli_of_tetrahedra(cell, X):
    volume = slow.size(X)
    found = moduli_3d(cell(X), X, abs(volume))
    np.testing.assert_allclose(found, (4 / 3, -2 / 3, 1.0), atol=1e-6)
    if X is REGULAR:
        found = moduli_3d(cell(X, form="printed", reaction="thirds"), X, abs(volume))
        assert found[0] == pytest.approx(2.541241, abs=2e-6)


@pytest.mark.parametrize(("reaction", "shear"), [("line", 1.0), ("thirds", 2 / 3)])
def test_a_printed_cube_has_its_shear_modulus_if_reactions_have_no_torque(reaction, shear):
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": cube(form="printed", reaction=reaction)}))
    X = compiled.model.rest_position
    for axes in ([0, 1, 2], [1, 2, 0], [2, 0, 1]):
        e = np.zeros((3, 3))
        e[axes[0], axes[1]] = e[axes[1], axes[0]] = 0.5e-6
        x = X @ (np.eye(3) + e).T
        stress = -force_of(compiled, position=x).T @ x / 1e-6
        assert stress[axes[0], axes[1]] == pytest.approx(shear, abs=1e-5)


def cycle_work(compiled, a, isotropic, shear):
    """Of the forces on a closed path of strain: F = 1 + a (isotropic, shear)."""
    t = np.linspace(0.0, 2 * np.pi, 1201)
    F = [
        np.eye(2) * (1 + a * p) + a * q * np.array([[0.0, 1.0], [1.0, 0.0]]) for p, q in zip(isotropic(t), shear(t), strict=True)
    ]
    x, f = np.array([TRIANGLE @ one.T for one in F]), np.array([force_of(compiled, F=one) for one in F])
    return float(np.sum(0.5 * (f[1:] + f[:-1]) * np.diff(x, axis=0)))


def test_a_closed_cycle_of_strain_does_work_in_the_printed_form(cell):
    """a = 0.02 on the right triangle: the force has no potential."""
    assert abs(cycle_work(cell(TRIANGLE, form="printed"), 0.02, np.cos, np.sin)) == pytest.approx(5.0305e-3, abs=1e-7)
    assert abs(cycle_work(cell(TRIANGLE, form="cot"), 0.02, np.cos, np.sin)) < 1e-8


def test_the_deviatoric_form_does_work_of_third_order_only(cell):
    """G V (1 + 3 a sin 2t) d(e^2): 3 pi a^3 over the cycle."""
    compiled = cell(TRIANGLE)
    for a in (0.02, 0.01):
        work = cycle_work(compiled, a, lambda t: np.sin(2 * t), np.sin)
        assert abs(work) == pytest.approx(3 * np.pi * a**3, rel=0.1)


# ---- rules of mechanics


BODIES = {
    "printed triangles": (Sheet, {"pattern": "alternating"}, "printed"),
    "printed squares": (Sheet, {"pattern": "braced"}, "printed"),
    "cot": (Sheet, {"pattern": "triangles"}, "cot"),
    "deviatoric triangles": (Sheet, {"pattern": "braced"}, "deviatoric"),
    "deviatoric tetrahedra": (Truss, {}, "deviatoric"),
    "printed cubes": (Lattice, {}, "printed"),
}


def body(name, **options):
    shape, more, form = BODIES[name]
    counts = (4, 3) if shape is Sheet else (3, 3, 3)
    table = {
        "type": "shear_volume", "form": form, "shear_modulus": 1e3, "shear_viscosity": 2.0, "shear_flow": 100.0,
        "bulk_modulus": 5e3, "bulk_viscosity": 3.0,
    }  # fmt: skip
    return shape(counts=counts, spacing=0.01, density=1000.0, elements=table, **more, **options)


@pytest.mark.parametrize("name", BODIES)
def test_a_rigid_motion_needs_no_force(name):
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": body(name)}))
    X, flat = compiled.model.rest_position, compiled.model.bodies[0].dimension == 2
    for angle in (0.5 * np.pi, 2.5, np.pi):
        R = Rotation.from_rotvec([0, 0, angle] if flat else np.array([1.0, 2.0, 2.0]) / 3 * angle).as_matrix()
        omega = np.array([0.0, 0.0, 3.0])
        x = X @ R.T + np.array([0.1, 0.2, 0.0])
        force = evaluation(compiled, position=x, velocity=np.array([1.0, 0.0, 0.0]) + np.cross(omega, x)).force
        assert np.abs(force).max() < 1e-9


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
@pytest.mark.parametrize("name", BODIES)
def test_momenta_and_energies_add_up(name, integrator):
    scene = Scene(
        time=Time(end=0.02, frame=0.005, step=2e-5 if integrator != "implicit_euler" else 1e-4, integrator=integrator),
        body={"it": body(name)},
    )
    compiled = compile_scene(scene)
    rng = np.random.default_rng(0)
    flat, state = compiled.model.bodies[0].dimension == 2, compiled.state
    state.velocity[:, : 2 if flat else 3] = 0.1 * rng.standard_normal((compiled.model.point_count, 2 if flat else 3))
    mass = compiled.model.point.mass

    def momenta(state):
        return mass @ state.velocity, mass @ np.cross(state.position, state.velocity)

    before = momenta(state.copy())
    result = simulate(compiled)
    for one, two in zip(before, momenta(result.state), strict=True):
        np.testing.assert_allclose(
            two, one, atol=3e-4 * np.abs(mass).sum() * 0.1 * (1 if integrator == "implicit_euler" else 1e-3)
        )
    assert balance_error(result.history) < 5e-3


@pytest.mark.parametrize("name", BODIES)
def test_threads_agree_and_runs_are_taken_up(name):
    def scene(threads):
        time = Time(end=0.004, frame=0.001, step=2e-5, threads=threads)
        return Scene(time=time, body={"it": body(name, velocity=(0.1, 0.0, 0.0))}, fix=(Fix(body="it", points="bottom"),))

    states = []

    class Seen:
        def observe(self, frame):
            states.append(frame.state.copy())

    one, two = simulate(scene(1), observers=[Seen()]).state, simulate(scene(2)).state
    np.testing.assert_allclose(two.points, one.points, rtol=0, atol=1e-12)
    again = simulate(scene(1), start=(2, states[2])).state
    assert all(block.tobytes() == again.blocks[key].tobytes() for key, block in one.blocks.items())


@pytest.mark.parametrize("name", BODIES)
def test_the_stable_step_is_neither_too_long_nor_far_too_short(name):
    """Springs alone: the highest frequency from differences of forces at rest."""
    shape, more, form = BODIES[name]
    table = {"type": "shear_volume", "form": form, "shear_modulus": 1e3, "bulk_modulus": 5e3}
    own = shape(counts=(4, 3) if shape is Sheet else (3, 3, 3), spacing=0.01, density=1000.0, elements=table, **more)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": own}))
    X, columns, h = compiled.model.rest_position, [], 1e-8
    axes = 2 if shape is Sheet else 3
    for place in np.ndindex(len(X), axes):
        step = np.zeros_like(X)
        step[place] = h
        columns.append(
            (evaluation(compiled, position=X - step).force - evaluation(compiled, position=X + step).force)[:, :axes].ravel()
        )
    K = np.array(columns).T / (2 * h)
    mass = np.repeat(compiled.model.point.mass, axes)
    limit = 2.0 / np.sqrt(np.abs(np.linalg.eigvals(K / mass[:, None])).max())
    assert 0.35 * limit < compiled.model.stable_step["semi_implicit_euler"] < limit


@pytest.mark.parametrize("name", BODIES)
def test_the_tangent_is_symmetric_and_never_negative(name):
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": body(name)}))
    state = compiled.state.copy()
    axes = compiled.model.bodies[0].dimension
    state.position[:, :axes] += 1e-3 * np.random.default_rng(0).standard_normal((compiled.model.point_count, axes))
    B = Tangent(compiled.model).at(state, 1e-3).sparse.toarray()
    np.testing.assert_allclose(B, B.T, atol=1e-9 * np.abs(B).max())
    assert np.linalg.eigvalsh(B).min() > -1e-9 * np.abs(B).max()


def test_stress_of_an_even_strain():
    material = Material(density=1000.0, youngs_modulus=1e4, poisson=0.4)
    own = Truss(counts=(4, 4, 4), spacing=0.01, material=material, elements="shear_volume")
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": own}))
    state = compiled.state.copy()
    e = 1e-5
    state.position[:] = compiled.model.rest_position * (1.0 + e * np.array([1.0, -0.4, -0.4]))
    stress = Fields(compiled.model).stress(state)
    np.testing.assert_allclose(stress, np.broadcast_to(np.diag([1e4 * e, 0.0, 0.0]), stress.shape), atol=1e-4 * 1e4 * e)
    np.testing.assert_allclose(Fields(compiled.model).strain(state)[:, 0, 0], e, rtol=1e-3)


def test_a_material_takes_new_numbers():
    def scene(young):
        material = Material(density=1000.0, youngs_modulus=young, poisson=0.4, relaxation_time=1.0)
        own = Sheet(counts=(4, 4), spacing=0.01, material=material, elements="shear_volume", velocity=(0.1, 0.0, 0.0))
        return Scene(time=Time(end=0.01, frame=0.005), body={"it": own}, fix=(Fix(body="it", points="bottom"),))

    compiled = compile_scene(scene(1e4))
    filled, fresh = refill(compiled, scene(3e4)), compile_scene(scene(3e4))
    assert filled is not None
    assert filled.model is compiled.model
    assert filled.model.stable_step["rk4"] == fresh.model.stable_step["rk4"]
    np.testing.assert_array_equal(simulate(filled).state.points, simulate(fresh).state.points)


def test_without_viscosity_only_the_form_with_a_potential_keeps_its_energy():
    """What the deviatoric form gives is on its account: it was not stored, and did not come from the scheme."""
    taken = {}
    for form in ("cot", "deviatoric"):
        table = {"type": "shear_volume", "form": form, "shear_modulus": 1e3, "bulk_modulus": 3e3}
        own = Sheet(counts=(5, 5), spacing=0.01, density=1000.0, pattern="alternating", elements=table)
        compiled = compile_scene(Scene(time=Time(end=2.0, frame=0.1, step=2e-4, integrator="rk4"), body={"it": own}))
        compiled.state.velocity[:, :2] = 0.1 * np.random.default_rng(0).standard_normal((25, 2))
        history = simulate(compiled).history
        taken[form] = float(np.abs(history["energy.shear_volume"]).max() / history["energy.kinetic"][0])
        assert balance_error(history) < 1e-3
    assert taken["cot"] < 1e-10
    assert taken["deviatoric"] > 1e-3


# ---- inside out

STARTS = [(1, 2.2), (2.2, 1), (1.7, 2.3), (2.4, 2.4), (0.2, 2.2), (-0.3, 1.4)]


@pytest.mark.parametrize("start", STARTS)
def test_a_point_pushed_through_its_neighbours_comes_back_unless_the_form_has_a_barrier(start):
    """2 x 2 squares, rim clamped, overdamped, K = 10: the weighted corners are stuck."""
    ends = {}
    for form in TRIANGLES:
        table = {"type": "shear_volume", "form": form, "shear_modulus": 1.0, "bulk_modulus": 10.0}
        own = Sheet(counts=(3, 3), spacing=1.0, thickness=1.0, mass=1.0, elements=table)
        compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": own}))
        position = compiled.model.rest_position.copy()
        position[4, :2] = start
        ends[form] = _relaxed(compiled, position)
    np.testing.assert_allclose(ends["deviatoric"], (1.0, 1.0), atol=1e-3)
    np.testing.assert_allclose(ends["printed"], (1.0, 1.0), atol=1e-3)
    assert np.abs(ends["cot"] - 1.0).max() > 0.5
    if start == (1, 2.2):
        np.testing.assert_allclose(ends["cot"], (0.8901, 2.2996), atol=1e-4)


def _relaxed(compiled, position):
    for _ in range(2000):
        force = evaluation(compiled, position=position).force[4, :2]
        size = np.linalg.norm(force)
        if size < 1e-5:
            break
        position[4, :2] += force * min(0.005, 0.003 / size)
    return position[4, :2].copy()


# ---- what people write


def test_a_scene_file_may_ask_for_it():
    text = {
        "time": {"end": 0.1},
        "body": {"it": {"shape": "sheet", "counts": [3, 3], "spacing": 0.1, "mass": 1.0, "elements": {
            "type": "shear_volume", "form": "printed", "shear_moduli": [1e3, 2e3], "shear_viscosities": [0.0, 10.0], "bulk_modulus": 1e4}}},
    }  # fmt: skip
    compiled = compile_scene(read_scene(text))
    assert [term.name for term in compiled.model.terms] == ["printed_corners", "triangle_areas"]
    assert any("no potential" in notice for notice in compiled.notices)


@pytest.mark.parametrize(
    ("shape", "table", "place", "what"),
    [
        ("sheet", {"shear_modulus": 1.0}, "bulk_modulus", "must be given"),
        ("sheet", {"bulk_modulus": 1.0}, "shear_modulus", "must be given"),
        (
            "sheet",
            {"bulk_modulus": 1.0, "shear_moduli": [1.0], "shear_viscosities": [1.0, 2.0]},
            "shear_moduli",
            "as many numbers",
        ),
        ("sheet", {"bulk_modulus": 1.0, "shear_moduli": [1.0, 1.0], "shear_viscosities": [1.0, 0.0]}, "viscosities", "> 0 Pa s"),
        ("truss", {"form": "cot", "bulk_modulus": 1.0, "shear_modulus": 1.0}, "elements.form", "triangles"),
    ],
)
def test_what_cannot_be_is_refused(shape, table, place, what):
    counts = [3, 3] if shape == "sheet" else [3, 3, 3]
    text = {
        "time": {"end": 0.1},
        "body": {
            "it": {"shape": shape, "counts": counts, "spacing": 0.1, "mass": 1.0, "elements": {"type": "shear_volume", **table}}
        },
    }
    with pytest.raises(SceneError, match=what) as caught:
        compile_scene(read_scene(text))
    assert place in str(caught.value)
