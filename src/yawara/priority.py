"""A process before all others. The rest of the machine may nearly stop: only a device in a hand is worth it, or who asks for it."""

import contextlib
import os

NICER = -10  # steps, of 20
TURN = 10  # among real-time processes, of 99

ORDINARY, RAISED, REAL_TIME = 0, 1, 2


def raise_priority() -> int:
    """RAISED if the system allows it, ORDINARY if not, which is how most people run."""
    with contextlib.suppress(OSError, AttributeError):
        os.nice(NICER)
        return RAISED
    return ORDINARY


def become_real_time() -> int:
    """REAL_TIME if the system allows it, else RAISED if it allows that, else ORDINARY."""
    reached = raise_priority()
    with contextlib.suppress(OSError, AttributeError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(TURN))
        reached = REAL_TIME
    return reached
