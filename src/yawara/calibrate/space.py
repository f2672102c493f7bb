"""The box that a search moves in: values in their own units, or in the unit cube in which each parameter counts alike."""

from dataclasses import dataclass

import numpy as np

from yawara.kernels.kinds import Floats


@dataclass(frozen=True)
class Space:
    """Free parameters; positions are (..., parameter_count)."""

    names: tuple[str, ...]
    low: Floats  # in the parameters' units
    high: Floats
    start: Floats
    log: Floats  # 1.0 where the logarithm is what counts, else 0.0

    @property
    def size(self) -> int:
        return len(self.names)

    def to_unit(self, values: Floats) -> Floats:
        """0 at the lower bounds, 1 at the upper ones."""
        low, high, values = self._bent(self.low), self._bent(self.high), self._bent(np.asarray(values, float))
        return np.asarray((values - low) / (high - low))

    def to_values(self, unit: Floats) -> Floats:
        """Inverse of `to_unit`; never outside the bounds, and without rounding at the bounds and at the start.

        What is asked there is then the very same question however one comes to it.
        """
        unit, low, high = np.asarray(unit, float), self._bent(self.low), self._bent(self.high)
        bent = low + unit * (high - low)
        values = np.where(self.log > 0.0, np.exp(np.where(self.log > 0.0, bent, 0.0)), bent)
        values = np.where(unit == self.to_unit(self.start), self.start, np.clip(values, self.low, self.high))
        return np.where(unit <= 0.0, self.low, np.where(unit >= 1.0, self.high, values))

    def _bent(self, values: Floats) -> Floats:
        return np.where(self.log > 0.0, np.log(np.where(self.log > 0.0, values, 1.0)), values)

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Values (count, parameter_count), even in the parameters' own units as the papers draw them."""
        return rng.uniform(self.low, self.high, (count, self.size))

    def without(self, names: set[str]) -> "Space":
        """The space of all other parameters."""
        kept = [n for n, name in enumerate(self.names) if name not in names]
        arrays = (array[kept] for array in (self.low, self.high, self.start, self.log))
        return Space(tuple(self.names[n] for n in kept), *arrays)

    def filled(self, values: Floats, kept: "Space") -> Floats:
        """Rows of all parameters from rows of those in `kept`, the others at their start."""
        values = np.atleast_2d(values)
        rows = np.tile(self.start, (len(values), 1))
        rows[:, [self.names.index(name) for name in kept.names]] = values
        return rows
