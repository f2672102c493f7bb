"""What the page shows of a live scene: surfaces, where they are now, and how they are coloured."""

import numpy as np

from yawara.frame import Frame
from yawara.live.drawer import hand_tools
from yawara.live.live import Live
from yawara.live.messages import Shapes, Skin
from yawara.model import BodyRange, Floats
from yawara.report.camera import bounds_of
from yawara.scene.tools.shown import shown_surface
from yawara.scene.tools.tool import rotation_matrix

FLOOR = 3.0


def shapes_of(live: Live) -> Shapes:
    model = live.compiled.model
    bodies = bounds_of(model.rest_position[: model.bodies[-1].point_end])
    bodies = bodies.mean(axis=0) + FLOOR * (bodies - bodies.mean(axis=0))  # a floor reaches further than what lies on it
    tools = [Skin(name, *_plain(*shown_surface(tool, bodies))) for name, tool in live.scene.tool.items()]
    return Shapes(
        tuple(Skin(body.name, *_plain(model.rest_position[used_points(body)], own_triangles(body))) for body in model.bodies),
        tuple(tools),
        tuple(hand_tools(live.scene)),
        hand_tools(live.scene),
    )


def _plain(points: Floats, triangles: np.ndarray) -> tuple[Floats, np.ndarray]:
    return np.array(points, float), np.array(triangles, np.uint32)


def used_points(body: BodyRange) -> np.ndarray:
    """Points of the model on the body's surface; all of a body without one."""
    return np.unique(body.triangles) if len(body.triangles) else np.arange(body.point_begin, body.point_end)


def own_triangles(body: BodyRange) -> np.ndarray:
    """The surface in the numbers of `used_points`."""
    return np.unique(body.triangles, return_inverse=True)[1].reshape(-1, 3)


class Colouring:
    """Numbers on surface points, each the mean over the links that meet there."""

    def __init__(self, live: Live) -> None:
        model, self.parts = live.compiled.model, []
        for body in model.bodies:
            points = used_points(body)
            number = np.full(model.point_count, -1)
            number[points] = np.arange(len(points))
            ends = number[body.links]
            rest = np.linalg.norm(np.diff(model.rest_position[body.links], axis=1)[:, 0], axis=1)
            meeting = np.bincount(ends[ends >= 0], minlength=len(points))
            self.parts.append((body, ends, rest, np.maximum(meeting, 1)))

    def values(self, what: str, frame: Frame, live: Live) -> list[Floats]:
        """Of each body, (vertex_count,)."""
        found = []
        for body, ends, rest, meeting in self.parts:
            flow = frame.state.memory[body.memory_index[:, 0]] if body.memory_index.shape[1] == 1 else np.zeros(len(rest))
            if what == "residual strain":
                on_links = np.abs(flow) / rest
            else:
                ends_now = frame.state.position[body.links]
                length = np.linalg.norm(ends_now[:, 1] - ends_now[:, 0], axis=1)
                material = live.scene.body[body.name].material
                modulus = getattr(material, "youngs", 1.0)
                on_links = modulus * np.abs(length - rest - flow) / rest
            total = np.zeros(len(meeting))
            for side in (0, 1):
                inside = ends[:, side] >= 0
                total += np.bincount(ends[inside, side], on_links[inside], len(meeting))
            found.append(total / meeting)
        return found


def tool_places(live: Live) -> tuple[Floats, Floats]:
    """Positions [m], (tool_count, 3), and rotations (tool_count, 3, 3)."""
    tools = live.scene.tool
    points = live.state.points[live.compiled.model.point_count - len(tools) :]
    turned = [
        tool.matrix() @ rotation_matrix(tuple((float(point[3]) * tool.axis).tolist()))
        for tool, point in zip(tools.values(), points, strict=True)
    ]
    return points[:, :3].copy(), np.array(turned).reshape(-1, 3, 3)
