"""Vectors of four and of eight numbers in kernels.

Numba has no vector type, so these are intrinsics that emit LLVM vector instructions; LLVM lowers them to AVX-512, AVX2, SSE2 or NEON,
in two or four halves where the processor's vectors are shorter.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from yawara.kernels.jit import inner

VECTOR, WIDE = (ir.VectorType(ir.DoubleType(), lanes) for lanes in (4, 8))
INT64 = ir.IntType(64)
FLAGS = ("contract", "reassoc", "nsz")  # multiply-adds may be fused


def address(context: Any, builder: Any, array_type: Any, array: Any, index: Any, kind: ir.VectorType = VECTOR) -> Any:
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [index]), kind.as_pointer())


def load(builder: Any, pointer: Any) -> Any:
    value = builder.load(pointer)
    value.align = 8
    return value


def store(builder: Any, value: Any, pointer: Any) -> None:
    builder.store(value, pointer).align = 8


def shuffle(builder: Any, a: Any, b: Any, lanes: list[int]) -> Any:
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes))


def broadcast(builder: Any, value: Any) -> Any:
    undefined = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    return shuffle(builder, first, undefined, [0, 0, 0, 0])


@intrinsic
def combine_four(typing: Any, y: Any, j: Any, z: Any, k: Any, factor: Any, x: Any, i: Any) -> Any:
    """y[j:j+4] = z[k:k+4] + factor * x[i:i+4]"""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        y_type, _, z_type, _, _, x_type, _ = signature.args
        y_, j_, z_, k_, factor_, x_, i_ = args
        term = builder.fmul(broadcast(builder, factor_), load(builder, address(context, builder, x_type, x_, i_)), flags=FLAGS)
        base = load(builder, address(context, builder, z_type, z_, k_))
        store(builder, builder.fadd(base, term, flags=FLAGS), address(context, builder, y_type, y_, j_))
        return context.get_dummy_value()

    return types.void(y, j, z, k, factor, x, i), generate


@intrinsic
def prefetch(typing: Any, array: Any, index: Any) -> Any:
    """Ask for the cache line of array[index]; an index beyond the end does no harm."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = builder.gep(context.make_array(signature.args[0])(context, builder, args[0]).data, [args[1]])
        byte_pointer = builder.bitcast(pointer, ir.IntType(8).as_pointer())
        flag = ir.IntType(32)
        function_type = ir.FunctionType(ir.VoidType(), [byte_pointer.type, flag, flag, flag])
        function = cgutils.get_or_insert_function(builder.module, function_type, "llvm.prefetch.p0i8")
        builder.call(function, [byte_pointer, ir.Constant(flag, 0), ir.Constant(flag, 2), ir.Constant(flag, 1)])
        return context.get_dummy_value()

    return types.void(array, index), generate


@intrinsic
def _inverse_sqrt_estimate(typing: Any, x: Any) -> Any:
    """Within 3.5 % of 1/sqrt(x): halving the exponent by a shift of the bits (Lomont's constant for double precision)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        halved = builder.lshr(builder.bitcast(args[0], INT64), ir.Constant(INT64, 1))
        return builder.bitcast(builder.sub(ir.Constant(INT64, 0x5FE6EB50C7B537A9), halved), ir.DoubleType())

    return types.float64(types.float64), generate


@inner
def inverse_sqrt(x):
    """1/sqrt(x) to rounding for normal x > 0, without the divider: a third of a link's time would go to square root and division.

    With r = 1 - x y^2, 1/sqrt(x) = y (1 + r/2 + 3/8 r^2 + 5/16 r^3 + ...): errors 3.5e-2, 7e-6, 1e-15 and less.
    """
    y: Any = _inverse_sqrt_estimate(x)
    r = 1.0 - x * y * y
    y += y * r * (0.5 + r * (0.375 + r * 0.3125))
    r = 1.0 - x * y * y
    return y + y * r * (0.5 + r * 0.375)
