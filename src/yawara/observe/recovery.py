"""What makes a body rheological: how far it was pressed, how much came back, how much stayed."""

from dataclasses import dataclass

import numpy as np

from yawara.observe.recorder import History
from yawara.scene.compile import Compiled


@dataclass(frozen=True)
class Recovery:
    """Of one drive that releases its points; all along the drive's main direction."""

    drive: str
    pressed: float  # [m], at the release
    residual: float  # [m], at the end of the run
    peak_force: float  # [N], largest magnitude along that direction

    @property
    def returned(self) -> float:
        """[m]"""
        return self.pressed - self.residual

    @property
    def residual_fraction(self) -> float:
        return self.residual / self.pressed if self.pressed else float("nan")


def recoveries(compiled: Compiled, history: History) -> list[Recovery]:
    """One for each drive of the scene that lets go before the end."""
    found = []
    for drive in compiled.control.drives:
        if np.isfinite(drive.end) and len(drive.table.times) > 1 and drive.end < compiled.scene.time.end:
            largest = drive.table.values[np.argmax(np.abs(drive.table.values).max(axis=1))]
            axis = int(np.argmax(np.abs(largest)))
            sign = float(np.sign(largest[axis])) or 1.0
            displacement = sign * history[f"{drive.name}.displacement_{'xyz'[axis]}"]
            force = history[f"{drive.name}.force_{'xyz'[axis]}"]
            last_held = int(np.searchsorted(history["time"], drive.end * (1 + 1e-12), side="right")) - 1
            found.append(Recovery(drive.name, displacement[last_held], displacement[-1], float(np.abs(force).max())))
    return found
