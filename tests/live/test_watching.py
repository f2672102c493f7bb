"""Solvers that die, hang or do not begin, in held time: when they are given up, what goes on, and what the user is told."""

import numpy as np
import pytest

from one_process import TICK, Bench, Here
from yawara.child import Patience
from yawara.live.line import Failed, GiveDigest, GiveRecording
from yawara.live.messages import Choose, Grab, Move, Pull
from yawara.live.presets import preset_scene
from yawara.live.session import RESTARTS, SolverError
from yawara.live.solver import PARENT, SAVES
from yawara.touch import WATCH, look_after

SMALL = (4, 4, 2)


@pytest.fixture
def bench(tmp_path):
    return Bench(tmp_path)


@pytest.fixture
def session(bench):
    with bench.session(preset_scene("dough", SMALL)) as opened:
        bench.run(0.02)
        yield opened


def vertices(session):
    return session.latest().vertices[0]


def test_a_killed_solver_is_replaced_and_the_shape_is_kept(bench, session):
    session.send(Grab("dough", (0.06, 0.06, 0.06)))
    session.send(Pull((0.1, 0.08, 0.12)))
    session.colour_by("residual strain")
    bench.run(0.5)
    session.set_speed(0.0)  # what is saved is what is there
    bench.run(2 * SAVES)
    before, generation = vertices(session).copy(), session.generation
    assert np.linalg.norm(before - session.shapes.bodies[0].vertices, axis=1).max() > 5e-3
    bench.solver.kill()
    session.watch()
    assert "goes on from the last saved shape" in session.trouble
    assert (session.generation, len(bench.solvers)) == (generation + 1, 2)
    bench.run(2 * TICK)
    np.testing.assert_allclose(vertices(session), before, atol=1e-3)  # it sprang back for two ticks
    assert session.latest().values is not None  # coloured as before
    session.send(Choose("plate"))
    session.send(Move((0.0, 0.0, 0.03)))
    bench.until(lambda: session.latest().force[2] > 1.0, "it can be touched")
    assert session.ask(GiveRecording()).start is not None  # it begins with the saved shape


def test_the_state_is_saved_often_enough(bench, session):
    """A solver that dies at any moment takes no more than SAVES and a view with it."""
    session.send(Grab("dough", (0.06, 0.06, 0.06)))
    session.send(Pull((0.1, 0.08, 0.12)))
    bench.run(0.3)
    bench.solver.kill()
    lost_at = session.latest().time
    session.watch()
    taken_up = bench.solver.solver
    bench.run(2 * TICK)
    moved = np.linalg.norm(vertices(session) - session.shapes.bodies[0].vertices, axis=1).max()
    assert moved > 1e-3
    assert taken_up.live.state.time < lost_at  # time begins anew, the shape does not


def test_a_state_that_was_cut_off_while_it_was_saved_costs_only_that_one(bench, session):
    session.send(Grab("dough", (0.06, 0.06, 0.06)))
    session.send(Pull((0.1, 0.08, 0.12)))
    bench.run(0.5)
    session.watch()
    before = vertices(session).copy()
    bench.solver.solver.window["state"]._counter[0] += 1  # in the middle of writing
    bench.solver.kill()
    session.watch()
    assert "goes on from the last saved shape" in session.trouble
    bench.run(2 * TICK)
    np.testing.assert_allclose(vertices(session), before, atol=5e-3)


def test_a_solver_that_saved_nothing_is_followed_by_a_new_body(bench):
    with bench.session(preset_scene("dough", SMALL)) as session:
        bench.solver.kill()
        session.watch()
        assert "begins with a new body" in session.trouble
        bench.run(0.1)
        assert session.ask(GiveRecording()).orders == []


def test_a_solver_counts_as_stuck_when_its_patience_is_over_and_not_before(bench, session):
    patience = Patience()
    session.watch()
    bench.solver.stuck = True
    heard = session.latest().wall
    bench.run(patience.silent - (bench.clock.time - heard) - 2 * TICK)
    session.watch()
    assert len(bench.solvers) == 1
    bench.run(4 * TICK)
    session.watch()
    assert len(bench.solvers) == 2
    assert "the solver was gone" in session.trouble
    bench.run(2 * TICK)
    assert session.latest().tick > 0


def test_a_solver_that_has_shown_nothing_yet_may_take_as_long_as_kernels_take_to_compile(bench):
    patience = Patience(begin=50.0, silent=3.0)
    with bench.session(preset_scene("dough", SMALL), patience=patience) as session:
        bench.solver.stuck = True
        bench.run(52.9)
        session.watch()
        assert len(bench.solvers) == 1
        bench.run(0.2)
        session.watch()
        assert len(bench.solvers) == 2


def test_solvers_that_die_again_and_again_are_given_up(bench, session):
    for _ in range(RESTARTS):
        bench.solver.kill()
        session.watch()
        assert not session.gave_up
        session.set_speed(0.0)  # nothing to compute while time passes
        bench.run(5.0)
    bench.solver.kill()
    session.watch()
    assert session.gave_up
    assert "again and again" in session.trouble
    session.watch()
    assert len(bench.solvers) == RESTARTS + 1


def test_solvers_that_die_now_and_then_are_not(bench, session):
    bench.solver.solver.metronome.set_speed(0.0)
    for _ in range(2 * RESTARTS):
        bench.solver.kill()
        session.watch()
        session.set_speed(0.0)  # nothing to compute while time passes
        bench.run(60.0 / RESTARTS + 0.1)
    assert not session.gave_up


def test_no_answer_in_time_is_none_and_a_solver_that_is_gone_is_not_waited_for(bench, session):
    bench.solver.stuck = True
    asked = bench.clock.time
    assert session.ask(GiveDigest()) is None
    assert bench.clock.time - asked == pytest.approx(Patience().answer, abs=0.02)
    bench.solver.stuck = False
    bench.run(TICK)
    assert session.ask(GiveDigest()) is not None  # the late answer is not taken for this one
    bench.solver.kill()
    asked = bench.clock.time
    assert session.ask(GiveDigest()) is None
    assert bench.clock.time - asked < 0.02
    assert "nothing is recorded" in session.record(True)
    assert session.record(False) == "nothing was recorded"


def test_a_solver_that_fails_is_told_of_and_replaced(bench, session):
    bench.solver.line.send(Failed("a fault of ours\nTraceback"))
    bench.solver.kill()
    assert session.trouble == "a fault of ours"
    session.watch()
    assert "the solver was gone" in session.trouble


def test_a_solver_that_does_not_begin_is_an_error_after_its_patience(bench):
    silent = Here()
    silent.close = lambda: None
    bench.start = lambda task: silent
    with pytest.raises(SolverError, match="did not begin; start it again"):
        bench.session(preset_scene("gel", SMALL), patience=Patience(begin=7.0))
    assert silent.patience == [7.0]
    assert not silent.alive


def test_a_solver_whose_parent_is_gone_ends_by_itself(bench, session):
    asked = []

    def alone():
        asked.append(bench.clock.time)
        return len(asked) == 3

    begin = bench.clock.time
    bench.solver.solver.run(alone)
    assert np.diff([begin, *asked]) == pytest.approx(PARENT, abs=2 * TICK)


class Troubled:
    """A session that has trouble at some looks."""

    def __init__(self, troubles):
        self._troubles, self.trouble, self.gave_up = list(troubles), "", False

    def watch(self):
        self.trouble = self._troubles.pop(0) if self._troubles else ""
        self.gave_up = self.trouble == "the end"


def looked_after(session, seconds, interrupted=lambda: False):
    bench, said = Bench(None), []

    def wait(duration):
        assert duration == WATCH
        bench.clock.sleep(duration)
        return interrupted()

    begin = bench.clock.time
    look_after(session, wait, seconds, said.append, bench.clock)
    return said, bench.clock.time - begin


def test_trouble_is_told_once_until_it_changes():
    said, lasted = looked_after(Troubled(["", "slow", "slow", "", "slow", "gone"]), 3.0)
    assert said == ["slow", "slow", "gone"]
    assert lasted == pytest.approx(3.0)


def test_a_touch_ends_when_it_cannot_be_helped_or_the_user_has_had_enough():
    assert looked_after(Troubled(["", "the end"]), None) == (["the end"], pytest.approx(2 * WATCH))
    answers = iter([False, False, True])
    assert looked_after(Troubled([]), None, lambda: next(answers)) == ([], pytest.approx(3 * WATCH))
