"""What makes a body rheological: how far it was pressed, how much came back, how much stayed."""

from dataclasses import dataclass

import numpy as np

from yawara.core.control import Drive
from yawara.observe.recorder import History
from yawara.scene.compile import Compiled


@dataclass(frozen=True)
class Recovery:
    """Of one drive that releases its points; all along the drive's main direction, from where it caught them."""

    drive: str
    pressed: float  # [m], at the release
    residual: float  # [m], at the end of the run, or when the points are caught again
    peak_force: float  # [N], largest magnitude along that direction

    @property
    def returned(self) -> float:
        """[m]"""
        return self.pressed - self.residual

    @property
    def residual_fraction(self) -> float:
        return self.residual / self.pressed if self.pressed else float("nan")


def recoveries(compiled: Compiled, history: History) -> list[Recovery]:
    """One for each drive of the scene that the history sees from its beginning, and that lets go before the end."""
    first = history["time"][0] if history.rows else 0.0
    drives = [drive for drive in compiled.control.drives if drive.begin >= first]
    return [_recovery(compiled, history, drive) for drive in drives if _lets_go(compiled, drive)]


def _lets_go(compiled: Compiled, drive: Drive) -> bool:
    return len(drive.table.times) > 1 and drive.end < compiled.scene.time.end


def _recovery(compiled: Compiled, history: History, drive: Drive) -> Recovery:
    """The drive's table tells how far the points were at the release; the history what they did before the catch and after it."""
    at_release = np.where(drive.axes, drive.table.polynomial(drive.end, drive.end)[:, 0], 0.0)
    axis = int(np.argmax(np.abs(at_release)))
    sign = float(np.sign(at_release[axis])) or 1.0
    displacement = sign * history[f"{drive.name}.displacement_{'xyz'[axis]}"]
    caught = displacement[_last_row(history, drive.begin)] if drive.begin > 0 else 0.0
    free = _last_row(history, _caught_again(compiled, drive))
    peak = float(np.abs(history[f"{drive.name}.force_{'xyz'[axis]}"]).max())
    return Recovery(drive.name, float(abs(at_release[axis])), float(displacement[free] - caught), peak)


def _last_row(history: History, instant: float) -> int:
    """The last row not later than this time [s]."""
    return int(np.searchsorted(history["time"], instant * (1 + 1e-12), side="right")) - 1


def _caught_again(compiled: Compiled, drive: Drive) -> float:
    """When another drive takes some of the points, or the end of the run [s]."""
    later = (other for other in compiled.control.drives if other.begin >= drive.end)
    return min(
        (other.begin for other in later if np.intersect1d(other.points, drive.points).size), default=compiled.scene.time.end
    )
