"""Calls kernels by their addresses, with Numba's own convention: no wrapper in between, and what a kernel raises arrives in Python.

A kernel that is called like this takes one or two records and returns nothing. Which kernel it is may change from call to call without
anything being compiled: that is how the core runs through force terms that it does not know, and links through laws.
"""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def _generate(count: int) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kinds, convention = (types.voidptr,) * count, context.call_conv
        function = builder.inttoptr(args[0], convention.get_function_type(types.none, kinds).as_pointer())
        records = [builder.inttoptr(address, cgutils.voidptr_t) for address in args[1:]]
        status, _ = convention.call_function(builder, function, types.none, kinds, records)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return context.get_dummy_value()

    return generate


@intrinsic
def call_with_one(typing: Any, function: Any, record: Any) -> Any:
    """function(record), all by their addresses."""
    return types.void(types.int64, types.int64), _generate(1)


@intrinsic
def call_with_two(typing: Any, function: Any, first: Any, second: Any) -> Any:
    """function(first, second), all by their addresses."""
    return types.void(types.int64, types.int64, types.int64), _generate(2)


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.ptrtoint(args[0], context.get_value_type(types.int64))


@intrinsic
def address_of(typing: Any, record: Any) -> Any:
    """Of a record, to hand it to a kernel that is called by its address."""
    return types.int64(record), _address
