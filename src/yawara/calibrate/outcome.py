"""What one evaluation of a set of parameters gives."""

from dataclasses import dataclass, field

import numpy as np

from yawara.kernels.kinds import Floats


@dataclass(frozen=True)
class Outcome:
    """How well one set of values explains the measurements."""

    cost: float  # what searches make small; infinite if the bodies could not be simulated
    residual: Floats = field(default_factory=lambda: np.zeros(0))  # [1], over their noise; empty if it failed
    metrics: dict[str, float] = field(default_factory=dict)  # by name, in SI units
    failure: str = ""  # why it could not be simulated

    @property
    def failed(self) -> bool:
        return not np.isfinite(self.cost)


FAILED_COST = float("inf")
