"""The command line: parse, call, print. One command per file."""

import sys
import warnings

import typer

from yawara.cli import bench, demo, extract, fit, laws, run, study, sweep, synth, touch  # noqa: F401 - in the order of the help
from yawara.cli.app import BAD_INPUT, app
from yawara.cli.interrupt import hearing_sigterm


def main() -> None:
    """Entry point: errors become messages and exit codes, warnings sentences."""
    from yawara.checks import SceneError

    warnings.formatwarning = lambda message, *_args, **_kwargs: f"yawara: {message}\n"

    try:
        with hearing_sigterm():
            app()
    except SceneError as error:
        typer.echo(f"yawara: {error}", err=True)
        sys.exit(BAD_INPUT)
    except OSError as error:
        typer.echo(f"yawara: {error}; choose a place that can be read and written, or make room", err=True)
        sys.exit(BAD_INPUT)
