"""How kernels are compiled: one set of Numba options.

`inner` functions are called by kernels, and compiled into them. What Python calls, and what is called by its address, is an entry: a
`Kernel` of known types, compiled once on a machine and loaded from then on (see `entries.py`).
"""

from collections.abc import Callable
from typing import Any

import numba
from numba.core.registry import CPUDispatcher

# Sums may be reordered and multiply-adds fused, but NaN and infinity keep their meaning: the divergence check relies on them.
FASTMATH = {"reassoc", "nsz", "arcp", "contract", "afn"}
OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "fastmath": FASTMATH}

# without the code that takes Python's arguments apart, which is most of a small function's
WITHOUT_WRAPPERS: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


class InnerFunction(CPUDispatcher):
    """Numba's object without what Python needs to call it, which would end the process."""

    def __call__(self, *_: Any, **__: Any) -> Any:
        name = self.py_func.__qualname__
        raise TypeError(
            f"{name} is called by kernels only (got a call from Python); compile it by itself: numba.njit({name}.py_func)"
        )


def inner(function: Callable[..., Any]) -> Any:
    """A function that only kernels call."""
    return _only_inner(numba.njit(**OPTIONS, **WITHOUT_WRAPPERS)(function))


def inlined(function: Callable[..., Any]) -> Any:
    """An inner function that becomes part of its caller: for the hot ones, whose many arguments make a call dear."""
    return _only_inner(numba.njit(**OPTIONS, **WITHOUT_WRAPPERS, inline="always")(function))


def _only_inner(dispatcher: Any) -> Any:
    dispatcher.__class__ = InnerFunction
    return dispatcher
