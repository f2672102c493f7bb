"""A kernel as one process tells another which to compile."""

import importlib
import importlib.util
import pickle
import sys
from functools import cache
from pathlib import Path
from typing import Any

from yawara.kernels.entries import PROGRAM, Kernel
from yawara.kernels.sources import Source


def described(kernel: Kernel) -> bytes:
    """One line."""
    source, name = tuple(kernel.source), kernel.function.__qualname__
    return pickle.dumps((source, name, kernel.kinds, kernel.by_address, kernel.exact)).hex().encode()


def understood(line: bytes) -> Kernel:
    source, name, kinds, by_address, exact = pickle.loads(bytes.fromhex(line.decode()))
    found: Any = _module(Source(*source))
    if isinstance(found, Exception):
        raise found
    for part in name.split("."):
        found = getattr(found, part)
    return Kernel(
        found.function if isinstance(found, Kernel) else found, kinds, by_address=by_address, exact=exact, source=Source(*source)
    )


@cache
def _module(source: Source) -> Any:
    """By its name, or, where that leads elsewhere, from its file; or why it cannot be had, once and for all."""
    try:
        if not source.is_program:
            found = importlib.import_module(source.module)
            if Path(found.__file__ or "").resolve() == source.path:
                return found
    except ImportError:
        pass
    except Exception as error:
        return error
    try:
        return _from_file(source)
    except Exception as error:
        return error


def _from_file(source: Source) -> Any:
    """A program is not run: it gets another name than it has when it is."""
    name = PROGRAM if source.is_program else source.module
    sys.path.insert(0, str(source.root))  # its helpers lie beside it
    spec = importlib.util.spec_from_file_location(name, source.path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__package__ = source.package
    if source.package:
        importlib.import_module(source.package)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
