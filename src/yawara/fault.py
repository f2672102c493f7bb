"""What can be wrong with a state, and which element is to blame."""

from collections.abc import Sequence

import numpy as np

from yawara.core.method import Method
from yawara.core.model import Model
from yawara.core.soundness import farthest, is_sound
from yawara.core.state import State
from yawara.core.term import ForceTerm
from yawara.frame import Frame
from yawara.observe.energies import Energies
from yawara.observe.recorder import History
from yawara.status import StepStatus

FARTHEST = 1e6  # of the scene's size
TOO_MUCH = 3.0  # of the energy that came in, missing in the balance: no accuracy of a stable run is as bad as that
ROUNDING = 1e-13  # of positions, with a margin


def fault_of(model: Model, state: State) -> StepStatus | None:
    """What is wrong with the numbers themselves, if anything."""
    far = farthest(state.points.reshape(-1))
    if not np.isfinite(far) or not all(is_sound(state.blocks[name].reshape(-1)) for name in _always_finite(model)):
        return StepStatus.NOT_FINITE
    return StepStatus.FLOWN_APART if far > FARTHEST * model.size else None


def _always_finite(model: Model) -> list[str]:
    """Blocks of internal variables that begin with numbers."""
    return [name for name, variable in model.variables.items() if np.isfinite(variable.start)]


def guilty_element(model: Model, state: State) -> tuple[str, str]:
    """Body and element that failed: one whose internal variables are not finite, else the point that is furthest off."""
    if np.isfinite(state.points).all():
        everybody: tuple[ForceTerm | Method, ...] = (*model.terms, *model.methods)
        for one in everybody:
            if found := one.blame(state):
                return found
    distance = np.nan_to_num(np.abs(state.points).max(axis=1), nan=np.inf)
    return model.owner_of(int(np.argmax(distance)))


def energy_noise(model: Model, step: float) -> float:
    """[J] that a body at rest seems to have: its positions are rounded, and a rounding in one step is a velocity."""
    return float(model.point.mass.sum() * (ROUNDING * model.size / step) ** 2)


class EnergyGuard:
    """Notices runs that stay finite but are unstable: dampers then turn out more energy than ever came in."""

    def __init__(self, energies: Energies, history: History, noise: float) -> None:
        """`history` holds the rows so far, of a run that is taken up again; energies [J] below `noise` do not count."""
        self.energies, self.noise = energies, noise
        rows = list(zip(*(history[column.name] for column in energies.columns), strict=True)) if history.rows else []
        self.came_in = max((self._came_in(values) for values in rows), default=0.0)
        self.suspect = bool(rows) and self._is_too_much(rows[-1])

    def _came_in(self, values: Sequence[float]) -> float:
        _, _, potential, _, *others, _ = values  # others: accounts of terms, the scheme's, and works
        return sum(map(abs, (potential, *others))) + self.energies.start

    def _is_too_much(self, values: Sequence[float]) -> bool:
        return abs(values[-1]) > TOO_MUCH * self.came_in + self.noise

    def fault_of(self, frame: Frame) -> StepStatus | None:
        """Two frames must agree: in the first step of a force or a contact, energy is there before the work is counted."""
        values = self.energies.values(frame)
        self.came_in = max(self.came_in, self._came_in(values))
        before, self.suspect = self.suspect, self._is_too_much(values)
        return StepStatus.UNSTABLE if before and self.suspect else None
