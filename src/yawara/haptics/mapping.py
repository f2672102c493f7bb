"""From the device's coordinates to the world's, and forces back."""

import math
from dataclasses import dataclass, field
from typing import Self

import numpy as np

from yawara.haptics.device import Floats
from yawara.shared import Block


@dataclass(frozen=True)
class Mapping:
    """world = offset + scale * turn @ device. Forces are turned, not scaled: the device feels stiffness times `scale`."""

    scale: float = 1.0
    offset: Floats = field(default_factory=lambda: np.zeros(3))  # [m], (3,)
    turn: Floats = field(default_factory=lambda: np.eye(3))  # (3, 3), a rotation

    @classmethod
    def from_orders(cls, orders: Block) -> Self | None:
        """None if the orders make no sense."""
        scale, offset, turn = orders.value("scale"), orders["offset"].copy(), orders["turn"].copy()
        if not (math.isfinite(scale) and scale > 0.0 and np.isfinite(offset).all()):
            return None
        rotation = np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) and np.linalg.det(turn) > 0.0
        return cls(scale, offset, turn) if rotation else None

    def place(self, device: Floats) -> Floats:
        """[m] in the world."""
        return self.offset + self.scale * (self.turn @ device)

    def velocity(self, device: Floats) -> Floats:
        """[m/s] in the world."""
        return self.scale * (self.turn @ device)

    def force(self, world: Floats) -> Floats:
        """[N] at the device."""
        return self.turn.T @ world

    def force_in_world(self, device: Floats) -> Floats:
        """[N] in the world."""
        return self.turn @ device
