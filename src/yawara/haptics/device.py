"""What every haptic device can do, and how one is chosen by a text such as `haply` or `replay:stroke.csv`.

A driver is one file with one class that has these five members; to add one, write the file and a line in `DEVICES`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class DeviceError(RuntimeError):
    """A device cannot be used; the message says what to do about it."""


@dataclass(frozen=True)
class DeviceInfo:
    """What the device is able to do."""

    name: str
    workspace: tuple[float, float, float]  # [m], half sizes about its middle
    max_force: float  # [N], lasting
    rate: float  # [Hz], at which it wants to be served
    axes: int = 3  # directions in which it can push


@dataclass(frozen=True, slots=True)
class DeviceState:
    """Where the hand is, in the device's own coordinates."""

    time: float  # [s], of `time.monotonic`, when it was measured
    position: Floats  # [m], (3,)
    velocity: Floats  # [m/s], (3,)
    orientation: tuple[float, float, float, float] | None = None  # w x y z
    buttons: tuple[bool, ...] = ()
    fresh: bool = True  # False: nothing new came since the state before, which this repeats


class HapticDevice(Protocol):
    """A thing that says where the hand is and pushes it. `read` never waits for long and never fails for a bad message."""

    @property
    def info(self) -> DeviceInfo: ...

    def open(self) -> None:
        """Find the device and switch its force on; DeviceError with a remedy if that cannot be."""

    def close(self) -> None:
        """No force, then let go of it. Allowed twice, and before `open`."""

    def read(self) -> DeviceState: ...

    def write(self, force: Floats) -> None:
        """Push the hand with this force [N], (3,), until the next one is written."""


IMITATIONS = ("simulated", "replay", "mouse")  # no hand feels their force

# name: (module, class, what may follow the name)
DEVICES = {
    "simulated": ("simulated", "SimulatedDevice", "[:name=value,...]"),
    "replay": ("replay", "ReplayDevice", ":FILE"),
    "mouse": ("mouse", "MouseDevice", ""),
    "haply": ("haply", "HaplyDevice", "[:HOST:PORT]"),
    "force_dimension": ("force_dimension", "ForceDimensionDevice", ""),
    "open_haptics": ("open_haptics", "OpenHapticsDevice", "[:NAME]"),
}


def is_felt(text: str) -> bool:
    """Whether the device that a text names pushes a hand, which feels every tick that is late."""
    return text.partition(":")[0] not in IMITATIONS


def open_device(text: str) -> HapticDevice:
    """The device that a text names, opened."""
    device = device_of(text)
    device.open()
    return device


def device_of(text: str) -> HapticDevice:
    """The device that a text names, not yet opened."""
    name, colon, rest = text.partition(":")
    if name not in DEVICES:
        valid = ", ".join(name + follows for name, (_, _, follows) in DEVICES.items())
        raise DeviceError(f"device '{text}' is not known; valid: {valid}")
    module, kind, follows = DEVICES[name]
    if colon and not follows:
        raise DeviceError(f"device '{name}' takes nothing after its name (got ':{rest}'); write just '{name}'")
    driver = getattr(import_module(f"yawara.haptics.{module}"), kind)
    make = cast(Callable[[str], HapticDevice], driver.from_text)
    return make(rest)
