"""What the page offers to download. All of it is made here, from what the solver says: nothing that a page sends is a path."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import trimesh

from yawara.live.messages import View
from yawara.live.names import SUFFIX
from yawara.model import Floats

if TYPE_CHECKING:
    from yawara.live.session import Session


@dataclass(frozen=True)
class Export:
    suffix: str
    make: Callable[["Session"], bytes]


def _view(session: "Session") -> View:
    view = session.latest()
    if view is None:
        raise ValueError("there is nothing to export yet; wait until the body is shown")
    return view


def _mesh(vertices: Floats, triangles: np.ndarray) -> Any:
    return trimesh.Trimesh(vertices, triangles.astype(np.int64), process=False)


def _written(geometry: Any, kind: str) -> bytes:
    return bytes(geometry.export(file_type=kind))


def _glb(session: "Session") -> bytes:
    """Bodies, and the tool in the hand where it is."""
    view, shapes, scene = _view(session), session.shapes, trimesh.Scene()
    for skin, vertices in zip(shapes.bodies, view.vertices, strict=True):
        scene.add_geometry(_mesh(vertices, skin.triangles), geom_name=skin.name, node_name=skin.name)
    for n, skin in enumerate(shapes.tools):
        if skin.name in shapes.parts_of(view.tool):
            placed = view.tool_positions[n] + skin.vertices @ view.tool_rotations[n].T
            scene.add_geometry(_mesh(placed, skin.triangles), geom_name=skin.name, node_name=skin.name)
    return _written(scene, "glb")


def _ply(session: "Session") -> bytes:
    """All bodies in one mesh."""
    view = _view(session)
    meshes = [_mesh(vertices, skin.triangles) for skin, vertices in zip(session.shapes.bodies, view.vertices, strict=True)]
    return _written(trimesh.util.concatenate(meshes), "ply")


def _csv(session: "Session") -> bytes:
    text = session.ask("csv")
    if text is None:
        raise ValueError("the solver does not answer; try again")
    return str(text).encode()


def _recording(session: "Session") -> bytes:
    recording = session.recording()
    if recording is None:
        raise ValueError("the solver does not answer; try again")
    return str(recording.text()).encode()


EXPORTS = {
    "glb": Export("glb", _glb),
    "ply": Export("ply", _ply),
    "csv": Export("csv", _csv),
    "recording": Export(SUFFIX.removeprefix("."), _recording),
}
