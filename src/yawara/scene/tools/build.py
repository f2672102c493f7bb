"""From the tools of a scene to what the kernels and the control need."""

from collections.abc import Iterator, Mapping

import numpy as np

from yawara.contact.tools.form import (
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
from yawara.control import Drive, Hand, Interpolation, PointForce, TimeTable, Turn
from yawara.model import Floats, ToolArrays
from yawara.scene.tools.motion import ByHand, Driven, Free, Path, Pushed
from yawara.scene.tools.tool import Tool

STILL = TimeTable(np.zeros(1), np.zeros((1, 3)))


def tool_arrays(tools: Mapping[str, Tool], first_point: int, friction: float) -> ToolArrays:
    """`friction` is for tools that have none of their own."""
    rows, grids, first = [], [np.zeros(0)], 0
    for tool in tools.values():
        row, grid = np.zeros(FORM), tool.grid
        row[SIZE : SIZE + len(tool.size_entries)] = tool.size_entries
        row[ROTATION : ROTATION + 9] = tool.matrix().ravel()
        row[AXIS : AXIS + 3], row[SLIDE : SLIDE + 3] = tool.axis, tool.surface_speed
        row[FRICTION] = friction if tool.friction is None else tool.friction
        row[THIN], row[BOUND] = tool.thin, tool.bound
        row[INVERSE_INERTIA] = 1.0 / tool.inertia if isinstance(tool.turn, Free) else 0.0
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


def tool_masses(tools: Mapping[str, Tool]) -> Floats:
    """[kg]: of those that forces move; what is driven needs none."""
    moved = [isinstance(tool.motion, Pushed) or isinstance(tool.turn, Free) for tool in tools.values()]
    return np.array(
        [(tool.mass or 0.0) if is_moved else 0.0 for tool, is_moved in zip(tools.values(), moved, strict=True)], float
    )


def tool_drives(tools: Mapping[str, Tool], first_point: int) -> Iterator[Drive]:
    """Whatever is not free is held, or moved along its path."""
    for n, (name, tool) in enumerate(tools.items()):
        point, axes, table = np.array([first_point + n], np.uint32), np.ones(3, bool), STILL
        match tool.motion:
            case Path() as path:
                table = TimeTable(np.array(path.times), np.array(path.displacement), Interpolation(path.interpolation))
            case ByHand():
                yield Drive(name, f"tool.{name}", point, axes, Hand())
                continue
            case Pushed() as pushed:
                axes = np.array([letter not in pushed.axes for letter in "xyz"])
        if axes.any():
            yield Drive(name, f"tool.{name}", point, axes, table)


def tool_forces(tools: Mapping[str, Tool], first_point: int) -> Iterator[PointForce]:
    for n, (name, tool) in enumerate(tools.items()):
        if isinstance(tool.motion, Pushed):
            table = TimeTable(np.array(tool.motion.times), np.array(tool.motion.force), tool.motion.interpolation)
            yield PointForce(name, np.array([first_point + n], np.uint32), table)


def tool_turns(tools: Mapping[str, Tool]) -> tuple[Turn, ...]:
    return tuple(_turn(tool) for tool in tools.values())


def _turn(tool: Tool) -> Turn:
    match tool.turn:
        case Free():
            return Turn(free=True)
        case Driven() as driven if driven.times:
            angles = np.zeros((len(driven.times), 3))
            angles[:, 0] = driven.angle
            return Turn(driven.speed, TimeTable(np.array(driven.times), angles, Interpolation(driven.interpolation)))
        case Driven() as driven:
            return Turn(driven.speed)
    return Turn()
