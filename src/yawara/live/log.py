"""Force, place and height of a touch, tick by tick, for the last minutes."""

import io

import numpy as np

from yawara.core.model import Model
from yawara.core.state import State
from yawara.kernels.kinds import Floats, Indices
from yawara.observe.measure import outer_points

KEPT = 600_000  # ticks: ten minutes of 1 ms
HEADER = "time [s],force_x [N],force_y [N],force_z [N],hand_x [m],hand_y [m],hand_z [m],height [m]"


def height_of(model: Model, state: State) -> float:
    """[m]: where the first body's surface is highest along the axis of its height."""
    return float(state.points[model.kept_with(_first_surface), model.bodies[0].up].max())


def _first_surface(model: Model) -> Indices:
    return outer_points(model.bodies[0])


class TouchLog:
    def __init__(self, kept: int = KEPT) -> None:
        self._rows, self._count, self._kept = np.empty((1000, 8)), 0, kept

    def note(self, time: float, force: Floats, hand: Floats, height: float) -> None:
        """Of one tick."""
        if self._count == len(self._rows):
            if len(self._rows) < self._kept:
                self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
            else:  # forget the older half
                half = len(self._rows) // 2
                self._rows[:half] = self._rows[half:]
                self._count = half
        row = self._rows[self._count]
        row[0], row[1:4], row[4:7], row[7] = time, force, hand, height
        self._count += 1

    @property
    def rows(self) -> Floats:
        return self._rows[: self._count]

    def csv(self) -> str:
        text = io.StringIO()
        np.savetxt(text, self.rows, fmt="%.9g", delimiter=",", header=HEADER, comments="")
        return text.getvalue()
