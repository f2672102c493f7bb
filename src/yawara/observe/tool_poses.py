"""Where the tools were and how far they had turned, from the history of a run."""

from dataclasses import dataclass

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.observe.recorder import History
from yawara.scene.compile import Compiled
from yawara.scene.tools import Tool


@dataclass(frozen=True)
class ToolPoses:
    """One tool over all rows of the history."""

    name: str
    tool: Tool
    position: Floats  # [m], (row_count, 3)
    angle: Floats  # [rad], (row_count,)

    @property
    def moves(self) -> bool:
        return bool(np.ptp(self.position, axis=0).any() or np.ptp(self.angle).any())


def tool_poses(compiled: Compiled, history: History) -> list[ToolPoses]:
    """Of each tool; what the history does not follow stays as it was."""
    found, names, rows = [], set(history.names), len(history.rows)
    for name, point in zip(compiled.model.tools, compiled.model.tool_points, strict=True):
        position = np.tile(compiled.model.rest_position[point], (rows, 1))
        if f"{name}.position_x" in names:
            position = np.stack([history[f"{name}.position_{axis}"] for axis in "xyz"], axis=1)
        angle = history[f"{name}.angle"] if f"{name}.angle" in names else np.zeros(rows)
        found.append(ToolPoses(name, compiled.scene.tool[name], position, angle))
    return found
