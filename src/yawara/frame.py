"""One instant of a run as observers see it: they read a frame, they never reach into the solver."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from yawara.control import FREE, ControlArrays
from yawara.integrators.advance import evaluate, whole
from yawara.model import Floats, Indices, Model
from yawara.state import State


@dataclass(frozen=True)
class Evaluation:
    """What the force terms give at one instant."""

    force: Floats  # [N], (point_count, 3): all force terms and point forces, without gravity and without what holds points
    stored: float  # [J]
    dissipation: float  # [W]
    guarded: float  # [W], that topology guards take from the motion


@dataclass(frozen=True)
class Frame:
    """Model, state and control at the end of a stretch of time. At a corner of a time table, what was just before it."""

    index: int
    model: Model
    state: State
    control: ControlArrays
    since: float  # [s] since the beginning of the control's stretch

    @property
    def time(self) -> float:
        """[s]"""
        return self.state.time

    @cached_property
    def evaluation(self) -> Evaluation:
        force, enclosed = np.empty(4 * self.model.point_count), np.empty(2 * len(self.model.arrays.surface.rest))
        stored, power, guarded = evaluate(
            self.model.arrays, whole(self.model.arrays), self.state.points.reshape(-1), self.state.memory, self.control, self.since,
            force, enclosed,
        )  # fmt: skip
        return Evaluation(force.reshape(-1, 4)[:, :3], stored, power, guarded)

    @cached_property
    def holding_force(self) -> Floats:
        """[N], (point_count, 3): with what force drives and fixes act on each point; zero along free axes."""
        mass, gravity = self.model.arrays.point.mass[:, None], self.model.arrays.point.gravity[:3]
        curvature = 2.0 * self.control.drive[:, :, 2] + 6.0 * self.control.drive[:, :, 3] * self.since
        held = self.control.axis_drive != FREE
        acceleration = np.zeros_like(held, dtype=float)
        if len(curvature):
            acceleration[held] = curvature[self.control.axis_drive[held], np.nonzero(held)[1]]
        # m a = f + m g + holding force
        return np.where(held, mass * (acceleration - gravity) - self.evaluation.force, 0.0)

    def force_of_drive(self, index: int) -> Floats:
        """[N], (3,): with what force this drive or fix alone acts; zero while it holds nothing."""
        total: Floats = np.where(self.control.axis_drive == index, self.holding_force, 0.0).sum(axis=0)
        return total

    def force_of_channels(self, channels: Indices) -> Floats:
        """[N], (3,): what these point forces give together."""
        entries = self.control.force_channel[np.isin(self.control.force_channel, channels)]
        total: Floats = self.control.force[entries].sum(axis=0) @ self.since ** np.arange(4.0)
        return total

    def force_on(self, points: Indices) -> Floats:
        """[N], (3,): what holds these points."""
        total: Floats = self.holding_force[points].sum(axis=0)
        return total
