"""Fixtures that several tests use; and a first run, before all tests, for which the kernels are compiled if they are not yet."""

import signal
import sys

import pytest

import yawara.cli
from first_process import PROGRAM, python
from yawara.warm import all_kernels, ensure_compiled

FIRST_BITS = pytest.StashKey[str]()

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as in a shell's background: processes of tests would not hear Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionstart(session):
    if hasattr(session.config, "workerinput"):  # one of several test processes: the first run was the controller's
        session.config.stash[FIRST_BITS] = session.config.workerinput["first_bits"]
    elif not session.config.option.collectonly:
        all_tests = bool(getattr(session.config.option, "numprocesses", None))
        session.config.stash[FIRST_BITS] = python(PROGRAM)
        if all_tests:  # or the processes would all stand still at the first test that needs it
            ensure_compiled(all_kernels())


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["first_bits"] = node.config.stash[FIRST_BITS]


@pytest.fixture(scope="session")
def first_bits(request):
    """What the first run printed."""
    return request.config.stash[FIRST_BITS]


@pytest.fixture
def command(monkeypatch, capsys):
    """Call the command line in this process; returns exit code, standard output and standard error."""

    def call(*arguments, columns=200):  # wide enough for tables not to be folded
        monkeypatch.setattr(sys, "argv", ["yawara", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as end:
            yawara.cli.main()
        return end.value.code or 0, *capsys.readouterr()

    return call
