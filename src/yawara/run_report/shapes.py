"""Bodies and tools of a run as shapes that a picture can draw."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from yawara.core.model import BodyRange, Model
from yawara.kernels.kinds import Floats
from yawara.observe.measure import outer_points
from yawara.observe.tool_poses import ToolPoses
from yawara.report.camera import bounds_of
from yawara.report.coarsen import coarse_line, coarsened
from yawara.report.colour import PALETTE
from yawara.report.shape import Shape
from yawara.scene.tools.motion import ByHand
from yawara.scene.tools.shapes import Floor
from yawara.scene.tools.shown import placed, shown_surface

TRIANGLES, LINES = 5000, 1000  # in one picture, of all bodies: a page of five stays below 3 MB
TOOL_TRIANGLES = 1500  # of one tool
GREY, VEIL = "#8A929B", 0.32
ROOM, ROOM_FOR_SMALL = 0.12, 1.0  # of the bodies' longest side: how far beside them a tool may widen the picture


def body_colours(model: Model) -> list[tuple[str, str]]:
    return [(body.name, PALETTE[n % len(PALETTE)]) for n, body in enumerate(model.bodies)]


@dataclass(frozen=True)
class Stage:
    """What all pictures of a run have in common."""

    model: Model
    tools: list[ToolPoses]
    positions: dict[int, Floats]  # [m], of all points, by row of the history

    @cached_property
    def flat(self) -> bool:
        """Whether all bodies stay in the plane in which they began."""
        if any(body.dimension == 3 for body in self.model.bodies):
            return False
        size = np.ptp(self.bodies_bounds, axis=0)
        return bool(size[2] <= 1e-6 * size.max())

    @cached_property
    def bodies_bounds(self) -> Floats:
        """(2, 3) [m], over all pictures."""
        end = self.model.bodies[-1].point_end
        return bounds_of(*(position[:end] for position in self.positions.values()))

    @cached_property
    def bounds(self) -> Floats:
        """(2, 3) [m], with what is near of the tools."""
        found = bounds_of(self.bodies_bounds, *(self._near(points) for points in self._tool_points()))
        if self.flat:
            found[:, 2] = self.bodies_bounds[:, 2]
        elif grounds := [float(poses.position[0, 2]) for poses in self.tools if poses not in self.drawn_tools]:
            found[0, 2] = min(*grounds, float(self.bodies_bounds[0, 2]))  # where the grid is, though tools may be below
        return found

    def _near(self, points: Floats) -> Floats:
        """Points of a tool, drawn to the surroundings of the bodies: what is larger than they are runs out of the picture."""
        low, high = self.bodies_bounds
        longest = float((high - low).max() or 1.0)
        room = longest * (ROOM_FOR_SMALL if float(np.ptp(points, axis=0).max()) <= longest else ROOM)
        return np.clip(points, low - room, high + room)

    def shapes(self, row: int, values: Floats | None = None) -> list[Shape]:
        """Bodies and tools; with `values`, (point_count,) from 0 to 1, bodies have the colours of these."""
        bodies = [self._body(index, self.positions[row], values) for index in range(len(self.model.bodies))]
        return [*bodies, *(self._tool(poses, row) for poses in self.drawn_tools if not _waits_unseen(poses, row))]

    @cached_property
    def drawn_tools(self) -> list[ToolPoses]:
        """All but the ground, which the grid shows."""
        return [poses for poses in self.tools if self.flat or not self._is_ground(poses)]

    def _is_ground(self, poses: ToolPoses) -> bool:
        tool, (low, high) = poses.tool, self.bodies_bounds[:, 2]
        level = isinstance(tool, Floor) and not poses.moves and tool.matrix()[2, 2] > 1.0 - 1e-9
        return level and float(poses.position[0, 2]) < low + 0.05 * (high - low)

    @cached_property
    def seen(self) -> NDArray[np.int64]:
        """Points on surfaces, all of bodies without one."""
        return np.concatenate([outer_points(body) for body in self.model.bodies]).astype(np.int64)

    def _body(self, index: int, position: Floats, values: Floats | None) -> Shape:
        body, (name, colour) = self.model.bodies[index], body_colours(self.model)[index]
        rest = self.model.rest_position[body.points]
        own = None if values is None else values[body.points]
        return Shape(position[body.points], self._triangles[index], colour, name, self._lines(body), values=own, rest=rest)

    @cached_property
    def _triangles(self) -> list[NDArray[np.int64]]:
        """Of each body, as few as the paper can show, counted from its first point."""
        every = [body.triangles.astype(np.int64) - body.point_begin for body in self.model.bodies]
        total = max(1, sum(map(len, every)))
        return [
            coarsened(self.model.rest_position[body.points], triangles, max(100, TRIANGLES * len(triangles) // total))
            for body, triangles in zip(self.model.bodies, every, strict=True)
        ]

    def _lines(self, body: BodyRange) -> NDArray[np.int64] | None:
        """Links of a body that has no surface."""
        if len(body.triangles):
            return None
        lines = body.links.astype(np.int64) - body.point_begin
        in_a_row = bool((lines[:, 1] - lines[:, 0] == 1).all())
        return coarse_line(body.point_end - body.point_begin, LINES) if in_a_row and len(lines) > LINES else lines

    def _tool(self, poses: ToolPoses, row: int) -> Shape:
        points, triangles = self._surfaces[poses.name]
        shown = placed(poses.tool, points, poses.position[row], float(poses.angle[row]))
        if self.flat:
            shown[:, 2] = self.bodies_bounds[1, 2]
        return Shape(shown, triangles, GREY, poses.name, opacity=VEIL)

    @cached_property
    def _surfaces(self) -> dict[str, tuple[Floats, NDArray[np.int64]]]:
        """In each tool's own coordinates; in a plane, floors are boards seen from their side."""
        depth = 0.03 * float(np.linalg.norm(self.bodies_bounds[1] - self.bodies_bounds[0])) if self.flat else 0.0
        found = {}
        for poses in self.tools:
            points, triangles = shown_surface(poses.tool, self.bodies_bounds, depth=depth)
            found[poses.name] = (points, coarsened(points, triangles.astype(np.int64), TOOL_TRIANGLES))
        return found

    def _tool_points(self) -> list[Floats]:
        """Where tools are in the pictures [m]."""
        return [
            placed(poses.tool, self._surfaces[poses.name][0], poses.position[row], float(poses.angle[row]))
            for poses in self.drawn_tools
            for row in self.positions
        ]


def _waits_unseen(poses: ToolPoses, row: int) -> bool:
    """A tool for the hand that is in the drawer."""
    motion = poses.tool.motion
    return isinstance(motion, ByHand) and not motion.shown and np.array_equal(poses.position[row], poses.tool.origin)
