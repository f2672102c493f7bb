"""What the page shows of a live scene: surfaces, where they are now, and how they are coloured."""

import numpy as np

from yawara.core.model import BodyRange, Model
from yawara.core.state import State
from yawara.kernels.kinds import Floats
from yawara.live.drawer import hand_tools
from yawara.live.live import Live
from yawara.live.messages import Shapes, Skin
from yawara.methods.fields import fields_of
from yawara.observe.measure import outer_points
from yawara.report.camera import bounds_of
from yawara.scene.tools.motion import ByHand
from yawara.scene.tools.shown import shown_surface
from yawara.scene.tools.tool import rotation_matrix

FLOOR = 3.0
BEAD = ((1.0, 0, 0), (-1.0, 0, 0), (0, 1.0, 0), (0, -1.0, 0), (0, 0, 1.0), (0, 0, -1.0))
BEAD_FACES = ((0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5))


def shapes_of(live: Live) -> Shapes:
    model = live.compiled.model
    bodies = bounds_of(model.rest_position[: model.bodies[-1].point_end])
    bodies = bodies.mean(axis=0) + FLOOR * (bodies - bodies.mean(axis=0))  # a floor reaches further than what lies on it
    tools = [Skin(name, *_plain(*shown_surface(tool, bodies))) for name, tool in live.scene.tool.items()]
    return Shapes(
        tuple(
            Skin(body.name, *_plain(Surface(body, model).vertices(model.rest_position), own_triangles(body)))
            for body in model.bodies
        ),
        tuple(tools),
        tuple(hand_tools(live.scene)),
        hand_tools(live.scene),
        tuple(name for name, tool in live.scene.tool.items() if isinstance(tool.motion, ByHand) and not tool.motion.shown),
    )


def _plain(points: Floats, triangles: np.ndarray) -> tuple[Floats, np.ndarray]:
    return np.array(points, float), np.array(triangles, np.uint32)


def own_triangles(body: BodyRange) -> np.ndarray:
    """The surface in the numbers of its vertices; a body without one is shown as a string of beads."""
    if len(body.triangles):
        return np.unique(body.triangles, return_inverse=True)[1].reshape(-1, 3)
    points = np.arange(body.point_end - body.point_begin)
    return (len(BEAD) * points[:, None, None] + np.array(BEAD_FACES)).reshape(-1, 3)


class Surface:
    """Where the vertices of a body's skin are, from where its points are."""

    def __init__(self, body: BodyRange, model: Model) -> None:
        self._points, self._bead = outer_points(body), np.zeros((0, 3))
        if not len(body.triangles):
            ends = model.rest_position[body.links]
            self._bead = 0.45 * float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean()) * np.array(BEAD)

    def vertices(self, position: Floats) -> Floats:
        """[m], (vertex_count, 3)"""
        places = position[self._points]
        return (places[:, None] + self._bead).reshape(-1, 3) if len(self._bead) else places

    def values(self, of_points: Floats) -> Floats:
        """(vertex_count,)"""
        return np.repeat(of_points, max(1, len(self._bead)))


class Colouring:
    """Numbers on surface points: a field of the model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._surfaces = [(outer_points(body), Surface(body, model)) for body in model.bodies]

    def values(self, what: str, state: State) -> list[Floats]:
        """Of each body, (vertex_count,)."""
        found = fields_of(self.model).of(what, state).values
        return [surface.values(found[points]) for points, surface in self._surfaces]


def tool_places(live: Live) -> tuple[Floats, Floats]:
    """Positions [m], (tool_count, 3), and rotations (tool_count, 3, 3)."""
    tools = live.scene.tool
    points = live.state.points[live.compiled.model.point_count - len(tools) :]
    turned = [
        tool.matrix() @ rotation_matrix(tuple((float(point[3]) * tool.axis).tolist()))
        for tool, point in zip(tools.values(), points, strict=True)
    ]
    return points[:, :3].copy(), np.array(turned).reshape(-1, 3, 3)
