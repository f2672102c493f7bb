"""What was measured, beside what a run shows."""

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.observe.recorder import History
from yawara.scene.compile import Compiled

GIVEN = "the program"  # where measurements are from that no file holds


@dataclass(frozen=True)
class Showing:
    """What a run showed to those who compare: positions at the times they asked for, and the columns they asked for."""

    compiled: Compiled
    positions: Mapping[float, Floats]  # [m], (point_count, 3), by time [s]
    history: History


@dataclass(frozen=True)
class Comparison:
    """One observation beside a run."""

    residual: Floats  # [1]: simulated less measured, over the noise
    metrics: dict[str, float] = field(default_factory=dict)  # by name with unit, such as "S [m]"
    details: dict[str, Any] = field(default_factory=dict)  # for pictures, by kind of observation

    @property
    def chi2(self) -> float:
        return float(np.sum(self.residual * self.residual))


class Observation:
    """Something measured, read and checked; one kind per file."""

    name: str
    kind: str

    @property
    def times(self) -> tuple[float, ...]:
        """[s], at which it needs positions."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of the history that it needs, over the whole run until `end`."""
        return ()

    @property
    @abstractmethod
    def end(self) -> float:
        """[s], until which a run must go."""

    @property
    @abstractmethod
    def count(self) -> int:
        """Length of its residual."""

    @abstractmethod
    def check(self, compiled: Compiled) -> list[str]:
        """Whether it can belong to this scene: warnings. SceneError if not at all."""

    def doubts(self, residual: Floats) -> list[str]:
        """What the residual of a run with the start values shows to be strange in the readings."""
        return []

    @abstractmethod
    def compare(self, showing: Showing) -> Comparison: ...


def noise_warnings(noise: float, size: float, of: str, source: str, unit: str) -> list[str]:
    """Noise as large as what is measured leaves nothing to be found: its unit may be wrong."""
    if noise < size or size == 0.0:
        return []
    return [
        f"{source}: noise {noise:.3g} {unit} is no less than {of} with {size:.3g} {unit}, so that it counts for nothing; check its unit"
    ]


class Momentary(Observation):
    """Something measured at one time."""

    time: float  # [s]

    @property
    def times(self) -> tuple[float, ...]:
        return (self.time,)

    @property
    def end(self) -> float:
        return self.time


def rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(np.square(values)))) if len(values) else 0.0
