"""Records: what a compiled kernel sees of arrays and numbers that Python holds, at one address.

A record is a row of 8-byte words: address and sizes of an array, the value of a number, the address of another record. Kernels read them
as attributes, `mine.stiffness[n]`. A kernel that takes records has the same signature whatever they are made of, so kernels can be
compiled one by one and called by their addresses (see `calls.py`); nothing is counted and nothing is copied when they are handed on,
where a tuple of thirty arrays would cost each call 20 ns and every kernel a second of compilation.

What a record has is written as a NamedTuple: `Floats`, `Indices` and their like are arrays of one dimension, `Annotated[Floats, 2]` has
two, `Natural` is an unsigned number, other NamedTuples are records within it.

A record owns nothing: whoever binds an array to it keeps the array alive (`Bound` does). Take arrays out of a record once, at the top of a
kernel: within a loop they would be read again after every store.
"""

from functools import cache
from types import UnionType
from typing import Annotated, Any, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from llvmlite import ir
from numba import from_dtype, types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, intrinsic, lower_getattr_generic, lower_setattr_generic, models, register_model
from numba.np.arrayobj import populate_array

WORD = ir.IntType(64)
NUMBERS: dict[Any, Any] = {float: types.float64, int: types.int64, np.uint64: types.uint64, bool: types.int64}


class RecordType(types.Type):
    """What Numba knows of a record. Its name lists all fields, so that a changed record is another type, and old code is not found."""

    def __init__(self, title: str, fields: dict[str, Any]) -> None:
        self.fields, self.place, self.words = fields, dict[str, int](), 0
        for name, kind in fields.items():
            self.place[name] = self.words
            self.words += 1 + kind.ndim if isinstance(kind, types.Array) else 1
        super().__init__(f"{title}({', '.join(f'{name} {kind}' for name, kind in fields.items())})")


@cache
def record_type(arrays: Any) -> RecordType:
    """Of a NamedTuple class."""
    hints = get_type_hints(arrays, include_extras=True)
    return RecordType(arrays.__name__, {name: _kind(hints[name]) for name in arrays._fields})


def _kind(hint: Any) -> Any:
    if hint in NUMBERS:
        return NUMBERS[hint]
    if hasattr(hint, "_fields"):
        return record_type(hint)
    if isinstance(hint, UnionType):  # a record, or one that is bound already
        return _kind(next(one for one in get_args(hint) if hasattr(one, "_fields")))
    alias, dimensions = get_args(hint) if get_origin(hint) is Annotated else (hint, 1)
    if dimensions is np.uint64:
        return types.uint64
    (item,) = get_args(get_args(alias)[1])
    return types.Array(from_dtype(np.dtype(item)), dimensions, "C")


class Bound:
    """The values of a record, kept alive, and their address."""

    def __init__(self, values: NamedTuple) -> None:
        self.kind = record_type(type(values))
        self._words = np.zeros(self.kind.words, np.int64)
        self._reals, self.address = self._words.view(np.float64), int(self._words.ctypes.data)
        self.values: dict[str, Any] = {}
        self.inner: dict[str, Bound] = {}
        for name, value in values._asdict().items():
            self.put(name, value)

    def put(self, name: str, value: Any) -> None:
        """Bind another array or number in its place; the address of the record stays."""
        kind, at = self.kind.fields[name], self.kind.place[name]
        if isinstance(kind, types.Array):
            self._check(name, kind, value)
            self._words[at] = value.__array_interface__["data"][0]
            self._words[at + 1 : at + 1 + value.ndim] = value.shape
        elif isinstance(kind, RecordType):
            self.inner[name] = value if isinstance(value, Bound) else Bound(value)  # a record may be shared
            self._words[at] = self.inner[name].address
        else:
            (self._reals if kind is types.float64 else self._words)[at] = value
        self.values[name] = value

    def put_everywhere(self, name: str, value: Any) -> None:
        """Bind it here and in all records within this one, where they have the name."""
        if name in self.kind.fields:
            self.put(name, value)
        for record in self.inner.values():
            record.put_everywhere(name, value)

    def get(self, name: str) -> Any:
        """A number as kernels left it, or what is bound."""
        kind, at = self.kind.fields[name], self.kind.place[name]
        if isinstance(kind, types.Array | RecordType):
            return self.values[name]
        return (self._reals if kind is types.float64 else self._words)[at].item()

    def _check(self, name: str, kind: Any, value: Any) -> None:
        """Kernels would read whatever lies there."""
        fits = isinstance(value, np.ndarray) and value.flags.c_contiguous and value.ndim == kind.ndim
        if not fits or from_dtype(value.dtype) != kind.dtype:
            got = f"{value.dtype} of {value.ndim} dimensions" if isinstance(value, np.ndarray) else type(value).__name__
            raise TypeError(f"{self.kind.name.partition('(')[0]}.{name} must be a contiguous {kind} (got {got})")


register_model(RecordType)(models.OpaqueModel)  # an address


@infer_getattr
class _Attributes(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, record: RecordType, name: str) -> Any:  # type: ignore[override]
        return record.fields.get(name)


def _word(builder: Any, record: RecordType, value: Any, name: str, kind: Any = WORD, more: int = 0) -> Any:
    return builder.bitcast(builder.gep(value, [WORD(8 * (record.place[name] + more))]), kind.as_pointer())


@lower_getattr_generic(RecordType)
def _get(context: Any, builder: Any, record: RecordType, value: Any, name: str) -> Any:
    kind = record.fields[name]
    if isinstance(kind, RecordType):
        return builder.load(_word(builder, record, value, name, cgutils.voidptr_t))
    if not isinstance(kind, types.Array):
        return builder.load(_word(builder, record, value, name, context.get_value_type(kind)))
    item = context.get_data_type(kind.dtype)
    width = WORD(context.get_abi_sizeof(item))
    data = builder.load(_word(builder, record, value, name, item.as_pointer()))
    shape = [builder.load(_word(builder, record, value, name, more=1 + axis)) for axis in range(kind.ndim)]
    strides = [width]
    for size in reversed(shape[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    array = context.make_array(kind)(context, builder)
    populate_array(array, data=data, shape=shape, strides=strides, itemsize=width, meminfo=None)  # no owner: nothing is counted
    return array._getvalue()


@lower_setattr_generic(RecordType)
def _set(context: Any, builder: Any, signature: Any, args: Any, name: str) -> None:
    """A number, or an array that the caller of the kernel keeps alive while kernels read the record."""
    record, kind = signature.args[0], signature.args[0].fields[name]
    value = context.cast(builder, args[1], signature.args[1], kind)
    if not isinstance(kind, types.Array):
        builder.store(value, _word(builder, record, args[0], name, context.get_value_type(kind)))
        return
    array = context.make_array(kind)(context, builder, value)
    builder.store(array.data, _word(builder, record, args[0], name, array.data.type))
    for axis, size in enumerate(cgutils.unpack_tuple(builder, array.shape, kind.ndim)):
        builder.store(size, _word(builder, record, args[0], name, more=1 + axis))


def opener(arrays: Any) -> Any:
    """A function for kernels: the record of a NamedTuple class at an address."""
    record = record_type(arrays)

    @intrinsic
    def open_record(typing: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.inttoptr(args[0], cgutils.voidptr_t)

        return record(types.int64), generate

    return open_record
