"""What a drag means, as orders."""

import dataclasses

import numpy as np
import pytest

from fake_session import REST, FakeSession
from yawara.live.messages import Choose, Grab, LetGo, Move, Pull
from yawara.view.hand import Drag, Hand
from yawara.view.holder import Holder

TOP = (0.0, 0.0, 0.05)
EYE = (0.0, -0.2, 0.15)  # looks down at 27 degrees


@pytest.fixture
def desk():
    session = FakeSession()
    return session, Hand(session, Holder())


def drag(phase, end=TOP, *, window=1, name="dough", is_tool=False, level=False, start=TOP, eye=EYE):
    return Drag(window, phase, name, is_tool, start, end, eye, level)


def test_bare_hand_grabs_pulls_and_lets_go(desk):
    session, hand = desk
    hand.drag(drag("start"))
    hand.drag(drag("update", (0.01, 0.0, 0.07)))
    hand.drag(drag("end", (0.01, 0.0, 0.07)))
    assert session.orders == [Grab("dough", TOP), Pull(TOP), Pull((0.01, 0.0, 0.07)), LetGo()]


def test_with_the_shift_key_the_hand_moves_level(desk):
    session, hand = desk
    hand.drag(drag("start", level=True))
    hand.drag(drag("update", (0.01, 0.0, 0.07), level=True))
    target = np.array(session.orders[-1].target)
    assert target[2] == pytest.approx(TOP[2])
    ray, whole = target - EYE, np.array((0.01, 0.0, 0.07)) - EYE
    assert np.cross(ray, whole) == pytest.approx(np.zeros(3), abs=1e-12)  # it stays below the pointer


def test_a_tool_moves_in_the_upright_plane(desk):
    session, hand = desk
    hand.choose("finger")
    hand.drag(drag("start"))
    hand.drag(drag("update", (0.01, -0.01, 0.03)))  # in the plane that faces the camera, the pointer comes nearer as it goes down
    moves = [order for order in session.orders if isinstance(order, Move)]
    assert moves[0].target == pytest.approx(REST)  # to touch it is not to move it
    assert moves[-1].target[1] == pytest.approx(REST[1])  # seen from the front, upright is y = constant
    assert moves[-1].target[2] < REST[2] - 0.015
    assert not any(isinstance(order, (Grab, Pull)) for order in session.orders)
    hand.drag(drag("end"))
    assert not any(isinstance(order, LetGo) for order in session.orders)


def test_a_tool_that_a_body_stops_is_moved_on_from_where_the_hand_is(desk):
    """Else every new drag would let the force go."""
    session, hand = desk
    hand.choose("finger")
    wanted = REST - np.array([0.0, 0.0, 0.02])
    session.send(Move(tuple(wanted)))
    session._advance = lambda _: None  # the finger stays where it is
    hand.drag(drag("start"))
    assert session.orders[-1].target == pytest.approx(wanted)
    hand.set_height(0.01)
    assert session.orders[-1].target == pytest.approx([*wanted[:2], 0.01])


def test_seen_from_above_a_tool_moves_in_the_plane_that_faces_the_camera(desk):
    session, hand = desk
    hand.choose("finger")
    above = (0.0, -0.001, 0.4)
    hand.drag(drag("start", eye=above))
    hand.drag(drag("update", (0.02, 0.01, 0.05), eye=above))
    assert session.orders[-1].target == pytest.approx(REST + np.array([0.02, 0.01, 0.0]))


def test_to_touch_a_tool_is_to_take_it(desk):
    session, hand = desk
    hand.drag(drag("start", name="finger", is_tool=True))
    assert session.orders[0] == Choose("finger")


def test_another_window_is_refused(desk):
    session, hand = desk
    hand.drag(drag("start"))
    told = len(session.orders)
    for phase in ("start", "update", "end"):
        hand.drag(drag(phase, window=2))
    assert len(session.orders) == told
    hand.drag(drag("end"))
    hand.drag(drag("start", window=2))
    assert isinstance(session.orders[-2], Grab)


def test_a_window_that_goes_lets_go_once(desk):
    session, hand = desk
    hand.drag(drag("start"))
    hand.let_go(1)
    hand.drag(drag("end"))
    hand.let_go(1)
    assert session.orders.count(LetGo()) == 1


def test_nonsense_from_the_page_is_dropped(desk):
    session, hand = desk
    hand.drag(drag("start", start=(float("nan"), 0.0, 0.0)))
    hand.drag(drag("update"))
    hand.drag(dataclasses.replace(drag("start"), phase="unknown"))
    hand.choose("a tool that is not in the drawer")
    hand.set_height(float("inf"))
    assert session.orders == []


def test_a_hand_does_not_reach_for_the_moon(desk):
    session, hand = desk
    hand.drag(drag("start"))
    hand.drag(drag("update", (1e6, -1e6, 1e6)))
    assert np.abs(session.orders[-1].target).max() < 0.5


def test_height_of_a_tool(desk):
    session, hand = desk
    hand.set_height(0.06)
    assert session.orders == []  # nothing in the hand
    hand.choose("finger")
    hand.set_height(0.06)
    assert session.orders[-1] == Move((REST[0], REST[1], 0.06))
