"""Books of linear elements in large steps, and what tables, materials, shapes and regions make of them, against closed forms."""

import numpy as np
import pytest

from yawara import Chain, Drive, Fix, Lattice, Material, Scene, Sheet, Time, Truss, compile_scene, simulate
from yawara.frame import Frame
from yawara.methods.fields import Fields
from yawara.scene.bodies.from_cells import geometry_of_cells
from yawara.terms.linear_elements.lame import lame_factors

MAXWELL = {"youngs_modulus": 300.0, "flow_viscosity": 500.0}
ARMS = {
    "youngs_moduli": [30.0, 60.0], "viscosities": [20.0, 400.0], "arrangement": "parallel", "youngs_modulus": 5.0, "viscosity": 2.0,
}  # fmt: skip


def moved(compiled, slopes):
    """A state with the same slopes du_i/dx_j everywhere."""
    state = compiled.state.copy()
    state.position[...] += compiled.model.rest_position @ np.asarray(slopes).T
    return state


def force_on(compiled, state):
    return Frame(0, compiled.model, state, compiled.control.stretch(0.0, 1.0), 0.0).evaluation.force


def still(body):
    return compile_scene(Scene(time=Time(end=1.0), body={"it": body}))


@pytest.mark.parametrize("integrator", ["implicit_euler", "quasi_static"])
def test_books_of_a_bar_in_large_steps(integrator):
    """Pulled by e in one step and then held: Maxwell's spring is left with h_1, h_2 ..., and its damper moves by h_(n-1) - h_n, h_0 = e.

    The damper takes k h_n (h_(n-1) - h_n) in each step; what comes in is k h_1 e; the rest is what the scheme takes.
    """
    k, e, dt, steps = 300.0, 0.01, 0.5, 6
    z = dt * k / 500.0
    own = Chain(counts=[2], spacing=1.0, cross_section=1.0, mass=1.0, elements={"type": "small_strain", **MAXWELL})
    end = Drive(name="end", body="it", points="last", times=(0.0, dt), displacement=((0, 0, 0), (e, 0, 0)))
    time = Time(end=dt * steps, frame=dt, step=dt, integrator=integrator)
    history = simulate(Scene(time=time, body={"it": own}, drive=(end,), fix=(Fix(body="it", points="first"),))).history
    left, first = (1.0 / (1.0 + z),) * 2 if integrator == "implicit_euler" else (np.exp(-z), (1.0 - np.exp(-z)) / z)
    h = e * first * left ** np.arange(steps)
    falls = np.concatenate([[e], h[:-1]]) - h
    np.testing.assert_allclose(history["energy.stored"][1:], 0.5 * k * h**2, rtol=1e-10)
    np.testing.assert_allclose(history["energy.dissipated"][1:], k * (h * falls).cumsum(), rtol=1e-10)
    scheme = 0.5 * k * (h[0] ** 2 + np.concatenate([[0.0], falls[1:] ** 2]).cumsum())
    np.testing.assert_allclose(history["energy.scheme"][1:], scheme, rtol=1e-10)


@pytest.mark.parametrize("shape", ["truss", "lattice"])
def test_all_six_stresses_of_a_solid(shape):
    """sigma = lambda tr(e) 1 + 2 mu e, whatever part of the slopes turns the body."""
    make = Truss if shape == "truss" else Lattice
    table = {"type": "small_strain", "youngs_modulus": 300.0, "poisson": 0.35}
    compiled = still(make(counts=(3, 3, 3), spacing=0.1, mass=1.0, elements=table))
    A = 1e-2 * np.array([[1.0, 3.0, -2.0], [5.0, -4.0, 0.5], [7.0, -6.0, 2.0]])
    e, (first, second) = 0.5 * (A + A.T), 300.0 * np.array(lame_factors(0.35))
    expected = first * np.trace(e) * np.eye(3) + 2.0 * second * e
    state = moved(compiled, A)
    found = Fields(compiled.model).stress(state)
    np.testing.assert_allclose(found, np.broadcast_to(expected, found.shape), atol=1e-10)
    found = Fields(compiled.model).strain(state)
    np.testing.assert_allclose(found, np.broadcast_to(e, found.shape), atol=1e-12)


def test_the_stress_of_a_point_is_the_mean_over_volumes(monkeypatch):
    """Two triangles, one twice as large, that are pulled along x by 1 and by 2 percent: E e in each, without Poisson's ratio."""
    position = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -2.0, 0.0]])
    members = np.array([[0, 1, 2], [0, 3, 1]])
    monkeypatch.setattr(Sheet, "geometry", lambda body: geometry_of_cells(position, members, thickness=1.0))
    table = {"type": "small_strain", "youngs_modulus": 300.0, "poisson": 0.0}
    compiled = still(Sheet(counts=(2, 2), spacing=1.0, mass=1.0, elements=table))
    state = compiled.state.copy()
    state.position[2, 1] += 0.01
    state.position[3, 1] -= 0.04
    found = Fields(compiled.model).stress(state)[:, 1, 1]
    np.testing.assert_allclose(found, [(3.0 + 2.0 * 6.0) / 3.0] * 2 + [3.0, 6.0], rtol=1e-10)


def test_a_thicker_sheet_bears_more():
    """Pulled along x by 1 percent with free sides: E e over width times thickness."""
    for thickness in (0.02, 0.5):
        table = {"type": "small_strain", "youngs_modulus": 300.0, "poisson": 0.35}
        own = Sheet(counts=(3, 4), spacing=0.1, thickness=thickness, mass=1.0, elements=table)
        compiled = still(own)
        force = force_on(compiled, moved(compiled, 0.01 * np.diag([1.0, -0.35, 0.0])))
        right = compiled.model.rest_position[:, 0] > 0.19
        assert -force[right, 0].sum() == pytest.approx(300.0 * 0.01 * 0.3 * thickness, rel=1e-10)


def test_a_region_of_a_sheet_is_where_its_cells_are():
    """Pulled along x by 1 percent, without Poisson's ratio: E e in the soft half, ten times as much in the stiff one."""
    soft, stiff = (Material(density=1000.0, youngs_modulus=E, poisson=0.0, retardation_time=0.0) for E in (1e3, 1e4))
    for low, high in (((0.02, -1.0), (0.04, 1.0)), ((-1.0, 0.02), (1.0, 0.04))):
        half = {"links": {"min": (*low, -1.0), "max": (*high, 1.0)}, "material": stiff}
        own = Sheet(counts=(5, 5), spacing=0.01, material=soft, elements="small_strain", region={"half": half})
        compiled = still(own)
        found = Fields(compiled.model).stress(moved(compiled, 0.01 * np.diag([1.0, 0.0, 0.0])))[:, 0, 0]
        along = compiled.model.rest_position[:, 0 if low[0] > 0.0 else 1]
        np.testing.assert_allclose(found[along < 0.015], 10.0, rtol=1e-9)
        np.testing.assert_allclose(found[along > 0.025], 100.0, rtol=1e-9)


def held(own, speed, end):
    """Stress at all points of a body of two columns of points, pulled along x for 1 s at this speed and then held."""
    compiled = still(own)
    x = compiled.model.rest_position[:, 0]
    drives = tuple(
        Drive(body="it", points=(int(n),), times=(0.0, 1.0), displacement=((0, 0, 0), (speed * x[n], 0, 0)))
        for n in range(len(x))
    )
    time = Time(end=end, frame=end, step=0.01, integrator="rk4")
    result = simulate(Scene(time=time, body={"it": own}, drive=drives))
    return Fields(result.compiled.model).stress(result.state)


def test_arms_of_a_table_have_poissons_ratios_of_both_kinds():
    """Each arm's modulus has the one of moduli, its viscosity that of viscosities: so lambda and mu relax each in its own times."""
    speed, end, (nu, nu_vis) = 1e-3, 3.0, (0.35, 0.1)
    table = {"type": "small_strain", **ARMS, "poisson": nu, "viscous_poisson": nu_vis}
    first, second = (
        speed * (5.0 * ela + sum(
            c * vis * (1.0 - np.exp(-k * ela / (c * vis))) * np.exp(-k * ela / (c * vis) * (end - 1.0))
            for k, c in ((30.0, 20.0), (60.0, 400.0))
        ))
        for ela, vis in zip(lame_factors(nu), lame_factors(nu_vis), strict=True)
    )  # fmt: skip
    found = held(Truss(counts=(2, 2, 2), spacing=1.0, mass=1.0, elements=table), speed, end)
    np.testing.assert_allclose(found, np.broadcast_to(np.diag([first + 2.0 * second, first, first]), found.shape), atol=1e-10)


def test_a_flow_without_a_ratio_of_its_own_has_that_of_viscosities():
    said = {"type": "small_strain", **MAXWELL, "viscosity": 20.0, "poisson": 0.35, "viscous_poisson": 0.1}
    unsaid, plain, other = (
        held(Truss(counts=(2, 2, 2), spacing=1.0, mass=1.0, elements=said | more), 1e-3, 2.0)
        for more in ({}, {"flow_poisson": 0.1}, {"flow_poisson": 0.35})
    )
    np.testing.assert_array_equal(unsaid, plain)
    assert np.abs(unsaid - other).max() > 1e-3


def test_a_material_relaxes_in_its_relaxation_time():
    """Held, its stress falls by exp(-t/tau_R), with the damper beside the spring counted in: after a ramp of 1 s, the closed form."""
    E, nu, tau_1, tau_R, speed, end = 300.0, 0.35, 0.4, 1.5, 1e-3, 3.0
    material = Material(density=1.0, youngs_modulus=E, poisson=nu, retardation_time=tau_1, relaxation_time=tau_R)
    found = held(Truss(counts=(2, 2, 2), spacing=1.0, material=material, elements="small_strain"), speed, end)
    share = ((tau_R - tau_1) / tau_R) ** 2  # of Young's modulus, in the arm that three elements in series are
    young = E * share * speed * tau_R * (1.0 - np.exp(-1.0 / tau_R)) * np.exp(-(end - 1.0) / tau_R)
    first, second = young * np.array(lame_factors(nu))
    np.testing.assert_allclose(found, np.broadcast_to(np.diag([first + 2.0 * second, first, first]), found.shape), atol=1e-9)


@pytest.mark.parametrize(("shape", "size"), [("chain", 2e-4 / 0.1), ("sheet", 0.02), ("truss", 0.1)])
def test_how_strong_a_body_is_counts_its_law_of_shape(shape, size):
    """Without Poisson's ratio lambda is 0, and mu is E/2; a row of points has E, over its links' length and times their section."""
    material = Material(density=1000.0, youngs_modulus=300.0, poisson=0.0, retardation_time=0.1)
    own = {"spacing": 0.1, "material": material, "elements": "small_strain"}
    body = (
        Chain(counts=[4], cross_section=2e-4, **own) if shape == "chain"
        else Sheet(counts=(4, 4), thickness=0.02, **own) if shape == "sheet"
        else Truss(counts=(3, 3, 3), **own)
    )  # fmt: skip
    modulus = 300.0 if shape == "chain" else 150.0
    assert still(body).request.pieces[0].typical_strength() == pytest.approx((size * modulus, size * modulus * 0.1), rel=1e-12)
