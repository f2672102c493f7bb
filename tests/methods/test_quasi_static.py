"""Quasi-static steps: closed forms of slow tests at any step, equilibrium without inertia, energies that close."""

import numpy as np
import pytest

from yawara import Chain, Drive, Fix, GeneralizedMaxwell, Maxwell, Scene, StepStatus, Time, Truss, Voigt, simulate
from yawara.observe.energies import balance_error

LENGTH, PULL, RAMP = 0.1, 0.01, 2.0  # [m], [m], [s]


def pulled(law, step, end=20.0, frame=1.0, integrator="quasi_static"):
    """One link, pulled by 10 mm in 2 s and held."""
    body = Chain(counts=[2], spacing=LENGTH, law=law, mass=1e-3)
    pull = Drive(body="a", points="right", times=[0.0, RAMP], displacement=[(0, 0, 0), (PULL, 0, 0)])
    time = Time(end=end, frame=frame, step=step, integrator=integrator)
    return simulate(Scene(time=time, body={"a": body}, fix=[Fix(body="a", points="left")], drive=[pull]))


@pytest.mark.parametrize("step", [0.1, 0.5, 1.0])
def test_a_maxwell_link_relaxes_by_its_closed_form_at_any_step(step):
    """f = c v (1 - exp(-t/tau)) while it is pulled, and decays as exp(-t/tau) after; tau is 3 s."""
    law = Maxwell(k=40.0, c=120.0)
    history, tau = pulled(law, step).history, 3.0
    time, force = history["time"], np.abs(history["drive1.force_x"])
    rise = law.c * PULL / RAMP * (1.0 - np.exp(-np.minimum(time, RAMP) / tau))
    expected = rise * np.exp(-np.maximum(time - RAMP, 0.0) / tau)
    assert force[1:] == pytest.approx(expected[1:], rel=1e-9)


@pytest.mark.parametrize("step", [0.2, 1.0])
def test_many_arms_relax_each_by_its_own_time(step):
    """Far shorter and far longer than the step."""
    law = GeneralizedMaxwell(k=(30.0, 20.0, 10.0), c=(0.3, 20.0, 500.0), k_inf=5.0, c_inf=0.0)
    history = pulled(law, step).history
    time, force, v = history["time"][1:], np.abs(history["drive1.force_x"])[1:], PULL / RAMP
    expected = law.k_inf * np.minimum(time * v, PULL)
    for k, c in zip(law.k, law.c, strict=True):
        rise = c * v * (1.0 - np.exp(-np.minimum(time, RAMP) * k / c))
        expected = expected + rise * np.exp(-np.maximum(time - RAMP, 0.0) * k / c)
    assert force == pytest.approx(expected, rel=1e-9)


def test_backward_euler_is_not_exact_there():
    """So the tests above see which scheme it was."""
    one, other = (pulled(Maxwell(k=40.0, c=120.0), 1.0, integrator=name).history for name in ("quasi_static", "implicit_euler"))
    assert abs(other["drive1.force_x"][2] / one["drive1.force_x"][2] - 1.0) > 0.01


def test_a_load_is_at_its_equilibrium_after_one_step():
    """No vibration, however little damping there is; x = m g / k."""
    body = Chain(counts=[2], spacing=LENGTH, law=Voigt(k=40.0, c=1e-3), mass=0.02)
    scene = Scene(
        gravity=(-9.81, 0.0, 0.0), time=Time(end=1.0, frame=0.5, step=0.5, integrator="quasi_static"), body={"a": body},
        fix=[Fix(body="a", points="right")],
    )  # fmt: skip
    result = simulate(scene)
    assert result.state.position[0, 0] == pytest.approx(-0.01 * 9.81 / 40.0, rel=1e-3)
    assert np.abs(result.state.velocity).max() < 1e-3


def test_a_free_body_without_forces_stays():
    body = Truss(counts=(3, 3, 3), spacing=0.1, law=Voigt(k=40.0, c=0.8), mass=5.0, velocity=(1.0, 0.0, 0.0))
    result = simulate(Scene(time=Time(end=1.0, frame=0.1, integrator="quasi_static"), body={"a": body}))
    assert np.abs(result.state.position - body_at_rest(body)).max() < 1e-9
    assert balance_error(result.history) < 1e-9


def body_at_rest(body):
    axes = [np.arange(count) * body.spacing for count in body.counts]
    z, y, x = np.meshgrid(*axes[::-1], indexing="ij")
    return np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)


def dough(end, integrator, step, method, count=3):
    """Pressed by 30 % by a plate, held and let go, in `end` seconds; its times in the same proportion."""
    spacing = 0.04 / (count - 1)
    material = {"youngs_modulus": 2e4, "density": 1200.0, "retardation_time": end / 4000, "relaxation_time": end / 20}
    body = {"shape": "truss", "counts": [count] * 3, "spacing": spacing, "material": material}
    times, down = [0.3 * end, 0.6 * end, 0.9 * end], [0, 0, -0.012]
    motion = {"type": "path", "times": [0.0, *times], "displacement": [[0, 0, 0], down, down, [0, 0, 0]]}
    plate = {"shape": "plate", "size": [0.1, 0.1, 0.02], "origin": [0.02, 0.02, 0.04], "friction": 0.1, "motion": motion}
    time = {"end": end, "frame": end / 80, "integrator": integrator} | ({"step": step} if step else {})
    return Scene.model_validate(
        {"gravity": (0, 0, 0), "time": time, "body": {"a": body}, "tool": {"floor": {"shape": "floor", "friction": 0.1}, "plate": plate},
         "contact": {"method": method, "itself": False, "restitution": 0.0}}
    )  # fmt: skip


class Ends:
    """What the plate feels at the end of each frame."""

    def __init__(self):
        self.force = []

    def observe(self, frame):
        if len(frame.log):
            self.force.append(frame.log[-20:, 8].mean() if self.average else frame.log[-1, 8])


def felt(scene, *, average):
    seen = Ends()
    seen.average = average
    return simulate(scene, observers=[seen]), np.array(seen.force)


@pytest.mark.filterwarnings("ignore:The implicit scheme itself")
@pytest.mark.parametrize(("integrator", "step"), [("quasi_static", 0.25), ("quasi_static", 1.0), ("implicit_euler", 0.1)])
def test_a_slow_press_is_that_of_an_explicit_run_at_a_faster_rate(integrator, step):
    """Eight times faster, inertia is still nothing: a plate at 4 mm/s in dough with waves of 4 m/s.

    Backward Euler relaxes too slowly by step / (2 relaxation time), 1.3 % of what relaxes meanwhile.
    """
    slow, force = felt(dough(80.0, integrator, step, "impulse"), average=False)
    _, expected = felt(dough(10.0, "semi_implicit_euler", 1e-4, "impulse"), average=True)
    assert slow.status is StepStatus.DONE
    assert balance_error(slow.history) < 0.01
    assert np.abs(force - expected).max() < 0.01 * np.abs(expected).max()


def test_resumed_it_ends_the_same_bit_for_bit():
    seen = {}

    class Keep:
        def observe(self, frame):
            seen[frame.index] = frame.state.copy()

    scene = dough(80.0, "quasi_static", 0.5, "impulse")
    whole = simulate(scene, observers=[Keep()]).state
    for frame in (1, 30, 60):
        again = simulate(scene, start=(frame, seen[frame])).state
        for name, array in again.arrays().items():
            assert array.tobytes() == whole.arrays()[name].tobytes(), (frame, name)
