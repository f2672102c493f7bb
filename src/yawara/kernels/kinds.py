"""Arrays by what they hold, as NamedTuples and signatures write them."""

from typing import Annotated

import numpy as np
from numba import types
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]
Words = NDArray[np.int64]
Booleans = NDArray[np.bool_]
Natural = Annotated[int, np.uint64]  # an index: kernels must not ask whether it is negative

# As kernels that Python calls take them.
INT, REAL = types.int64, types.float64
REALS, INDICES, WORDS = (types.Array(kind, 1, "C") for kind in (types.float64, types.uint32, types.int64))
PLACES, TRIPLES = (types.Array(kind, 2, "C") for kind in (types.float64, types.int64))  # rows of a table
