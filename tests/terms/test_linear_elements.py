"""Linear finite elements with memory: printed and reference numbers, convolutions, another library, and the rules of mechanics."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.sparse.linalg import spsolve

from analytic import observed_order
from phases import EndOfStep, slope_of_force
from yawara import Chain, Drive, Fix, Force, Lattice, Material, Scene, Sheet, Time, Truss, compile_scene, simulate
from yawara.checks import SceneError
from yawara.frame import Frame
from yawara.laws import GeneralizedMaxwell
from yawara.methods.fields import Fields
from yawara.methods.tangent import Tangent
from yawara.observe.energies import balance_error
from yawara.scene.bodies.from_cells import geometry_of_cells
from yawara.scene.file import read_scene
from yawara.scene.refill import refill
from yawara.terms.linear_elements.branches import in_series
from yawara.terms.linear_elements.lame import lame_factors

# Hirai 2005 (English ch. 5), the example of Figure 4.6: nodes 0..5 and triangles 013, 143, 124, 254
NODES = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]])
TRIANGLES = np.array([[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4]])
THREE = {"youngs_modulus": 30.0, "viscosity": 20.0, "flow_viscosity": 500.0}
MAXWELL = {"youngs_modulus": 300.0, "flow_viscosity": 500.0}


@pytest.fixture
def cells(monkeypatch):
    """A compiled body of any triangles or tetrahedra."""

    def build(position, members, *, thickness=1.0, **options):
        flat = np.shape(position)[1] == 2
        padded = np.zeros((len(position), 3))
        padded[:, : np.shape(position)[1]] = position
        shape = Sheet if flat else Truss
        members = np.asarray(members)
        monkeypatch.setattr(shape, "geometry", lambda body: geometry_of_cells(padded, members, thickness=thickness))
        own = shape(counts=(2, 2) if flat else (2, 2, 2), spacing=1.0, mass=1.0, elements={"type": "small_strain", **options})
        return compile_scene(Scene(time=Time(end=1.0), body={"it": own}))

    return build


def evaluation(compiled, position=None, velocity=None):
    state = compiled.state.copy()
    if position is not None:
        state.position[:, : np.shape(position)[1]] = position
    if velocity is not None:
        state.velocity[:, : np.shape(velocity)[1]] = velocity
    return Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation


def stiffness(compiled, axes):
    """K [N/m] of an elastic body: the tangent of a step of 1 s."""
    B = Tangent(compiled.model).at(compiled.state, 1.0).sparse.toarray()
    keep = (3 * np.arange(compiled.model.point_count)[:, None] + np.arange(axes)).ravel()
    return B[np.ix_(keep, keep)]


# ---- reference numbers of the printed examples


@pytest.mark.parametrize(
    ("modulus", "expected"),
    [
        (300.0, (259.259259, 111.111111)),
        (500.0, (432.098765, 185.185185)),
        (30.0, (25.925926, 11.111111)),
        (20.0, (17.283951, 7.407407)),
    ],
)
def test_lames_constants_of_the_printed_examples(modulus, expected):
    np.testing.assert_allclose(modulus * np.array(lame_factors(0.35)), expected, atol=6e-7)


def test_effective_viscosity_and_relaxation_time_of_the_printed_examples():
    for factor, expected in zip(lame_factors(0.35), (16.619183, 7.122507), strict=True):
        law = in_series([(30.0 * factor, 20.0 * factor), (0.0, 500.0 * factor)])
        assert law.damper == pytest.approx(expected, abs=6e-7)
        assert 1.0 / law.rate[0] == pytest.approx(17.333333, abs=6e-7)
    assert 1.0 / in_series([(300.0, 0.0), (0.0, 500.0)]).rate[0] == pytest.approx(1.666667, abs=6e-7)


def connection_matrices(cells, position, members):
    """J_lambda and J_mu, from two bodies with K = lambda J_lambda + mu J_mu."""
    pairs = np.array([lame_factors(nu) for nu in (0.0, 0.35)])
    K = [
        stiffness(cells(position, members, youngs_modulus=1.0, poisson=nu, plane="strain"), position.shape[1])
        for nu in (0.0, 0.35)
    ]
    return np.einsum("ij,jkl->ikl", np.linalg.inv(pairs), np.array(K))


def test_partial_connection_matrices(cells):
    """Hirai 2005 (English ch. 5): J_lambda of triangle 013 with its four misprinted entries put right, J_mu as printed."""
    first, second = 2.0 * connection_matrices(cells, NODES[[0, 1, 3]], [[0, 1, 2]])
    wanted = [[1, 1, -1, 0, 0, -1], [1, 1, -1, 0, 0, -1], [-1, -1, 1, 0, 0, 1], [0] * 6, [0] * 6, [-1, -1, 1, 0, 0, 1]]
    np.testing.assert_allclose(first, wanted, atol=1e-13)
    wanted = [[3, 1, -2, -1, -1, 0], [1, 3, 0, -1, -1, -2], [-2, 0, 2, 0, 0, 0], [-1, -1, 0, 1, 1, 0], [-1, -1, 0, 1, 1, 0],
              [0, -2, 0, 0, 0, 2]]  # fmt: skip
    np.testing.assert_allclose(second, wanted, atol=1e-13)


def test_assembled_connection_matrices(cells):
    first, second = connection_matrices(cells, NODES, TRIANGLES)
    assert np.trace(first) == pytest.approx(8.0, abs=1e-12)
    assert np.trace(second) == pytest.approx(24.0, abs=1e-12)
    assert np.linalg.matrix_rank(259.0 * first + 111.0 * second, tol=1e-9) == 9


# ---- one bar that is driven


def stress_of(strain, end, pieces, **table):
    """[Pa], of a bar of 1 m whose end is moved in straight pieces; `end` is in the middle of one, where its slope is that of the strain."""
    h = end / (pieces - 0.5)
    times = h * np.arange(pieces + 1)
    rows = tuple((float(strain(t)), 0.0, 0.0) for t in times)
    bar = Chain(counts=[2], spacing=1.0, cross_section=1.0, mass=1.0, elements={"type": "small_strain", **table})
    scene = Scene(
        time=Time(end=end, frame=end, step=h, integrator="rk4"), body={"bar": bar}, fix=(Fix(body="bar", points="first"),),
        drive=(Drive(name="end", body="bar", points="last", times=tuple(times), displacement=rows),),
    )  # fmt: skip
    return float(simulate(scene).history["end.force_x"][-1])


def cosine(t):
    return 0.05 * (1.0 - np.cos(t))


def test_f1_three_elements_in_a_cosine_strain():
    assert stress_of(cosine, 5.0, 4000, **THREE) == pytest.approx(-0.354731, abs=6e-7)


@pytest.mark.parametrize(("end", "expected"), [(1.0, 0.461825), (5.0, 1.397040), (600.0, 5.0)])
def test_f2_three_elements_in_a_ramp(end, expected):
    assert stress_of(lambda t: 0.01 * t, end, 400, **THREE) == pytest.approx(expected, abs=6e-7)


def test_f3_maxwell_in_a_cosine_strain():
    assert stress_of(cosine, 2.0, 4000, **MAXWELL) == pytest.approx(13.929259, abs=2e-6)


def end_of_beam(end, step):
    """[m], of four bars of 0.1 m under 0.01 N, next to massless."""
    bar = Chain(counts=[5], spacing=0.1, cross_section=0.01, mass=1e-9, elements={"type": "small_strain", **THREE})
    scene = Scene(
        time=Time(end=end, frame=end, step=step, integrator="implicit_euler"), body={"beam": bar},
        fix=(Fix(body="beam", points="first"),), force=(Force(body="beam", points="last", times=(0.0,), force=((0.01, 0.0, 0.0),)),),
    )  # fmt: skip
    return float(simulate(scene).state.position[-1, 0] - 0.4)


@pytest.mark.parametrize(("end", "expected"), [(1.0, 0.01115826), (5.0, 0.01732596)])
def test_f4_a_beam_of_four_elements_creeps(end, expected):
    """Backward Euler's error is a series in powers of its step, of which three are taken away."""
    found = np.array([end_of_beam(end, 0.05 / 2**n) for n in range(4)])
    for n in (1, 2, 3):
        found = (2**n * found[1:] - found[:-1]) / (2**n - 1)
    assert found[0] == pytest.approx(expected, abs=6e-9)


def test_f5_two_squares_between_rollers(cells):
    compiled = cells(NODES, TRIANGLES, youngs_modulus=300.0, poisson=0.35, plane="strain")
    K = stiffness(compiled, 2)
    u, held = np.zeros(12), np.array([0, 1, 3, 5, 7, 9, 11])  # the left foot, and all that moves up and down
    u[[7, 9, 11]] = -0.1
    free = np.setdiff1d(np.arange(12), held)
    u[free] = np.linalg.solve(K[np.ix_(free, free)], -K[np.ix_(free, held)] @ u[held])
    force = evaluation(compiled, NODES + u.reshape(-1, 2)).force
    np.testing.assert_allclose(-force[3:, 1], (-17.094017, -34.188034, -17.094017), atol=6e-7)
    np.testing.assert_allclose(force[:, 0], 0.0, atol=1e-12)
    assert u[4] / 2.0 == pytest.approx(0.053846, abs=6e-7)


def test_f5_as_a_run():
    """The same between rollers that move: points that are held are no unknowns."""
    table = {"type": "small_strain", "youngs_modulus": 300.0, "poisson": 0.35, "plane": "strain"}
    own = Sheet(counts=(3, 2), spacing=1.0, thickness=1.0, mass=1e-6, elements=table)
    top = Drive(body="it", name="top", points="top", axes="y", times=(0.0, 1.0), displacement=((0, 0, 0), (0, -0.1, 0)))
    scene = Scene(
        time=Time(end=2.0, frame=1.0, step=0.5, integrator="quasi_static"), body={"it": own}, drive=(top,),
        fix=(Fix(body="it", points="bottom", axes="y"), Fix(body="it", points=(0,), axes="x")),
    )  # fmt: skip
    result = simulate(scene)
    assert result.history["top.force_y"][-1] == pytest.approx(-68.376068, abs=1e-5)
    assert result.state.position[2, 0] / 2.0 - 1.0 == pytest.approx(0.053846, abs=6e-7)


@pytest.mark.parametrize("step", [0.25, 1.0])
def test_quasi_static_steps_are_exact_where_strains_change_steadily(step):
    """Pulled for 2 s, held for 3 s, in large steps: the closed form of the law."""
    law = GeneralizedMaxwell(k=(30.0, 60.0), c=(20.0, 400.0), k_inf=5.0, c_inf=2.0)
    bar = Chain(counts=[2], spacing=1.0, cross_section=1.0, mass=1.0, elements={"type": "small_strain", **CONVOLUTIONS[ARMED][0]})
    end = Drive(name="end", body="bar", points="last", times=(0.0, 2.0), displacement=((0, 0, 0), (0.1, 0, 0)))
    scene = Scene(
        time=Time(end=5.0, frame=1.0, step=step, integrator="quasi_static"), body={"bar": bar}, drive=(end,),
        fix=(Fix(body="bar", points="first"),),
    )  # fmt: skip
    history = simulate(scene).history
    held = history["time"] > 2.5
    np.testing.assert_allclose(history["end.force_x"][held], law.relaxation(history["time"][held], 0.1, 2.0), rtol=1e-10)


ARMED = "generalized_maxwell"


# ---- convolutions


def relaxation_of(parts):
    """r(t) and the damping at once of Voigt parts in series, from the eigenvalues of M = -D + s s^T/B (Hirai 2005, eqs. (5.1)-(5.4))."""
    k, c = np.array(parts).T
    s, B = np.sqrt(k) / c, (1.0 / c).sum()
    mu, Q = np.linalg.eigh(-np.diag(k / c) + np.outer(s, s) / B)
    # a jump of the strain by 1 leaves e_i = 1/(c_i B); then f = sum (k_i/c_i) e_i / B
    weight = (Q.T @ s / B) * (Q.T @ (np.sqrt(k) / (c * B)))
    return (lambda t: weight @ np.exp(mu * t)), 1.0 / B


CONVOLUTIONS = {
    "maxwell": (MAXWELL, (lambda t: 300.0 * np.exp(-300.0 / 500.0 * t)), 0.0),
    "three_element": (THREE, (lambda t: 30.0 * (500.0 / 520.0) ** 2 * np.exp(-30.0 / 520.0 * t)), 20.0 * 500.0 / 520.0),
    "generalized_voigt": (
        {"youngs_moduli": [30.0, 60.0, 0.0], "viscosities": [20.0, 400.0, 900.0]},
        *relaxation_of([(30.0, 20.0), (60.0, 400.0), (0.0, 900.0)]),
    ),
    "generalized_maxwell": (
        {
            "youngs_moduli": [30.0, 60.0],
            "viscosities": [20.0, 400.0],
            "arrangement": "parallel",
            "youngs_modulus": 5.0,
            "viscosity": 2.0,
        },
        (lambda t: 5.0 + 30.0 * np.exp(-1.5 * t) + 60.0 * np.exp(-0.15 * t)),
        2.0,
    ),
}


@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_elements_are_their_convolution_integrals(name):
    """sigma(t) = int r(t - t') e'(t') dt' + c e'(t)        Hirai 2005 (English ch. 5), eq. (5.2)"""
    table, relaxation, viscosity = CONVOLUTIONS[name]
    t = 3.0
    integral, _ = quad(lambda s: relaxation(t - s) * 0.05 * np.sin(s), 0.0, t, epsabs=1e-13, epsrel=1e-13)
    expected = integral + viscosity * 0.05 * np.sin(t)
    coarse, fine = (stress_of(cosine, t, pieces, **table) for pieces in (750, 1500))
    ratio = (1500 - 0.5) ** 2 / (750 - 0.5) ** 2  # straight pieces are off by their length squared
    assert (ratio * fine - coarse) / (ratio - 1.0) == pytest.approx(expected, rel=1e-8)


def test_memory_of_elements_is_that_of_the_nodes(cells):
    """f = -J_lambda (w_lambda + lambda_vis v) - J_mu (w_mu + mu_vis v), Hirai 2005 (English ch. 5), eq. (5.22) with the right rate of w.

    Nodes go straight on for 1 s in three ways, one after the other; w is then known in closed form.
    """
    first, second = connection_matrices(cells, NODES, TRIANGLES)
    table = {"type": "small_strain", "plane": "strain", **THREE, "poisson": 0.35, "viscous_poisson": 0.1, "flow_poisson": 0.25}
    velocity = 0.01 * np.random.default_rng(5).standard_normal((3, 6, 2))
    places = np.concatenate([np.zeros((1, 6, 2)), velocity.cumsum(axis=0)])
    drives = tuple(
        Drive(body="it", points=(n,), times=(0.0, 1.0, 2.0, 3.0), displacement=tuple((x, y, 0.0) for x, y in places[:, n]))
        for n in range(6)
    )
    own = Sheet(counts=(2, 2), spacing=1.0, mass=1.0, elements=table)  # of the geometry that `cells` has put in place
    time = Time(end=2.5, frame=2.5, step=0.0125, integrator="rk4")
    result = simulate(Scene(time=time, body={"it": own}, drive=drives))
    expected = np.zeros(12)
    for J, which in ((first, 0), (second, 1)):
        E, c1, c2 = (value * lame_factors(nu)[which] for value, nu in ((30.0, 0.35), (20.0, 0.1), (500.0, 0.25)))
        w, a = np.zeros(12), E / (c1 + c2)
        for v, lasts in zip(velocity, (1.0, 1.0, 0.5), strict=True):
            w = np.exp(-a * lasts) * w + (1.0 - np.exp(-a * lasts)) * c2**2 / (c1 + c2) * v.ravel()
        expected -= J @ (w + c1 * c2 / (c1 + c2) * velocity[2].ravel())
    frame = Frame(0, result.compiled.model, result.state, result.compiled.control.stretch(2.0, 3.0), 0.0)
    np.testing.assert_allclose(frame.evaluation.force[:, :2].ravel(), expected, rtol=1e-9, atol=1e-12)


def test_a_series_stores_and_dissipates_what_its_springs_and_dampers_do():
    """Arms side by side stand for parts in a row: the same energies. e_i' = (f - k_i e_i)/c_i, f from sum e_i' = 0.3 cos t."""
    k, c = np.array([30.0, 60.0, 10.0]), np.array([20.0, 400.0, 90.0])
    law = in_series(list(zip(k, c, strict=True)))
    arm, rate = np.array(law.arm), np.array(law.rate)
    y, q, d, lost, lost_in_arms, dt = np.zeros(3), np.zeros(len(arm)), 0.0, 0.0, 0.0, 1e-3

    def rates(t, y, q, d):
        v = 0.3 * np.cos(t)
        f = (v + (k / c * y).sum()) / (1.0 / c).sum()
        own = (f - k * y) / c
        return own, rate * (d - q), v, (c * own**2).sum(), law.damper * v**2 + (arm * rate * (d - q) ** 2).sum()

    for n in range(4000):
        t, sums, at = n * dt, [0.0] * 5, (y, q, d)
        for weight, step in ((1, 0.5), (2, 0.5), (2, 1.0), (1, 0.0)):
            now = t + (0.0 if weight == 1 and step == 0.5 else dt if step == 0.0 else 0.5 * dt)
            found = rates(now, *at)
            sums = [total + weight / 6 * one for total, one in zip(sums, found, strict=True)]
            at = (y + step * dt * found[0], q + step * dt * found[1], d + step * dt * found[2])
        y, q, d, lost, lost_in_arms = (one + dt * rise for one, rise in zip((y, q, d, lost, lost_in_arms), sums, strict=True))
    assert 0.5 * (law.spring * d**2 + (arm * (d - q) ** 2).sum()) == pytest.approx(0.5 * (k * y**2).sum(), rel=1e-9)
    assert lost_in_arms == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize("shape", ["sheet", "truss"])
def test_lambda_and_mu_relax_each_in_its_own_time(shape):
    """Pulled along x, held across: sigma_xx = s_lambda + 2 s_mu and sigma_yy = s_lambda, s from Maxwell laws in a ramp."""
    nu, nu_vis, speed, end = 0.35, 0.2, 1e-3, 2.0
    table = {"type": "small_strain", **MAXWELL, "poisson": nu, "flow_poisson": nu_vis}
    if shape == "sheet":
        own = Sheet(counts=(3, 2), spacing=1.0, thickness=1.0, mass=1.0, elements={**table, "plane": "strain"})
    else:
        own = Truss(counts=(3, 2, 2), spacing=1.0, mass=1.0, elements=table)
    columns = [[n for n in range(6 if shape == "sheet" else 12) if n % 3 == x] for x in range(3)]
    drives = tuple(
        Drive(body="it", points=tuple(points), times=(0.0, end + 1.0), displacement=((0, 0, 0), (speed * x * (end + 1.0), 0, 0)))
        for x, points in enumerate(columns) if x
    )  # fmt: skip
    time = Time(end=end, frame=end, step=0.01, integrator="rk4")
    result = simulate(Scene(time=time, body={"it": own}, drive=drives, fix=(Fix(body="it", points=tuple(columns[0])),)))
    first, second = (
        500.0 * vis * speed * (1.0 - np.exp(-300.0 * ela / (500.0 * vis) * end))
        for ela, vis in zip(lame_factors(nu), lame_factors(nu_vis), strict=True)
    )
    stress = Fields(result.compiled.model).stress(result.state)
    expected = np.diag([first + 2.0 * second, first, first])
    np.testing.assert_allclose(stress, np.broadcast_to(expected, stress.shape), rtol=1e-8, atol=1e-10)


# ---- beside another library


def test_stiffness_of_triangles_and_tetrahedra_is_that_of_scikit_fem(cells):
    import skfem
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    rng = np.random.default_rng(0)
    cases = (
        (skfem.MeshTri.init_tensor(*(np.linspace(0.0, 1.0, 4),) * 2), skfem.ElementTriP1()),
        (skfem.MeshTet.init_tensor(*(np.linspace(0.0, 1.0, 3),) * 3), skfem.ElementTetP1()),
    )
    for mesh, element in cases:
        moved = type(mesh)(mesh.p + 0.05 * rng.standard_normal(mesh.p.shape), mesh.t)
        basis = skfem.Basis(moved, skfem.ElementVector(element))
        expected = skfem.asm(linear_elasticity(*lame_parameters(300.0, 0.35)), basis).toarray()
        axes = len(moved.p)
        order = np.array([[basis.nodal_dofs[axis, p] for axis in range(axes)] for p in range(moved.p.shape[1])]).ravel()
        X, members = moved.p.T, moved.t.T.copy()
        edges = X[members][:, 1:] - X[members][:, :1]
        turned = np.linalg.det(edges) < 0.0
        members[turned] = members[turned][:, [1, 0, *range(2, axes + 1)]]
        plane = {"plane": "strain"} if axes == 2 else {}
        K = stiffness(cells(X, members, youngs_modulus=300.0, poisson=0.35, **plane), axes)
        np.testing.assert_allclose(K, expected[np.ix_(order, order)], rtol=0.0, atol=1e-8 * np.abs(expected).max())


def test_plane_stress_leaves_the_thickness_free(cells):
    """Pulled along x: E, and Poisson's ratio across, in plane stress; E/(1 - nu^2) and nu/(1 - nu) in plane strain."""
    for plane, young, poisson in (("stress", 300.0, 0.35), ("strain", 300.0 / (1.0 - 0.35**2), 0.35 / 0.65)):
        compiled = cells(NODES, TRIANGLES, youngs_modulus=300.0, poisson=0.35, plane=plane)
        u = 1e-3 * NODES * np.array([1.0, -poisson])
        force = evaluation(compiled, NODES + u).force
        assert -force[[2, 5], 0].sum() == pytest.approx(1e-3 * young, rel=1e-9)
        np.testing.assert_allclose(force[:, 1], 0.0, atol=1e-12)


def irregular(n, seed=1):
    """Points of a grid, those inside moved about."""
    body = Sheet(counts=(n, n), spacing=1.0 / (n - 1), mass=1.0, pattern="alternating", elements="small_strain", material=RUBBER)
    geometry = body.geometry()
    X = geometry.position[:, :2].copy()
    inside = (X > 1e-9).all(axis=1) & (X < 1.0 - 1e-9).all(axis=1)
    X[inside] += 0.2 / (n - 1) * np.random.default_rng(seed).standard_normal((inside.sum(), 2)).clip(-1.5, 1.5)
    return X, geometry.elements, inside


RUBBER = Material(density=1000.0, youngs_modulus=300.0, poisson=0.35, retardation_time=0.0)


def test_patch_test(cells):
    """A linear displacement of the rim is found inside, exactly, and so is its stress."""
    X, members, inside = irregular(5)
    compiled = cells(X, members, youngs_modulus=300.0, poisson=0.35)
    K, A = stiffness(compiled, 2), np.array([[1e-3, 4e-3], [-2e-3, 3e-3]])
    u, free = (X @ A.T).ravel(), np.repeat(inside, 2)
    found = np.linalg.solve(K[np.ix_(free, free)], -K[np.ix_(free, ~free)] @ u[~free])
    np.testing.assert_allclose(found, u[free], atol=1e-14)
    state = compiled.state.copy()
    state.position[:, :2] = X + u.reshape(-1, 2)
    e, (first, second) = 0.5 * (A + A.T), 300.0 * np.array(lame_factors(0.35, plane_stress=True))
    expected = np.zeros((3, 3))
    expected[:2, :2] = first * np.trace(e) * np.eye(2) + 2.0 * second * e
    np.testing.assert_allclose(Fields(compiled.model).stress(state), np.broadcast_to(expected, (25, 3, 3)), atol=1e-10)
    np.testing.assert_allclose(Fields(compiled.model).strain(state)[:, :2, :2], np.broadcast_to(e, (25, 2, 2)), atol=1e-12)


# A cantilever of length L and height 2 C, clamped at x = 0 and pulled down at x = L by P over the thickness: plane stress, exact
# (Timoshenko & Goodier, Theory of Elasticity, art. 21), with displacements of the exact solution at x = 0 and its shear at x = L.
L, C, P, E, NU = 2.0, 0.5, 1.0, 1000.0, 0.3
INERTIA = 2.0 / 3.0 * C**3


def exact(X):
    x, y = X[:, 0], X[:, 1]
    u = P * y / (6.0 * E * INERTIA) * ((6.0 * L - 3.0 * x) * x + (2.0 + NU) * (y**2 - C**2))
    v = -P / (6.0 * E * INERTIA) * (3.0 * NU * y**2 * (L - x) + (4.0 + 5.0 * NU) * C**2 * x + (3.0 * L - x) * x**2)
    return np.stack([u, v], axis=1)


def exact_strain(X):
    """xx, yy, whole xy."""
    x, y = X[:, 0], X[:, 1]
    xx = P * (L - x) * y / INERTIA
    xy = -P / (2.0 * INERTIA) * (C**2 - y**2)
    return np.stack([xx / E, -NU * xx / E, 2.0 * (1.0 + NU) / E * xy], axis=1)


def energy_of_error(n):
    """[J], of the difference between n elements over the height and the exact solution."""
    h = 2.0 * C / n
    count = (round(L / h) + 1, n + 1)
    table = {"type": "small_strain", "youngs_modulus": E, "poisson": NU}
    sheet = Sheet(counts=count, spacing=h, thickness=1.0, mass=1.0, pattern="alternating", origin=(0.0, -C, 0.0), elements=table)
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": sheet}))
    X, members = compiled.model.rest_position[:, :2], compiled.model.bodies[0].triangles.astype(int)
    B = Tangent(compiled.model).at(compiled.state, 1.0).sparse.tocsr()
    keep = (3 * np.arange(len(X))[:, None] + [0, 1]).ravel()
    K, u, f = B[keep][:, keep], exact(X).ravel(), np.zeros((len(X), 2))
    right = np.flatnonzero(X[:, 0] > L - 1e-9)
    for a, b in pairwise(right):  # work-equivalent forces of the shear, by Gauss points
        for s in (-(0.6**0.5), 0.0, 0.6**0.5):
            weight, r = 0.5 * h * (8 / 9 if s == 0.0 else 5 / 9), 0.5 * (1.0 + s)
            shear = -P / (2.0 * INERTIA) * (C**2 - ((1.0 - r) * X[a, 1] + r * X[b, 1]) ** 2)
            f[a, 1], f[b, 1] = f[a, 1] + weight * (1.0 - r) * shear, f[b, 1] + weight * r * shear
    free = np.repeat(X[:, 0] > 1e-9, 2)
    u[free] = spsolve(K[free][:, free].tocsc(), f.ravel()[free] - K[free][:, ~free] @ u[~free])
    return _energy_between(X, members, u.reshape(-1, 2))


def _energy_between(X, members, u):
    corner, D = X[members], np.array([[1.0, NU, 0.0], [NU, 1.0, 0.0], [0.0, 0.0, 0.5 * (1.0 - NU)]]) * E / (1.0 - NU**2)
    edges = np.swapaxes(corner[:, 1:] - corner[:, :1], 1, 2)
    H = np.swapaxes(u[members][:, 1:] - u[members][:, :1], 1, 2) @ np.linalg.inv(edges)
    mine = np.stack([H[:, 0, 0], H[:, 1, 1], H[:, 0, 1] + H[:, 1, 0]], axis=1)
    total, area = 0.0, 0.5 * np.linalg.det(edges)
    for bary in ((2 / 3, 1 / 6, 1 / 6), (1 / 6, 2 / 3, 1 / 6), (1 / 6, 1 / 6, 2 / 3)):
        e = exact_strain(np.einsum("a,nax->nx", bary, corner)) - mine
        total += 0.5 * (area / 3 * np.einsum("ni,ij,nj->n", e, D, e)).sum()
    return total


def test_a_cantilever_converges_at_the_rate_of_theory():
    """The energy of the error falls with the square of the element size."""
    errors = [energy_of_error(n) for n in (4, 8, 16, 32)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.abs(orders[1:] - 2.0).max() < 0.15, orders


# ---- rules of mechanics

FLOWING = Material(density=1000.0, youngs_modulus=2e3, poisson=0.35, retardation_time=2e-3, relaxation_time=0.05)
VOIGT = {"youngs_moduli": [2e3, 3e3, 0.0], "viscosities": [2.0, 60.0, 200.0], "poisson": 0.3}
ARMS = {
    "youngs_moduli": [1e3, 2e3], "viscosities": [5.0, 100.0], "arrangement": "parallel", "youngs_modulus": 500.0, "viscosity": 1.0,
    "poisson": 0.35, "viscous_poisson": 0.2,
}  # fmt: skip
BODIES = {
    "bars": lambda **more: Chain(counts=[6], spacing=0.01, density=1000.0, elements={"type": "small_strain", **VOIGT}, **more),
    "plane stress": lambda **more: Sheet(counts=(4, 3), spacing=0.01, material=FLOWING, elements="small_strain", **more),
    "plane strain": lambda **more: Sheet(
        counts=(4, 3), spacing=0.01, density=1000.0, elements={"type": "small_strain", "plane": "strain", **ARMS}, **more
    ),
    "tetrahedra of a truss": lambda **more: Truss(
        counts=(3, 3, 3), spacing=0.01, density=1000.0, elements={"type": "small_strain", **ARMS}, **more
    ),
    "tetrahedra of a lattice": lambda **more: Lattice(
        counts=(3, 3, 3), spacing=0.01, material=FLOWING, elements="small_strain", **more
    ),
}


def body(name, **more):
    return BODIES[name](**more)


def axes_of(name):
    return 1 if name == "bars" else 2 if name.startswith("plane") else 3


@pytest.mark.parametrize(("degrees", "force"), [(10.0, 22.507033), (90.0, 1481.481481)])
def test_elements_feel_rigid_rotations_and_say_so(cells, degrees, force):
    compiled = cells(NODES, TRIANGLES, youngs_modulus=300.0, poisson=0.35, plane="strain")
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    found = evaluation(compiled, NODES @ np.array([[c, s], [-s, c]])).force
    assert np.linalg.norm(found) == pytest.approx(force, abs=6e-7)
    if degrees == 10.0:
        np.testing.assert_allclose(np.abs(found[0, :2]), (5.626758, 5.626758), atol=6e-7)
    assert sum("feel rigid rotations" in notice for notice in compiled.notices) == 1


@pytest.mark.parametrize("name", BODIES)
def test_angular_momentum_is_kept_to_first_order(name):
    """Forces about the places at rest have no torque; about those of now, one that is quadratic in the strain."""
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": body(name)}))
    axes, X = axes_of(name), compiled.model.rest_position
    u = np.zeros_like(X)
    u[:, :axes] = 1e-4 * np.random.default_rng(3).standard_normal((len(X), axes))
    force = evaluation(compiled, X + u).force
    scale = np.abs(force).sum() * np.abs(X).max()
    np.testing.assert_allclose(force.sum(axis=0), 0.0, atol=1e-12 * scale / np.abs(X).max())
    np.testing.assert_allclose(np.cross(X, force).sum(axis=0), 0.0, atol=1e-12 * scale)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler", "quasi_static"])
@pytest.mark.parametrize("name", BODIES)
def test_momentum_and_energies_add_up(name, integrator):
    step = {"implicit_euler": 1e-4, "quasi_static": 1e-4}.get(integrator, 2e-5)
    scene = Scene(time=Time(end=0.02, frame=0.005, step=step, integrator=integrator), body={"it": body(name)})
    compiled = compile_scene(scene)
    axes, state, mass = axes_of(name), compiled.state, compiled.model.point.mass
    state.velocity[:, :axes] = 0.02 * np.random.default_rng(0).standard_normal((compiled.model.point_count, axes))
    before = mass @ state.velocity
    result = simulate(compiled)
    if integrator != "quasi_static":
        tight = 1e-12 if integrator != "implicit_euler" else 1e-6
        np.testing.assert_allclose(mass @ result.state.velocity, before, atol=tight * mass.sum() * 0.02)
    assert balance_error(result.history) < (1e-9 if integrator == "rk4" else 5e-3)


@pytest.mark.parametrize("name", BODIES)
def test_runge_kutta_keeps_its_order_with_memory(name):
    def end(step):
        compiled = compile_scene(Scene(time=Time(end=0.008, frame=0.008, step=step, integrator="rk4"), body={"it": body(name)}))
        axes = axes_of(name)
        compiled.state.velocity[:, :axes] = 0.02 * np.random.default_rng(0).standard_normal((compiled.model.point_count, axes))
        return simulate(compiled).state.points.copy()

    steps = [2e-4, 1e-4, 5e-5]
    truth = end(1.25e-5)
    errors = [float(np.abs(end(step) - truth).max()) for step in steps]
    assert observed_order(errors, steps) == pytest.approx(4.0, abs=0.2)


@pytest.mark.parametrize("integrator", ["rk4", "implicit_euler"])
@pytest.mark.parametrize("name", BODIES)
def test_threads_agree_and_runs_are_taken_up(name, integrator):
    def scene(threads):
        time = Time(end=0.004, frame=0.001, step=5e-5, threads=threads, integrator=integrator)
        foot = "first" if name == "bars" else "bottom"
        return Scene(time=time, body={"it": body(name, velocity=(0.1, 0.0, 0.0))}, fix=(Fix(body="it", points=foot),))

    states = []

    class Seen:
        def observe(self, frame):
            states.append(frame.state.copy())

    one, two = simulate(scene(1), observers=[Seen()]).state, simulate(scene(2)).state
    np.testing.assert_allclose(two.points, one.points, rtol=0, atol=1e-9 if integrator == "implicit_euler" else 1e-13)
    for first, second in ((two, simulate(scene(2)).state), (one, simulate(scene(1), start=(2, states[2])).state)):
        assert all(block.tobytes() == second.blocks[key].tobytes() for key, block in first.blocks.items())


def largest_eigenvalue(compiled, axes, ahead):
    B = Tangent(compiled.model).at(compiled.state, ahead).sparse.toarray()
    return float(np.linalg.eigvals(B / np.repeat(compiled.model.point.mass, 3)[:, None]).real.max())


@pytest.mark.parametrize("name", BODIES)
def test_the_stable_step_is_neither_too_long_nor_far_too_short(name):
    """Against the highest mode of springs at once and dampers: k h^2 + 2 c h = 4."""
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": body(name)}))
    c = largest_eigenvalue(compiled, axes_of(name), 0.0)
    k = (largest_eigenvalue(compiled, axes_of(name), 1e-7) - c) / 1e-7
    limit = 4.0 / (c + np.hypot(c, 2.0 * np.sqrt(k)))
    assert 0.6 * limit < compiled.model.stable_step["semi_implicit_euler"] < limit


@pytest.mark.parametrize("name", BODIES)
def test_a_run_at_the_stable_step_stays_bounded(name):
    compiled = compile_scene(Scene(time=Time(end=0.5, frame=0.1, integrator="rk4"), body={"it": body(name)}))
    axes = axes_of(name)
    compiled.state.velocity[:, :axes] = 0.01 * np.random.default_rng(0).standard_normal((compiled.model.point_count, axes))
    before = float((compiled.state.velocity**2).sum())
    assert float((simulate(compiled).state.velocity ** 2).sum()) <= before


@pytest.mark.parametrize("steady", [False, True])
@pytest.mark.parametrize("name", BODIES)
def test_the_tangent_is_exact(name, steady):
    """That of forces at the end of a step which the internal variables make along."""
    compiled, ahead = compile_scene(Scene(time=Time(end=1.0), body={"it": body(name)})), 3e-3
    model, state, rng = compiled.model, compiled.state.copy(), np.random.default_rng(0)
    state.position[:, : axes_of(name)] += 1e-3 * rng.standard_normal((model.point_count, axes_of(name)))
    vector = rng.standard_normal((model.point_count, 3))
    step = EndOfStep(model, state, ahead, steady=steady)
    product = step.product(vector)
    np.testing.assert_allclose(
        product, slope_of_force(model, state, vector, ahead, steady=steady), atol=1e-11 * np.abs(product).max()
    )
    if steady:
        return
    B = Tangent(model).at(state, ahead).sparse.toarray()
    np.testing.assert_allclose(B, B.T, atol=1e-12 * np.abs(B).max())
    assert np.linalg.eigvalsh(B).min() > -1e-12 * np.abs(B).max()
    np.testing.assert_allclose(step.diagonal().ravel(), np.diag(B), atol=1e-12 * np.abs(B).max())


# ---- what the rest of the package asks


def test_a_material_takes_new_numbers():
    def scene(young, flow=1.0):
        material = Material(density=1000.0, youngs_modulus=young, poisson=0.4, relaxation_time=flow)
        own = Sheet(counts=(4, 4), spacing=0.01, material=material, elements="small_strain", velocity=(0.1, 0.0, 0.0))
        return Scene(time=Time(end=0.01, frame=0.005), body={"it": own}, fix=(Fix(body="it", points="bottom"),))

    compiled = compile_scene(scene(1e4))
    filled, fresh = refill(compiled, scene(3e4, 0.5)), compile_scene(scene(3e4, 0.5))
    assert filled is not None
    assert filled.model is compiled.model
    assert filled.model.stable_step["rk4"] == fresh.model.stable_step["rk4"]
    np.testing.assert_array_equal(simulate(filled).state.points, simulate(fresh).state.points)


def test_other_arms_are_built_anew():
    def scene(flow):
        own = Sheet(counts=(3, 3), spacing=0.01, mass=1.0, elements={"type": "small_strain", "youngs_modulus": 1e3, **flow})
        return Scene(time=Time(end=0.01), body={"it": own})

    assert refill(compile_scene(scene({})), scene({"flow_viscosity": 10.0})) is None


def test_regions_have_their_own_materials():
    """Two bars in a row, one ten times as stiff: forces agree, strains are as 1 to 10; a stiff half limits the step."""
    soft, stiff = (Material(density=1000.0, youngs_modulus=E, poisson=0.3, retardation_time=0.0) for E in (1e3, 1e4))
    half = {"links": {"min": (0.0, -1.0, -1.0), "max": (0.02, 1.0, 1.0)}, "material": stiff}

    def scene(region):
        own = Chain(counts=[5], spacing=0.01, material=soft, elements="small_strain", region=region)
        return Scene(time=Time(end=1.0), body={"it": own})

    compiled, plain = compile_scene(scene({"half": half})), compile_scene(scene({}))
    x = np.array([0.0, 0.01 * 1.001, 0.02 * 1.001, 0.03 * 1.001 + 9e-5, 0.04 * 1.001 + 18e-5])
    force = evaluation(compiled, x[:, None]).force[:, 0]
    np.testing.assert_allclose(force[1:-1], 0.0, atol=1e-12)
    assert force[0] == pytest.approx(1e-4 * 1e4 * 0.001, rel=1e-9)
    ratio = compiled.model.stable_step["semi_implicit_euler"] / plain.model.stable_step["semi_implicit_euler"]
    assert ratio == pytest.approx(10.0**-0.5, rel=0.1)


def test_neither_a_stiff_region_nor_a_viscous_one_is_lost_in_the_other():
    stiff = Material(density=1000.0, youngs_modulus=1e5, poisson=0.3, retardation_time=0.0)
    viscous = Material(density=1000.0, youngs_modulus=1e3, poisson=0.3, retardation_time=0.5)
    half = {"links": {"min": (0.0, 0.0, -1.0), "max": (0.02, 1.0, 1.0)}, "material": viscous}
    alone = []
    for material, region in ((stiff, {}), (viscous, {}), (stiff, {"half": half})):
        own = Sheet(counts=(5, 5), spacing=0.01, material=material, elements="small_strain", region=region)
        alone.append(compile_scene(Scene(time=Time(end=1.0), body={"it": own})).model.stable_step["semi_implicit_euler"])
    assert 0.3 * min(alone[:2]) < alone[2] < 1.3 * min(alone[:2])


def test_residual_strain_is_where_nothing_pushes():
    """A body that was held sheared and pressed: moved by its residual strain from the natural state, it bears nothing."""
    for name, plane in (("plane strain", True), ("tetrahedra of a truss", False)):
        compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": body(name)}))
        term, state, rng = compiled.model.terms[0], compiled.state.copy(), np.random.default_rng(0)
        axes, X = (2 if plane else 3), compiled.model.rest_position
        internal = state.blocks[f"{term.name}.internal"].reshape(-1, term.kind.strains, term.arms)
        q = 1e-3 * rng.standard_normal((term.kind.strains, term.arms))
        q[0] = q[1 : 1 + axes].sum(axis=0) + 1e-3
        internal[:] = q
        e = Fields(compiled.model).residual_strain(state)[0]
        state.position[:] = X + X @ e
        stress = Fields(compiled.model).stress(state)
        assert np.abs(stress[:, :axes, :axes]).max() < 1e-9 * 2e3
        state.position[:] = X
        assert np.abs(Fields(compiled.model).stress(state)).max() > 0.1


@pytest.mark.parametrize(("plane", "across"), [("strain", 1.0), ("stress", 0.0)])
def test_stress_across_a_flat_body(plane, across):
    table = {"type": "small_strain", "youngs_modulus": 300.0, "poisson": 0.35, "plane": plane}
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"it": Sheet(counts=(3, 3), spacing=1.0, mass=1.0, elements=table)}))
    state = compiled.state.copy()
    state.position[:, 0] *= 1.001
    expected = across * 300.0 * lame_factors(0.35)[0] * 0.001
    np.testing.assert_allclose(Fields(compiled.model).stress(state)[:, 2, 2], expected, atol=1e-10)


def test_a_body_pressed_by_a_tool_keeps_its_account():
    data = {
        "time": {"end": 0.3, "frame": 0.05},
        "body": {"it": {"shape": "truss", "counts": [4, 4, 3], "spacing": 0.01, "elements": "small_strain", "material": {
            "density": 1000.0, "youngs_modulus": 1e4, "poisson": 0.35, "relaxation_time": 0.2}}},
        "fix": [{"body": "it", "points": "bottom"}],
        "tool": {"plate": {"shape": "box", "size": [0.1, 0.1, 0.01], "origin": [0.015, 0.015, 0.0255], "motion": {
            "type": "path", "times": [0.0, 0.1, 0.2], "displacement": [[0, 0, 0], [0, 0, -0.002], [0, 0, 0]]}}},
    }  # fmt: skip
    result = simulate(read_scene(data))
    assert balance_error(result.history) < 0.01
    assert 0.05 < (0.02 - result.state.position[: 4 * 4 * 3, 2].max()) / 0.0015 < 0.9


@pytest.mark.parametrize("flow", [{}, {"relaxation_time": 0.5}])
def test_a_body_that_falls_on_a_floor_keeps_its_account(flow):
    """Dampers that are caught in one step dissipate by the mean of their rates: without memory, a scheme with one stage is exact."""
    material = {"density": 1000.0, "youngs_modulus": 2e4, "poisson": 0.35, "retardation_time": 0.01, **flow}
    data = {
        "time": {"end": 0.2, "frame": 0.01}, "gravity": [0, 0, -9.81], "tool": {"floor": {"shape": "floor"}},
        "body": {"it": {"shape": "truss", "counts": [4, 4, 4], "spacing": 0.01, "origin": [0, 0, 0.02], "elements": "small_strain",
                        "material": material}},
    }  # fmt: skip
    assert balance_error(simulate(read_scene(data)).history) < (1e-3 if flow else 1e-9)


def test_a_bad_number_is_blamed_on_its_element_and_a_strange_one_is_refused():
    """Regions: one flows, the other does not, so that its elements have arms that do nothing."""
    plain, flowing = (Material(density=1e3, youngs_modulus=1e3, **more) for more in ({}, {"relaxation_time": 1.0}))
    half = {"links": {"min": (0.0, -1.0, -1.0), "max": (0.02, 1.0, 1.0)}, "material": flowing}
    own = Chain(counts=[5], spacing=0.01, material=plain, elements="small_strain", region={"half": half})
    compiled = compile_scene(Scene(time=Time(end=1.0), body={"row": own}))
    term, state = compiled.model.terms[0], compiled.state.copy()
    assert term.blame(state) is None
    assert list(term.wrong(state)) == []
    state.blocks["linear_bars.internal"][1] = np.nan
    assert term.blame(state) == ("row", "linear element of points 1, 2")
    state.blocks["linear_bars.internal"][1:] = 0.0, 0.0, 1e-3
    assert [name for name, _ in term.wrong(state)] == ["internal"]
    assert term.nbytes > 0


@pytest.mark.parametrize(
    ("shape", "table", "place", "what"),
    [
        ("sheet", {"viscosity": 1.0}, "youngs_modulus", "must be given"),
        ("sheet", {"poisson": 0.3}, "poisson", "together with moduli"),
        ("sheet", {"youngs_modulus": 0.0}, "youngs_modulus", "must not both be 0"),
        ("sheet", {"youngs_modulus": 1.0, "poisson": 0.5}, "poisson", "<= 0.49"),
        ("sheet", {"youngs_moduli": [1.0], "viscosities": [1.0, 2.0]}, "youngs_moduli", "as many numbers"),
        ("sheet", {"youngs_moduli": [1.0, 0.0], "viscosities": [1.0, 0.0]}, "youngs_moduli", "must not both be 0"),
        ("sheet", {"youngs_moduli": [1.0], "viscosities": [1.0], "youngs_modulus": 2.0}, "youngs_modulus", "left out"),
        ("sheet", {"youngs_moduli": [1.0], "viscosities": [0.0], "arrangement": "parallel"}, "viscosities", "Maxwell arms"),
        (
            "sheet",
            {"youngs_modulus": 1.0, "flow_viscosity": 1.0, "flow_poisson": 0.1},
            "elements.viscous_poisson",
            "plane stress",
        ),
        ("truss", {"youngs_modulus": 1.0, "plane": "strain"}, "elements.plane", "left out"),
    ],
)
def test_what_cannot_be_is_refused(shape, table, place, what):
    counts = [3, 3] if shape == "sheet" else [3, 3, 3]
    own = {"shape": shape, "counts": counts, "spacing": 0.1, "mass": 1.0, "elements": {"type": "small_strain", **table}}
    with pytest.raises(SceneError, match=what) as caught:
        compile_scene(read_scene({"time": {"end": 0.1}, "body": {"it": own}}))
    assert place in str(caught.value)


def test_a_soft_material_may_be_incompressible_in_plane_stress_only():
    material = {"density": 1000.0, "youngs_modulus": 1e3, "poisson": 0.5}
    for plane, ok in (("stress", True), ("strain", False)):
        own = {
            "shape": "sheet", "counts": [3, 3], "spacing": 0.1, "material": material,
            "elements": {"type": "small_strain", "plane": plane},
        }  # fmt: skip
        scene = read_scene({"time": {"end": 0.1}, "body": {"it": own}})
        if ok:
            compile_scene(scene)
        else:
            with pytest.raises(SceneError, match=r"<= 0\.49"):
                compile_scene(scene)
