"""A hand pushes its tool, and feels what the body gives: no impulse of a single step, no chatter, no energy out of nothing."""

import numpy as np
import pytest

from haptic_rig import press
from touch_rig import TICK, feel, touched
from yawara import Scene, SceneError, simulate
from yawara.haptics.simulated import Hand
from yawara.live.drawer import body_bounds
from yawara.live.live import Live
from yawara.live.messages import Choose, Move
from yawara.live.presets import PRESETS, SIZE, preset_scene
from yawara.tools.contact import Method

SMALL = (4, 4, 2)
SPACING = SIZE / SMALL[0]  # [m]
HANDS = [(50.0, 1.0), (300.0, 3.0), (2000.0, 3.0)]  # [N/m], [N s/m]
LAST = 200  # ticks in which the hand rests


def pressed(name, hand, **others):
    """Within 0.2 s, 12 mm deep, and stay."""
    return feel(preset_scene(name, SMALL), Hand(stiffness=hand[0], damping=hand[1]), press(0.012, duration=0.2), 1.5, **others)


def ripple(force):
    """Of a force that creeps: what is left of it beside a cubic, from peak to peak, over its mean."""
    ticks = np.arange(len(force))
    return np.ptp(force - np.polyval(np.polyfit(ticks, force, 3), ticks)) / force.mean()


def is_passive(felt):
    """Whether no energy was given that had not been put in, up to a thousandth of it: a tool that bounces off is felt by and by."""
    return felt.balance.min() >= -1e-3 * felt.balance.max()


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("name", PRESETS)
def test_a_device_feels_the_body_and_does_not_chatter(name, hand):
    felt = pressed(name, hand)
    rest = felt.force[-LAST:, 2]
    assert rest.mean() > 0.2
    assert ripple(rest) < 0.02
    # At rest the device, the proxy and the tool balance; what creeps by 1 mm/s takes M a, nothing.
    assert rest == pytest.approx(felt.contact[-LAST:, 2], rel=0.02)
    assert is_passive(felt)
    assert felt.gap.min() > -0.01 * SPACING


def test_a_solver_at_half_the_rate_does_not_chatter():
    felt = pressed("gel", (300.0, 3.0), every=2)
    assert ripple(felt.force[-LAST:, 2]) < 0.02
    assert is_passive(felt)


def test_a_device_feels_what_a_slow_test_would_measure():
    """A ball that a path leads to the same place, in a run of its own, in a hundred times the 4 ms in which gel springs back."""
    felt = pressed("gel", (300.0, 3.0))
    scene = preset_scene("gel", SMALL)
    begin, end = np.array([0.0, 0.0, felt.place[0, 2]]), felt.place[-1]
    ball = {
        "shape": "sphere", "radius": 0.18 * SIZE, "origin": begin.tolist(),
        "motion": {"type": "path", "times": [0.0, 0.4, 0.5], "displacement": [[0.0, 0.0, 0.0], *[(end - begin).tolist()] * 2],
                   "interpolation": "smooth"},
    }  # fmt: skip
    data = scene.model_dump(exclude_none=True)
    data["tool"]["ball"], data["time"]["end"] = ball, 0.5
    history = simulate(Scene.model_validate(data)).history
    assert felt.force[-1, 2] == pytest.approx(history["ball.force_z"][-1], rel=0.02)


def test_landings_are_not_felt_as_impulses():
    """A hand of 0.3 m/s: from one tick to the next, what the tool gets changes more than ten times as much as what is felt."""
    felt = feel(preset_scene("gel", SMALL), Hand(stiffness=2000.0), press(0.012, height=0.06, duration=0.2), 0.6)
    jumps = np.abs(np.diff(felt.force[:, 2])).max()
    assert jumps < 0.1 * np.abs(np.diff(felt.contact[:, 2])).max()


def test_the_model_that_the_loop_gets_is_the_force_of_the_next_tick():
    with touched(preset_scene("dough", SMALL)) as (live, _):
        x, y, z = live.hand_place()
        for n in range(200):
            place, force, stiffness = live.hand_model()
            target = np.array([x + 1e-4 * n, y, z - 3e-4 * n])
            live.carry_out(Move(tuple(target), at_once=True))
            frame = live.tick()
            if live.touches(frame):
                np.testing.assert_allclose(live.hand_force(frame), force + stiffness @ (place - target), rtol=1e-9, atol=1e-9)
        assert live.touches(frame)
        assert live.hand_force(frame)[2] > 0.5


def test_a_hand_carries_its_tool():
    live = Live(preset_scene("gel", SMALL))  # the one with a weight
    live.carry_out(Choose("plate"))
    before = live.hand_now()
    for _ in range(100):
        frame = live.tick()
    # rounding of m g, over the grip's stiffness, which is 0.1 m / tick^2
    assert np.abs(live.hand_now() - before).max() < 10 * np.finfo(float).eps * 9.81 * TICK**2 / 0.1 + 1e-15
    assert not live.hand_force(frame).any()
    live.close()


def test_a_tool_follows_the_hand_through_the_air():
    """With its damper against the hand it lags by a / omega^2, omega^2 = 0.1 / tick^2; not by the hand's speed."""
    with touched(preset_scene("dough", SMALL)) as (live, _):
        x, y, z = live.hand_place()
        for n in range(100):
            live.carry_out(Move((x, y, z + 3e-4 * n), at_once=True))
            live.tick()
        # A hand that starts with 0.3 m/s at once is caught up with: what is left of it after 0.1 s is nothing. Forces of a tick are
        # those of its beginning, so the tool is behind by what the hand moves in a tick, at most.
        assert np.linalg.norm(live.hand_now() - live.hand_place()) <= 1.01 * 3e-4


def test_presets_have_the_usual_contact():
    assert all(preset_scene(name).contact.method is Method.IMPULSE for name in PRESETS)


def test_bodies_that_bounce_are_not_for_hands():
    scene = preset_scene("gel", SMALL)
    bouncing = scene.model_copy(update={"contact": scene.contact.model_copy(update={"method": Method.BOUNCE})})
    with pytest.raises(SceneError, match=r"contact.method.*must not be 'bounce' where a hand .*use 'impulse'"):
        Live(bouncing)


def test_bounds_are_where_the_bodies_are():
    np.testing.assert_allclose(body_bounds(preset_scene("gel", SMALL)), [[-0.06, -0.06, 0.0], [0.06, 0.06, 0.06]], atol=1e-12)
