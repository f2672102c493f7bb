"""Entries into compiled code: what Python calls, and what kernels call by an address.

An entry has known types, so it can be compiled before it is needed, in a process of its own: one that has just compiled a kernel may
round its last bit differently from one that loads it, since the linker picks among several compiled copies of the same function. A first
run would then differ from all later ones. See `warm/`, which does that; where nothing can be written, entries compile when they are used.
"""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numba

from yawara.kernels.jit import OPTIONS, WITHOUT_WRAPPERS
from yawara.kernels.sources import Source, digest_of, source_of

PROGRAM = "__yawara_program__"  # a file that somebody runs as a program, in a process that compiles its kernels
NOTED = 24 * 3600.0  # [s]
LIFETIME = 30 * 24 * 3600.0  # [s] kernels of other versions, unused for longer, are removed


class Kernel:
    """A function with the types that it is compiled for."""

    def __init__(
        self,
        function: Callable[..., Any],
        kinds: tuple[Any, ...],
        *,
        by_address: bool = False,
        exact: bool = False,
        source: Source | None = None,
    ) -> None:
        """An `exact` one takes no liberties in arithmetic. Where it comes from is known by the function, if nobody says it."""
        self.function, self.kinds, self.by_address, self.exact = function, kinds, by_address, exact
        self.source = source or source_of(function.__module__, Path(function.__code__.co_filename).resolve())

    @property
    def path(self) -> Path:
        return self.source.path

    @property
    def name(self) -> str:
        return f"{self.source.module}.{self.function.__qualname__}"

    @cached_property
    def directory(self) -> Path | None:
        """Where it is kept; None if nothing can be."""
        home = cache_home()
        return None if home is None else home / f"kernels-{digest_of(self.source)}"

    @property
    def mark(self) -> Path | None:
        """The file that says that it is compiled."""
        return None if self.directory is None else self.directory / f"{self.name}.compiled"

    @property
    def is_compiled(self) -> bool:
        return self.mark is not None and self.mark.exists()

    @cached_property
    def dispatcher(self) -> Any:
        """Numba's object, loaded from the cache, or compiled now. It owns the code."""
        if self.source.is_program:  # what was compiled of it looks for it by another name, see warm/job.py
            sys.modules.setdefault(PROGRAM, sys.modules[self.function.__module__])
        with _cache_at(self.directory):
            options = {**OPTIONS, **(WITHOUT_WRAPPERS if self.by_address else {}), "cache": self.directory is not None}
            dispatcher = numba.njit(**options | ({"fastmath": False} if self.exact else {}))(self.function)
        dispatcher.compile(self.kinds)
        dispatcher.disable_compile()  # other types would be a mistake, and cost seconds
        return dispatcher

    @cached_property
    def address(self) -> int:
        """Of the compiled code, as long as this object lives."""
        code = self.dispatcher.overloads[self.kinds]
        return int(code.library.get_pointer_to_function(code.fndesc.llvm_func_name))

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)


def kernel(*kinds: Any, exact: bool = False) -> Callable[[Callable[..., Any]], Kernel]:
    """Makes a kernel that Python calls with arguments of these types."""
    return lambda function: Kernel(function, kinds, exact=exact)


def cache_home() -> Path | None:
    """Where compiled kernels are kept on this machine; None if nothing can be written there."""
    home = _configured_home()
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    return home if os.access(home, os.W_OK) else None


def note_use(kernels: Iterable[Kernel]) -> None:
    """Once a day, so that what is used is not taken for old."""
    for directory in {kernel.directory for kernel in kernels}:
        with suppress(OSError):
            if directory is not None and time.time() - directory.stat().st_mtime > NOTED:
                os.utime(directory)


def remove_old_kernels(home: Path) -> None:
    """Of versions that nobody has used for long."""
    for directory in home.glob("kernels-*"):
        try:
            if time.time() - directory.stat().st_mtime > LIFETIME:
                shutil.rmtree(directory, ignore_errors=True)
        except OSError:
            continue


def _configured_home() -> Path:
    if configured := os.environ.get("YAWARA_CACHE_DIR"):
        return Path(configured)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "yawara"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "yawara"


@contextmanager
def _cache_at(directory: Path | None) -> Iterator[None]:
    """Numba reads the place of its cache when a function is decorated, not later."""
    config: Any = numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = str(directory) if directory else before
    try:
        yield
    finally:
        config.CACHE_DIR = before
