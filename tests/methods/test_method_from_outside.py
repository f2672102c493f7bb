"""A method of stepping that lives in this file: no file of the package knows it.

Drops rain from a cloud, slowed down by the air, with an implicit solve of their own; they come and go, so their block of the state grows
and shrinks. They fall beside a body of links, and share its time, its energy account and its checkpoints.
"""

from typing import Literal

import numpy as np
import pytest

from yawara import Scene, run_scene, simulate
from yawara.core.method import Energy, Method, Stepper
from yawara.core.term import Variable
from yawara.live.digest import state_digest
from yawara.live.live import Live
from yawara.live.start import start_from_plain
from yawara.live.window import _state_layout, get_state, put_state
from yawara.methods import beside
from yawara.observe.energies import balance_error
from yawara.run import resume_run
from yawara.scene.tools import Box
from yawara.shared import Shared
from yawara.status import StepStatus

Z, V = 2, 3  # columns of a drop: place [m], then velocity [m/s]
MASS, MOST = 1e-3, 64  # [kg], drops
LOST, BORN = 0, 1  # places in the account


class Rain(beside.MethodOptions):
    type: Literal["rain"] = "rain"
    period: float = 2e-3  # [s], from one drop to the next
    height: float = 0.05  # [m]
    drag: float = 0.05  # [N s/m]


class Drops(Method):
    def __init__(self, name, rain, gravity):
        self.name, self.rain, self.gravity = name, rain, gravity

    @property
    def variables(self):
        return {"drops": Variable("m, m/s", (0, 6), most=MOST), "account": Variable("J", (2,))}

    def stepper(self, model):
        return Falling(self)

    def energy(self, state):
        drops, account = state.blocks[f"{self.name}.drops"], state.blocks[f"{self.name}.account"]
        moving = 0.5 * MASS * float((drops[:, V:] ** 2).sum())
        lifted = MASS * self.gravity * float(drops[:, Z].sum())
        return Energy(kinetic=moving, potential=lifted, dissipated=account[LOST], work_of_forces=account[BORN])


class Falling(Stepper):
    def __init__(self, method):
        self.method = method

    def advance(self, state, control, first, steps, dt):
        rain, name, m, g = self.method.rain, self.method.name, MASS, self.method.gravity
        drops, account = state.blocks[f"{name}.drops"], state.blocks[f"{name}.account"]
        for n in range(steps):
            born = int((state.time + 1e-12) / rain.period) - int((state.time - (steps - n) * dt + 1e-12) / rain.period)
            if n == steps - 1 and born and len(drops) < MOST:
                drops = np.concatenate([drops, [[0.001 * (state.step_count % 7), 0.0, rain.height, 0.0, 0.0, 0.0]]])
                account[BORN] += m * g * rain.height
            old = drops[:, V:].copy()
            drops[:, V:] = (old - [0.0, 0.0, g * dt]) / (1.0 + dt * rain.drag / m)  # backward Euler
            drops[:, :V] += dt * drops[:, V:]
            new = drops[:, V:]
            # drag, and what backward Euler takes
            account[LOST] += float((dt * rain.drag * new**2 + 0.5 * m * (new - old) ** 2).sum())
            gone = drops[:, Z] < 0.0
            account[LOST] += float((0.5 * m * drops[gone, V:] ** 2).sum() + m * g * drops[gone, Z].sum())
            drops = drops[~gone]
        state.blocks[f"{name}.drops"] = drops
        return steps


def build(request):
    return [Drops(name, one, 9.81) for name, one in request.methods.items() if isinstance(one, Rain)]


@pytest.fixture(autouse=True)
def rooms():
    beside.register(build)
    yield
    beside._methods.remove(build)


DATA = {
    "time": {"end": 0.2, "frame": 0.01},
    "gravity": [0.0, 0.0, -9.81],
    "body": {"it": {"shape": "truss", "counts": [3, 3, 3], "spacing": 0.01, "mass": 0.01, "law": {"type": "voigt", "k": 50.0, "c": 0.05}}},
    "fix": [{"body": "it", "points": "bottom"}],
}  # fmt: skip
WET = DATA | {"method": {"rain": {"type": "rain"}}}


def test_both_run_in_one_scene_and_neither_disturbs_the_other():
    dry, wet = (simulate(Scene.model_validate(data)) for data in (DATA, WET))
    assert np.array_equal(dry.state.points, wet.state.points)
    drops = wet.state.blocks["rain.drops"]
    assert 5 < len(drops) < MOST
    assert (drops[:, Z] > 0.0).all()


def test_a_falling_drop_meets_its_closed_form():
    rain = {"type": "rain", "period": 0.01, "height": 5.0}
    data = DATA | {"time": {"end": 0.05, "frame": 0.01, "step": 1e-5}, "method": {"rain": rain}}
    oldest = simulate(Scene.model_validate(data)).state.blocks["rain.drops"][0]
    tau, fallen = MASS / 0.05, 0.04
    assert oldest[V + 2] == pytest.approx(-9.81 * tau * (1.0 - np.exp(-fallen / tau)), rel=2e-3)


def test_energies_of_both_add_up():
    result = simulate(Scene.model_validate(WET))
    assert balance_error(result.history) < 0.01
    kinetic = result.history["energy.kinetic"]
    assert kinetic.max() > 0.0


def test_a_killed_run_is_taken_up_bit_for_bit(tmp_path):
    scene = Scene.model_validate(WET)
    whole = run_scene(scene, tmp_path / "whole").result.state

    class StopError(Exception):
        pass

    def stop(time, end):
        if time > 0.1:
            raise StopError

    with pytest.raises(StopError):
        run_scene(scene, tmp_path / "killed", checkpoint_seconds=0.0, progress=stop)
    checkpoint = np.load(tmp_path / "killed" / "checkpoint.npz")
    assert len(checkpoint["rain.drops"]) not in (0, len(whole.blocks["rain.drops"]))  # the block had another size
    resumed = resume_run(tmp_path / "killed").result.state
    for name, block in whole.blocks.items():
        assert np.array_equal(block, resumed.blocks[name], equal_nan=True), name


def test_a_live_scene_keeps_and_shares_blocks_of_any_size():
    live = Live(Scene.model_validate(WET))
    for _ in range(40):
        live.tick()
    start = live.start()
    again = Live(Scene.model_validate(WET), start=start_from_plain(start.plain(), live.compiled, live.drawer, source="it"))
    for _ in range(20):
        live.tick()
        again.tick()
    assert len(live.state.blocks["rain.drops"]) > 20
    assert np.array_equal(live.state.blocks["rain.drops"], again.state.blocks["rain.drops"])
    with Shared.create({"state": _state_layout(live.state, live.compiled.model.variables)}) as window:
        put_state(window["state"], live.state)
        found = get_state(window["state"], live.compiled.state)
    assert found is not None
    assert state_digest(found) == state_digest(live.state)
    live.close()
    again.close()


# ---- what a method puts on tools and bodies


class Hail(beside.MethodOptions):
    type: Literal["hail"] = "hail"
    speed: float = 2.0  # [m/s]
    change: float = 0.5  # of the tool's velocity in a step, that counts in its work: its mean; 1 in backward Euler
    spoilt: bool = False  # one stone is nowhere


PLATE = 0.05  # [kg]


class Stones(Method):
    """A row of stones falls onto a tool that is pushed, and comes to rest there: what it had of momentum the tool gets."""

    cost = 1e4

    def __init__(self, name, hail):
        self.name, self.hail = name, hail

    @property
    def variables(self):
        return {"stones": Variable("m, m/s", (20, 2)), "account": Variable("J", (2,))}

    def begin(self, blocks):
        blocks[f"{self.name}.stones"][:, 0] = 0.5 + 0.02 * np.arange(20)
        blocks[f"{self.name}.stones"][:, 1] = -self.hail.speed

    def stepper(self, model):
        return Hitting(self, model.tool_points[0])

    def energy(self, state):
        stones, account = state.blocks[f"{self.name}.stones"], state.blocks[f"{self.name}.account"]
        moving = 0.5 * MASS * float((stones[:, 1] ** 2).sum())
        return Energy(kinetic=moving, dissipated=account[LOST], work_of_forces=account[BORN])

    def blame(self, state):
        bad = np.flatnonzero(~np.isfinite(state.blocks[f"{self.name}.stones"]).all(axis=1))
        return (self.name, f"stone {bad[0]}") if bad.size else None


class Hitting(Stepper):
    pushes = True

    def __init__(self, method, tool):
        self.method, self.tool, self.felt = method, tool, 0.0

    def advance(self, state, control, first, steps, dt):
        assert steps == 1
        stones, account = (state.blocks[f"{self.method.name}.{name}"] for name in ("stones", "account"))
        stones[:, 0] += dt * stones[:, 1]
        if self.method.hail.spoilt and state.time > 0.1:
            stones[7, 0] = np.nan
        hits = (stones[:, 0] <= state.position[self.tool, 2]) & (stones[:, 1] < 0.0)
        impulse = MASS * float(stones[hits, 1].sum())
        self.felt = impulse / dt
        state.push[self.tool, 2] += impulse
        work = impulse * (state.velocity[self.tool, 2] + self.method.hail.change * impulse / PLATE)  # in the next step
        account[LOST] += 0.5 * MASS * float((stones[hits, 1] ** 2).sum()) - work
        account[BORN] -= work
        stones[hits, 1] = 0.0
        return steps

    def add_loads(self, log):
        log[-1, 2] += self.felt


def build_hail(request):
    return [Stones(name, one) for name, one in request.methods.items() if isinstance(one, Hail)]


def hail(integrator="semi_implicit_euler", threads=1, **options):
    corners = [0.0, *(0.1013 + 0.0071 * np.arange(15))]  # between which steps have other sizes
    motion = {"type": "pushed", "times": corners, "force": [[0.0, 0.0, 0.0]] * len(corners)}
    plate = {"shape": "box", "size": [0.1, 0.1, 0.01], "origin": [0.0, 0.0, 0.3], "mass": PLATE, "motion": motion}
    time = {"end": 0.25, "frame": 0.01, "integrator": integrator, "threads": threads, "step": 2e-4}
    more = {"gravity": [0.0, 0.0, 0.0], "tool": {"plate": plate}, "method": {"hail": {"type": "hail", **options}}, "time": time}
    return Scene.model_validate(DATA | more)


@pytest.fixture
def hailing():
    beside.register(build_hail)
    yield
    beside._methods.remove(build_hail)


@pytest.mark.usefixtures("hailing")
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_a_tool_that_is_pushed_gets_what_a_method_puts_on_it(integrator):
    """Momentum to rounding, energy as well; the force is in what the tool felt, and a killed run has what was still to act."""
    result = simulate(hail(integrator, change=1.0 if integrator == "implicit_euler" else 0.5))
    stones = result.state.blocks["hail.stones"]
    gone = int((stones[:, 1] == 0.0).sum())
    assert 3 < gone < 20
    plate = result.compiled.model.tool_points[0]
    pending = result.state.push[plate, 2]
    assert PLATE * result.state.velocity[plate, 2] + pending == pytest.approx(-gone * MASS * 2.0, rel=1e-12)
    assert result.history["plate.force_z"].min() < 0.0
    assert balance_error(result.history) < 1e-9
    assert abs(result.history["energy.work_of_forces"][-1]) < 1e-9 * result.history["energy.kinetic"][0]  # one gives, one takes


@pytest.mark.usefixtures("hailing")
@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_what_is_put_on_a_tool_without_mass_is_the_methods_to_book(integrator):
    """A plate that is led upwards through the hail: its motion is its drive's, so the force on it does no work but what the method says."""
    path = {"type": "path", "times": [0.0, 0.25], "displacement": [[0.0, 0.0, 0.0], [0.0, 0.0, 0.1]]}
    plate = {"shape": "box", "size": [0.1, 0.1, 0.01], "origin": [0.0, 0.0, 0.3], "motion": path}
    scene = hail(integrator)
    result = simulate(scene.model_copy(update={"tool": {"plate": Box.model_validate(plate)}}))
    said = result.state.blocks["hail.account"][BORN]
    assert said > 0.0  # stones come down on what goes up
    assert result.history["energy.work_of_forces"][-1] == pytest.approx(said, rel=1e-12)


@pytest.mark.usefixtures("hailing")
def test_a_run_with_a_force_still_to_act_is_taken_up_bit_for_bit():
    states = []

    class Keep:
        def observe(self, frame):
            states.append(frame.state.copy())

    whole = simulate(hail("rk4", 2), observers=[Keep()]).state
    index = next(n for n, state in enumerate(states) if state.push.any())
    again = simulate(hail("rk4", 2), start=(index, states[index])).state
    assert all(block.tobytes() == again.blocks[name].tobytes() for name, block in whole.blocks.items())


@pytest.mark.usefixtures("hailing")
def test_who_pushes_must_say_so(monkeypatch):
    monkeypatch.setattr(Hitting, "pushes", False)
    monkeypatch.setattr(Hitting, "advance", lambda self, state, *more: state.push.fill(1.0))
    with pytest.raises(RuntimeError, match=r"Hitting .* set pushes = True in it"):
        simulate(hail())


@pytest.mark.usefixtures("hailing")
def test_a_method_is_asked_who_is_to_blame():
    failure = simulate(hail(spoilt=True), strict=False).failure
    assert failure is not None
    assert failure.status is StepStatus.NOT_FINITE
    assert (failure.body, failure.element) == ("hail", "stone 7")
