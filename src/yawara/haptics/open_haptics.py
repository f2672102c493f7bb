"""3D Systems' devices (Touch, Touch X) through `pyOpenHaptics` and the maker's OpenHaptics library.

Not tried on hardware. The maker's scheduler calls us in a thread of its own, where positions may be asked and forces set; what it
brings is kept here until the loop asks. It measures in millimetres.
"""

import math
import time
from importlib import import_module
from typing import Any, Self

import numpy as np

from yawara.haptics.device import DeviceError, DeviceInfo, DeviceState, Floats

REMEDY = "run 'pip install pyOpenHaptics' and install 3D Systems' OpenHaptics (libHD) with the driver of the device"
MILLIMETRE = 1e-3  # [m]


class OpenHapticsDevice:
    # Our own cautious figures, not the maker's
    info = DeviceInfo("open_haptics", workspace=(0.08, 0.06, 0.035), max_force=2.0, rate=1000.0)

    def __init__(self, name: str = "Default Device") -> None:
        self._name = name
        self._device: Any = None
        self._force = [0.0, 0.0, 0.0]  # [N]
        self._newest = DeviceState(0.0, np.zeros(3), np.zeros(3), fresh=False)
        self._given = -1.0  # [s], time of the state that was read last

    @classmethod
    def from_text(cls, text: str) -> Self:
        return cls(text) if text else cls()

    def open(self) -> None:
        try:
            hd = import_module("pyOpenHaptics.hd")
            callback = import_module("pyOpenHaptics.hd_callback").hd_callback
            kind = import_module("pyOpenHaptics.hd_device").HapticDevice
        except (ImportError, OSError) as error:
            raise DeviceError(f"3D Systems' library is missing ({error}); {REMEDY}") from None

        def served() -> None:
            place = [float(value) * MILLIMETRE for value in list(hd.get_transform()[3])[:3]]
            speed = [float(value) * MILLIMETRE for value in list(hd.get_velocity())[:3]]
            if all(map(math.isfinite, (*place, *speed))):
                buttons = int(hd.get_buttons())
                pressed = (bool(buttons & 1), bool(buttons & 2))
                self._newest = DeviceState(time.monotonic(), np.array(place), np.array(speed), buttons=pressed)
            hd.set_force(self._force)

        self._device = kind(callback=callback(served), device_name=self._name, scheduler_type="async")
        if getattr(self._device, "id", -1) in (-1, 0xFFFFFFFF):  # the package prints and returns
            self._device = None
            raise DeviceError(f"no device '{self._name}' answers; plug it in, and give it this name in the maker's setup")

    def close(self) -> None:
        if self._device is not None:
            self._force = [0.0, 0.0, 0.0]
            time.sleep(0.01)  # some calls of the maker's thread, so that the zero arrives
            self._device.close()
            self._device = None

    def read(self) -> DeviceState:
        state, before, self._given = self._newest, self._given, self._newest.time
        if state.time == before:
            return DeviceState(state.time, state.position, state.velocity, buttons=state.buttons, fresh=False)
        return state

    def write(self, force: Floats) -> None:
        self._force = [float(value) for value in force]
