"""What the page offers to download. All of it is made here, from what the solver says: nothing that a page sends is a path."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from yawara.live.line import GiveLog
from yawara.live.messages import View
from yawara.live.names import SUFFIX
from yawara.observe.export.glb import GlbMesh, still
from yawara.observe.export.glb_motion import GlbRigid
from yawara.observe.export.ply import ply_of
from yawara.report.colour import PALETTE

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


def _glb(session: "Session") -> bytes:
    """Bodies, and the tool in the hand where it is."""
    view, shapes = _view(session), session.shapes
    meshes = [
        GlbMesh(skin.name, vertices[None], skin.triangles, PALETTE[n % len(PALETTE)])
        for n, (skin, vertices) in enumerate(zip(shapes.bodies, view.vertices, strict=True))
    ]
    tools = [
        GlbRigid(skin.name, skin.vertices, skin.triangles, (0.0,), place[None], Rotation.from_matrix(turned[None]).as_quat())
        for skin, place, turned in zip(shapes.tools, view.tool_positions, view.tool_rotations, strict=True)
        if skin.name in shapes.parts_of(view.tool)
    ]
    return still(meshes, rigid=tools)


def _ply(session: "Session") -> bytes:
    """All bodies in one mesh."""
    vertices = _view(session).vertices
    first = np.cumsum([0, *map(len, vertices)])  # number of each body's first vertex
    triangles = [skin.triangles.astype(np.int64) + begin for skin, begin in zip(session.shapes.bodies, first, strict=False)]
    return ply_of(np.concatenate(vertices), np.concatenate(triangles))


def _csv(session: "Session") -> bytes:
    text = session.ask(GiveLog())
    if text is None:
        raise ValueError("the solver does not answer; try again")
    return text.encode()


def _recording(session: "Session") -> bytes:
    recording = session.recording()
    if recording is None:
        raise ValueError("the solver does not answer; try again")
    return recording.text().encode()


EXPORTS = {
    "glb": Export("glb", _glb),
    "ply": Export("ply", _ply),
    "csv": Export("csv", _csv),
    "recording": Export(SUFFIX.removeprefix("."), _recording),
}
