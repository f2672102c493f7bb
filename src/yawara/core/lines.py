"""What elements say of strains along lines between points."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from yawara.kernels.kinds import Floats, Words

if TYPE_CHECKING:
    from yawara.core.state import State


SIX = np.array([0, 1, 2, 1, 2, 0]), np.array([0, 1, 2, 2, 0, 1])  # rows and columns of xx yy zz yz zx xy in a matrix


@dataclass(frozen=True)
class Lines:
    points: Words  # (line_count, 2): ends of each
    direction: Floats  # (line_count, 3), at rest
    strain: "Callable[[State], Floats]"  # (line_count,): change of length over the length at rest
    residual: "Callable[[State], Floats]"  # (line_count,): the same, if it were without force as its internal variables are now
