"""A kernel as one process tells another which to compile."""

import importlib
import importlib.util
import pickle
import sys
from pathlib import Path
from typing import Any

from yawara.kernels.entries import Kernel


def described(kernel: Kernel) -> bytes:
    """One line."""
    source, name = kernel.source, kernel.function.__qualname__
    return pickle.dumps((source.module, str(source.path), name, kernel.kinds, kernel.by_address, kernel.exact)).hex().encode()


def understood(line: bytes) -> Kernel:
    module, path, name, kinds, by_address, exact = pickle.loads(bytes.fromhex(line.decode()))
    found: Any = _module(module, Path(path))
    for part in name.split("."):
        found = getattr(found, part)
    return Kernel(found.function if isinstance(found, Kernel) else found, kinds, by_address=by_address, exact=exact)


def _module(name: str, path: Path) -> Any:
    """By its name, or, where that is not on the path, from its file; a program that somebody runs from its file, without running it."""
    try:
        if name:
            return importlib.import_module(name)
    except ImportError:
        pass
    name = name or path.stem
    if name not in sys.modules:
        sys.path.append(str(path.parent))  # its helpers lie beside it
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
    return sys.modules[name]
