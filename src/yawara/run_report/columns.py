"""Columns of a history that belong together."""

from collections.abc import Mapping

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.observe.recorder import History
from yawara.scene.tools import Tool


def vector_names(history: History, quantity: str) -> list[str]:
    """Names of all that have this quantity with three components, in the order of the columns."""
    suffix = f".{quantity}_x"
    return [name.removesuffix(suffix) for name in history.names if name.endswith(suffix)]


def force_names(history: History) -> list[str]:
    return vector_names(history, "force")


def driven_names(history: History) -> list[str]:
    """Drives that move something: those that have both a force and a displacement."""
    return [name for name in force_names(history) if f"{name}.displacement_x" in history.names]


def felt_names(history: History, tools: Mapping[str, Tool]) -> list[str]:
    """Whose forces tell how much a scene is loaded: tools, or without them drives, or all that holds."""
    return acting_tools(tools) or driven_names(history) or force_names(history)


def acting_tools(tools: Mapping[str, Tool]) -> list[str]:
    """Tools that do something; if none does, those that are only there."""
    return [name for name, tool in tools.items() if tool.motion is not None or tool.turn is not None] or list(tools)


def vector(history: History, name: str, quantity: str) -> Floats:
    """(row_count, 3)"""
    return np.stack([history[f"{name}.{quantity}_{axis}"] for axis in "xyz"], axis=1)


def magnitude(history: History, name: str, quantity: str = "force") -> Floats:
    """(row_count,)"""
    return np.asarray(np.linalg.norm(vector(history, name, quantity), axis=1))


def main_component(history: History, name: str, quantity: str) -> tuple[str, Floats]:
    """The axis along which a vector changes most, and the course of that component."""
    components = vector(history, name, quantity)
    axis = int(np.argmax(np.ptp(components, axis=0)))
    return "xyz"[axis], components[:, axis]
