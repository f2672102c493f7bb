"""Fixtures that several tests use."""

import sys

import pytest

import yawara.cli


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
