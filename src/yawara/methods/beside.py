"""Methods of stepping beside that of the force terms: found by the entry-point group `yawara.methods`, or added by `register`.

A scene asks for one by a table `[method.NAME]`.
"""

from collections.abc import Callable, Sequence
from typing import ClassVar

from yawara.core.method import Method
from yawara.core.options import Options, installed
from yawara.core.piece import Request

Build = Callable[[Request], Sequence[Method]]  # none if the scene has nothing for it

_methods: list[Build] = []


class MethodOptions(Options):
    """A method of stepping that is asked for by its own table."""

    what: ClassVar[str] = "methods of stepping"
    group: ClassVar[str] = "yawara.methods"


def register(build: Build) -> None:
    """Add a method; it takes part in every scene that is compiled from now on."""
    if build not in _methods:
        _methods.append(build)


def build_methods(request: Request) -> tuple[Method, ...]:
    return tuple(method for build in (*_methods, *installed(MethodOptions.group)) for method in build(request))
