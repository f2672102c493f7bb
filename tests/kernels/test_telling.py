"""What is said while kernels are compiled: nothing for a moment, then what and how far; never how long it will take."""

import io
import sys

import pytest

from yawara.warm import telling
from yawara.warm.telling import Standing, Teller

STANDING = Standing(1, 3, ("links",))
WORDS = "compiling kernels, once on this machine: 1 of 3, {} s (links)"


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test turns: its first element is the time [s]."""
    now = [100.0]
    monkeypatch.setattr(telling.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(telling, "_told", set())
    return now


def tell_all(clock, seconds, standing=STANDING):
    teller = Teller()
    for _ in range(seconds):
        clock[0] += 1.0
        if teller.is_due:
            teller.tell(standing)
    return teller


def test_a_moment_is_quiet(clock, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    tell_all(clock, 1).close({})
    assert stream.getvalue() == ""


def test_lines_now_and_then_where_they_stay(clock, monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    tell_all(clock, 33).close({})
    assert stream.getvalue().splitlines() == [
        *(f"yawara: {WORDS.format(seconds)}" for seconds in (2, 17, 32)),
        "yawara: the kernels are compiled (33 s); later runs load them",
    ]


def test_one_line_on_a_terminal(clock, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "__stderr__", stream)
    monkeypatch.setenv("COLUMNS", "60")
    tell_all(clock, 4).close({})
    first, *lines = stream.getvalue().split("\r")
    assert first == ""
    assert len(lines) == 4  # after 2, 3 and 4 s, and at the end
    assert {len(line) for line in lines} == {59, 60}  # the last with the end of the line
    assert stream.getvalue().count("\n") == 1


def test_whole_lines_within_the_display_of_another_program(clock, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)  # not the terminal itself: something that catches lines on their way to it
    tell_all(clock, 3)
    assert stream.getvalue() == f"yawara: {WORDS.format(2)}\n"


def test_an_interrupted_line_is_ended(clock, monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "__stderr__", stream)
    teller = tell_all(clock, 3)
    teller.break_off()
    teller.break_off()
    assert stream.getvalue().endswith("\n")
    assert stream.getvalue().count("\n") == 1


def test_another_s_work_is_called_so():
    assert Standing(0, 3, (), waits=True).words(5.0).startswith("another process compiles kernels, once on this machine: 0 of 3")


def test_a_failure_is_told_once(clock, capsys):
    for _ in range(2):
        Teller().close({"forces": "MemoryError"})
    assert capsys.readouterr().err.count("could not be compiled in a process of their own (MemoryError)") == 1
