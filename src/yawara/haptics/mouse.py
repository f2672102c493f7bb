"""A pointer as a device: it is told where it is, and its force is only shown."""

from collections.abc import Sequence
from typing import Self

import numpy as np

from yawara.clock import REAL, Clock
from yawara.haptics.device import DeviceInfo, DeviceState, Floats


class MouseDevice:
    """Position set from outside with `point`; `force` is what a hand would feel, for a picture of it."""

    info = DeviceInfo("mouse", workspace=(0.5, 0.5, 0.5), max_force=10.0, rate=1000.0)

    def __init__(self, clock: Clock = REAL) -> None:
        self.force: Floats = np.zeros(3)  # [N]
        self._clock = clock
        self._position: Floats = np.zeros(3)
        self._buttons: tuple[bool, ...] = (False,)
        self._last: DeviceState | None = None

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls()

    def open(self) -> None:
        pass

    def close(self) -> None:
        self.force = np.zeros(3)

    def point(self, position: Sequence[float] | Floats, *, pressed: bool = False) -> None:
        """Be at this place [m] from now on."""
        place = np.array(position, float)
        if place.shape != (3,) or not np.isfinite(place).all():
            raise ValueError(f"position must be three finite numbers [m] (got {position!r}); write for example (0, 0, 0.01)")
        self._position, self._buttons = place, (pressed,)

    def read(self) -> DeviceState:
        now, velocity = self._clock.now(), np.zeros(3)
        if self._last is not None and now > self._last.time:
            velocity = (self._position - self._last.position) / (now - self._last.time)
        self._last = DeviceState(now, self._position, velocity, buttons=self._buttons)
        return self._last

    def write(self, force: Floats) -> None:
        self.force = np.array(force)
