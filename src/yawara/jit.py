"""How kernels are compiled: one set of Numba options, and a disk cache that notices every change of their sources.

Numba's own cache looks only at the file of the function that is called, not at the files of the functions it calls in turn.
The cache directory therefore carries a digest of all kernel sources: a stale kernel cannot be loaded. Numba keeps the kernels of each
place on disk apart, so the digest counts the place as well: what is compiled for one copy of the package is not there for another.
"""

import hashlib
import os
import shutil
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

KERNEL_SOURCES = (
    "jit.py",
    "held.py",
    "vector.py",
    "stages.py",
    "model.py",
    "state.py",
    "control.py",
    "contact",
    "forces",
    "integrators",
)
CACHE_LIFETIME = 30 * 24 * 3600.0  # [s] directories of other versions, unused for longer, are removed

# Sums may be reordered and multiply-adds fused, but NaN and infinity keep their meaning: the divergence check relies on them.
FASTMATH = {"reassoc", "nsz", "arcp", "contract", "afn"}

WITHOUT_WRAPPERS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "fastmath": FASTMATH}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile on first call, without the GIL, cached on disk."""
    return numba.njit(**OPTIONS)(function)


def inner(function: Callable[..., Any]) -> Any:
    """A kernel that only kernels call: without the code that takes Python's arguments apart, which is most of a small one's."""
    return numba.njit(**OPTIONS, **WITHOUT_WRAPPERS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """A kernel that becomes part of its caller: for the hot ones, whose many array arguments make a call dear."""
    return numba.njit(**OPTIONS, inline="always")(function)


def cache_directory() -> Path | None:
    """Where this version's kernels are kept; None if nowhere."""
    directory: str = numba.config.CACHE_DIR  # type: ignore[attr-defined]
    return Path(directory) if directory else None


@cache
def source_digest() -> str:
    """Of everything that the kernels are made from, and of where it lies."""
    package = Path(__file__).resolve().parent
    digest = hashlib.sha256(f"{numba.__version__} {sys.version_info[:2]} {package}".encode())
    for name in KERNEL_SOURCES:
        path = package / name
        for source in [path] if path.is_file() else sorted(path.rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _cache_home() -> Path:
    if configured := os.environ.get("YAWARA_CACHE_DIR"):
        return Path(configured)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "yawara"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "yawara"


def _prepare_cache() -> Path | None:
    """The directory for this version's kernels; None where nothing can be written (then each process compiles anew)."""
    home = _cache_home()
    directory = home / f"kernels-{source_digest()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        os.utime(directory)
        for other in home.glob("kernels-*"):
            if time.time() - other.stat().st_mtime > CACHE_LIFETIME:
                shutil.rmtree(other, ignore_errors=True)
    except OSError:
        return None
    return directory


if "NUMBA_CACHE_DIR" not in os.environ and (_directory := _prepare_cache()):
    numba.config.CACHE_DIR = str(_directory)  # type: ignore[attr-defined]  # read when a kernel is decorated
