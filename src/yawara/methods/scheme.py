"""What an integrator is: a name, a declared order, and for an explicit one a table of stages."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yawara.core.stages import RK_FIRST


@dataclass(frozen=True)
class Scheme:
    """A one-step scheme; without stages it is implicit.

    Each stage is (kind, time at which it evaluates, time that it moves to, step, weight), all but the kind in units of the time step.
    """

    name: str
    order: int
    stages: tuple[tuple[int, float, float, float, float], ...]
    has_inertia: bool = True

    @property
    def table(self) -> NDArray[np.float64]:
        return np.array(self.stages)

    @property
    def is_implicit(self) -> bool:
        return not self.stages

    @property
    def keeps_start(self) -> bool:
        """Needs a copy of the state at the beginning of the step."""
        return self.is_implicit or any(stage[0] == RK_FIRST for stage in self.stages)
