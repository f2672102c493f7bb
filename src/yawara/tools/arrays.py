"""Rigid tools as kernels see them."""

from typing import NamedTuple

from yawara.kernels.kinds import Floats, Indices, Words


class ToolArrays(NamedTuple):
    """Shapes by their signed distance, each carried by a point of the model, whose fourth coordinate is its angle."""

    kind: Words  # (tool_count,), see shapes.py
    point: Indices  # (tool_count,)
    form: Floats  # (tool_count * FORM,), see form.py
    grid: Floats  # [m], samples of the distance from those that are no simple shapes, x running fastest
