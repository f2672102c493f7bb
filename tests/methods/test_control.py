"""Time tables, drives and forces: what acts when."""

import importlib

import numpy as np
import pytest

from helpers import LAWS, internal
from yawara import Chain, Drive, Fix, Force, Scene, Time, Voigt, compile_scene, simulate
from yawara.core.control import Hand, Interpolation, TimeTable
from yawara.scene.tools import Sphere
from yawara.simulate import frame_count
from yawara.status import StepStatus

MODULE = importlib.import_module("yawara.journey")


def value(polynomial, t):
    return polynomial @ np.array([1.0, t, t**2, t**3])


def test_tables_between_their_entries():
    times, values = np.array([1.0, 3.0, 4.0]), np.array([[0.0, 0, 0], [2.0, 0, 0], [2.0, 1.0, 0]])
    linear = TimeTable(times, values, Interpolation.LINEAR)
    smooth = TimeTable(times, values, Interpolation.SMOOTH)
    step = TimeTable(times, values, Interpolation.STEP)
    assert value(linear.polynomial(1.5, 2.5), 0.5)[0] == pytest.approx(1.0)
    s = 0.375  # of the way from 1 to 3 s
    assert value(smooth.polynomial(1.5, 2.5), 0.25)[0] == pytest.approx(2 * (3 * s**2 - 2 * s**3))
    assert value(step.polynomial(1.5, 3.0), 1.5)[0] == 0.0
    assert value(step.polynomial(3.0, 3.5), 0.0)[0] == 2.0
    for table in (linear, smooth, step):
        assert value(table.polynomial(0.0, 1.0), 0.7) == pytest.approx([0, 0, 0])
        assert value(table.polynomial(5.0, 9.0), 2.0) == pytest.approx([2, 1, 0])


def test_smooth_tables_come_to_rest_at_every_entry():
    table = TimeTable(np.array([0.0, 2.0]), np.array([[0.0, 0, 0], [1.0, 0, 0]]), Interpolation.SMOOTH)
    assert table.polynomial(0.0, 2.0)[0, 1] == 0.0
    late = table.polynomial(1.0, 2.0)[0]
    assert late[1] + 2 * late[2] + 3 * late[3] == pytest.approx(0.0)


def chain(**scene):
    body = Chain(counts=(3,), spacing=1.0, law=LAWS["three_element"], mass=3.0)
    return Scene(body={"chain": body}, **{"time": Time(end=1.0, frame=0.1), **scene})


def test_driven_points_are_exactly_where_the_table_says():
    drive = Drive(body="chain", points="last", times=[0.05, 0.45], displacement=[(0, 0, 0), (0.2, 0.1, 0)])
    result = simulate(chain(drive=[drive], fix=[Fix(body="chain", points="first")]))
    time, x = result.history["time"], result.history["drive1.displacement_x"]
    assert x == pytest.approx(np.interp(time, [0.05, 0.45], [0.0, 0.2]), abs=1e-15)


def test_only_the_named_axes_are_held():
    gravity = (0.0, 0.0, -1.0)
    result = simulate(
        chain(gravity=gravity, time=Time(end=1.0, integrator="rk4"), fix=[Fix(body="chain", points="all", axes="xy")])
    )
    moved = result.state.position - result.compiled.model.rest_position
    assert moved[:, 2] == pytest.approx(-0.5, rel=1e-12)  # free fall of 1 s
    assert moved[:, :2] == pytest.approx(0.0)


def test_after_the_release_points_fly_on():
    drive = Drive(body="chain", points="all", times=[0.0, 1.0], displacement=[(0, 0, 0), (1.0, 0, 0)], release=0.5)
    result = simulate(chain(drive=[drive]))
    assert result.state.velocity[:, 0] == pytest.approx(1.0)
    assert (result.state.position - result.compiled.model.rest_position)[:, 0] == pytest.approx(1.0)


def test_a_later_drive_counts_from_where_it_catches_the_points():
    first = Drive(name="one", body="chain", points="all", times=[0.0, 0.4], displacement=[(0, 0, 0), (0.4, 0, 0)], release=0.4)
    second = Drive(name="two", body="chain", points="all", times=[0.6, 0.8], displacement=[(0, 0, 0), (0, 0.5, 0)])
    result = simulate(chain(drive=[first, second]))
    moved = result.state.position - result.compiled.model.rest_position
    assert moved[:, 0] == pytest.approx(0.4 + 0.2)  # flew on at 1 m/s from 0.4 to 0.6 s
    assert moved[:, 1] == pytest.approx(0.5)


def test_whole_force_is_shared_by_the_points():
    result = simulate(chain(force=[Force(body="chain", points="all", times=[0.0], force=[(3.0, 0, 0)])]))
    centre = np.average(result.state.velocity[:, 0], weights=result.compiled.model.point.mass)
    assert centre == pytest.approx(1.0)  # 3 N on 3 kg for 1 s


def test_a_force_that_has_not_begun_is_no_force():
    result = simulate(chain(force=[Force(body="chain", points="all", times=[0.5], force=[(3.0, 0, 0)])]))
    assert result.history["energy.work_of_forces"][5] == 0.0
    centre = np.average(result.state.velocity[:, 0], weights=result.compiled.model.point.mass)
    assert centre == pytest.approx(0.5)


def test_reaction_force_carries_the_weight():
    """At rest, what holds the top bears mass times gravity; so does the probe on it."""
    body = Chain(counts=(4,), spacing=1.0, law=LAWS["voigt"], mass=2.0)
    scene = Scene(
        gravity=(9.81, 0.0, 0.0),
        time=Time(end=200.0),
        body={"chain": body},
        fix=[Fix(name="hook", body="chain", points="first")],
        probe={"hook_probe": {"type": "force", "body": "chain", "points": [0]}},
    )
    history = simulate(scene).history
    assert history["hook.force_x"][-1] == pytest.approx(-2.0 * 9.81, rel=1e-6)
    assert history["hook_probe.force_x"][-1] == history["hook.force_x"][-1]


@pytest.mark.parametrize("late", [0.0, 5e-11, -5e-11, 3e-9])
def test_a_drive_that_begins_almost_at_a_frame_catches_points_where_they_are(late):
    """Rounding of written times must not send the points back to their natural place."""
    drive = Drive(body="chain", points="all", times=[0.5 + late, 0.8], displacement=[(0, 0, 0), (0, 0.1, 0)])
    body = Chain(counts=(3,), spacing=1.0, law=LAWS["three_element"], mass=3.0, velocity=(1.0, 0.0, 0.0))
    result = simulate(Scene(time=Time(end=1.0, frame=0.1), body={"chain": body}, drive=[drive]))
    moved = result.state.position - result.compiled.model.rest_position
    assert moved[:, 0] == pytest.approx(0.5, abs=1e-8)
    assert moved[:, 1] == pytest.approx(0.1, abs=1e-8)


def test_each_drive_reports_its_own_force():
    """Two drives on the same points, one after the other: each column is zero while the other one holds them."""
    fix = Fix(body="chain", points="first")
    one = Drive(name="one", body="chain", points="last", times=[0.0, 0.3], displacement=[(0, 0, 0), (0.1, 0, 0)], release=0.4)
    two = Drive(name="two", body="chain", points="last", times=[0.6, 0.9], displacement=[(0, 0, 0), (0.5, 0, 0)])
    result = simulate(chain(fix=[fix], drive=[one, two]))
    time = result.history["time"]
    assert not result.history["one.force_x"][time > 0.45].any()
    assert not result.history["two.force_x"][time < 0.55].any()
    (recovery,) = result.recoveries
    assert recovery.peak_force == np.abs(result.history["one.force_x"]).max()
    assert recovery.residual == result.history["one.displacement_x"][np.argmin(np.abs(time - 0.6))]


def test_linear_forces_do_not_act_before_their_table_either():
    table = {"times": [0.5, 1.0], "force": [(3.0, 0, 0), (3.0, 0, 0)], "interpolation": "linear"}
    result = simulate(chain(force=[Force(body="chain", points="all", **table)]))
    centre = np.average(result.state.velocity[:, 0], weights=result.compiled.model.point.mass)
    assert centre == pytest.approx(0.5)


def test_recovery_does_not_depend_on_where_the_frames_fall():
    """A release between two frames, a drive that begins late, and a table with an axis that is not driven."""
    fix = Fix(body="chain", points="first")
    late = Drive(
        name="press",
        body="chain",
        points="last",
        axes="x",
        times=[0.2, 0.35],
        displacement=[(0, 0, 0), (-0.1, 0, 0)],
        release=0.37,
    )
    pressed = [
        simulate(chain(fix=[fix], drive=[late], time=Time(end=1.0, frame=f))).recoveries[0].pressed for f in (0.1, 0.07, 0.3)
    ]
    assert pressed == pytest.approx([0.1, 0.1, 0.1], rel=1e-12)


def test_times_that_differ_by_rounding_do_not_overlap():
    one = Drive(name="one", body="chain", points="last", times=[0.0], displacement=[(0, 0, 0)], release=0.1 + 0.2)
    two = Drive(name="two", body="chain", points="last", times=[0.3], displacement=[(0, 0, 0)])
    simulate(chain(drive=[one, two]))


def test_fixes_may_share_points():
    simulate(chain(fix=[Fix(body="chain", points="first"), Fix(body="chain", points=np.arange(2), axes="x")]))


def test_a_release_between_frames_acts_when_it_is_written():
    hold = Drive(body="chain", points="all", times=[0.0, 0.1], displacement=[(0, 0, 0), (0, 0, 0)], release=0.57)
    result = simulate(chain(gravity=(0.0, 0.0, -1.0), drive=[hold]))
    assert result.state.velocity[:, 2] == pytest.approx(-0.43)


@pytest.mark.parametrize("chunk", [1, 7])
def test_a_stretch_in_several_calls_is_the_same_run(monkeypatch, chunk):
    drive = Drive(body="chain", points="last", times=[0.0, 1.0], displacement=[(0, 0, 0), (0.2, 0, 0)], interpolation="smooth")
    scene = chain(time=Time(end=1.0, frame=0.5, step=0.01), drive=[drive], fix=[Fix(body="chain", points="first")])
    whole = simulate(scene).state
    cost = compile_scene(scene).model.cost.sum()
    monkeypatch.setattr(MODULE, "TIME_PER_CALL", 1.001 * chunk * cost)  # one stage
    cut = simulate(scene).state
    np.testing.assert_array_equal(cut.points, whole.points)
    np.testing.assert_array_equal(internal(cut), internal(whole))
    np.testing.assert_allclose(cut.account, whole.account, rtol=1e-12)


def test_reaction_force_gives_the_prescribed_acceleration():
    """A whole chain moved 1 m in 1 s from rest to rest: 3 kg times 6 - 12 t."""
    drive = Drive(name="push", body="chain", points="all", times=[0.0, 1.0], displacement=[(0, 0, 0), (1.0, 0, 0)],
                  interpolation="smooth")  # fmt: skip
    history = simulate(chain(drive=[drive])).history
    assert history["push.force_x"] == pytest.approx(3.0 * (6.0 - 12.0 * history["time"]), abs=1e-9)


def test_a_force_probe_shows_nothing_along_free_axes():
    probe = {"rail": {"type": "force", "body": "chain", "points": "all"}}
    scene = chain(gravity=(2.0, 0.0, -1.0), fix=[Fix(body="chain", points="all", axes="xy")], probe=probe)
    history = simulate(scene).history
    assert history["rail.force_x"] == pytest.approx(-3.0 * 2.0)
    assert not history["rail.force_z"].any()


@pytest.mark.parametrize(("end", "frame"), [(0.7, 0.1), (2.1, 0.3)])
def test_frames_and_steps_are_whole_in_spite_of_rounding(end, frame):
    scene = chain(time=Time(end=end, frame=frame, step=frame / 10))
    assert frame_count(scene) == round(end / frame)
    result = simulate(scene)
    assert len(result.history["time"]) == round(end / frame) + 1
    assert result.state.step_count == 10 * round(end / frame)


def test_the_repeated_frame_catches_points_as_the_first_time(monkeypatch):
    """The drive begins within the frame that fails, where the chain has flown to."""
    seen = []

    def too_high(model, state):
        if (state.position[:, 1] > 0.25).any():
            seen.append(state.position[:, 0] - model.rest_position[:, 0])
            return StepStatus.FLOWN_APART
        return None

    monkeypatch.setattr(MODULE, "fault_of", too_high)
    body = Chain(counts=(3,), spacing=1.0, law=LAWS["three_element"], mass=3.0, velocity=(1.0, 0.0, 0.0))
    drive = Drive(body="chain", points="all", times=[0.45, 0.55], displacement=[(0, 0, 0), (0, 0.5, 0)])
    result = simulate(Scene(time=Time(end=1.0, frame=0.2, step=0.01), body={"chain": body}, drive=[drive]), strict=False)
    assert result.failure.time == pytest.approx(0.51)
    assert seen[-1] == pytest.approx(0.45)


@pytest.mark.parametrize("integrator", ["semi_implicit_euler", "rk4", "implicit_euler"])
def test_a_grip_is_shared_by_its_weights(integrator):
    """2 N for a second on two of three points of 1 kg that nothing else moves: each has the momentum and the work of its share."""
    body = Chain(counts=(3,), spacing=1.0, law=Voigt(k=1e-9, c=0.0), mass=3.0, mass_sharing="equal")
    compiled = compile_scene(Scene(time=Time(end=1.0, frame=0.1, step=0.01, integrator=integrator), body={"chain": body}))
    compiled.control.grip.hold([0, 2], [0.25, 0.75])
    compiled.control.grip.force[:] = (0.0, 2.0, 0.0)
    result = simulate(compiled)
    assert result.state.velocity[:, 1] == pytest.approx([0.5, 0.0, 1.5], abs=1e-8)
    energy, scheme = 0.5 * (0.5**2 + 1.5**2), result.history["energy.scheme"][-1]
    assert result.history["energy.work_of_forces"][-1] == pytest.approx(energy + scheme, rel=1e-7)


def test_a_hand_that_pushes_lets_the_tool_go():
    """F = m a while it pushes, at rest where it was placed before and after; its work is that of a force."""
    body = Chain(counts=(3,), spacing=1.0, law=Voigt(k=1.0, c=1.0), mass=3.0)
    ball = Sphere(radius=0.1, origin=(0.0, 0.0, 5.0), mass=2.0, motion={"type": "hand"})
    time = Time(end=0.3, frame=0.1, step=0.01, integrator="semi_implicit_euler")
    compiled = compile_scene(Scene(time=time, body={"chain": body}, tool={"ball": ball}))
    hand, steps, h = compiled.control.hand("ball"), 10, 0.01

    class Guide:
        def observe(self, frame):
            if frame.time == pytest.approx(0.1):
                hand.push(np.array([0.0, 0.0, 4.0]))
            if frame.time == pytest.approx(0.2):
                hand.place((1.0, 0.0, 0.0), frame.time)

    history = simulate(compiled, observers=[Guide()]).history
    # semi-implicit Euler: x = a h^2 (1 + 2 + ... + n)
    assert history["ball.position_z"] == pytest.approx([5.0, 5.0, 5.0 + 2.0 * h**2 * steps * (steps + 1) / 2, 5.0])
    assert history["ball.position_x"] == pytest.approx([0.0, 0.0, 0.0, 1.0])
    assert history["energy.work_of_forces"][2] == pytest.approx(0.5 * 2.0 * (2.0 * 0.1) ** 2)


def test_what_a_hand_cannot_do_is_refused():
    hand = Hand()
    with pytest.raises(ValueError, match=r"mass must be > 0 kg of a tool that is pushed \(got 0.0\); give the tool a mass"):
        hand.push(np.ones(3))
    hand = Hand(mass=0.1)
    hand.push(np.ones(3))
    with pytest.raises(ValueError, match=r"must be placed before it is moved .* call place\(\)"):
        hand.move(1.0, (0.0, 0.0, 0.0))
    hand.place((0.0, 0.0, 0.0), 0.5)
    hand.move(1.0, (0.0, 0.0, 0.0))
