"""A recording that begins in the middle of a touch: nothing is disturbed, and it goes on bit for bit from where it began."""

import json
from dataclasses import replace

import numpy as np
import pytest

from one_process import Bench, Passing
from waiting import wait_for
from yawara import SceneError
from yawara.live.digest import state_digest
from yawara.live.drawer import touchable
from yawara.live.line import GiveRecording
from yawara.live.live import Live
from yawara.live.messages import Change, Choose, Grab, LetGo, Move, Pull, Reset, Squeeze, Timed, Undo
from yawara.live.presets import preset_scene
from yawara.live.recording import FORMAT, FROM_ANYWHERE, Recording, load_recording, repeat
from yawara.live.rerun import rerun
from yawara.live.session import Session
from yawara.run import run_scene

SMALL = (4, 4, 2)
TOUCH = [
    (0, Choose("ball")),
    (10, Move((0.01, 0.0, 0.05))),
    (250, Move((0.0, 0.01, 0.2))),
    (350, Change("dough", {"residue": 0.8, "stiffness": 1.2e4})),
    (360, Choose(None)),
    (370, Grab("dough", (0.06, 0.06, 0.06))),
    (380, Pull((0.1, 0.08, 0.1))),
    (450, LetGo()),
    (700, Choose("fingers")),
    (710, Move((0.0, 0.0, 0.05), at_once=True)),
    (720, Squeeze(0.5)),
]
END = 760
PRESSED, MATERIAL, HELD, CALM_AGAIN, SQUEEZED = 150, 355, 400, 690, 740  # ticks


def lived(orders, end=END, marks=()):
    """A live scene after these orders, and what it had for a start at some ticks."""
    live, starts, waiting = Live(preset_scene("dough", SMALL)), {}, list(orders)
    while live.ticks < end:
        if live.ticks in marks:
            starts[live.ticks] = live.start(), live.scene
        while waiting and waiting[0][0] <= live.ticks:
            live.carry_out(waiting.pop(0)[1])
        assert live.tick() is not None, live.message
    digest = state_digest(live.state)
    live.close()
    return digest, starts


def since(tick, orders, starts, end=END):
    start, scene = starts[tick]
    return Recording(scene, orders=[Timed(at - tick, order) for at, order in orders if at >= tick], start=start).until(end)


def last_digest(recording):
    for live, _ in repeat(recording):
        digest = state_digest(live.state)
    return digest


@pytest.fixture(scope="module")
def marked():
    return lived(TOUCH, marks=(PRESSED, MATERIAL, HELD, CALM_AGAIN, SQUEEZED))


def test_a_recording_disturbs_nothing(marked):
    assert marked[0] == lived(TOUCH)[0]


@pytest.mark.parametrize("tick", [PRESSED, MATERIAL, HELD, CALM_AGAIN, SQUEEZED])
def test_it_goes_on_from_the_middle_bit_for_bit(marked, tick, tmp_path):
    digest, starts = marked
    since(tick, TOUCH, starts).save(tmp_path / "it.touch.json")
    again = load_recording(tmp_path / "it.touch.json")
    assert (again.first, again.ticks) == (tick, END - tick)
    assert last_digest(again) == digest


@pytest.mark.parametrize("last", [Undo(), Reset()])
def test_what_goes_back_goes_back_to_before_it_began(last, tmp_path):
    orders = [*TOUCH[:8], (CALM_AGAIN + 2, last), (CALM_AGAIN + 5, last)]
    digest, starts = lived(orders, marks=(CALM_AGAIN,))
    recording = since(CALM_AGAIN, orders, starts)
    recording.save(tmp_path / "it.touch.json")
    assert last_digest(load_recording(tmp_path / "it.touch.json")) == digest


def test_files_hold_no_more_of_the_past_than_can_come_back(marked):
    start, scene = marked[1][CALM_AGAIN]
    start = replace(start, undo=(*start.undo, start.calm))
    assert len(start.undo) == 2
    texts = [Recording(scene, orders=[Timed(0, Undo())] * n, start=start).until(END).text() for n in range(3)]
    kept = [json.loads(text)["start"] for text in texts]
    assert [(one["calm"] is None, len(one["undo"])) for one in kept] == [(True, 0), (False, 1), (False, 2)]
    numbers = sum(array.size for array in start.state.arrays().values())
    assert len(texts[0]) < 8 * numbers * 4 / 3 + 10_000  # one state, packed, and the scene


def test_a_touchable_scene_is_touchable_as_it_is():
    scene = touchable(preset_scene("dough", SMALL), 1e-3)
    assert touchable(scene, 1e-3) == scene


def test_a_recording_from_the_beginning_needs_no_start():
    assert json.loads(Recording(preset_scene("gel", SMALL)).text())["format"] == FORMAT


def test_an_experiment_begins_where_the_recording_did(marked, tmp_path):
    summary = rerun(since(PRESSED, TOUCH, marked[1]), tmp_path / "run")
    assert summary["touch"]["ticks"] == END - PRESSED
    assert summary["touch"]["state"] == marked[0]
    times = np.loadtxt(tmp_path / "run" / "history.csv", delimiter=",", skiprows=1)[:, 0]
    assert (times[0], times[-1]) == (pytest.approx(1e-3 * PRESSED), pytest.approx(1e-3 * END))
    assert f"over {1e-3 * (END - PRESSED):g} s" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_replay_that_was_interrupted_is_taken_up_by_its_directory(tmp_path, command):
    recording = Recording(preset_scene("dough", SMALL), orders=[Timed(0, Choose("ball"))], ticks=150)
    whole = rerun(recording, tmp_path / "whole")

    def pull_the_plug(now, end):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rerun(recording, tmp_path / "broken", progress=pull_the_plug)
    assert sorted(path.name for path in (tmp_path / "broken").iterdir()) == ["job.json", "recording.touch.json"]
    code, _, message = command("run", tmp_path / "whole" / "recording.touch.json", "--out", tmp_path / "broken")
    assert (code, "already holds a replay; go on with --resume" in message) == (2, True)
    code, printed, _ = command("run", "--resume", tmp_path / "broken")
    assert (code, whole["touch"]["state"] in printed) == (0, True)
    assert {path.name for path in (tmp_path / "broken").iterdir()} == {path.name for path in (tmp_path / "whole").iterdir()}
    assert command("run", "--resume", tmp_path / "broken")[:2] == (0, f"{tmp_path / 'broken'} is complete; nothing to do.\n")


def test_a_run_is_not_begun_where_a_replay_is(tmp_path):
    recording = Recording(preset_scene("dough", SMALL), ticks=150)

    def pull_the_plug(now, end):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rerun(recording, tmp_path / "out", progress=pull_the_plug)
    with pytest.raises(SceneError, match="already holds a replay; choose another"):
        run_scene(recording.scene, tmp_path / "out")


def spoilt(plain, *path, value):
    inner = plain
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return plain


@pytest.mark.parametrize(
    ("path", "value", "word"),
    [
        (("start",), 5, "start"),
        (("start",), {}, "there is no 'state'"),
        (("start", "tick"), -1, "tick must be a whole number"),
        (("start", "tool"), "hammer", "tool must be one of"),
        (("start", "state", "points"), "AAAA", "points cannot be unpacked"),
        (("start", "state", "points"), "eJwDAAAAAAE=", "points must have"),  # nothing at all
        (("start", "state", "continuum.internal"), 7, "start"),
        (("start", "grasp", "points"), [10**6], "points of the grasp must be a whole number"),
        (("start", "grasp", "weights"), [1.0], "must be as many"),
        (("start", "held_at", "target"), [0, 0], "target must be three numbers"),
        (("start", "guides"), {}, "there is no 'ball'"),
        (("start", "undo"), [3], "start"),
    ],
)
def test_starts_that_cannot_be_are_refused(marked, path, value, word, tmp_path):
    data = spoilt(json.loads(since(HELD, TOUCH, marked[1]).text()), *path, value=value)
    assert data["format"] == FROM_ANYWHERE
    (tmp_path / "bad.touch.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(SceneError, match=word) as caught:
        load_recording(tmp_path / "bad.touch.json")
    assert "take another recording" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "where", "value"), [("points", 0, np.nan), ("points", 0, 1e200), ("contact.internal", 0, 1e6), ("pace", 0, 0.0)]
)
def test_numbers_that_no_run_has_are_refused(marked, name, where, value, tmp_path):
    recording = since(HELD, TOUCH, marked[1])
    recording.start.state.blocks[name].flat[where] = value
    recording.save(tmp_path / "bad.touch.json")
    with pytest.raises(SceneError, match="start: "):
        load_recording(tmp_path / "bad.touch.json")


# ---- the buttons


def change_of(session):
    return float(np.linalg.norm(session.latest().vertices[0] - session.shapes.bodies[0].vertices, axis=1).max())


def test_record_keeps_body_and_tool_and_stop_ends_it(tmp_path):
    """A real solver: Record made the body new and dropped the tool; what was saved went on after Stop."""
    with Session(preset_scene("dough", SMALL), tmp_path) as session:
        wait_for(session.latest, "the first view")
        session.send(Choose("plate"))
        session.send(Move((0.0, 0.0, 0.04)))
        wait_for(lambda: session.latest().force[2] > 1.0 and change_of(session) > 2e-3, "the plate presses")
        began = session.latest().tick
        assert "recording" in session.record(True)
        assert session.is_recording
        wait_for(lambda: session.latest().tick > began + 100, "time goes on from where it was")
        assert session.latest().tool == "plate"
        assert change_of(session) > 2e-3
        session.send(Move((0.0, 0.0, 0.2)))
        wait_for(lambda: not session.latest().force.any(), "the plate is off")
        message = session.record(False)
        stopped = session.latest().tick
        wait_for(lambda: session.latest().tick > stopped + 200, "time goes on after Stop")
        recorded = load_recording(tmp_path / message.split()[2].rstrip(";"))
        assert recorded.first >= began
        assert [type(order) for _, order in recorded.orders] == [Move]
        name, content = session.export("recording")
        (tmp_path / name).write_bytes(content)
        saved = load_recording(tmp_path / name)
        assert (saved.first, saved.ticks, saved.orders) == (recorded.first, recorded.ticks, recorded.orders)
        assert f"replaying {recorded.ticks * recorded.tick:.1f} s" in session.replay()
        wait_for(
            lambda: session.ask(GiveRecording()).first == recorded.first and session.latest().force[2] > 1.0, "it presses again"
        )
        assert last_digest(recorded) == last_digest(saved)


def test_what_ends_a_recording_says_so(tmp_path):
    with Session(preset_scene("dough", SMALL), tmp_path) as session:
        wait_for(session.latest, "the first view")
        assert session.record(False) == "nothing was recorded"
        session.record(True)
        session.choose_preset("gel")  # another body: what there is, is saved
        assert not session.is_recording
        assert "saved as" in session.trouble
        assert len(list(tmp_path.glob("*.touch.json"))) == 1
        session.record(True)
        session.send(Grab("gel", (0.0, 0.0, 0.06)))
        assert "saved as" in session.replay()
        assert not session.is_recording
        session.record(True)
        session._child.kill()
        wait_for(lambda: session.watch() or not session.is_recording, "another solver")
        assert "lost" in session.record(False)


def test_what_was_saved_is_told_when_the_new_body_is_there(tmp_path):
    bench = Bench(tmp_path)

    def slowly(task):
        bench.clock.time += 10.0  # longer than a message is shown
        return bench.start(task)

    with Session(preset_scene("dough", SMALL), tmp_path, clock=Passing(bench), start=slowly) as session:
        assert "recording" in session.record(True)
        session.choose_preset("gel")
        assert "saved as" in session.trouble
