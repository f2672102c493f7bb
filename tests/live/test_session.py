"""A session and its solver in one process and in held time: what is touched, shown, recorded and repeated, tick by tick."""

import numpy as np
import pytest

from glb_file import valid
from one_process import TICK, Bench
from yawara.live.digest import state_digest
from yawara.live.line import GiveDigest, GiveLog, GiveRecording
from yawara.live.messages import Change, Choose, Grab, LetGo, Move, Pull, Reset
from yawara.live.metronome import BACKLOG
from yawara.live.presets import preset_of, preset_scene
from yawara.live.recording import load_recording, repeat
from yawara.live.rerun import rerun
from yawara.live.session import TROUBLE_SHOWN, SolverError
from yawara.live.solver import COLOURS, VIEWS
from yawara.scene.scene import Scene

SMALL = (4, 4, 2)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture
def session(bench):
    with bench.session(preset_scene("dough", SMALL)) as opened:
        bench.run(0.02)
        yield opened


def press(bench, session, depth=0.02):
    """Down and up again; the largest force [N]."""
    session.send(Choose("plate"))
    session.send(Move((0.0, 0.0, 0.06 - depth)))
    bench.until(lambda: plate_height(session) < 0.061 - depth, "the plate is down")
    force = session.latest().force[2]
    session.send(Move((0.0, 0.0, 0.2)))
    bench.until(lambda: not session.latest().force.any(), "the plate is off")
    return force


def plate_height(session):
    names = [skin.name for skin in session.shapes.tools]
    return session.latest().tool_positions[names.index("plate"), 2]


def change_of(session):
    return float(np.linalg.norm(session.latest().vertices[0] - session.shapes.bodies[0].vertices, axis=1).max())


def slowed(bench, duration):
    """Every tick takes so much [s] from now on."""
    live = bench.solver.solver.live
    tick = live.tick

    def slow_tick():
        bench.clock.time += duration
        return tick()

    live.tick = slow_tick


def test_time_goes_on_and_the_pace_is_told(bench, session):
    bench.run(1.0)
    first = session.latest()
    bench.run(0.6)
    later = session.latest()
    assert later.tick - first.tick == pytest.approx(600, abs=VIEWS / TICK + 2)
    assert later.time - first.time == pytest.approx((later.tick - first.tick) * TICK)
    assert later.wall - first.wall == pytest.approx(later.time - first.time, abs=1e-6)
    assert later.pace.realtime == pytest.approx(1.0, abs=1e-3)
    assert (later.pace.wanted, later.pace.late) == (1.0, 0.0)


def test_views_come_sixty_times_a_second_however_fast_the_ticks_are(bench, session):
    seen = set()
    for _ in range(1000):
        bench.turn()
        seen.add(session.latest().tick)
    assert len(seen) == pytest.approx(1.0 / (np.ceil(VIEWS / TICK) * TICK), abs=1.5)


def test_a_solver_that_is_too_slow_slows_time_down_evenly_and_says_so(bench, session):
    slowed(bench, 2.5 * TICK)
    bench.run(3.0)
    pace = session.latest().pace
    assert pace.realtime == pytest.approx(0.4, rel=0.01)
    assert pace.tick_p50 == pytest.approx(2.5e-3)
    assert pace.late == pytest.approx(3.0 * 0.6, abs=1.1 * BACKLOG)


def test_a_press_is_felt_and_leaves_a_residue(bench, session):
    assert press(bench, session) > 1.0
    bench.run(0.3)
    assert change_of(session) > 1e-3
    session.colour_by("residual strain")
    bench.run(VIEWS + 2 * TICK)
    view = session.latest()
    assert view.values[0].max() > 0.01
    assert session.value_range.high >= view.values[0].max()
    bench.run(COLOURS)
    session.colour_by("pressure")  # has a sign
    bench.run(VIEWS + COLOURS)
    view = session.latest()
    assert session.value_range.unit == "Pa"
    assert view.values[0].min() < 0.0 < view.values[0].max()
    assert session.value_range.low <= view.values[0].min() < view.values[0].max() <= session.value_range.high
    session.colour_by("nothing")
    session.send(Reset())
    bench.run(VIEWS + 2 * TICK)
    assert session.latest().values is None
    assert change_of(session) < 1e-5


def test_slow_motion_and_pause(bench, session):
    session.set_speed(0.1)
    bench.run(2.0)
    first = session.latest()
    assert first.pace.wanted == pytest.approx(0.1)
    assert first.pace.realtime == pytest.approx(0.1, rel=0.02)
    session.set_speed(0.0)
    bench.run(0.1)
    tick = session.latest().tick
    bench.run(3.0)
    assert session.latest().tick == tick
    session.set_speed(1.0)
    bench.run(0.1)
    assert session.latest().tick == pytest.approx(tick + 100, abs=VIEWS / TICK + 12)  # nothing is made up for
    assert session.latest().pace.late == 0.0


def test_settings_act_and_wrong_ones_are_refused(bench, session):
    session.send(Change("dough", {"stiffness": 1.6e4}))
    assert session.settings["stiffness"].value == pytest.approx(1.6e4)
    with pytest.raises(ValueError, match="no setting 'colour'"):
        session.send(Change("dough", {"colour": 3.0}))
    session.send(Change("dough", {"stiffness": 8e3}))
    session.send(Choose("hammer"))
    bench.run(2 * TICK)
    assert "no tool 'hammer'" in session.trouble
    bench.run(TROUBLE_SHOWN)
    assert session.trouble == ""


def test_a_recording_made_live_repeats_bit_for_bit(bench, session, tmp_path):
    """What the hand did in real time, run again without a clock, ends in the same bits."""
    press(bench, session, 0.02)
    assert "recording" in session.record(True)
    session.send(Grab("dough", (0.06, 0.06, 0.06)))
    session.send(Pull((0.1, 0.08, 0.12)))
    bench.run(0.4)
    session.send(LetGo())
    press(bench, session, 0.02)
    message = session.record(False)
    assert "saved as" in message
    recording = load_recording(session.folder / message.split()[2].rstrip(";"))
    assert [type(order) for _, order in recording.orders] == [Grab, Pull, LetGo, Choose, Move, Move]
    first, second = rerun(recording, tmp_path / "one"), rerun(recording, tmp_path / "two")
    assert first["touch"] == second["touch"]
    assert first["touch"]["largest_force_N"][2] > 1.0
    assert {"history.csv", "touch.csv", "report.html", "summary.json", "dough.ply"} <= {
        p.name for p in (tmp_path / "one").iterdir()
    }
    session.set_speed(0.0)  # what the solver itself has now, against what its own recording gives
    live_one, live_state = session.ask(GiveRecording()), session.ask(GiveDigest())
    for live, _ in repeat(live_one):
        digest = state_digest(live.state)
    assert digest == live_state


def test_a_replay_does_it_again_while_hands_watch(bench, session):
    session.record(True)
    force = press(bench, session, 0.02)
    ended = session.latest().tick
    session.record(False)
    assert "replaying" in session.replay()
    session.send(Reset())  # is not heard
    bench.run(ended * TICK)
    forces = np.loadtxt(session.ask(GiveLog()).splitlines(), delimiter=",", skiprows=1, ndmin=2)[:, 3]
    assert forces.max() >= force
    assert session.latest().tick == pytest.approx(ended, abs=VIEWS / TICK + 12)  # a new body, from the beginning
    done = session.ask(GiveRecording()).orders
    assert [type(order) for _, order in done] == [Choose, Move, Move]
    session.send(Reset())  # now it is
    bench.run(2 * TICK)
    assert type(session.ask(GiveRecording()).orders[-1][1]) is Reset


@pytest.mark.parametrize("kind", ["glb", "ply", "csv", "recording"])
def test_exports_can_be_read(session, kind, tmp_path):
    import trimesh

    name, content = session.export(kind)
    (tmp_path / name).write_bytes(content)
    if kind in ("glb", "ply"):
        mesh = trimesh.load(tmp_path / name, force="mesh")
        assert len(mesh.faces) >= len(session.shapes.bodies[0].triangles)
        if kind == "glb":
            valid(content)
            # y is up in glTF: what was height is there, and nothing lies on its side
            height = np.ptp(session.latest().vertices[0][:, 2])
            assert np.ptp(mesh.vertices, axis=0)[1] == pytest.approx(height, rel=1e-5)
    elif kind == "csv":
        assert np.genfromtxt(tmp_path / name, delimiter=",", names=True)["height_m"].min() > 0.01
    else:
        assert load_recording(tmp_path / name).tick == 1e-3
    with pytest.raises(ValueError, match="export one of"):
        session.export("../../etc/passwd")


def test_the_tool_in_the_hand_is_exported_where_it_is(bench, session):
    session.send(Choose("plate"))
    bench.run(0.1)
    nodes = {node["name"]: node for node in valid(session.export("glb")[1]).json["nodes"]}
    assert set(nodes) == {"z up", "dough", "plate"}  # tools in the drawer are not there
    assert nodes["plate"]["translation"][2] == pytest.approx(plate_height(session), rel=1e-6)


def test_another_preset_is_another_body(bench, session):
    generation = session.generation
    session.choose_preset("gel")
    assert session.generation > generation
    assert session.shapes.bodies[0].name == session.preset == "gel"
    assert "your scene" not in session.presets
    assert session.latest() is None
    bench.run(3 * TICK)
    assert session.latest().tick > 0
    assert [child.alive for child in bench.solvers] == [False, True]


def test_an_own_scene_can_be_come_back_to(bench):
    """It stands before the presets; a preset of another size is still that preset."""
    scene = preset_scene("gel", SMALL)
    assert [preset_of(one) for one in (scene, scene.model_copy(update={"gravity": (0.0, 0.0, 0.0)}))] == ["gel", None]
    own = scene.model_copy(update={"name": "mine"})
    with bench.session(own) as session:
        assert (session.preset, session.presets[0]) == ("your scene", "your scene")
        points = len(session.shapes.bodies[0].vertices)
        session.choose_preset("clay")
        assert session.preset == session.shapes.bodies[0].name == "clay"
        session.choose_preset("your scene")
        assert (session.preset, len(session.shapes.bodies[0].vertices)) == ("your scene", points)
        assert session.scene.name == "mine"


def test_a_scene_that_cannot_be_is_told_in_a_sentence(bench):
    data = preset_scene("dough", SMALL).model_dump(exclude_none=True)
    data["tool"]["table"]["origin"] = [0.0, 0.0, 0.02]
    with pytest.raises(SolverError, match="must leave the bodies outside"):
        bench.session(Scene.model_validate(data))
    assert not bench.solver.alive
