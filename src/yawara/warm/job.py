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
    function = kernel.function
    return (
        pickle.dumps(
            (function.__module__, str(kernel.path), function.__qualname__, kernel.kinds, kernel.by_address, kernel.exact)
        )
        .hex()
        .encode()
    )


def understood(line: bytes) -> Kernel:
    module, path, name, kinds, by_address, exact = pickle.loads(bytes.fromhex(line.decode()))
    found: Any = _module(module, Path(path))
    for part in name.split("."):
        found = getattr(found, part)
    return Kernel(found.function if isinstance(found, Kernel) else found, kinds, by_address=by_address, exact=exact)


def _module(name: str, path: Path) -> Any:
    """By its name, or, where that is not on the path, from its file."""
    try:
        return importlib.import_module(name)
    except ImportError:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module
