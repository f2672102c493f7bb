"""From the tools of a scene to what the kernels need."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from yawara.tools.arrays import ToolArrays
from yawara.tools.form import (
    AXIS,
    BOUND,
    FORM,
    FRICTION,
    GRID_COUNT,
    GRID_FIRST,
    GRID_ORIGIN,
    GRID_SPACING,
    INVERSE_INERTIA,
    ROTATION,
    SIZE,
    SLIDE,
    THIN,
)

if TYPE_CHECKING:
    from yawara.scene.tools.tool import Tool


def tool_arrays(tools: "Mapping[str, Tool]", first_point: int, friction: float) -> ToolArrays:
    """`friction` is for tools that have none of their own."""
    rows, grids, first = [], [np.zeros(0)], 0
    for tool in tools.values():
        row, grid = np.zeros(FORM), tool.grid
        row[SIZE : SIZE + len(tool.size_entries)] = tool.size_entries
        row[ROTATION : ROTATION + 9] = tool.matrix().ravel()
        row[AXIS : AXIS + 3], row[SLIDE : SLIDE + 3] = tool.axis, tool.surface_speed
        row[FRICTION] = friction if tool.friction is None else tool.friction
        row[THIN], row[BOUND] = tool.thin, tool.bound
        row[INVERSE_INERTIA] = 1.0 / tool.inertia if tool.turns_freely else 0.0
        if grid is not None:
            row[GRID_FIRST], row[GRID_SPACING] = first, grid.spacing
            row[GRID_COUNT : GRID_COUNT + 3], row[GRID_ORIGIN : GRID_ORIGIN + 3] = grid.counts, grid.origin
            grids.append(grid.values)
            first += len(grid.values)
        rows.append(row)
    return ToolArrays(
        np.array([tool.kind for tool in tools.values()], np.int64),
        (first_point + np.arange(len(tools))).astype(np.uint32),
        np.concatenate([np.zeros(0), *rows]),
        np.concatenate(grids),
    )
