"""The first run on a machine gives the same bits as all later ones, and nothing that is wrong with the cache stops a run."""

import os
import threading
import time

import pytest

from first_process import PROGRAM, python
from yawara import warm

SHORT = "import yawara as yw; print(yw.compile_scene.__name__)"


def test_the_first_process_gives_the_same_bits_as_the_second(first_bits):
    """And compiles nothing itself: it loads what others compiled for it, as the second one does.

    The first process ran before all tests. On a machine that is new to this copy of the package the kernels were compiled for it; elsewhere
    this test says no more than that a run can be repeated.
    """
    assert first_bits == python(PROGRAM)
    assert first_bits.split()[-1] == "0"
    directory = warm.cache_directory()
    assert directory is not None
    assert is_compiled_for_all(directory)


def is_compiled_for_all(directory):
    return all(warm._mark(directory, part).exists() for part in ("look", "explicit"))


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
    assert time.monotonic() - begin < 60.0
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
    assert 0.4 < time.monotonic() - begin < 60.0
    assert started == []


def test_nobody_waits_for_ever(cache, monkeypatch):
    directory, started, _ = cache
    (directory / "look.lock").touch()
    monkeypatch.setattr(warm, "PATIENCE", 0.3)
    begin = time.monotonic()
    warm.ensure_compiled("look")
    assert time.monotonic() - begin < 60.0
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
