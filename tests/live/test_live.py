"""Live scenes: what a hand does, tick by tick, and that a recording repeats it bit for bit."""

import json

import numpy as np
import pytest

import yawara.journey
from held_clock import HeldClock
from yawara import Scene, SceneError, StepStatus
from yawara.live.drawer import hand_tools, touchable
from yawara.live.guide import FASTEST, Guide
from yawara.live.live import CALM, Live
from yawara.live.log import TouchLog
from yawara.live.material import settings_of, with_settings
from yawara.live.messages import (
    COLOURINGS,
    Change,
    Choose,
    Grab,
    LetGo,
    Move,
    Pull,
    Reset,
    Squeeze,
    Timed,
    Undo,
)
from yawara.live.metronome import BACKLOG, Metronome
from yawara.live.plain_orders import order_from_plain, order_to_plain
from yawara.live.presets import PRESETS, preset_scene
from yawara.live.recording import Recording, load_recording, repeat
from yawara.live.skins import Colouring, shapes_of, tool_places
from yawara.methods.fields import Fields
from yawara.scene.effects import Volume
from yawara.terms.links.family import LinkFamily

SMALL = (4, 4, 2)


@pytest.fixture
def live():
    scene = Live(preset_scene("dough", SMALL))
    yield scene
    scene.close()


def ticks(live, count):
    frame = None
    for _ in range(count):
        frame = live.tick()
        assert frame is not None, live.message
    return frame


def height(live):
    body = live.compiled.model.bodies[0]
    return live.state.position[body.points, 2].max()


def press(live, tool="plate", depth=0.03):
    live.carry_out(Choose(tool))
    x, y, z = live.hand_place()
    live.carry_out(Move((x, y, 0.06 - depth)))
    frame = ticks(live, 600)
    force = live.hand_force(frame)
    live.carry_out(Move((x, y, z)))
    ticks(live, 400)
    return force


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_rests_and_can_be_pressed(name):
    live = Live(preset_scene(name, SMALL))
    ticks(live, 200)
    assert abs(live.state.velocity).max() < 0.1
    assert press(live)[2] > 0.2
    live.close()


def test_a_press_leaves_a_residue_and_reset_takes_it_back(live):
    ticks(live, CALM)
    before = live.state.position[:-6].copy()
    assert press(live)[2] > 1.0
    top = before[:, 2] > 0.059
    sunk = before[top, 2].mean() - live.state.position[:-6][top, 2].mean()
    assert sunk > 0.001  # dough keeps what a hand does to it
    live.carry_out(Reset())
    ticks(live, 50)
    np.testing.assert_allclose(live.state.position[:-6], before, atol=1e-6)


def test_undo_goes_back_touch_by_touch(live):
    ticks(live, 2 * CALM)
    shapes = [live.state.position[:-6].copy()]
    for depth in (0.02, 0.03):
        press(live, depth=depth)
        ticks(live, 2 * CALM)
        shapes.append(live.state.position[:-6].copy())
    live.carry_out(Undo())
    ticks(live, 2)
    assert abs(live.state.position[:-6] - shapes[1]).max() < 2e-4 < abs(shapes[2] - shapes[1]).max()
    live.carry_out(Undo())
    ticks(live, 2)
    assert abs(live.state.position[:-6] - shapes[0]).max() < 2e-4
    live.carry_out(Undo())
    assert live.message == "nothing left to undo"


def test_a_drag_is_a_spring_and_never_a_set_position(live):
    ticks(live, 50)
    live.carry_out(Grab("dough", (0.06, 0.0, 0.06)))
    grasp = live.grasp
    assert grasp.weights.sum() == pytest.approx(1.0)
    start = grasp.centre(live.state)
    live.carry_out(Pull((0.5, 0.0, 0.06)))  # far away: the force has a limit, and the body stays finite
    frame = ticks(live, 800)
    assert np.linalg.norm(live.hand_force(frame)) <= grasp.largest * (1 + 1e-12)
    moved = grasp.centre(live.state)[0] - start[0]
    assert 0.005 < moved < 0.4
    live.carry_out(LetGo())
    ticks(live, 800)
    assert live.grasp is None
    assert 0.0 < grasp.centre(live.state)[0] - start[0] < 0.9 * moved  # back in part


def test_a_pull_at_rest_has_the_force_of_its_spring(live):
    ticks(live, 20)
    live.carry_out(Grab("dough", (0.06, 0.0, 0.06)))
    target = live.grasp.centre(live.state) + np.array([0.01, 0.0, 0.0])
    live.carry_out(Pull(tuple(target)))
    frame = ticks(live, 500)
    spring = live.grasp.stiffness * (target - live.grasp.centre(live.state))
    np.testing.assert_allclose(-live.hand_force(frame)[0], spring[0], rtol=0.05)


def test_fingers_close_and_pinch(live):
    ticks(live, 10)
    live.carry_out(Choose("fingers"))
    live.carry_out(Move((0.0, 0.0, 0.04)))
    ticks(live, 400)
    open_width = np.ptp(live.state.position[:-6, 0])
    live.carry_out(Squeeze(0.6))
    frame = ticks(live, 400)
    names = list(live.scene.tool)
    left, right = (frame.tool_loads[names.index(name), 0] for name in ("finger_1", "finger_2"))
    assert left < -0.1 < 0.1 < right  # pushed apart
    assert np.ptp(live.state.position[:-6, 0]) != pytest.approx(open_width, abs=1e-5)


def test_orders_that_make_no_sense_are_left_undone_with_a_word(live):
    for order, word in ((Choose("hammer"), "no tool 'hammer'"), (Grab("cat", (0.0, 0.0, 0.0)), "no body 'cat'"),
                        (Change("dough", {"colour": 1.0}), "no setting 'colour'"),
                        (Change("dough", {"stiffness": -1.0}), "must be positive"), (Undo(), "nothing left")):  # fmt: skip
        live.carry_out(order)
        assert word in live.message
        ticks(live, 1)
    live.carry_out(LetGo())
    live.carry_out(Pull((0.0, 0.0, 1.0)))  # nothing is held
    live.carry_out(Move((0.0, 0.0, 1.0)))  # nothing is in the hand
    assert live.message == ""


def test_a_change_of_material_keeps_the_shape(live):
    ticks(live, 50)
    press(live)
    before = live.state.points.copy()
    live.carry_out(Change("dough", {"stiffness": 2e4, "poisson": 0.3}))
    assert live.message == ""
    np.testing.assert_array_equal(live.state.points, before)
    assert live.scene.body["dough"].material.youngs == 2e4
    ticks(live, 50)


@pytest.mark.parametrize("own", [{"poisson": 0.3}, {"volume": 0.6}])
def test_settings_say_what_they_set(own):
    """A body of links has a pressure in the whole of it for a slider, one of continuum elements its Poisson's ratio."""
    scene = preset_scene("clay", SMALL)
    if "volume" in own:
        links = {"elements": LinkFamily(), "volume": Volume(cavity=1e4)}
        scene = scene.model_copy(update={"body": {"clay": scene.body["clay"].model_copy(update=links)}})
    settings = settings_of(scene.body["clay"])
    values = {"stiffness": 1e4, "return_time": 0.02, "residue": 0.3} | own
    changed = settings_of(with_settings(scene, "clay", values).body["clay"])
    assert {name: one.value for name, one in changed.items()} == pytest.approx(values)
    assert all(one.low <= one.value <= one.high for one in settings.values())


def test_too_much_for_a_body_is_survived(live, monkeypatch):
    """The tick that went wrong is left out, everything stands still, and the hand can go on; again and again, the body is made new."""
    ticks(live, 2 * CALM)
    press(live)
    bent = live.state.position[:-6].copy()
    live.carry_out(Choose("ball"))
    live.carry_out(Move((0.0, 0.0, 0.05)))
    ticks(live, 100)
    with monkeypatch.context() as broken:
        broken.setattr(yawara.journey, "fault_of", lambda *_: StepStatus.FLOWN_APART)
        assert live.tick() is None
        assert "all motion was stopped" in live.message
        assert not live.state.velocity.any()
    ticks(live, CALM)
    assert abs(live.state.position[:-6] - bent).max() < 0.02
    with monkeypatch.context() as broken:
        broken.setattr(yawara.journey, "fault_of", lambda *_: StepStatus.FLOWN_APART)
        messages = [live.message for _ in range(4) if live.tick() is None]
    assert "made new" in messages[-1]
    ticks(live, CALM)
    np.testing.assert_allclose(live.state.position[:-6], live.compiled.model.rest_position[:-6], atol=1e-6)


# ---- recordings


def a_touch():
    """Orders with everything in them, in ticks."""
    return [
        Timed(20, Choose("ball")),
        Timed(30, Move((0.01, 0.0, 0.05))),
        Timed(400, Move((0.0, 0.01, 0.2))),
        Timed(500, Change("dough", {"residue": 0.8, "stiffness": 1.2e4})),
        Timed(520, Choose(None)),
        Timed(530, Grab("dough", (0.06, 0.06, 0.06))),
        Timed(540, Pull((0.1, 0.08, 0.1))),
        Timed(700, LetGo()),
        Timed(760, Choose("fingers")),
        Timed(770, Move((0.0, 0.0, 0.05), at_once=True)),
        Timed(800, Squeeze(0.5)),
        Timed(850, Undo()),
    ]


def last_bits(recording):
    for live, _ in repeat(recording):
        state = live.state
    return [block.tobytes() for name, block in state.blocks.items() if name not in ("mode", "pace", "account", "anchor")]


def test_a_recording_gives_the_same_bits_from_a_file(tmp_path):
    recording = Recording(preset_scene("dough", SMALL), orders=a_touch(), ticks=900)
    recording.save(tmp_path / "it.touch.json")
    again = load_recording(tmp_path / "it.touch.json")
    assert again.orders == recording.orders
    assert again.ticks == 900
    assert last_bits(again) == last_bits(recording)


def test_orders_survive_json():
    for _, order in a_touch():
        assert order_from_plain(json.loads(json.dumps(order_to_plain(order)))) == order


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"format": "other"}, "format: must be"),
        ({"tick": 5.0}, "tick: must be from"),
        ({"ticks": -1}, "ticks: must be"),
        ({"orders": [{"tick": 3, "order": "Fly"}]}, "orders.0: order must be one of"),
        ({"orders": [{"tick": 3, "order": "Move", "target": [0, 0]}]}, "orders.0: target must be three numbers"),
        ({"orders": [{"tick": 3, "order": "Move", "target": [0, 0, 1e999]}]}, "orders.0: target must be finite"),
        ({"orders": [{"tick": 3, "order": "Undo"}, {"tick": 1, "order": "Undo"}]}, "orders.1: tick must be"),
        ({"orders": ["Undo"]}, "orders.0: must be a table (got str)"),
        ({"scene": 7}, "scene: must be a table"),
        ({"scene": {"format": 1}}, "time"),
    ],
)
def test_broken_recordings_are_refused(tmp_path, change, word):
    data = json.loads(Recording(preset_scene("gel", SMALL)).text())
    (tmp_path / "bad.touch.json").write_text(json.dumps({**data, **change}))
    with pytest.raises(SceneError) as caught:
        load_recording(tmp_path / "bad.touch.json")
    assert word in str(caught.value)


def test_what_is_no_recording_is_refused(tmp_path):
    (tmp_path / "no.touch.json").write_text("{")
    for name in ("no.touch.json", "none.touch.json"):
        with pytest.raises(SceneError):
            load_recording(tmp_path / name)


# ---- parts


def test_a_guide_arrives_smoothly_and_no_faster_than_a_hand():
    guide = Guide(np.zeros(3))
    guide.aim(np.array([0.3, 0.0, 0.0]))
    places = np.array([guide.follow(1e-3) for _ in range(1500)])
    speed = np.diff(places[:, 0]) / 1e-3
    assert speed.max() <= FASTEST * (1 + 1e-9)
    assert places[:, 0].max() <= 0.3 + 1e-3
    assert places[-1, 0] == pytest.approx(0.3, abs=1e-5)
    assert abs(np.diff(speed)).max() < 0.15 * FASTEST  # without a jerk
    guide.aim(np.array([0.3005, 0.0, 0.0]), at_once=True)
    assert guide.follow(1e-3)[0] == pytest.approx(0.3005)


def test_a_quick_solver_keeps_real_time():
    clock = HeldClock()
    metronome = Metronome(1e-3, clock)
    for _ in range(2000):
        begin = metronome.wait()
        clock.time += 4e-4  # work
        metronome.note(begin, 3)
    pace = metronome.pace()
    assert pace.realtime == pytest.approx(1.0, rel=1e-3)
    assert (pace.tick_p50, pace.steps_per_tick, pace.late) == (pytest.approx(0.4e-3), 3.0, 0.0)


def test_a_slow_solver_slows_down_evenly_and_says_so():
    clock = HeldClock()
    metronome = Metronome(1e-3, clock)
    begins = []
    for _ in range(3000):
        begins.append(metronome.wait())
        clock.time += 2.5e-3
        metronome.note(begins[-1], 3)
    assert metronome.pace().realtime == pytest.approx(0.4, rel=0.01)
    assert metronome.late == pytest.approx(3000 * 1.5e-3, rel=0.02)
    assert np.ptp(np.diff(begins)) < 1e-9  # no bursts


def test_a_hiccup_is_made_up_for():
    clock = HeldClock()
    metronome = Metronome(1e-3, clock)
    for n in range(1000):
        metronome.wait()
        clock.time += 1e-4 if n != 500 else 0.9 * BACKLOG
    assert metronome.late == 0.0
    assert clock.time == pytest.approx(100.0 + 1000 * 1e-3, abs=2e-3)


def test_the_log_forgets_the_oldest():
    log = TouchLog(kept=4000)
    for n in range(10_000):
        log.note(float(n), np.full(3, n), np.zeros(3), 0.0)
    assert log.rows[-1, 0] == 9999.0
    assert 1000 <= len(log.rows) <= 4000
    assert (np.diff(log.rows[:, 0]) == 1.0).all()
    table = np.genfromtxt(log.csv().splitlines(), delimiter=",", names=True)
    assert table["force_x_N"][-1] == 9999.0


def test_skins_and_colours(live):
    ticks(live, 5)
    shapes = shapes_of(live)
    assert shapes.drawer == ("ball", "plate", "fingers", "roller") == tuple(hand_tools(live.scene))
    assert [skin.name for skin in shapes.bodies] == ["dough"]
    assert shapes.bodies[0].triangles.max() == len(shapes.bodies[0].vertices) - 1
    press(live)
    frame = ticks(live, 1)
    colouring = Colouring(frame.model)
    residue = colouring.values("residual strain", frame.state)[0]
    assert residue.shape == (len(shapes.bodies[0].vertices),)
    assert residue.max() > 0.01
    for what in [name for name in COLOURINGS if name != "nothing"]:
        values = colouring.values(what, frame.state)[0]
        points = np.unique(frame.model.bodies[0].triangles)
        np.testing.assert_array_equal(values, Fields(frame.model).of(what, frame.state).values[points])
        assert values.max() > 0.0
    positions, rotations = tool_places(live)
    assert positions.shape == (len(shapes.tools), 3)
    np.testing.assert_allclose(rotations @ rotations.transpose(0, 2, 1), np.broadcast_to(np.eye(3), rotations.shape), atol=1e-12)


def test_a_scene_with_tools_for_the_hand_keeps_them():
    scene = preset_scene("gel", SMALL)
    own = touchable(scene, 1e-3)
    assert hand_tools(own) == hand_tools(touchable(own, 1e-3))


@pytest.mark.parametrize("shape", [{"shape": "sphere", "radius": 0.01}, {"shape": "floor", "normal": [0.0, 0.0, -1.0]}])
def test_a_tool_that_waits_touches_nothing_wherever_it_is(shape):
    scene = preset_scene("gel", SMALL)
    data = scene.model_dump(exclude_none=True)
    data["gravity"] = [0.0, 0.0, 0.0]
    data["tool"] = {"one": {**shape, "origin": [0.0, 0.0, 0.2], "motion": {"type": "hand"}}}
    live = Live(Scene.model_validate(data))
    top = live.state.position[: live.compiled.model.bodies[-1].point_end].max(axis=0)
    hand = live.compiled.control.hand("one")
    live._put("one", 0.9 * top)  # into the body
    at_rest = live.state.position.copy()
    ticks(live, 5)
    assert np.allclose(live.state.position, at_rest, atol=1e-12)
    hand.waits = False
    ticks(live, 5)
    assert not np.allclose(live.state.position, at_rest, atol=1e-6)
    live.close()


@pytest.mark.parametrize(("elements", "slider"), [(None, {"poisson": 0.2}), (LinkFamily(), {"volume": 0.9})])
def test_sliders_of_a_body_without_a_volume_effect_keep_its_model(elements, slider):
    """A pressure that came with a slider would be another model, with other blocks: recordings, Reset and the window would not fit."""
    scene = preset_scene("gel", SMALL)
    old = scene.body["gel"]
    material = (
        old.material if elements is None else old.material.model_copy(update={"bulk_viscosity": None})
    )  # links cannot have it
    body = old.model_copy(update={"elements": elements, "material": material})
    live = Live(scene.model_copy(update={"body": {"gel": body}}))
    model, blocks = live.compiled.model, {name: block.shape for name, block in live.state.blocks.items()}
    for settings in ({"stiffness": 2e4}, slider, {"residue": 0.5}):
        live.carry_out(Change("gel", settings))
        assert not live.message
        ticks(live, 3)
        assert live.compiled.model is model
    live.carry_out(Reset())
    assert {name: block.shape for name, block in live.state.blocks.items()} == blocks
    live.close()
