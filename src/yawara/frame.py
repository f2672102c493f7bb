"""One instant of a run as observers see it: they read a frame, they never reach into the solver."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from yawara.contact.broad_phase import find_candidates
from yawara.contact.work import new_touch, no_candidates
from yawara.control import FREE, ControlArrays
from yawara.integrators.advance import evaluate, whole
from yawara.model import Floats, Indices, Model
from yawara.state import State


@dataclass(frozen=True)
class Evaluation:
    """What the force terms give at one instant."""

    force: Floats  # [N], (point_count, 3): all force terms and point forces, without gravity and without what holds points
    stored: float  # [J]
    touching: float  # [J], of it in contacts
    dissipation: float  # [W]
    guarded: float  # [W], that topology guards take from the motion
    storing: float  # [W], with which bodies store energy


@dataclass(frozen=True)
class Frame:
    """Model, state and control at the end of a stretch of time. At a corner of a time table, what was just before it."""

    index: int
    model: Model
    state: State
    control: ControlArrays
    since: float  # [s] since the beginning of the control's stretch
    log: Floats = field(default_factory=lambda: np.zeros((0, 3)))  # of every step since the last frame, see `tool_steps`

    @property
    def tool_steps(self) -> Floats:
        """(step_count, tool_count, 6): force [N] and torque [N m] that each tool felt, step by step since the last frame."""
        return self.log[:, :-3].reshape(len(self.log), len(self.model.tools), 6)

    @cached_property
    def tool_loads(self) -> Floats:
        """(tool_count, 6): force [N] and torque [N m] that tools felt, mean over the time since the last frame: so impulses are exact."""
        if not len(self.log):
            return np.zeros((len(self.model.tools), 6))
        steps = self.log[:, -1]
        mean: Floats = np.sum(steps[:, None] * self.log[:, :-3], axis=0) / steps.sum()
        return mean.reshape(-1, 6)

    @property
    def overlap(self) -> float:
        """[m], deepest of all contacts since the last frame."""
        return float(max(0.0, -self.log[:, -3].min())) if len(self.log) else 0.0

    @property
    def time(self) -> float:
        """[s]"""
        return self.state.time

    @cached_property
    def evaluation(self) -> Evaluation:
        force, enclosed = np.empty(4 * self.model.point_count), np.empty(2 * len(self.model.arrays.surface.rest))
        arrays, state = self.model.arrays, self.state
        shares = whole(arrays)
        can_meet = len(arrays.contact.side) > 0 and np.isfinite(state.position).all()
        candidates = find_candidates(arrays.contact, state.position[arrays.contact.node]) if can_meet else no_candidates()
        stored, touching, power, guarded, storing = evaluate(
            self.model.held, shares, state.points.reshape(-1), state.memory, state.contact.reshape(-1), candidates, self.control,
            self.since, force, enclosed, new_touch(arrays, shares.point),
        )  # fmt: skip
        return Evaluation(force.reshape(-1, 4)[:, :3], stored, touching, power, guarded, storing)

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
