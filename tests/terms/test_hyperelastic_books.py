"""Energy accounts of laws with an energy of finite strain: where memory and flow go together, where no volume is left, in large steps."""

import numpy as np
import pytest

from reference_hyperelastic import compiled, evaluated, led, mean_stress, nominal, sheared, stretched
from yawara.materials import Hencky, NeoHookean, Ogden, Yeoh
from yawara.methods.products import Products
from yawara.scene.refill import refill

ENERGIES = {
    "neo_hookean": NeoHookean(mu=10.0),
    "yeoh": Yeoh(C1=2.15, C2=0.06, C3=0.072),
    "ogden": Ogden(mu=(6.0, 3.0), alpha=(2.5, -4.0)),
    "hencky": Hencky(mu=10.0),
}
MEMORY = {"prony": [{"share": 0.3, "time": 0.1}, {"share": 0.5, "time": 1.0}]}
FLOW = {"yield_stress": 5.0, "yield_viscosity": 5.0}
each_energy = pytest.mark.parametrize("name", ENERGIES)


def of(energy, **more):
    return {"energy": energy, "bulk_modulus": 100.0, **more}


def slope_of_stored(model, state):
    """[W], by differences of the fourth order along the velocities, internal variables held."""
    h, found = 1e-5, []
    for n in (-2, -1, 1, 2):
        moved = state.copy()
        moved.position[...] += n * h * state.velocity
        found.append(evaluated(model, moved).stored)
    return (found[0] - 8.0 * found[1] + 8.0 * found[2] - found[3]) / (12.0 * h)


def of_volume(J, seed):
    """A gradient with that determinant, sheared and turned, of which most is pressed along one way."""
    random = np.random.default_rng(seed)
    F = (np.eye(3) + 0.2 * random.standard_normal((3, 3))) @ np.diag([1.1, 0.9, 1.0])
    F[:, 2] *= J / np.linalg.det(F)
    return F


@pytest.mark.parametrize("J", [0.3, 0.08, 0.05, 0.02, -0.3])
@each_energy
def test_what_forces_take_where_hardly_any_volume_is_left(name, J):
    """From the motion they take what is then stored, and what the account says that fading stress takes beyond it."""
    model = compiled(of(ENERGIES[name]))
    for seed in range(3):
        random = np.random.default_rng(100 + seed)
        state = stretched(model, of_volume(J, seed), rate=random.standard_normal((3, 3)))
        state.position[...] += 1e-3 * random.standard_normal(state.position.shape)
        found = evaluated(model, state)
        into = -(found.force * state.velocity).sum()
        size = max(abs(into), abs(found.taken), found.stored)
        assert found.dissipation == 0.0
        assert slope_of_stored(model, state) + found.taken == pytest.approx(into, abs=1e-6 * size)
        assert (found.taken == 0.0) == (not 0.0 < J < 0.1)


@each_energy
def test_forces_are_slopes_of_the_energy_of_what_is_pressed_flat(name):
    """To a thirtieth of its height, and as wide as that needs: beyond where powers are taken, their force goes on level."""
    model, stretches = compiled(of(ENERGIES[name])), np.array([1.0 / 30.0, 30.0**0.5, 30.0**0.5])
    state = stretched(model, np.diag(stretches), rate=np.diag([1.0, 0.3, -0.2] * stretches))
    found = evaluated(model, state)
    into = -(found.force * state.velocity).sum()
    assert slope_of_stored(model, state) == pytest.approx(into, rel=1e-7)


def test_flow_fades_where_hardly_any_volume_is_left():
    """Below J_0 stress bears f = (J/J_0)^2 of itself and flows f^3 as fast, as U^-1 fades with it on both sides: V f^4 (q - Y)/eta q."""
    Y, eta, J, low = 5.0, 7.0, 0.05, 0.1
    model = compiled(of(NeoHookean(mu=10.0), yield_stress=Y, yield_viscosity=eta))
    F, fade = np.diag([1.25, 0.8, J]), (J / low) ** 2
    b = low ** (-2 / 3) * (1.0 + (1.0 - fade) / 3.0) * F @ F
    tau = 10.0 * (b - np.trace(b) / 3.0 * np.eye(3))
    q = np.sqrt(1.5 * (tau**2).sum())
    assert evaluated(model, stretched(model, F)).dissipation == pytest.approx(fade**4 * (q - Y) / eta * q, rel=1e-12)


@each_energy
def test_memory_and_flow_together_keep_the_account(name):
    """What memory takes beyond its dissipation is by the rate of stretching less that of flow."""
    gradients = [np.eye(3), sheared(0.8) @ np.diag([1.2, 0.8, 1.1]), np.diag([0.8, 1.3, 1.0]) @ sheared(-0.5)]
    history = led(of(ENERGIES[name], **MEMORY, **FLOW), [0, 1, 2], gradients, step=2e-3, frame=0.5, energies=True)
    assert history["energy.dissipated"][-1] > 0.5
    assert np.abs(history["energy.balance_error"]).max() < 1e-7


def test_memory_fades_where_hardly_any_volume_is_left():
    """At half of J_0 springs of branches store, and dampers take, a quarter: V f g mu |x - q|^2/4 and /(2 t), f = (J/J_0)^2."""
    mu, J, low = 10.0, 0.05, 0.1
    model = compiled(of(NeoHookean(mu=mu), **MEMORY))
    F, fade = np.diag([1.25, 0.8, J]), (J / low) ** 2
    b = low ** (-2 / 3) * (1.0 + (1.0 - fade) / 3.0) * F @ F
    x = b - np.trace(b) / 3.0 * np.eye(3)
    lost = fade * mu / 2.0 * (x**2).sum() * sum(one["share"] / one["time"] for one in MEMORY["prony"])
    assert evaluated(model, stretched(model, F)).dissipation == pytest.approx(lost, rel=1e-12)
    internal = np.zeros_like(model.state.blocks["continuum.internal"])
    internal[: 2 * 6 * 16] = np.tile(np.repeat(x[[0, 1, 2, 1, 2, 0], [0, 1, 2, 2, 0, 1]], 16), 2)
    relaxed = stretched(model, F, internal=internal)
    eased = fade * mu / 4.0 * (x**2).sum() * sum(one["share"] for one in MEMORY["prony"])
    assert evaluated(model, relaxed).dissipation == pytest.approx(0.0, abs=1e-12 * lost)
    assert evaluated(model, stretched(model, F)).stored - evaluated(model, relaxed).stored == pytest.approx(eased, rel=1e-10)


def test_books_of_a_bar_in_steps_of_backward_euler():
    """A bar of Hencky's energy that is pulled, with its volume: all tensors are numbers times diag(-1/2, -1/2, 1).

    With x = 2 (e - p) and tau = mu (g_inf x + sum g_i a_i (x - q_i)), a_i = 1/(1 + h/t_i), a step flows by dg where
    3/2 tau = Y + eta dg/h; branches dissipate g_i mu |a_i (x - q_i)|^2/(2 t_i), flow 3/2 tau dg/h. C_p^-1 goes straight on in a step, so
    that its logarithm's rate at the end is (exp(2 dg) - exp(-dg))/(3 h) where dg/h flows: with the difference memory is taken from.
    """
    mu, Y, eta, rise, h, steps = 10.0, 3.0, 5.0, 0.02, 0.05, 20
    g, t = np.array([0.3, 0.5]), np.array([0.1, 1.0])
    a, stays = 1.0 / (1.0 + h / t), 1.0 - g.sum()
    p, q, lost, taken = 0.0, np.zeros(2), 0.0, 0.0
    for n in range(steps):
        e = rise * (n + 1)
        soft = stays + (g * a).sum()
        dg = max(3.0 * mu * (soft * (e - p) - 0.5 * (g * a * q).sum()) - Y, 0.0) / (3.0 * mu * soft + eta / h)
        p += dg
        away = a * (2.0 * (e - p) - q)
        branches = mu * (g * away).sum()
        tau = mu * stays * 2.0 * (e - p) + branches
        lost += 1.5 * (h * (g * mu * away**2 / (2.0 * t)).sum() + tau * dg)
        taken += 1.5 * branches * ((np.exp(2.0 * dg) - np.exp(-dg)) / 3.0 - dg)
        q += h / t * away
    material = of(Hencky(mu=mu), yield_stress=Y, yield_viscosity=eta, **MEMORY)
    gradients = [np.diag(np.exp(rise * n * np.array([-0.5, -0.5, 1.0]))) for n in range(steps + 1)]
    times = h * np.arange(steps + 1)
    history = led(material, times, gradients, step=h, frame=times[-1], integrator="implicit_euler", energies=True)
    assert history["stress_zz"][-1] - history["stress_xx"][-1] == pytest.approx(
        1.5 * mu * (2.0 * stays * (e - p) + (g * (2.0 * (e - p) - q)).sum()), rel=1e-9
    )
    assert history["energy.dissipated"][-1] == pytest.approx(lost, rel=1e-9)
    assert history["energy.continuum"][-1] == pytest.approx(taken, rel=1e-6)


STIFFENING = {**ENERGIES, "stiffening": Yeoh(C1=2.0, C3=1.0)}


@pytest.mark.parametrize("F", [np.diag([2.5, 2.5**-0.5, 2.5**-0.5]), np.diag([1.8, 1.8, 1.8**-2]), sheared(2.0)])
@pytest.mark.parametrize("name", STIFFENING)
def test_the_watch_on_the_stable_step_sees_a_block_stiffen(name, F):
    """What it notes is the largest stiffness of a block over that at rest, to a factor of two below and of three above."""
    model = compiled(of(STIFFENING[name]))

    def stiffness(state):
        h, columns = 1e-5, []
        for place in np.ndindex(state.position.shape):
            ends = []
            for sign in (1.0, -1.0):
                moved = state.copy()
                moved.position[place] += sign * h
                ends.append(evaluated(model, moved).force.ravel())
            columns.append((ends[1] - ends[0]) / (2.0 * h))
        return np.linalg.eigvalsh(np.array(columns)).max()

    state = stretched(model, F)
    found = Products(model.model, model.model.terms)
    found.linearise(state, 1e-3)
    ratio = found.stiffenings[0] / (stiffness(state) / stiffness(model.state))
    assert 0.5 < ratio < 3.0


ACCOUNT = ("continuum", "dissipated", "balance_error")


@each_energy
def test_a_block_with_memory_that_flows_while_it_is_held_keeps_its_account(name):
    """Nothing is stretched then, but what has been stretched elastically still changes, and stress with it."""
    history = led(
        of(ENERGIES[name], **MEMORY, **FLOW),
        [0, 1, 2, 3],
        [sheared(k) for k in (0, 1, 1, 0)],
        step=2e-3,
        frame=0.5,
        energies=True,
    )
    assert np.abs(history["energy.balance_error"]).max() < 1e-7


@pytest.mark.parametrize("more", [MEMORY, FLOW, MEMORY | FLOW], ids=["memory", "flow", "both"])
@each_energy
def test_the_account_closes_where_hardly_any_volume_is_left(name, more):
    """Stress fades there, and with it what is stored, dissipated and taken. How steeply has a step at J_0, passed before 1 s."""
    gradients = [sheared(k) @ np.diag([1.1, 0.9, a]) for k, a in ((0.3, 0.09), (-0.5, 0.05), (0.6, 0.08))]
    material = of(ENERGIES[name], **more)
    history = led(material, [0, 1, 1.5, 2], [np.eye(3), *gradients], step=1e-3, frame=0.5, energies=True)
    since = {key: np.abs(history[f"energy.{key}"][2:] - history[f"energy.{key}"][2]) for key in ACCOUNT}
    assert since["continuum"].max() > 1e-3
    assert since["dissipated"].max() > 1e-3
    assert since["balance_error"].max() < 1e-5


@pytest.mark.parametrize("stretches", [(30.0, 30.0**-0.5, 30.0**-0.5), (30.0, 0.25, 0.15)])
def test_a_bar_that_is_pulled_to_30_times_its_length(stretches):
    energy = NeoHookean(mu=10.0)
    expected = nominal(energy, 100.0, np.diag(stretches))
    np.testing.assert_allclose(
        mean_stress(compiled(of(energy)), np.diag(stretches)), expected, atol=1e-6 * np.abs(expected).max()
    )


def test_a_block_turned_inside_out_stores_as_much_whether_it_is_even_or_not():
    """Rounding makes modes of 1e-16 m; exactly none cost as much."""
    model = compiled(of(NeoHookean(mu=10.0)))
    state = stretched(model, np.diag([1.0, 1.0, -0.5]))
    before = evaluated(model, state).stored
    state.position[...] += 1e-12 * np.random.default_rng(0).standard_normal(state.position.shape)
    assert evaluated(model, state).stored == pytest.approx(before, rel=1e-9)


def test_a_yield_stress_in_place_of_memory_is_built_anew():
    """Both have six internal variables, but other numbers: no model takes these in place of those."""
    one, other = (
        compiled(of(NeoHookean(mu=10.0), **more), "nodal", (3, 3, 3)) for more in ({"prony": MEMORY["prony"][:1]}, FLOW)
    )
    assert refill(one, other.scene) is None
    assert refill(other, one.scene) is None
    assert refill(one, one.scene) is not None
