"""A barrier for kernels that run side by side without the GIL: threads meet by counting in shared memory.

A Numba parallel region would cost several microseconds per meeting, as much as a whole step of a small body. Waiting threads
spin, and give their time slice back after a while, so that a busy machine still makes progress. `meeting[ABORT]` frees
everyone when a partner cannot come.
"""

import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from yawara.jit import kernel

ARRIVED, ABORT = 0, 8  # places in the array `meeting`, on different cache lines
MEETING_SIZE = 16
SPINS_BEFORE_YIELD = 4000
INT64 = ir.IntType(64)


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


@intrinsic
def _yield_processor(typing: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if sys.platform != "win32":  # there, waiting threads only spin
            function_type = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, function_type, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


@kernel
def meet(meeting, threads, round_):
    """Wait until all threads have come to their `round_`-th meeting (counted from 1); False if one of them called it off."""
    _atomic_add(meeting, ARRIVED, 1)
    spins = 0
    while _atomic_load(meeting, ARRIVED) < threads * round_:
        spins += 1
        if spins > SPINS_BEFORE_YIELD:
            if _atomic_load(meeting, ABORT) != 0:
                return False
            _yield_processor()
    return True
