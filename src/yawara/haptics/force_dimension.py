"""Force Dimension's devices (omega, delta, sigma, lambda, Falcon) through `forcedimension-core` and the maker's SDK.

Not tried on hardware. The package and its library are looked for only when the device is opened.
"""

import math
import time
from importlib import import_module
from typing import Any, Self

import numpy as np

from yawara.haptics.device import DeviceError, DeviceInfo, DeviceState, Floats

REMEDY = (
    "run 'pip install forcedimension-core' and install the Force Dimension SDK (libdhd and libdrd; "
    "the environment variable FORCEDIM_SDK names its folder)"
)


class ForceDimensionDevice:
    # Our own cautious figures, not the maker's: the smallest devices of the family are able to do this much
    info = DeviceInfo("force_dimension", workspace=(0.05, 0.05, 0.05), max_force=5.0, rate=1000.0)

    def __init__(self) -> None:
        self._dhd: Any = None
        self._position, self._velocity = [0.0] * 3, [0.0] * 3
        self._last = DeviceState(0.0, np.zeros(3), np.zeros(3), fresh=False)

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls()

    def open(self) -> None:
        try:
            dhd = import_module("forcedimension_core.dhd")
        except (ImportError, OSError) as error:
            raise DeviceError(f"Force Dimension's library is missing ({error}); {REMEDY}") from None
        if dhd.open() == -1:
            raise DeviceError(f"no Force Dimension device answers ({dhd.errorGetLastStr()}); plug it in and switch it on")
        dhd.enableForce(True)
        self._dhd = dhd

    def close(self) -> None:
        if self._dhd is not None:
            self._dhd.setForce([0.0, 0.0, 0.0])
            self._dhd.close()
            self._dhd = None

    def read(self) -> DeviceState:
        dhd, last = self._dhd, self._last
        failed = dhd.getPosition(out=self._position) == -1 or dhd.getLinearVelocity(out=self._velocity) == -1
        if failed or not all(map(math.isfinite, (*self._position, *self._velocity))):
            return DeviceState(last.time, last.position, last.velocity, buttons=last.buttons, fresh=False)
        pressed = bool(dhd.getButton(index=0))
        self._last = DeviceState(time.monotonic(), np.array(self._position), np.array(self._velocity), buttons=(pressed,))
        return self._last

    def write(self, force: Floats) -> None:
        self._dhd.setForce([float(value) for value in force])
