"""Tuples of arrays that stay with the kernels: handed over once, known by one reference from then on.

To take a hundred arrays out of their Python objects costs as much as a step of a small body; a haptic loop calls a kernel every
millisecond.
"""

from typing import Any

from numba import types
from numba.experimental import structref

from yawara.jit import kernel


@structref.register
class HeldType(types.StructRef):
    """What Numba knows of it."""

    def preprocess_fields(self, fields: Any) -> Any:
        return tuple((name, types.unliteral(kind)) for name, kind in fields)


class Held(structref.StructRefProxy):
    """A reference; kernels find the tuple in `content`."""


structref.define_proxy(Held, HeldType, ["content"])


@kernel
def hold(content):
    return Held(content)
