"""The first run on a machine gives the same bits as all later ones. Each kernel is compiled by one process, which ends with whoever
started it; nothing that is wrong with the cache stops a run."""

import os
import re
import signal
import subprocess
import sys
import threading
from types import SimpleNamespace

import pytest
from numba.core.errors import TypingError

from first_process import PROGRAM, python
from waiting import wait_for
from yawara import warm
from yawara.exclusive import lock_of
from yawara.kernels.entries import Kernel
from yawara.kernels.kinds import REAL
from yawara.warm import __main__ as compiling
from yawara.warm import crew, telling
from yawara.warm.job import described, understood
from yawara.warm.worker import WARMING

SHORT = "import yawara as yw; print(yw.compile_scene.__name__)"
COMPILES = "from yawara.warm import all_kernels, ensure_compiled; ensure_compiled(all_kernels())"


def test_the_first_process_gives_the_same_bits_as_the_second(first_bits):
    """And compiles nothing itself: it loads what others compiled for it, as the second one does.

    The first process ran before all tests. On a machine that is new to this copy of the package the kernels were compiled for it; elsewhere
    this test says no more than that a run can be repeated.
    """
    assert first_bits == python(PROGRAM)
    assert first_bits.split()[-1] == "0"


def double(x):
    return 2.0 * x


def triple(x):
    return 3.0 * x


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """Two, in a cache of our own."""
    monkeypatch.setenv("YAWARA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv(WARMING, raising=False)
    return [Kernel(double, (REAL,)), Kernel(triple, (REAL,))]


def lock_file(kernel):
    kernel.directory.mkdir(parents=True, exist_ok=True)
    return kernel.directory / f"{kernel.name}.lock"


# --- who compiles what, with compiling pretended


@pytest.fixture
def pretended(monkeypatch):
    """`given` names the kernels that processes were given, `answer` is what they say."""
    found = SimpleNamespace(given=[], ended=0, answer="done", processes=0)

    class Pretended:
        kernel, is_alive = None, True

        def __init__(self):
            found.processes += 1

        def compile(self, kernel):
            self.kernel = kernel
            found.given.append(kernel.function.__name__)

        def answer(self):
            if found.answer == "done":
                self.kernel.directory.mkdir(parents=True, exist_ok=True)
                self.kernel.mark.touch()
            return found.answer

        def end(self):
            found.ended += 1

    monkeypatch.setattr(crew, "Worker", Pretended)
    monkeypatch.setattr(crew, "PAUSE", 0.001)
    monkeypatch.setattr(crew, "AGAIN", 0.001)
    monkeypatch.setattr(telling, "_told", set())
    return found


def test_each_kernel_is_compiled_once(kernels, pretended):
    warm.ensure_compiled(kernels)
    warm.ensure_compiled(kernels)
    assert sorted(pretended.given) == ["double", "triple"]
    assert all(kernel.is_compiled for kernel in kernels)
    assert pretended.ended == pretended.processes


def test_no_more_processes_than_processors_or_kernels(kernels, pretended, monkeypatch):
    monkeypatch.setattr(crew, "_processors", lambda: 1)
    warm.ensure_compiled(kernels)
    assert pretended.processes == 1


def in_thread(kernels):
    thread = threading.Thread(target=warm.ensure_compiled, args=(kernels,), daemon=True)
    thread.start()
    return thread


def test_what_another_process_compiles_is_waited_for(kernels, pretended):
    """Its process says so, and the kernel is asked for again until it is there."""
    pretended.answer = "busy"
    thread = in_thread(kernels[:1])
    wait_for(lambda: len(pretended.given) > 3, "it is asked for again and again")
    assert thread.is_alive()
    kernels[0].mark.parent.mkdir(parents=True, exist_ok=True)
    kernels[0].mark.touch()  # the other one has done it
    thread.join()


def test_if_the_other_one_dies_this_one_takes_over(kernels, pretended):
    pretended.answer = "busy"
    thread = in_thread(kernels[:1])
    wait_for(lambda: len(pretended.given) > 3, "it is asked for again and again")
    pretended.answer = "done"
    thread.join()
    assert kernels[0].is_compiled


def test_a_failed_compilation_is_told_and_no_obstacle(kernels, pretended, capsys):
    """The kernel then compiles when it is called; the next process tries again."""
    pretended.answer = "failed out of breath"
    warm.ensure_compiled(kernels)
    assert not any(kernel.is_compiled for kernel in kernels)
    said = capsys.readouterr().err
    assert re.search(
        r"double, \S+triple could not be compiled in a process of their own \(out of breath\); they compile when", said
    )
    before = list(pretended.given)
    warm.ensure_compiled(kernels)
    assert pretended.given == before  # this process has heard that it cannot be done
    crew._failed.clear()  # as in another one
    pretended.answer = "done"
    warm.ensure_compiled(kernels)
    assert all(kernel.is_compiled for kernel in kernels)


def test_an_interrupt_ends_the_processes(kernels, pretended, monkeypatch):
    pretended.answer = None  # still at work

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(crew.time, "sleep", interrupt)
    with pytest.raises(KeyboardInterrupt):
        warm.ensure_compiled(kernels)
    assert pretended.ended == pretended.processes > 0


def test_a_compiling_process_does_not_start_others(kernels, pretended, monkeypatch):
    monkeypatch.setenv(WARMING, "1")
    with pytest.raises(RuntimeError, match="__main__"):  # it reads files that have kernels, and runs nothing
        warm.ensure_compiled(kernels)
    assert pretended.processes == 0


def test_a_directory_that_cannot_be_written_is_told_and_stops_nothing(kernels, pretended, monkeypatch, capsys, tmp_path):
    """A file stands where the directory should be: even root cannot write there."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("YAWARA_CACHE_DIR", str(tmp_path / "file" / "kernels"))
    here = [Kernel(double, (REAL,))]
    for _ in range(2):
        warm.ensure_compiled(here)
    assert pretended.processes == 0
    assert here[0](2.0) == 4.0  # compiled where it is called
    said = capsys.readouterr().err
    assert said.count("cannot be written: this process compiles its kernels when it needs them") == 1
    assert "set YAWARA_CACHE_DIR" in said


def test_the_package_loads_where_no_cache_can_be_made(tmp_path):
    (tmp_path / "file").touch()
    assert python(SHORT, YAWARA_CACHE_DIR=str(tmp_path / "file" / "inside")) == "compile_scene\n"


# --- the process that compiles


def test_it_compiles_what_is_not_there(kernels):
    assert compiling.compiled(kernels[0]) == "done"
    assert kernels[0].is_compiled
    again = Kernel(double, (REAL,))
    assert compiling.compiled(again) == "done"
    assert "dispatcher" not in vars(again)  # nothing was done


def test_it_leaves_what_another_one_compiles(kernels):
    with lock_of(lock_file(kernels[0])):
        assert compiling.compiled(kernels[0]) == "busy"
    assert not kernels[0].is_compiled


def test_a_failure_is_told_and_leaves_no_mark(kernels):
    wrong = Kernel(lambda x: x.nothing, (REAL,))
    wrong.function.__qualname__ = "wrong"
    with pytest.raises(TypingError):
        compiling.compiled(wrong)
    assert compiling.answer_to(b"0000").startswith("failed ")
    assert not wrong.is_compiled
    with lock_of(lock_file(wrong)):  # it is free again
        pass


def test_a_kernel_is_understood_by_another_process(kernels):
    again = understood(described(kernels[0]))
    assert (again.name, again.kinds, again.directory) == (kernels[0].name, kernels[0].kinds, kernels[0].directory)


# --- real processes


@pytest.fixture
def start(tmp_path):
    """Start a Python program with an empty cache; returns the process. All are gone at the end."""
    processes = []

    def begin(*arguments):
        environment = {k: v for k, v in os.environ.items() if k != WARMING}
        environment["YAWARA_CACHE_DIR"] = str(tmp_path / "cache")
        processes.append(subprocess.Popen([sys.executable, *arguments], env=environment, stderr=subprocess.PIPE, text=True))
        return processes[-1]

    yield begin
    for process in processes:
        process.kill()
        process.communicate()


def at_work(tmp_path):
    """Locks that are held: one for every kernel that is being compiled."""
    found = []
    for file in (tmp_path / "cache").rglob("*.lock"):
        held = lock_of(file)
        if held is None:
            found.append(file)
        else:
            held.close()
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_what_compiles_ends_with_whoever_waits_for_it(start, tmp_path, end):
    """The lock tells: the system keeps it as long as the process is there, and no longer."""
    parent = start("-c", COMPILES)
    wait_for(lambda: at_work(tmp_path), "it compiles")
    parent.send_signal(end)
    parent.wait()
    wait_for(lambda: not at_work(tmp_path), "its processes have ended")


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
    assert re.search(r"compiling kernels, once on this machine: \d+ of \d+, ", said)
    assert "20 s" not in said


SCRIPT = """
import sys
from helper import factor
print("what is printed is no answer")
print("imported", file=sys.stderr)
from yawara.kernels.entries import Kernel
from yawara.kernels.kinds import REAL
from yawara.warm import ensure_compiled

def scaled(x):
    return factor * x

def run():
    kernel = Kernel(scaled, (REAL,))
    ensure_compiled([kernel])
    print(kernel.is_compiled, kernel(2.0), file=sys.stderr)
"""


@pytest.mark.parametrize("guarded", [True, False])
def test_kernels_of_a_program_that_is_run_are_compiled_without_running_it(start, tmp_path, monkeypatch, guarded):
    """With its own helper, not one that lies where it is run; and it is imported once here, however it is loaded."""
    (tmp_path / "helper.py").write_text("factor = 3.0")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "helper.py").write_text("factor = 100.0")
    monkeypatch.chdir(tmp_path / "elsewhere")
    program = tmp_path / "program.py"
    program.write_text(SCRIPT + ("if __name__ == '__main__':\n    run()" if guarded else "run()"))
    said = start(str(program)).stderr.read()
    assert said.count("imported\n") == 1
    if guarded:
        assert said.splitlines()[-1] == "True 6.0"
        assert start(str(program)).stderr.read().splitlines() == ["imported", "True 6.0"]
    else:
        assert "a scene runs while a program is imported; write what the program does under if __name__" in said
        assert said.count("False 6.0") == 1
