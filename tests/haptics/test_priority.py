"""Processes before others: what is asked of the system, and what becomes of a refusal. Nothing here is really raised."""

import os

import pytest

from yawara.priority import ORDINARY, RAISED, REAL_TIME, become_real_time, raise_priority


def refused(*_):
    raise PermissionError("not you")


@pytest.fixture
def asked(monkeypatch):
    """What the system was asked for; it grants everything."""
    calls = []
    monkeypatch.setattr(os, "nice", lambda steps: calls.append(("nice", steps)))
    monkeypatch.setattr(os, "sched_setscheduler", lambda process, kind, turn: calls.append((process, kind)))
    return calls


def test_a_solver_is_raised_and_a_loop_becomes_real_time(asked):
    assert raise_priority() == RAISED
    assert asked == [("nice", -10)]
    assert become_real_time() == REAL_TIME
    assert asked[1:] == [("nice", -10), (0, os.SCHED_FIFO)]


def test_a_refusal_is_no_error(asked, monkeypatch):
    monkeypatch.setattr(os, "sched_setscheduler", refused)
    assert become_real_time() == RAISED
    monkeypatch.setattr(os, "nice", refused)
    assert become_real_time() == ORDINARY
    assert raise_priority() == ORDINARY
