"""The first run on a machine gives the same bits as all later ones, and nothing that is wrong with the cache stops a run."""

import os
import subprocess
import sys
import threading
import time

import pytest

from yawara import warm

PROGRAM = """
import hashlib
import yawara as yw
from yawara.integrators.advance import advance, evaluate

fields = {"spacing": 0.01, "density": 1000.0, "law": yw.ThreeElement(k1=200.0, c1=2.0, c2=100.0), "topology": {}}
bodies = {
    "block": yw.Truss(counts=(4, 4, 4), volume={"whole": 1e4, "cells": 1e3}, **fields),
    "sheet": yw.Sheet(counts=(5, 5), origin=(0.1, 0.0, 0.0), **fields),
}
down, across = (0.0, 0.0, -0.027), (0.0, -0.036, 0.0)
drives = [
    yw.Drive(body=body, points="top", times=[0.0, 0.05], displacement=[(0, 0, 0), by], release=0.06)
    for body, by in (("block", down), ("sheet", across))
]
fixes = [yw.Fix(body=body, points="bottom") for body in bodies]
run = yw.simulate(yw.Scene(time=yw.Time(end=0.1, frame=0.02), body=bodies, fix=fixes, drive=drives))
assert abs(run.history["energy.guards"]).max() > 0.0
print(*(hashlib.sha256(array.tobytes()).hexdigest() for array in (run.state.points, run.state.memory, run.state.account)))
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in (advance, evaluate)))
"""
SHORT = "import yawara as yw; print(yw.compile_scene.__name__)"


def python(program, **environment):
    """What a process of its own prints; with the given environment beside this one's."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NUMBA_CACHE_DIR", "YAWARA_WARMING")}
    done = subprocess.run([sys.executable, "-c", program], env=kept | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_first_process_gives_the_same_bits_as_the_second(tmp_path):
    """And compiles nothing itself: it loads what others compiled for it, as the second one does."""
    outputs = [python(PROGRAM, YAWARA_CACHE_DIR=str(tmp_path)) for _ in range(2)]
    assert outputs[0] == outputs[1]
    assert outputs[0].split()[-1] == "0"
    (directory,) = tmp_path.glob("kernels-*")
    assert {path.name for path in directory.iterdir() if path.is_file()} >= {
        warm._mark(directory, part).name for part in ("look", "explicit")
    }
    assert not list(directory.glob("*.lock"))


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of our own, in which compiling is pretended; returns the directory and the parts that were asked for."""
    started = []

    class Process:
        code = 0

        def wait(self):
            return self.code

        def kill(self):
            pass

    def start(part):
        started.append(part)
        return Process()

    monkeypatch.delenv("YAWARA_WARMING", raising=False)
    monkeypatch.setattr(warm, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(warm, "_start", start)
    return tmp_path, started, Process


def test_each_part_is_compiled_once(cache):
    directory, started, _ = cache
    assert not warm.is_compiled("look")
    warm.ensure_compiled("look", "explicit")
    warm.ensure_compiled("explicit", "implicit")
    assert started == ["look", "explicit", "implicit"]
    assert warm.is_compiled(*warm.PARTS)
    assert not list(directory.glob("*.lock"))


def test_a_stale_lock_is_ignored(cache):
    """Left behind by a process that was killed longer ago than anybody waits."""
    directory, started, _ = cache
    lock = directory / "look.lock"
    lock.touch()
    long_ago = time.time() - warm.PATIENCE - 10.0
    os.utime(lock, (long_ago, long_ago))
    begin = time.monotonic()
    warm.ensure_compiled("look")
    assert time.monotonic() - begin < 5.0
    assert started == ["look"]
    assert warm.is_compiled("look")
    assert not lock.exists()


def test_another_process_is_waited_for(cache):
    directory, started, _ = cache
    (directory / "look.lock").touch()

    def finish():
        warm._mark(directory, "look").touch()
        (directory / "look.lock").unlink()

    timer = threading.Timer(0.5, finish)
    timer.start()
    begin = time.monotonic()
    warm.ensure_compiled("look")
    timer.join()
    assert 0.4 < time.monotonic() - begin < 5.0
    assert started == []


def test_nobody_waits_for_ever(cache, monkeypatch):
    directory, started, _ = cache
    (directory / "look.lock").touch()
    monkeypatch.setattr(warm, "PATIENCE", 0.3)
    begin = time.monotonic()
    warm.ensure_compiled("look")
    assert time.monotonic() - begin < 5.0
    assert started == []


def test_a_failed_compilation_is_no_obstacle(cache):
    """Kernels then compile when they are called; the next process tries again."""
    directory, started, process = cache
    process.code = 1
    warm.ensure_compiled("look")
    assert not warm.is_compiled("look")
    assert not list(directory.glob("*.lock"))
    warm.ensure_compiled("look")
    assert started == ["look", "look"]


def test_a_compiling_process_does_not_start_others(cache, monkeypatch):
    monkeypatch.setenv("YAWARA_WARMING", "look")
    warm.ensure_compiled(*warm.PARTS)
    assert cache[1] == []


def test_a_directory_that_cannot_be_written_does_not_stop_anything(cache, monkeypatch):
    """A file stands where the directory should be: even root cannot write there."""
    directory, started, _ = cache
    (directory / "file").touch()
    monkeypatch.setattr(warm, "cache_directory", lambda: directory / "file" / "kernels")
    warm.ensure_compiled(*warm.PARTS)
    assert started == []
    assert not warm.is_compiled("look")


def test_without_a_directory_nothing_is_done(cache, monkeypatch):
    monkeypatch.setattr(warm, "cache_directory", lambda: None)
    warm.ensure_compiled(*warm.PARTS)
    assert cache[1] == []


def test_the_package_loads_where_no_cache_can_be_made(tmp_path):
    (tmp_path / "file").touch()
    assert python(SHORT, YAWARA_CACHE_DIR=str(tmp_path / "file" / "inside")) == "compile_scene\n"
