"""What can be wrong with a state, and which element is to blame."""

from collections.abc import Sequence

import numpy as np

from yawara.forces.soundness import soundness
from yawara.frame import Frame
from yawara.model import Model
from yawara.observe.energies import Energies
from yawara.observe.recorder import History
from yawara.state import State
from yawara.status import StepStatus

FARTHEST = 1e6  # of the scene's size
TOO_MUCH = 3.0  # of the energy that came in, missing in the balance: no accuracy of a stable run is as bad as that
ROUNDING = 1e-13  # of positions, with a margin


def fault_of(model: Model, state: State) -> StepStatus | None:
    """What is wrong with the numbers themselves, if anything."""
    finite, farthest = soundness(state.points.reshape(-1), state.memory)
    if not finite:
        return StepStatus.NOT_FINITE
    return StepStatus.FLOWN_APART if farthest > FARTHEST * model.size else None


def guilty_element(model: Model, state: State) -> tuple[str, str]:
    """Body and element that failed: a link whose memory is not finite, else the point that is furthest off."""
    for body in model.bodies:
        bad = np.flatnonzero(~np.isfinite(state.memory[body.memory_index]).all(axis=1))
        if bad.size and np.isfinite(state.points[body.points]).all():
            a, b = (int(point) - body.point_begin for point in body.links[bad[0]])
            return body.name, f"link {bad[0]} (points {a}, {b})"
    distance = np.nan_to_num(np.abs(state.points).max(axis=1), nan=np.inf)
    point = int(np.argmax(distance))
    return model.owner_of(point)


def energy_noise(model: Model, step: float) -> float:
    """[J] that a body at rest seems to have: its positions are rounded, and a rounding in one step is a velocity."""
    return float(model.arrays.point.mass.sum() * (ROUNDING * model.size / step) ** 2)


class EnergyGuard:
    """Notices runs that stay finite but are unstable: dampers then turn out more energy than ever came in."""

    def __init__(self, energies: Energies, history: History, noise: float) -> None:
        """`history` holds the rows so far, of a run that is taken up again; energies [J] below `noise` do not count."""
        self.energies, self.noise = energies, noise
        rows = list(zip(*(history[column.name] for column in energies.columns), strict=True)) if history.rows else []
        self.came_in = max((self._came_in(values) for values in rows), default=0.0)
        self.suspect = bool(rows) and self._is_too_much(rows[-1])

    def _came_in(self, values: Sequence[float]) -> float:
        _, _, potential, _, guards, contact, scheme, *works, _ = values
        return sum(map(abs, (potential, guards, contact, scheme, *works))) + self.energies.start

    def _is_too_much(self, values: Sequence[float]) -> bool:
        return abs(values[-1]) > TOO_MUCH * self.came_in + self.noise

    def fault_of(self, frame: Frame) -> StepStatus | None:
        """Two frames must agree: in the first step of a force or a contact, energy is there before the work is counted."""
        values = self.energies.values(frame)
        self.came_in = max(self.came_in, self._came_in(values))
        before, self.suspect = self.suspect, self._is_too_much(values)
        return StepStatus.UNSTABLE if before and self.suspect else None
