"""The newest view of the solver, in memory that the page's process shares: writing it never waits for anybody."""

from collections.abc import Mapping
from dataclasses import fields

import numpy as np

from yawara.core.state import State
from yawara.core.term import Variable
from yawara.kernels.kinds import Floats
from yawara.live.messages import Pace, Shapes, View
from yawara.shared import Block, Layout, Shape

PACE = tuple(one.name for one in fields(Pace))
NO_TOOL = -1.0
ROWS = " rows"  # after the name of a block: how many it has


def window_layout(shapes: Shapes, state: State, variables: Mapping[str, Variable]) -> Layout:
    """Blocks `view`, for the page, and `state`, from which another solver could go on."""
    view: dict[str, Shape] = {
        "tick": (1,),
        "time": (1,),
        "wall": (1,),
        "tool": (1,),
        "hand": (3,),
        "force": (3,),
        "height": (1,),
        "pace": (len(PACE),),
    }
    view |= {"coloured": (1,), "tool_positions": (len(shapes.tools), 3), "tool_rotations": (len(shapes.tools), 3, 3)}
    for n, skin in enumerate(shapes.bodies):
        view |= {f"vertices{n}": skin.vertices.shape, f"values{n}": (len(skin.vertices),)}
    return {"view": view, "state": _state_layout(state, variables)}


def _state_layout(state: State, variables: Mapping[str, Variable]) -> dict[str, Shape]:
    """Blocks that grow and shrink have room for the most that they may hold, and a number that says how much of it is taken."""
    found = dict[str, Shape]()
    for name, array in state.arrays().items():
        most = variables[name].most if name in variables else 0
        found[name] = (most, *array.shape[1:]) if most else array.shape or (1,)
        if most:
            found[f"{name}{ROWS}"] = (1,)
    return found


def put_view(block: Block, shapes: Shapes, view: View) -> None:
    block["tick"], block["time"], block["wall"], block["height"] = view.tick, view.time, view.wall, view.height
    block["tool"] = NO_TOOL if view.tool is None else shapes.drawer.index(view.tool)
    block["hand"] = view.hand
    block["force"], block["tool_positions"], block["tool_rotations"] = view.force, view.tool_positions, view.tool_rotations
    block["pace"] = np.array([getattr(view.pace, name) for name in PACE])
    block["coloured"] = float(view.values is not None)
    for n, vertices in enumerate(view.vertices):
        block[f"vertices{n}"] = vertices
        if view.values is not None:
            block[f"values{n}"] = view.values[n]
    block.publish()


def get_view(block: Block, shapes: Shapes) -> View | None:
    """None until there is one."""
    block.fetch()
    if block.value("wall") == 0.0:
        return None
    tool, bodies = int(block.value("tool")), range(len(shapes.bodies))
    coloured = block.value("coloured") > 0.0
    return View(
        int(block.value("tick")),
        block.value("time"),
        block.value("wall"),
        tuple(block[f"vertices{n}"].copy() for n in bodies),
        tuple(block[f"values{n}"].copy() for n in bodies) if coloured else None,
        block["tool_positions"].copy(),
        block["tool_rotations"].copy(),
        None if tool < 0 else shapes.drawer[tool],
        block["hand"].copy(),
        block["force"].copy(),
        block.value("height"),
        Pace(*block["pace"].tolist()),
    )


def put_state(block: Block, state: State) -> None:
    for name, array in state.arrays().items():
        if f"{name}{ROWS}" in block:
            block[name][: len(array)] = array
            block[f"{name}{ROWS}"] = len(array)
        else:
            block[name] = np.asarray(array, float).reshape(block[name].shape)
    block.publish()


def get_state(block: Block, like: State) -> State | None:
    """None if none was put there."""
    if not block.fetch():
        return None
    return State.from_arrays({name: _taken(block, name, np.shape(array)) for name, array in like.arrays().items()})


def _taken(block: Block, name: str, shape: Shape) -> Floats:
    if f"{name}{ROWS}" in block:
        return block[name][: int(block.value(f"{name}{ROWS}"))].copy()
    return block[name].reshape(shape).copy()
