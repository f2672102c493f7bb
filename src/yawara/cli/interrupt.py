"""Ctrl-C and SIGTERM, which systems send when they end a process: both stop the work in the same orderly way and say how to go on."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from typing import NoReturn

import typer

INTERRUPTED, TERMINATED = 130, 143  # exit codes: 128 and the signal's number, as shells have it


class Terminated(KeyboardInterrupt):
    """A SIGTERM came."""


def _raise(number: int, frame: object) -> NoReturn:
    raise Terminated


@contextlib.contextmanager
def hearing_sigterm() -> Iterator[None]:
    """A SIGTERM is raised where the program is, like Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are not for us
        return
    before = signal.signal(signal.SIGTERM, _raise)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def telling(how_to_go_on: str) -> Iterator[None]:
    """If the work is stopped, say how to go on with it, and end with the exit code that tells why."""
    try:
        yield
    except KeyboardInterrupt as signalled:
        typer.echo(f"yawara: interrupted; {how_to_go_on}", err=True)
        sys.exit(TERMINATED if isinstance(signalled, Terminated) else INTERRUPTED)
