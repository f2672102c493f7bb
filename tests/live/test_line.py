"""Everything that is said between page, session and solver has a type, and both ends know all of them."""

import pickle
from dataclasses import fields, is_dataclass
from typing import get_args, get_type_hints

import pytest

from one_process import TICK, Bench
from yawara.live import line
from yawara.live.line import AnyQuestion, Ask, FromSolver, GiveDigest, MarkHere, Question, ToSolver
from yawara.live.live import Live
from yawara.live.messages import Order
from yawara.live.plain_orders import CHECKS, ORDERS
from yawara.live.presets import preset_scene
from yawara.live.recording import Recording

SMALL = (4, 4, 2)
PLAIN = {"window": "yawara-1", "number": 3, "what": "stress", "factor": 0.5, "why": "because", "text": "well", "reply": 7}


@pytest.fixture
def session(tmp_path):
    bench = Bench(tmp_path)
    with bench.session(preset_scene("dough", SMALL)) as opened:
        opened.bench = bench
        bench.run(2 * TICK)
        yield opened


def samples():
    """One message of every kind."""
    special = {"order": get_args(Order)[-1](), "question": MarkHere(), "recording": Recording(preset_scene("dough", SMALL))}
    special |= {"shapes": (), "layout": {}}
    for kind in (*get_args(ToSolver), *get_args(FromSolver), *get_args(AnyQuestion)):
        yield kind(**{one.name: {**PLAIN, **special}[one.name] for one in fields(kind)})


@pytest.mark.parametrize("message", list(samples()), ids=lambda message: type(message).__name__)
def test_every_message_arrives_as_it_was_sent(message):
    assert is_dataclass(message)
    assert pickle.loads(pickle.dumps(message)) == message


def test_every_message_is_in_one_of_the_unions():
    defined = {
        one for one in vars(line).values() if isinstance(one, type) and is_dataclass(one) and one.__module__ == line.__name__
    }
    assert defined == {*get_args(ToSolver), *get_args(FromSolver), *get_args(AnyQuestion)}
    assert all(issubclass(one, Question) for one in get_args(AnyQuestion))


def test_the_solver_does_not_overhear_what_it_does_not_know(session):
    session.bench.solver.line._incoming.append(("speed", 0.5))
    with pytest.raises(AssertionError, match="speed"):
        session.bench.solver.solver.turn()


def test_neither_does_it_guess_at_a_question(session):
    session.bench.solver.line._incoming.append(Ask(1, "digest"))
    with pytest.raises(AssertionError, match="digest"):
        session.bench.solver.solver.turn()


def test_nor_does_the_session(session):
    session.bench.solver.line.send(("answer", 1, "late"))
    with pytest.raises(AssertionError, match="late"):
        _ = session.trouble


def test_a_live_scene_refuses_what_is_no_order():
    live = Live(preset_scene("dough", SMALL))
    try:
        with pytest.raises(AssertionError, match="fly"):
            live.carry_out("fly")
    finally:
        live.close()


def test_answers_come_to_their_question(session):
    first = session.ask(GiveDigest())
    assert isinstance(first, str)
    assert isinstance(session.ask(MarkHere()), int)


def test_every_order_can_be_written_to_a_file_and_every_field_is_checked_on_the_way_back():
    assert list(ORDERS.values()) == list(get_args(Order))
    assert {name for kind in ORDERS.values() for name in get_type_hints(kind)} == set(CHECKS)
