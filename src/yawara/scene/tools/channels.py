"""From the tools of a scene to what the control needs."""

from collections.abc import Iterator, Mapping

import numpy as np

from yawara.core.control import Drive, Hand, Interpolation, PointForce, TimeTable, Turn
from yawara.kernels.kinds import Floats
from yawara.scene.tools.motion import ByHand, Driven, Free, Path, Pushed
from yawara.scene.tools.tool import Tool

STILL = TimeTable(np.zeros(1), np.zeros((1, 3)))


def tool_masses(tools: Mapping[str, Tool]) -> Floats:
    """[kg]: of those that forces move, or may move while time runs; what is driven needs none."""
    moved = [isinstance(tool.motion, Pushed | ByHand) or tool.turns_freely for tool in tools.values()]
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
                yield Drive(name, f"tool.{name}", point, axes, Hand(tool.mass or 0.0))
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
