"""Threads that meet in the kernels."""

from threading import Thread

import numpy as np
import pytest

from helpers import LAWS, compiled_body
from plain import plain
from waiting import PATIENCE, wait_for
from yawara.kernels import meeting as meetings
from yawara.kernels.meeting import ABORT, ASLEEP, FUTEX, MEETING_SIZE
from yawara.methods import SCHEMES, runner

meet = plain(meetings.meet)


def test_a_thread_that_waits_hears_the_abort():
    meeting, heard = np.zeros(MEETING_SIZE, np.int64), []
    meeting[ABORT] = 1
    thread = Thread(target=lambda: heard.append(meet(meeting, 2, 1)), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert heard == [False]


@pytest.mark.parametrize("guilty", [0, 1])
def test_a_thread_that_fails_does_not_leave_the_other_waiting(monkeypatch, guilty):
    compiled = compiled_body("lattice", LAWS["three_element"])
    control = compiled.control.stretch(0.0, 1.0)
    true = runner.advance
    two = runner.Runner(compiled.model, SCHEMES["rk4"], threads=2)

    def failing(context, *arguments):
        if context == two.crew.contexts[guilty].address:
            raise MemoryError("no more")
        return true(context, *arguments)

    monkeypatch.setattr(runner, "advance", failing)
    with pytest.raises(MemoryError):
        two.advance(compiled.state.copy(), control, 0, 10, 1e-4)
    two.close()


@pytest.mark.skipif(FUTEX is None, reason="nobody sleeps here")
@pytest.mark.parametrize("ending", ["comes", "calls off"])
def test_a_thread_that_waited_long_and_fell_asleep_comes_back(ending):
    meeting, heard = np.zeros(MEETING_SIZE, np.int64), []
    thread = Thread(target=lambda: heard.append(meet(meeting, 2, 1)), daemon=True)
    thread.start()
    wait_for(lambda: meeting[ASLEEP] == 1, "it has fallen asleep")
    if ending == "comes":
        assert meet(meeting, 2, 1)
    else:
        meeting[ABORT] = 1
    thread.join(PATIENCE)
    assert heard == [ending == "comes"]
    assert meeting[ASLEEP] == 0
