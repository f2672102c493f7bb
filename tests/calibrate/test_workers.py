"""Worker processes keep out of each other's way."""

import os
from dataclasses import dataclass

import pytest

from yawara.calibrate.workers import Processes, one_thread_each

NAMES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class TellsItsThreads:
    """A problem whose answer is what a worker's libraries are told."""

    def evaluate(self, free):
        return tuple(os.environ.get(name) for name in NAMES)


@pytest.mark.parametrize("wanted", [None, "3"])
def test_linear_algebra_has_one_thread_in_a_worker_unless_the_user_said_otherwise(monkeypatch, wanted):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    if wanted is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", wanted)
    before, heard = dict(os.environ), []
    with Processes(TellsItsThreads(), 2) as workers:
        workers.run([0.0, 1.0], lambda number, outcome: heard.append(outcome))
    assert heard == [(wanted or "1",) * 3] * 2
    assert dict(os.environ) == before


def test_the_environment_is_restored_after_an_error(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    with pytest.raises(KeyError), one_thread_each():
        raise KeyError
    assert "OMP_NUM_THREADS" not in os.environ
