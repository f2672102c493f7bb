"""Everything a run remembers. Saved and loaded, a run goes on bit for bit."""

from dataclasses import dataclass, fields

import numpy as np

from yawara.model import Floats, Model

WORK_OF_DRIVES, WORK_OF_FORCES, DISSIPATED, TAKEN_BY_GUARDS = 0, 1, 2, 3  # places in State.account
ACCOUNTS = 4


@dataclass
class State:
    """Time, motion, and the memory of every force term."""

    time: float  # [s]
    step_count: int  # steps made so far
    points: Floats  # (point_count, 8): x y z 0 [m], vx vy vz 0 [m/s]
    memory: Floats  # of links [m], then of cells [m^3] or [m^2], as their laws define them
    anchor: Floats  # [m], (point_count, 3): where a driven point was caught; its drive counts from there
    account: Floats  # [J], (ACCOUNTS,): work of drives and of point forces, dissipated, taken by guards, since the start
    mode: Floats  # (point_count, 4): the quickest vibration, as far as the step control has found it
    pace: Floats  # (1,): how much quicker it is than at rest, at least 1; in implicit runs, how much smaller steps had to be

    @classmethod
    def at_rest(cls, model: Model, mode: Floats) -> "State":
        points = np.zeros((model.point_count, 8))
        points[:, :3] = model.rest_position
        anchor, account = model.rest_position.copy(), np.zeros(ACCOUNTS)
        return cls(0.0, 0, points, np.zeros(model.memory_count), anchor, account, mode.copy(), np.ones(1))

    @property
    def position(self) -> Floats:
        """[m], (point_count, 3), a view."""
        return self.points[:, :3]

    @property
    def velocity(self) -> Floats:
        """[m/s], (point_count, 3), a view."""
        return self.points[:, 4:7]

    def copy(self) -> "State":
        return State(self.time, self.step_count, *(getattr(self, field.name).copy() for field in fields(self)[2:]))

    def assign(self, other: "State") -> None:
        """Take over the other state's values without allocating."""
        self.time, self.step_count = other.time, other.step_count
        for field in fields(self)[2:]:
            getattr(self, field.name)[...] = getattr(other, field.name)

    def is_finite(self) -> bool:
        return bool(np.isfinite(self.points).all() and np.isfinite(self.memory).all())

    def arrays(self) -> dict[str, Floats]:
        """For checkpoints."""
        return {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: dict[str, Floats]) -> "State":
        return cls(float(arrays["time"]), int(arrays["step_count"]), *(np.array(arrays[field.name]) for field in fields(cls)[2:]))
