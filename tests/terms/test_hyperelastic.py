"""Continuum elements with energies of finite strain, memory and flow, against closed forms, quadrature and another finite-element code."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation

from measured_data import measured_data
from reference_hyperelastic import (
    at,
    compiled,
    evaluated,
    led,
    mean_stress,
    nominal,
    pulled,
    shear_figures,
    sheared,
    stretched,
    table,
    whole_energy,
)
from yawara import Scene, simulate
from yawara.materials import Hencky, NeoHookean, Ogden, Yeoh

NH = NeoHookean(mu=10.0)
YEOH = Yeoh(C1=2.15, C2=0.06, C3=0.072)
OGDEN = Ogden(mu=(6.0, 3.0), alpha=(2.5, -4.0))
HENCKY = Hencky(mu=10.0)
ENERGIES = {"neo_hookean": NH, "yeoh": YEOH, "ogden": OGDEN, "hencky": HENCKY}
CELLS = {"boxes": (2, 2, 2), "nodal": (3, 3, 3), "simple": (3, 3, 3)}
each_energy = pytest.mark.parametrize("name", ENERGIES)
each_kind = pytest.mark.parametrize("cells", CELLS)

# Nominal stress of incompressible bars at these stretches
STRETCHES = (1 / 3, 0.5, 0.7, 0.9, 1.1, 1.5, 2.0, 3.0)
PULLED = {
    "neo_hookean": (-86.666667, -35.0, -13.408163, -3.3456790, 2.7355372, 10.555556, 17.5, 28.888889),
    "yeoh": (-79.976, -18.4625, -5.9470216, -1.4413794, 1.1782251, 4.8418333, 11.389, 72.511111),
    "ogden": (-419.93064, -68.385720, -15.773211, -3.1760408, 2.3827918, 8.9429479, 15.5205, 29.030113),
}


def of(energy, **more):
    """A material table; K = 100 Pa if nothing is said."""
    return {"energy": energy, **({"bulk_modulus": 100.0} if "poisson" not in more and "bulk_modulus" not in more else {}), **more}


def random_gradients(count, seed=0, size=0.3):
    random = np.random.default_rng(seed)
    found = [np.eye(3) + size * random.standard_normal((3, 3)) for _ in range(4 * count)]
    return [F for F in found if np.linalg.det(F) > 0.65][:count]  # below 0.6 volume stiffens


# ---- energies


@pytest.mark.parametrize("name", PULLED)
def test_incompressible_bars_have_their_closed_forms(name):
    energy = ENERGIES[name]
    np.testing.assert_allclose(energy.nominal_stress(np.array(STRETCHES)), PULLED[name], rtol=1e-7)


@pytest.mark.parametrize("name", PULLED)
def test_bars_that_keep_their_volume_approach_the_closed_forms(name):
    energy = ENERGIES[name]
    soft, stiff = (compiled(of(energy, bulk_modulus=ratio * energy.shear)) for ratio in (200.0, 400.0))
    for stretch, P in zip(STRETCHES, PULLED[name], strict=True):
        # the error falls with 1/K, and that of twice the stiffer one less the softer one with its square
        found, over_bulk = 2.0 * pulled(stiff, stretch)[0] - pulled(soft, stretch)[0], P * stretch / (400.0 * energy.shear)
        assert found == pytest.approx(P, rel=1e-5 + 3.0 * over_bulk**2)


@pytest.mark.parametrize(
    ("K", "stretch", "P", "lateral"),
    [
        (100.0, 0.5, -33.96859416, 1.37095323),
        (100.0, 0.7, -13.04159729, 1.17630326),
        (100.0, 1.5, 10.02568037, 0.83579892),
        (1000.0, 0.5, -34.90223047, None),
        (1000.0, 0.7, -13.37220388, None),
        (1000.0, 1.5, 10.49585401, None),
    ],
)
@each_kind
def test_bars_that_change_their_volume(cells, K, stretch, P, lateral):
    found, a = pulled(compiled(of(NH, bulk_modulus=K), cells, CELLS[cells]), stretch)
    assert found == pytest.approx(P, rel=1e-8)
    assert lateral is None or a == pytest.approx(lateral, rel=1e-8)


@pytest.mark.parametrize(
    ("alpha", "values"),
    [(2.0, None), (-2.0, (-70.0, -19.15451895, 7.03703704)), (8.0, (-79.98046875, -14.66886882, 42.38562564))],
)
def test_one_power(alpha, values):
    energy, stretch = Ogden(mu=(10.0,), alpha=(alpha,)), np.array([0.5, 0.7, 1.5])
    expected = NH.nominal_stress(stretch) if values is None else values
    np.testing.assert_allclose(energy.nominal_stress(stretch), expected, rtol=1e-8)
    model = compiled(of(energy))
    same = compiled(of(NH))
    for F in random_gradients(3):
        np.testing.assert_allclose(mean_stress(model, F), nominal(energy, 100.0, F), rtol=1e-7, atol=1e-6)
        if values is None:
            np.testing.assert_allclose(mean_stress(model, F), mean_stress(same, F), atol=1e-11)


@each_energy
@each_kind
def test_stress_at_any_strain(name, cells):
    energy, model = ENERGIES[name], compiled(of(ENERGIES[name]), cells, CELLS[cells])
    biaxial = [np.diag([l, l, a]) for l, a in ((1.5, 0.5), (0.7, 1.9), (2.0, 0.2))]  # noqa: E741
    volume = np.prod(np.ptp(model.model.rest_position, axis=0))
    for F in (*biaxial, sheared(0.5), sheared(-2.0), *random_gradients(3)):
        expected = nominal(energy, 100.0, F)
        np.testing.assert_allclose(mean_stress(model, F), expected, atol=2e-8 * np.abs(expected).max())
        assert evaluated(model, stretched(model, F)).stored / volume == pytest.approx(whole_energy(energy, 100.0, F), rel=1e-12)


def test_simple_shear_of_a_neo_hookean_block():
    model = compiled(of(NH))
    for k in (0.1, 1.0, 3.0):
        tau = mean_stress(model, sheared(k)) @ sheared(k).T
        np.testing.assert_allclose(
            [tau[0, 1], tau[0, 0] - tau[1, 1], tau[1, 1] - tau[2, 2]], [10 * k, 10 * k * k, 0.0], atol=1e-12
        )


@each_energy
@each_kind
def test_forces_are_slopes_of_the_stored_energy(name, cells):
    model = compiled(of(ENERGIES[name]), cells, CELLS[cells])
    random = np.random.default_rng(3)
    for F in random_gradients(2, seed=5):
        state = stretched(model, F)
        state.position[...] += 0.03 * random.standard_normal(state.position.shape)
        found = evaluated(model, state)
        way, h = random.standard_normal(state.position.shape), 1e-6
        ends = []
        for sign in (1.0, -1.0):
            moved = state.copy()
            moved.position[...] += sign * h * way
            ends.append(evaluated(model, moved).stored)
        assert (ends[1] - ends[0]) / (2 * h) == pytest.approx((found.force * way).sum(), rel=1e-7)


def test_a_slice_of_a_long_body_is_a_solid_that_is_held_across():
    flat = {
        "shape": "sheet",
        "counts": [2, 2],
        "spacing": 1.0,
        "thickness": 1.0,
        "elements": {"type": "continuum", "plane": "strain"},
    }
    material = {"density": 1.0, "retardation_time": 0.0, **of(OGDEN)}
    from yawara import compile_scene

    model = compile_scene(
        Scene.model_validate({"time": {"end": 1.0, "frame": 1.0}, "body": {"b": flat | {"material": material}}})
    )
    F = np.array([[1.3, 0.4, 0.0], [-0.2, 0.8, 0.0], [0.0, 0.0, 1.0]])
    X = model.model.rest_position - model.model.rest_position.mean(axis=0)
    force = evaluated(model, stretched(model, F)).force
    np.testing.assert_allclose((-force.T @ X)[:2, :2], nominal(OGDEN, 100.0, F)[:2, :2], atol=1e-7)


def test_forces_of_tetrahedra_are_those_of_another_code():
    skfem = pytest.importorskip("skfem")
    from skfem.helpers import grad

    model = compiled(of(NH), "simple", (3, 3, 3))
    X, cells = model.model.rest_position, model.request.pieces[0].geometry.elements
    place = X + 0.05 * np.random.default_rng(2).standard_normal(X.shape)
    mesh = skfem.MeshTet(X.T.copy(), np.ascontiguousarray(np.asarray(cells, np.int64).T), sort_t=False)
    basis = skfem.Basis(mesh, skfem.ElementVector(skfem.ElementTetP1()), intorder=0)

    @skfem.LinearForm
    def internal(v, w):
        F = np.moveaxis(grad(w["u"]), (0, 1), (-2, -1)) + np.eye(3)
        J, inverse = np.linalg.det(F), np.swapaxes(np.linalg.inv(F), -1, -2)
        I = (F**2).sum(axis=(-2, -1))  # noqa: E741
        P = (
            10 * (J ** (-2 / 3))[..., None, None] * (F - (I / 3)[..., None, None] * inverse)
            + (100 * (J - 1) * J)[..., None, None] * inverse
        )
        return (np.moveaxis(P, (-2, -1), (0, 1)) * grad(v)).sum(axis=(0, 1))

    u = np.zeros(basis.N)
    u[basis.nodal_dofs] = (place - X).T
    expected = -internal.assemble(basis, u=basis.interpolate(u))[basis.nodal_dofs].T
    state = model.state.copy()
    state.position[...] = place
    np.testing.assert_allclose(evaluated(model, state).force, expected, atol=1e-10 * np.abs(expected).max())


# ---- memory


def prony(*pairs):
    return [{"share": share, "time": time} for share, time in pairs]


# s12, N1, N2 of a neo-Hookean block, mu = 10 Pa and as much again that relaxes in 1 s: sheared to 1 in 1 s, held to 3 s, back at 4 s
SHEARED = {
    0.5: (8.973109, 4.323288, 0.153663),
    1.0: (16.735759, 15.699376, 0.829107),
    2.0: (12.477947, 12.096683, 0.305011),
    3.0: (10.911586, 10.771327, 0.112207),
    3.5: (0.777849, 3.815842, -3.225334),
    4.0: (-6.006491, 4.918510, -4.918510),
}
AS_LED = ([0, 1, 3, 4], [sheared(k) for k in (0, 1, 1, 0)])


def test_a_sheared_block_relaxes_in_the_axes_that_turn_along():
    history = led(of(NeoHookean(mu=20.0), prony=prony((0.5, 1.0))), *AS_LED, step=5e-3, frame=0.5, energies=True)
    for time, expected in SHEARED.items():
        np.testing.assert_allclose(shear_figures(history, time), expected, atol=1e-6)
    # as it is finite linear viscoelasticity, a part is neither stored nor dissipated; the account closes
    assert abs(history["energy.continuum"][-1]) > 0.1
    assert np.abs(history["energy.balance_error"]).max() < 1e-7


@pytest.mark.parametrize(("integrator", "tolerance"), [("implicit_euler", 0.15), ("quasi_static", 2e-3)])
def test_larger_steps_relax_alike(integrator, tolerance):
    """Backward Euler is of the first order; a quasi-static step integrates what relaxes, of the second."""
    history = led(of(NeoHookean(mu=20.0), prony=prony((0.5, 1.0))), *AS_LED, step=0.02, frame=0.5, integrator=integrator)
    for time, expected in SHEARED.items():
        np.testing.assert_allclose(shear_figures(history, time), expected, atol=tolerance)


# Nominal stress of an incompressible bar of which 0.2 relax in 1 s and 0.1 in 30 s: pressed to 1/2 in 2 s, held to 32 s, back at 34 s
PRESSED = {
    1: -4.168120, 2: -16.653090, 3: -15.373117, 7: -14.458475, 32: -13.585082,
    33: -1.904601, 33.5: -0.034199, 34: 1.249529, 40: 0.474830, 60: 0.242931,
}  # fmt: skip


def test_a_pressed_bar_convolves_its_true_stress():
    ends = [(0.0, 1.0), (2.0, 0.5), (32.0, 0.5), (34.0, 1.0), (60.0, 1.0)]
    times = np.unique(np.concatenate([np.linspace(0, 2, 401), [32.0], np.linspace(32, 34, 401), [60.0]]))
    stretch = np.interp(times, *zip(*ends, strict=True))
    history = led(
        of(YEOH, poisson=0.49, prony=prony((0.2, 1.0), (0.1, 30.0))),
        times, [np.diag([one**-0.5, one**-0.5, one]) for one in stretch], step=0.01, frame=0.5,
    )  # fmt: skip
    for time, P in PRESSED.items():
        row = at(history, time)
        true = history["stress_zz"][row] - history["stress_xx"][row]  # the pressure is what leaves the sides free
        assert true / np.interp(time, times, stretch) == pytest.approx(P, abs=3e-5)


def test_a_step_of_any_size_relaxes_as_a_small_one():
    history = led(
        of(OGDEN, prony=prony((0.3, 0.1), (0.5, 1.0))),
        [0, 1e-4, 2],
        [np.eye(3), sheared(2.0), sheared(2.0)],
        step=2e-3,
        frame=0.5,
    )
    row = at(history, 0.5)
    tau = nominal(OGDEN, 100.0, sheared(2.0)) @ sheared(2.0).T
    for time in (0.5, 1.0, 2.0):
        G = 0.2 + 0.3 * np.exp(-time / 0.1) + 0.5 * np.exp(-time / 1.0)
        found = shear_figures(history, time)
        expected = G * np.array([tau[0, 1], tau[0, 0] - tau[1, 1], tau[1, 1] - tau[2, 2]])
        np.testing.assert_allclose(found, expected, rtol=2e-3)
    assert row


def test_a_series_relaxes_without_an_energy():
    """The corotated law, at a small strain."""
    material = {"shear_modulus": 10.0, "poisson": 0.45, "prony": prony((0.3, 0.1), (0.5, 1.0))}
    history = led(material, [0, 1e-4, 2], [np.eye(3), sheared(1e-4), sheared(1e-4)], step=2e-3, frame=0.5)
    for time in (0.5, 1.0, 2.0):
        G = 0.2 + 0.3 * np.exp(-time / 0.1) + 0.5 * np.exp(-time / 1.0)
        assert shear_figures(history, time)[0] == pytest.approx(1e-3 * G, rel=2e-3)


@pytest.mark.parametrize(
    "more", [{"prony": prony((0.3, 0.1))}, {"yield_stress": 1.0, "yield_viscosity": 5.0}], ids=["memory", "flow"]
)
@each_energy
@each_kind
def test_nothing_pushes_or_turns_itself(name, cells, more):
    """Whatever internal variables are; and all of it turns with the body."""
    model = compiled(of(ENERGIES[name], retardation_time=0.1, **more), cells, CELLS[cells])
    random = np.random.default_rng(8)
    internal = 0.1 * random.standard_normal(len(model.state.blocks["continuum.internal"]))
    state = stretched(model, random_gradients(1, seed=2)[0], rate=random.standard_normal((3, 3)), internal=internal)
    state.position[...] += 0.05 * random.standard_normal(state.position.shape)
    found = evaluated(model, state)
    size = np.abs(found.force).sum()
    np.testing.assert_allclose(found.force.sum(axis=0), 0.0, atol=1e-13 * size)
    np.testing.assert_allclose(np.cross(state.position, found.force).sum(axis=0), 0.0, atol=1e-12 * size)
    turn, spin = Rotation.from_rotvec([0.9, -1.4, 0.6]).as_matrix(), np.array([0.3, 2.0, -1.0])
    turned = state.copy()
    turned.position[...] = state.position @ turn.T
    turned.velocity[...] = state.velocity @ turn.T + np.cross(spin, turned.position)
    again = evaluated(model, turned)
    np.testing.assert_allclose(again.force, found.force @ turn.T, atol=1e-11 * size)
    assert again.stored == pytest.approx(found.stored, rel=1e-11)
    assert again.dissipation == pytest.approx(found.dissipation, rel=1e-9)


# ---- flow


def flowing(**more):
    return of(HENCKY, yield_stress=5.0, yield_viscosity=5.0, **more)


def test_a_block_flows_beyond_its_yield_stress():
    """Sheared to 1 in 1 s, held to 2 s, and back."""
    history = led(flowing(), [0, 1, 2, 3], [sheared(k) for k in (0, 1, 1, 0)], step=2e-3, frame=0.01, energies=True)
    assert shear_figures(history, 0.25)[0] == pytest.approx(2.47428, abs=1e-5)  # elastic
    assert shear_figures(history, 0.5)[0] == pytest.approx(3.94265, abs=2e-5)
    np.testing.assert_allclose(shear_figures(history, 1.0), (4.14741, 3.16368, -1.58184), atol=2e-5)
    np.testing.assert_allclose(shear_figures(history, 2.0)[:2], (2.70082, 2.06021), atol=2e-5)
    back = history["time"] >= 2.0
    zero = np.interp(0.0, -history["stress_xy"][back], 3.0 - history["time"][back])
    assert zero == pytest.approx(0.70792, abs=1e-4)
    assert np.abs(history["energy.balance_error"]).max() < 1e-8
    # what stayed is told: the plastic strain is that of a stress-free block, symmetric and without volume
    row = at(history, 2.0)
    assert history["left_xy"][row] > 0.2
    assert history["left_xx"][row] + history["left_yy"][row] + history["left_zz"][row] == pytest.approx(0.0, abs=1e-9)
    row = at(history, 0.25)
    assert history["left_xy"][row] == 0.0


@pytest.mark.parametrize("integrator", ["implicit_euler", "quasi_static"])
def test_steps_that_return_to_the_yield_stress(integrator):
    """Of the first order."""
    errors = []
    for step in (0.02, 0.01):
        history = led(flowing(), [0, 1, 2], [sheared(k) for k in (0, 1, 1)], step=step, frame=0.5, integrator=integrator)
        errors.append(abs(shear_figures(history, 1.0)[0] - 4.14741))
    assert errors[0] < 0.02
    assert errors[0] / errors[1] == pytest.approx(2.0, abs=0.3)


def test_a_bar_flows_as_a_bingham_element():
    """E = 3 mu = 10 Pa, Y = 1 Pa, eta = 20 Pa s, logarithmic strain: led at 0.1/s for 3 s, held to 13 s."""
    times = np.concatenate([np.linspace(0, 3, 301), [13.0]])
    strain = np.minimum(0.1 * times, 0.3)
    gradients = [np.diag(np.exp([-0.5 * e, -0.5 * e, e])) for e in strain]
    material = of(Hencky(mu=10.0 / 3.0), yield_stress=1.0, yield_viscosity=20.0)
    history = led(material, times, gradients, step=5e-3, frame=0.5)
    for time, stress, left in ((3.0, 2.26424112, 0.07357589), (13.0, 1.00851839, 0.19914816)):
        row = at(history, time)
        assert history["stress_zz"][row] - history["stress_xx"][row] == pytest.approx(stress, abs=2e-4)
        assert history["left_zz"][row] == pytest.approx(left, abs=2e-5)


def test_a_maxwell_element_is_one_without_a_yield_stress():
    times = np.concatenate([np.linspace(0, 3, 301), [13.0]])
    strain = np.minimum(0.1 * times, 0.3)
    gradients = [np.diag(np.exp([-0.5 * e, -0.5 * e, e])) for e in strain]
    history = led(of(Hencky(mu=10.0 / 3.0), yield_stress=0.0, yield_viscosity=20.0), times, gradients, step=5e-3, frame=0.5)
    for time, stress in ((3.0, 1.55373968), (13.0, 0.01046902)):
        row = at(history, time)
        assert history["stress_zz"][row] - history["stress_xx"][row] == pytest.approx(stress, abs=2e-4)


def test_set_multiplies_stretches():
    """A bar of half its length, of which 0.8 stays: the elastic stretch is 0.625, and not 0.7."""
    model = compiled(of(NH, yield_stress=1e6, yield_viscosity=1.0))
    left = np.diag([0.8**-0.5, 0.8**-0.5, 0.8])
    inverse = np.linalg.inv(left @ left)
    internal = np.repeat([inverse[0, 0] - 1, inverse[1, 1] - 1, inverse[2, 2] - 1, 0, 0, 0], 16)
    F = np.diag([0.5**-0.5, 0.5**-0.5, 0.5])
    tau = mean_stress(model, F, internal=internal) @ F.T
    assert tau[2, 2] - tau[0, 0] == pytest.approx(-12.09375, rel=1e-12)


# ---- bodies that are crushed, turned inside out, and pressed

STATES = {
    "flat": np.diag([1.0, 1.0, 0.0]),
    "inverted": np.diag([1.0, 1.0, -0.5]),
    "line": np.diag([0.0, 0.0, 1.0]),
    "point": np.zeros((3, 3)),
}
STURDY = {
    "neo_hookean with memory": of(NH, poisson=0.45, prony=prony((0.3, 0.1))),
    "yeoh": of(YEOH, poisson=0.45),
    "flowing": {"shear_modulus": 10.0, "poisson": 0.45, "yield_stress": 1e6, "yield_viscosity": 100.0},
}


def shape_error(model, state):
    """Largest distance [m] of a point from where the undeformed body, turned and moved, has it."""
    X, x = model.model.rest_position, state.position
    X, x = X - X.mean(axis=0), x - x.mean(axis=0)
    u, _, v = np.linalg.svd(x.T @ X)
    turn = u @ np.diag([1.0, 1.0, np.linalg.det(u @ v)]) @ v
    assert np.linalg.det(x.T @ X) > 0.0
    return np.abs(x - X @ turn.T).max()


@pytest.mark.parametrize("start", STATES)
@pytest.mark.parametrize("name", STURDY)
def test_a_cube_recovers(name, start):
    time = {"end": 4.0, "frame": 1.0, "step": 5e-4, "integrator": "semi_implicit_euler"}
    model = compiled(STURDY[name] | {"retardation_time": 0.1}, time=time)
    state = stretched(model, STATES[start])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # how large steps do with the energies of such a blow is looked at elsewhere
        result = simulate(replace(model, start=state), strict=False)
    assert result.state.time == 4.0
    assert shape_error(model, result.state) < 5e-3


def test_a_mirror_image_recovers():
    time = {"end": 6.0, "frame": 1.0, "step": 1e-2, "integrator": "implicit_euler"}
    model = compiled(of(NH, poisson=0.45), time=time)
    state = stretched(model, np.diag([1.0, 1.0, -1.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = simulate(replace(model, start=state), strict=False)
    assert shape_error(model, result.state) < 0.05  # what still swings


@each_energy
def test_forces_are_finite_wherever_points_are(name):
    model = compiled(of(ENERGIES[name], prony=prony((0.3, 0.1)), yield_stress=5.0, yield_viscosity=5.0))
    for lost in (*STATES.values(), -np.eye(3), np.diag([1.0, 1e-9, 1.0]), np.diag([1e-6, 1e6, 1.0])):
        found = evaluated(model, stretched(model, lost, rate=np.ones((3, 3))))
        assert np.isfinite(found.force).all()
        assert np.isfinite([found.stored, found.dissipation, found.taken]).all()


def pressed(material, integrator, cells="boxes", step=None):
    """Glued between plates, to 35 % of its height and back."""
    body = table(material, cells, (4, 4, 4)) | {"spacing": 0.01}
    body["material"] |= {"density": 1000.0, "retardation_time": 0.01}
    way = [[0.0, 0.0, 0.0], [0.0, 0.0, -0.65 * 0.03], [0.0, 0.0, 0.0]]
    scene = {
        "time": {"end": 2.0, "frame": 0.25, "integrator": integrator, **({"step": step} if step else {})},
        "body": {"b": body},
        "fix": [{"body": "b", "points": "bottom"}],
        "drive": [{"body": "b", "points": "top", "times": [0.0, 1.0, 2.0], "displacement": way}],
    }
    return simulate(Scene.model_validate(scene)).history


RUBBER = of(Yeoh(C1=2150.0, C2=60.0, C3=72.0), poisson=0.45, prony=prony((0.2, 0.1), (0.1, 1.0)))
CLAY = of(NeoHookean(mu=1e4), poisson=0.45, yield_stress=2e3, yield_viscosity=1e3)


@pytest.mark.parametrize("cells", ["boxes", "nodal"])
@pytest.mark.parametrize("material", [RUBBER, CLAY], ids=["rubber", "clay"])
def test_a_body_is_pressed_to_a_third(material, cells):
    """Steps of any kind come to the same forces."""
    explicit = pressed(material, "semi_implicit_euler", cells)
    force, size = explicit["drive1.force_z"], np.abs(explicit["drive1.force_z"]).max()
    assert force[4] == -size
    folded = np.arange(9) == 4  # its rim then folds to one side or another
    stored = np.maximum(explicit["energy.stored"], explicit["energy.dissipated"]).max()
    assert np.abs(explicit["energy.balance_error"]).max() < 1e-3 * stored
    for integrator in ("implicit_euler", "quasi_static"):
        found = pressed(material, integrator, cells, 0.02)["drive1.force_z"]
        assert (np.abs(found - force) < np.where(folded, 0.2, 0.02) * size).all()


# ---- measured


def compression(name):
    """(strain, force [N]) of a cylinder, 50 mm wide and 30 mm high, pressed between plates."""
    columns = np.loadtxt(measured_data("phantom_compression") / f"{name}.csv", delimiter=",", skiprows=8)
    return columns[:, 1] / 30.0, columns[:, 2]


def test_a_silicone_is_pressed_as_it_was_measured():
    """Yeoh's numbers of one series tell the force of another, to two thirds of the height; that repeats itself to 1.43 % only."""
    area = np.pi * 0.025**2
    (strain, force), (other, expected) = compression("EF10_50T_A1"), compression("EF10_50T_B1")
    columns = [Yeoh.model_construct(C1=a, C2=b, C3=c).nominal_stress(1.0 - strain) for a, b, c in np.eye(3)]
    C = np.linalg.lstsq(-area * np.stack(columns, axis=1), force, rcond=None)[0]
    np.testing.assert_allclose(C, [2115.8, 59.6, 69.7], atol=0.1)
    model = compiled(of(Yeoh(C1=C[0], C2=C[1], C3=C[2]), poisson=0.499))
    at_strain = np.linspace(0.0, 0.66, 23)
    pressed = np.array([0.0, *(-area * pulled(model, 1.0 - e)[0] for e in at_strain[1:])])
    found = CubicSpline(at_strain, pressed)(other[other <= 0.66])
    assert np.sqrt(np.mean((found - expected[other <= 0.66]) ** 2)) < 0.02 * expected.max()
