"""Inner functions of kernels, as Python can call them."""

from functools import cache

import numba

from yawara.kernels.calls import call_with_one
from yawara.kernels.jit import OPTIONS


@cache
def plain(inner):
    """The same function, compiled for whatever it is called with."""
    return numba.njit(**OPTIONS)(inner.py_func)


@numba.njit
def call(function, record):
    """A kernel that takes one record, by its address."""
    call_with_one(function, record)
