"""What pictures and exports show of a tool: floors and belts have no end worth showing."""

import numpy as np

from yawara.kernels.kinds import Floats
from yawara.scene.tools import drawing
from yawara.scene.tools.drawing import Surface
from yawara.scene.tools.shapes import Box, Conveyor, Cylinder, Floor, Plate
from yawara.scene.tools.tool import Tool, rotation_matrix

AROUND_BODIES = 0.15  # of the bodies' diagonal, that a floor is shown beyond them
AROUND_PICTURE = 1.5  # of the bodies' diagonal, beyond which nothing can be in the picture


def placed(tool: Tool, points: Floats, position: Floats, angle: float = 0.0) -> Floats:
    """Points of the tool's own coordinates in the world's, when it is at a position [m] and has turned by an angle [rad]."""
    x, y, z = (angle * tool.axis).tolist()
    return np.asarray(position + points @ (tool.matrix() @ rotation_matrix((x, y, z))).T)


def shown_surface(tool: Tool, bounds: Floats, *, depth: float = 0.0) -> Surface:
    """Points and triangles in the tool's own coordinates, cut off where they are far from the bodies' `bounds` (2, 3) [m].

    A floor is a rectangle around the bodies, or, with a `depth` [m], a board that thick.
    """
    low, high = _own_bounds(tool, bounds)
    diagonal = float(np.linalg.norm(bounds[1] - bounds[0]))
    match tool:
        case Floor():
            middle, half = 0.5 * (low + high), 0.5 * (high - low) + AROUND_BODIES * diagonal
            begin, end = (np.clip(middle + sign * half, -tool.extent, tool.extent)[:2] for sign in (-1.0, 1.0))
            return _board(np.append(begin, -depth), np.append(end, 0.0))
        case Box() | Plate() | Conveyor():
            half, centre, far = np.array(tool.size) / 2, np.array([0.0, 0.0, tool.offset]), AROUND_PICTURE * diagonal
            begin, end = np.maximum(centre - half, low - far), np.minimum(centre + half, high + far)
            return _board(begin, end) if (begin < end).all() else tool.surface()
        case Cylinder() if tool.length > 4.0 * AROUND_PICTURE * diagonal:
            points, triangles = drawing.cylinder(tool.radius, 4.0 * AROUND_PICTURE * diagonal)
            return points + np.array([np.clip(0.5 * (low + high)[0], -0.5 * tool.length, 0.5 * tool.length), 0.0, 0.0]), triangles
    return tool.surface()


def _own_bounds(tool: Tool, bounds: Floats) -> Floats:
    """(2, 3) [m]: of the bodies, in the tool's own coordinates at the start."""
    corners = np.array([[bounds[i, 0], bounds[j, 1], bounds[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    own = (corners - np.array(tool.origin)) @ tool.matrix()
    return np.stack([own.min(axis=0), own.max(axis=0)])


def _board(begin: Floats, end: Floats) -> Surface:
    """A box between two corners, or a rectangle if it has no height."""
    size, middle = end - begin, 0.5 * (begin + end)
    if size[2] == 0.0:
        points, triangles = drawing.rectangle(size[0] / 2, size[1] / 2)
    else:
        points, triangles = drawing.cuboid((float(size[0]), float(size[1]), float(size[2])), 0.0)
    return points + middle, triangles
