"""Many windows look, one hand touches."""

from held_clock import HeldClock
from yawara.view.holder import Holder


def holder():
    clock = HeldClock(0.0)
    return Holder(idle=10.0, clock=clock), clock


def test_the_first_to_take_it_has_it():
    held, _ = holder()
    assert held.take(1)
    assert not held.take(2)
    assert held.window == 1
    assert held.may_act(1)
    assert not held.may_act(2)


def test_it_is_free_once_let_go():
    held, _ = holder()
    held.take(1)
    assert not held.let_go(2)  # not theirs to let go
    assert held.window == 1
    assert held.let_go(1)
    assert held.window is None
    assert held.take(2)


def test_who_moves_keeps_it():
    held, clock = holder()
    held.take(1)
    for _ in range(5):
        clock.time += 9.0
        assert held.take(1)
    assert not held.take(2)


def test_who_sleeps_loses_it():
    held, clock = holder()
    held.take(1)
    clock.time = 10.0
    assert held.expire() is None  # at ten seconds sharp it is still theirs
    clock.time = 10.1
    assert held.may_act(2)
    assert held.expire() == 1
    assert held.expire() is None
    assert held.take(2)
