"""The first run on a machine gives the same bits as all later ones. Kernels are compiled by one process, which ends with whoever started
it; nothing that is wrong with the cache stops a run."""

import os
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest

from first_process import PROGRAM, python
from waiting import wait_for
from yawara import warm
from yawara.exclusive import lock_of
from yawara.jit import cache_directory
from yawara.warm import __main__ as compiling
from yawara.warm import crew, telling
from yawara.warm.parts import PARTS, lock, mark
from yawara.warm.worker import BUSY, WARMING

SHORT = "import yawara as yw; print(yw.compile_scene.__name__)"
COMPILES = "from yawara.warm import ensure_compiled; ensure_compiled('forces')"


def test_the_first_process_gives_the_same_bits_as_the_second(first_bits):
    """And compiles nothing itself: it loads what others compiled for it, as the second one does.

    The first process ran before all tests. On a machine that is new to this copy of the package the kernels were compiled for it; elsewhere
    this test says no more than that a run can be repeated.
    """
    assert first_bits == python(PROGRAM)
    assert first_bits.split()[-1] == "0"
    assert warm.is_compiled(*warm.parts_for(implicit=False))


# --- who compiles what, with compiling pretended


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache of our own; `started` names the parts that processes were started for, `code` is how they end."""
    pretended = SimpleNamespace(directory=tmp_path, started=[], ended=[], code=0, at_work=threading.Event())

    class Pretended:
        def __init__(self, part):
            self.part = part
            pretended.started.append(part)
            pretended.at_work.set()

        @property
        def exit_code(self):
            if pretended.code == 0:
                mark(tmp_path, self.part).touch()
            return pretended.code

        def last_words(self):
            return "out of breath"

        def end(self):
            pretended.ended.append(self.part)

    monkeypatch.delenv(WARMING, raising=False)
    monkeypatch.setattr(crew, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr("yawara.warm.parts.cache_directory", lambda: tmp_path)
    monkeypatch.setattr(crew, "Worker", Pretended)
    monkeypatch.setattr(crew, "PAUSE", 0.001)
    monkeypatch.setattr(telling, "_told", set())
    return pretended


def test_each_part_is_compiled_once_and_after_what_it_needs(cache):
    assert not warm.is_compiled("forces")
    warm.ensure_compiled("explicit")
    warm.ensure_compiled("explicit", "implicit")
    assert cache.started == ["forces", "explicit", "watch", "implicit"]
    assert warm.is_compiled(*warm.PARTS)


@pytest.mark.parametrize("implicit", [False, True])
def test_a_scene_s_parts_bring_all_that_comes_before_them(implicit):
    wanted = warm.parts_for(implicit=implicit)
    assert {first for part in wanted for first in PARTS[part].after} <= set(wanted)


def in_thread(*parts):
    thread = threading.Thread(target=warm.ensure_compiled, args=parts, daemon=True)
    thread.start()
    return thread


def test_another_process_that_compiles_is_waited_for_however_long(cache, monkeypatch):
    """A lock that the system keeps has no age: after a day by the clock the other one is still waited for."""
    looks = []
    monkeypatch.setattr(crew.time, "sleep", lambda seconds: looks.append(seconds))
    held = lock_of(lock(cache.directory, "forces"))
    thread = in_thread("forces")
    wait_for(lambda: len(looks) > 200, "two hundred looks at the lock")
    long_ago = 1_000_000_000
    os.utime(lock(cache.directory, "forces"), (long_ago, long_ago))
    count = len(looks)
    wait_for(lambda: len(looks) > count + 200, "two hundred more")
    assert cache.started == []
    mark(cache.directory, "forces").touch()
    held.close()
    thread.join()
    assert cache.started == []


def test_if_the_other_one_dies_this_one_takes_over(cache):
    held = lock_of(lock(cache.directory, "forces"))
    thread = in_thread("forces")
    held.close()  # and no mark: it did not get to the end
    thread.join()
    assert cache.started == ["forces"]
    assert warm.is_compiled("forces")


def test_a_lock_s_file_that_was_left_behind_is_no_lock(cache):
    lock(cache.directory, "forces").write_text("4711")
    warm.ensure_compiled("forces")
    assert cache.started == ["forces"]


def test_who_finds_another_one_at_it_looks_again(cache):
    """Two start a process at once; the later process ends with BUSY and its owner waits."""
    cache.code = BUSY
    thread = in_thread("forces")
    wait_for(lambda: len(cache.ended) > 1, "it is started again")
    cache.code = 0
    thread.join()
    assert warm.is_compiled("forces")


def test_a_failed_compilation_is_told_and_no_obstacle(cache, capsys):
    """Kernels then compile when they are called; the next process tries again."""
    cache.code = 1
    warm.ensure_compiled("forces", "explicit")
    assert cache.started == ["forces", "explicit"]
    assert not warm.is_compiled("forces")
    said = capsys.readouterr().err
    assert "the kernels of 'forces' could not be compiled in a process of their own (out of breath); they compile when" in said
    cache.code = 0
    warm.ensure_compiled("forces")
    assert warm.is_compiled("forces")


def test_an_interrupt_ends_the_processes(cache, monkeypatch):
    cache.code = None  # still at work

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(crew.time, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        warm.ensure_compiled("forces")
    assert cache.ended == ["forces"]


def test_a_compiling_process_does_not_start_others(cache, monkeypatch):
    monkeypatch.setenv(WARMING, "forces")
    warm.ensure_compiled(*warm.PARTS)
    assert cache.started == []


@pytest.mark.parametrize("is_there", [True, False])
def test_a_directory_that_cannot_be_written_is_told_and_stops_nothing(cache, monkeypatch, capsys, is_there):
    """A file stands where the directory should be: even root cannot write there."""
    (cache.directory / "file").touch()
    monkeypatch.setattr(crew, "cache_directory", lambda: cache.directory / "file" / "kernels" if is_there else None)
    for _ in range(2):
        warm.ensure_compiled(*warm.PARTS)
    assert cache.started == []
    said = capsys.readouterr().err
    assert said.count("cannot be written: this process compiles its kernels when it needs them") == 1
    assert "set YAWARA_CACHE_DIR" in said


def test_the_package_loads_where_no_cache_can_be_made(tmp_path):
    (tmp_path / "file").touch()
    assert python(SHORT, YAWARA_CACHE_DIR=str(tmp_path / "file" / "inside")) == "compile_scene\n"


# --- the process that compiles


@pytest.fixture
def compiled_parts(tmp_path, monkeypatch):
    """Parts that it really compiled, with compiling pretended, in a cache of our own."""
    parts = []
    monkeypatch.setattr(compiling, "cache_directory", lambda: tmp_path)
    monkeypatch.setattr(compiling, "compile_part", parts.append)
    monkeypatch.setattr(compiling, "_write_one_at_a_time", lambda directory: None)
    monkeypatch.setattr(compiling, "_end_with_parent", lambda: None)
    return parts


def test_it_compiles_what_is_not_there(tmp_path, compiled_parts):
    assert compiling.main("forces") == 0
    assert compiling.main("forces") == 0
    assert compiled_parts == ["forces"]
    assert mark(tmp_path, "forces").exists()


def test_it_leaves_what_another_one_compiles(tmp_path, compiled_parts):
    with lock_of(lock(tmp_path, "forces")):
        assert compiling.main("forces") == BUSY
    assert compiled_parts == []


def test_a_failure_leaves_no_mark(tmp_path, compiled_parts, monkeypatch):
    monkeypatch.setattr(compiling, "compile_part", lambda part: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        compiling.main("forces")
    assert not mark(tmp_path, "forces").exists()
    with lock_of(lock(tmp_path, "forces")):  # it is free again
        pass


# --- real processes


@pytest.fixture
def start(tmp_path):
    """Start a Python program with an empty cache; returns the process. All are gone at the end."""
    processes = []

    def begin(*arguments):
        environment = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", WARMING)}
        environment["YAWARA_CACHE_DIR"] = str(tmp_path / "cache")
        processes.append(subprocess.Popen([sys.executable, *arguments], env=environment, stderr=subprocess.PIPE, text=True))
        return processes[-1]

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def is_compiling(tmp_path, part):
    directory = tmp_path / "cache" / cache_directory().name
    if not directory.exists():
        return False
    held = lock_of(lock(directory, part))
    if held:
        held.close()
    return held is None


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_compiles_ends_with_whoever_waits_for_it(start, tmp_path, end):
    """The lock tells: the system keeps it as long as the process is there, and no longer."""
    parent = start("-c", COMPILES)
    # others look at the lock for an instant as well: only one that compiles is seen every time
    wait_for(lambda: all(is_compiling(tmp_path, "forces") for _ in range(50)), "it compiles")
    parent.send_signal(end)
    parent.wait()
    wait_for(lambda: not is_compiling(tmp_path, "forces"), "its process has ended")
    assert not mark(tmp_path / "cache" / cache_directory().name, "forces").exists()


SCENE = """
name = "chain"
time = { end = 0.01 }
[body.chain]
shape = "chain"
counts = [3]
spacing = 0.01
mass = 0.01
law = { type = "voigt", k = 10.0, c = 0.1 }
"""
IN_PYTHON = "import yawara as yw; yw.compile_scene(yw.load_scene({scene!r}))"


@pytest.mark.parametrize("who", ["python", "run", "synth", "sweep", "touch"])
def test_nobody_compiles_in_silence(start, tmp_path, who):
    """Each says what goes on, once it lasts longer than a moment; the rest of the compiling is not waited for."""
    scene, out = tmp_path / "scene.toml", str(tmp_path / "out")
    scene.write_text(SCENE, encoding="utf-8")
    command = ("-c", "import yawara.cli; yawara.cli.main()", who, str(scene), "--out", out)
    more = {"sweep": ("--over", "body.chain.law.k=10,20"), "touch": ("--port", "0", "--no-browser")}
    process = start("-c", IN_PYTHON.format(scene=str(scene))) if who == "python" else start(*command, *more.get(who, ()))
    said = process.stderr.readline()
    assert "compiling the kernels, once on this machine: 0 of 3 parts" in said
    assert "20 s" not in said
