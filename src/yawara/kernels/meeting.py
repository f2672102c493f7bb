"""A barrier for kernels that run side by side without the GIL: threads meet by counting in shared memory.

A Numba parallel region would cost several microseconds per meeting, as much as a whole step of a small body. Waiting threads spin. Those
who waited long fall asleep, so that a busy machine can run the one they wait for; the last to come wakes them. (On Linux; elsewhere they
give their time slice back, which on a busy machine costs much more, and on Windows they only spin.) `meeting[ABORT]` frees everyone when
a partner cannot come.
"""

import platform
import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from yawara.kernels.jit import inner

ARRIVED, ABORT, ASLEEP = 0, 8, 16  # places in the array `meeting`, on different cache lines
MEETING_SIZE = 24
SPINS_BEFORE_SLEEP = 100_000
LONGEST_SLEEP = 20_000_000  # [ns], before a look whether the meeting was called off
INT32, INT64 = ir.IntType(32), ir.IntType(64)
FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine()) if sys.platform == "linux" else None  # number of the system call
WAIT, WAKE = 128, 129  # among the threads of this process


def _pointer(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.gep(context.make_array(array_type)(context, builder, array).data, [index])


@intrinsic
def _atomic_add(typing: Any, array: Any, index: Any, amount: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.atomic_rmw("add", pointer, args[2], ordering="seq_cst")

    return types.int64(array, types.int64, types.int64), generate


@intrinsic
def _atomic_load(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1])
        return builder.load_atomic(pointer, ordering="seq_cst", align=8)

    return types.int64(array, types.int64), generate


def _call(builder: Any, name: str, result: Any, arguments: list[Any], *, declared: list[Any], variadic: bool = False) -> None:
    kind = ir.FunctionType(result, declared, var_arg=variadic)
    builder.call(cgutils.get_or_insert_function(builder.module, kind, name), arguments)


@intrinsic
def _sleep_while(typing: Any, array: Any, index: Any, value: Any) -> Any:
    """Until woken, or for the longest sleep, unless the low half of array[index] is not that of `value` any more."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if FUTEX is not None:
            pointer = builder.bitcast(_pointer(context, builder, signature.args[0], args[0], args[1]), INT32.as_pointer())
            timeout = cgutils.alloca_once(builder, ir.ArrayType(INT64, 2))
            builder.store(ir.Constant(ir.ArrayType(INT64, 2), [0, LONGEST_SLEEP]), timeout)
            arguments = [INT64(FUTEX), pointer, INT32(WAIT), builder.trunc(args[2], INT32), timeout]
            _call(builder, "syscall", INT64, arguments, declared=[INT64], variadic=True)
        elif sys.platform != "win32":  # there, waiting threads only spin
            _call(builder, "sched_yield", INT32, [], declared=[])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


@intrinsic
def _wake_all(typing: Any, array: Any, index: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if FUTEX is not None:
            pointer = builder.bitcast(_pointer(context, builder, signature.args[0], args[0], args[1]), INT32.as_pointer())
            _call(
                builder, "syscall", INT64, [INT64(FUTEX), pointer, INT32(WAKE), INT32(2**31 - 1)], declared=[INT64], variadic=True
            )
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@inner
def meet(meeting, threads, round_):
    """Wait until all threads have come to their `round_`-th meeting (counted from 1); False if one of them called it off."""
    all_of_us = threads * round_
    if _atomic_add(meeting, ARRIVED, 1) + 1 == all_of_us:
        if _atomic_load(meeting, ASLEEP) != 0:
            _wake_all(meeting, ARRIVED)
        return True
    spins = 0
    here = _atomic_load(meeting, ARRIVED)
    while here < all_of_us:
        spins += 1
        if spins > SPINS_BEFORE_SLEEP:
            if _atomic_load(meeting, ABORT) != 0:
                return False
            _atomic_add(meeting, ASLEEP, 1)
            _sleep_while(meeting, ARRIVED, here)
            _atomic_add(meeting, ASLEEP, -1)
        here = _atomic_load(meeting, ARRIVED)
    return True
