"""Records: kernels see what Python binds, in any number of dimensions, and are called by their addresses."""

from typing import Annotated, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from yawara.kernels.calls import address_of, call_with_two
from yawara.kernels.records import Bound, opener, record_type

Floats = NDArray[np.float64]


class Inner(NamedTuple):
    table: Annotated[NDArray[np.int32], 2]
    flag: NDArray[np.bool_]


class Outer(NamedTuple):
    values: Floats
    count: int
    factor: float
    inner: Inner
    result: Floats


def new(values: Floats) -> Outer:
    return Outer(values, 3, 0.5, Inner(np.arange(6, dtype=np.int32).reshape(2, 3), np.array([True, False])), np.zeros(8))


open_outer = opener(Outer)


@numba.njit
def read(address):
    mine = open_outer(address)
    table, flag, result = mine.inner.table, mine.inner.flag, mine.result
    result[0], result[1], result[2] = mine.values.sum(), mine.count, mine.factor
    result[3], result[4], result[5] = table[1, 2], table.shape[0], table.shape[1]
    result[6], result[7] = flag[0], flag[1]


def test_kernels_see_arrays_numbers_and_records_within() -> None:
    bound = Bound(new(np.array([1.0, 2.0])))
    read(bound.address)
    assert bound.values["result"].tolist() == [3.0, 3.0, 0.5, 5.0, 2.0, 3.0, 1.0, 0.0]


def test_another_array_may_be_bound_while_the_address_stays() -> None:
    bound = Bound(new(np.ones(2)))
    before = bound.address
    bound.put("values", np.ones(5))
    read(bound.address)
    assert bound.address == before
    assert bound.values["result"][0] == 5.0


@numba.njit
def write(address, values):
    mine = open_outer(address)
    mine.count, mine.factor, mine.values = 7, 2.5, values


def test_kernels_may_set_numbers_and_arrays() -> None:
    bound, values = Bound(new(np.ones(2))), np.full(4, 2.0)
    write(bound.address, values)
    assert (bound.get("count"), bound.get("factor")) == (7, 2.5)
    read(bound.address)
    assert bound.values["result"][0] == 8.0


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (np.ones(4)[::2], "float64 of 1 dimensions"),
        (np.ones((2, 2)), "float64 of 2 dimensions"),
        (np.ones(2, np.float32), "float32 of 1 dimensions"),
        ([1.0], "list"),
    ],
)
def test_what_kernels_would_misread_is_refused(wrong: object, words: str) -> None:
    with pytest.raises(TypeError, match=rf"Outer\.values must be a contiguous .* \(got {words}\)"):
        Bound(new(np.ones(1))).put("values", wrong)


@numba.njit(no_cpython_wrapper=True)
def _scale(one, other):
    if other.factor < 0.0:
        raise ValueError("no negative factors")
    values, factor = one.values, other.factor
    for n in range(values.size):
        values[n] *= factor


@numba.njit
def call_it(function, one, other):
    call_with_two(function, address_of(open_outer(one)), other)


def test_a_kernel_is_called_by_its_address_and_what_it_raises_arrives() -> None:
    kinds = (record_type(Outer), record_type(Outer))
    _scale.compile(kinds)
    code = _scale.overloads[kinds]
    address = code.library.get_pointer_to_function(code.fndesc.llvm_func_name)
    one, other = Bound(new(np.ones(3))), Bound(new(np.ones(0)))
    call_it(address, one.address, other.address)
    assert one.values["values"].tolist() == [0.5] * 3
    other.put("factor", -1.0)
    with pytest.raises(ValueError, match="no negative factors"):
        call_it(address, one.address, other.address)
