"""How stiff the body feels at the contact, told from what the tool has felt so far; for the solver's side."""

import math

import numpy as np

from yawara.haptics.device import Floats

STILL = 0.01  # of `move`: shorter moves are none


class LocalStiffness:
    """Stiffness along the contact's normal from successive places and forces of the tool, older ones forgotten by and by.

    Least squares for Δf = −k Δx along the normal, each tick weighing `memory` times the next. It starts from `expected`, which
    weighs as much as one move of `move`. The result is k n nᵀ with 0 <= k <= `largest`: symmetric and never negative.
    """

    def __init__(self, largest: float = 2000.0, *, memory: float = 0.98, expected: float = 0.0, move: float = 1e-5) -> None:
        if not (math.isfinite(largest) and largest > 0.0):
            raise ValueError(f"largest must be > 0 N/m (got {largest}); give the coupling's stiffness or more")
        if not 0.0 < memory < 1.0:
            raise ValueError(f"memory must be > 0 and < 1 (got {memory}); 0.98 remembers about 50 ticks")
        self.largest, self.memory = largest, memory  # [N/m], 1
        self._expected, self._move = expected, move  # [N/m], [m]
        self.reset()

    def reset(self) -> None:
        """Contact is lost: what comes next may be another body."""
        self._before: tuple[Floats, Floats] | None = None
        self._square = self._move**2  # [m²]
        self._product = self._expected * self._move**2  # [N m]

    @property
    def value(self) -> float:
        """[N/m]"""
        return min(max(self._product / self._square, 0.0), self.largest)

    def update(self, place: Floats, force: Floats) -> Floats:
        """The stiffness (3, 3) [N/m] after the tool felt this force [N] at this place [m]; zero without force."""
        size = math.sqrt(float(force @ force))
        if not (math.isfinite(size) and np.isfinite(place).all()) or size == 0.0:
            self.reset()
            return np.zeros((3, 3))
        normal = force / size
        if self._before is not None:
            moved = float(normal @ (place - self._before[0]))
            if abs(moved) > STILL * self._move:  # who rests learns nothing, and must not forget
                change = float(normal @ (force - self._before[1]))
                # k = −Σ Δx Δf / Σ Δx²
                self._square = self.memory * self._square + moved * moved
                self._product = self.memory * self._product - moved * change
        self._before = place.copy(), force.copy()
        return self.value * np.outer(normal, normal)
