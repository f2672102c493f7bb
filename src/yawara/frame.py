"""One instant of a run as observers see it: they read a frame, they never reach into the solver."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from yawara.core.control import FREE, ControlArrays
from yawara.core.model import Model
from yawara.core.state import State
from yawara.kernels.kinds import Floats, Indices
from yawara.methods.evaluation import Evaluation, evaluator_of
from yawara.methods.fields import fields_of
from yawara.old_names import tell

OLD_NAMES = {"overlap": "penetration", "holding_force": "reaction_force"}


@dataclass(frozen=True)
class Frame:
    """Model, state and control at the end of a stretch of time. At a corner of a time table, what was just before it."""

    index: int
    model: Model
    state: State
    control: ControlArrays
    since: float  # [s] since the beginning of the control's stretch
    log: Floats = field(default_factory=lambda: np.zeros((0, 3)))  # of every step since the last frame, see `tool_steps`

    if not TYPE_CHECKING:  # or checkers of types would believe that a frame has any attribute

        def __getattr__(self, name: str) -> Any:
            """Observers of earlier versions find what they look for."""
            if name not in OLD_NAMES:
                raise AttributeError(f"'Frame' has no attribute '{name}'")
            tell(f"Frame.{name}", OLD_NAMES[name])
            return getattr(self, OLD_NAMES[name])

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
    def penetration(self) -> float:
        """[m], deepest of all contacts since the last frame."""
        return float(max(0.0, -self.log[:, -3].min())) if len(self.log) else 0.0

    @property
    def time(self) -> float:
        """[s]"""
        return self.state.time

    @cached_property
    def evaluation(self) -> Evaluation:
        return evaluator_of(self.model).evaluate(self.state, self.control, self.since)

    @cached_property
    def _tensors(self) -> dict[str, Floats]:
        return {}

    def tensor(self, name: str) -> Floats:
        """(point_count, 3, 3), by its name in TENSORS: stress [Pa], strain, residual_strain; found when somebody asks, and once."""
        if name not in self._tensors:
            self._tensors[name] = fields_of(self.model).tensor(name, self.state)
        return self._tensors[name]

    @cached_property
    def reaction_force(self) -> Floats:
        """[N], (point_count, 3): with what force drives and fixes act on each point; zero along free axes."""
        mass, gravity = self.model.point.mass[:, None], self.model.point.gravity[:3]
        curvature = 2.0 * self.control.drive[:, :, 2] + 6.0 * self.control.drive[:, :, 3] * self.since
        held = self.control.axis_drive != FREE
        acceleration = np.zeros_like(held, dtype=float)
        if len(curvature):
            acceleration[held] = curvature[self.control.axis_drive[held], np.nonzero(held)[1]]
        # m a = f + m g + reaction force
        return np.where(held, mass * (acceleration - gravity) - self.evaluation.force, 0.0)

    def force_of_drive(self, index: int) -> Floats:
        """[N], (3,): with what force this drive or fix alone acts; zero while it holds nothing."""
        total: Floats = np.where(self.control.axis_drive == index, self.reaction_force, 0.0).sum(axis=0)
        return total

    def force_of_channels(self, channels: Indices) -> Floats:
        """[N], (3,): what these point forces give together."""
        entries = self.control.force_channel[np.isin(self.control.force_channel, channels)]
        total: Floats = self.control.force[entries].sum(axis=0) @ self.since ** np.arange(4.0)
        return total

    def force_on(self, points: Indices) -> Floats:
        """[N], (3,): what holds these points."""
        total: Floats = self.reaction_force[points].sum(axis=0)
        return total
