"""GLB: surfaces that move, or stand still, in one glTF 2.0 file, which browsers, Blender and slides show.

The only writer of this format in the package: films of runs, surfaces that the page colours, and what it offers to download.

The first key frame is the mesh, every later one a morph target; the weights pass linearly from one target to the next, so the
film shows the key frames exactly and straight lines between them. Tools are meshes on nodes that move.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yawara.files import write_bytes
from yawara.observe.export.arrays import checked_indices, checked_positions
from yawara.observe.export.glb_buffer import INDICES, VERTICES, Buffer
from yawara.observe.export.glb_material import add_colours, material
from yawara.observe.export.glb_motion import GlbRigid, add_motion, rigid_mesh, rigid_node
from yawara.observe.export.normals import vertex_normals

_LINES, _TRIANGLES = 1, 4  # primitive.mode
_Z_TO_Y_UP = [-(0.5**0.5), 0.0, 0.0, 0.5**0.5]  # quaternion x y z w: a quarter turn about x


@dataclass(frozen=True)
class GlbMesh:
    """One body over time."""

    name: str
    frames: ArrayLike  # [m], (frame_count, point_count, 3), z up
    triangles: ArrayLike  # (triangle_count, 3), outward
    colour: str = "#0072B2"
    colours: ArrayLike | None = None  # sRGB and alpha per point, uint8, (point_count, 4); replaces `colour`
    lines: ArrayLike | None = None  # (line_count, 2), for 1-D bodies
    roughness: float = 0.75  # 0 mirrors, 1 is matt
    both_sides: bool = True  # whether triangles can be seen from within


def write_glb(
    path: str | os.PathLike[str],
    times: ArrayLike,
    meshes: Sequence[GlbMesh],
    *,
    rigid: Sequence[GlbRigid] = (),
    max_frames: int = 60,
) -> None:
    """Write bodies over `times` [s], (frame_count,), as `film` makes it; the file is there whole or not at all."""
    write_bytes(path, film(times, meshes, rigid=rigid, max_frames=max_frames))


def still(meshes: Sequence[GlbMesh], *, rigid: Sequence[GlbRigid] = (), y_up: bool = True) -> bytes:
    """The file's content of bodies that have one frame each, and of tools where they are."""
    return film((0.0,), meshes, rigid=rigid, y_up=y_up)


def film(
    times: ArrayLike,
    meshes: Sequence[GlbMesh],
    *,
    rigid: Sequence[GlbRigid] = (),
    max_frames: int = 60,
    y_up: bool = True,
) -> bytes:
    """The file's content of bodies over `times` [s], (frame_count,): at most `max_frames` key frames, evenly picked.

    First and last frame are always among them. Positions are in single precision; playing starts at the first time. What is `rigid`
    has times of its own. In glTF y is up, so all is turned; not so with `y_up=False`, for viewers that take z.
    """
    keys = key_frames(np.size(times), max_frames)
    key_times = _key_times(times, keys)
    buffer = Buffer()
    gltf_meshes = [_mesh(buffer, mesh, keys, key_times, index) for index, mesh in enumerate(meshes)]
    gltf_meshes += [rigid_mesh(buffer, tool, len(meshes) + index) for index, tool in enumerate(rigid)]
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "yawara"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": _nodes(meshes, rigid, y_up=y_up),
        "meshes": gltf_meshes,
        "materials": [*map(_material, meshes), *(material(tool.name, tool.colour) for tool in rigid)],
    }
    if len(keys) > 1:
        animation = _animation(buffer, key_times, len(meshes))
        for index, tool in enumerate(rigid, start=1 + len(meshes)):
            add_motion(buffer, tool, index, float(np.ravel(np.asarray(times, float))[0]), animation)
        document["animations"] = [animation]
    return buffer.container(document)


def key_frames(frame_count: int, max_frames: int) -> NDArray[np.int64]:
    """Indices of at most `max_frames` frames, evenly spaced, with the first and the last."""
    if frame_count < 1:
        raise ValueError("times must hold at least one time in s (got none); record a frame first")
    if max_frames < 2:
        raise ValueError(f"max_frames must be >= 2 (got {max_frames}); the first and the last frame are always written")
    return np.unique(np.linspace(0, frame_count - 1, min(frame_count, max_frames)).round().astype(np.int64))


def _key_times(times: ArrayLike, keys: NDArray[np.int64]) -> NDArray[np.float32]:
    picked = np.asarray(times, np.float64).ravel()[keys]
    shifted: NDArray[np.float32] = (picked - picked[0]).astype(np.float32)
    if not (np.isfinite(shifted).all() and (np.diff(shifted) > 0).all()):
        raise ValueError(
            f"times must be finite and increasing in s (got {picked[:4]}...); sort the frames and drop repeated ones"
        )
    return shifted


def _nodes(meshes: Sequence[GlbMesh], rigid: Sequence[GlbRigid], *, y_up: bool) -> list[dict[str, Any]]:
    if not meshes:
        raise ValueError("meshes must hold at least one GlbMesh (got none); name a body to export")
    root: dict[str, Any] = {"name": "z up", "children": list(range(1, len(meshes) + len(rigid) + 1))}
    if y_up:
        root["rotation"] = _Z_TO_Y_UP
    bodies = [{"name": mesh.name, "mesh": index} for index, mesh in enumerate(meshes)]
    return [root, *bodies, *(rigid_node(tool, index) for index, tool in enumerate(rigid, start=len(meshes)))]


def _material(mesh: GlbMesh) -> dict[str, Any]:
    return material(mesh.name, mesh.colour, mesh.colours, roughness=mesh.roughness, both_sides=mesh.both_sides)


def _mesh(buffer: Buffer, mesh: GlbMesh, keys: NDArray[np.int64], key_times: NDArray[np.float32], index: int) -> dict[str, Any]:
    frames = _frames(mesh, keys)
    triangles = checked_indices(f"'{mesh.name}' triangles", mesh.triangles, columns=3, point_count=frames.shape[1])
    lines = checked_indices(
        f"'{mesh.name}' lines", () if mesh.lines is None else mesh.lines, columns=2, point_count=frames.shape[1]
    )
    if not len(triangles) + len(lines):
        raise ValueError(f"'{mesh.name}' must have triangles or lines (got neither); leave the body out")
    position = _morphs(buffer, frames)
    colour = {} if mesh.colours is None else {"COLOR_0": add_colours(buffer, mesh.name, mesh.colours, frames.shape[1])}
    primitives = []
    if len(triangles):
        normal = _morphs(buffer, np.array([vertex_normals(frame, triangles) for frame in frames]))
        primitives.append(_primitive(buffer, _TRIANGLES, triangles, {"POSITION": position, "NORMAL": normal}, colour, index))
    if len(lines):
        primitives.append(_primitive(buffer, _LINES, lines, {"POSITION": position}, colour, index))
    result: dict[str, Any] = {"name": mesh.name, "primitives": primitives}
    if len(keys) > 1:
        result["weights"] = [0.0] * (len(keys) - 1)
        result["extras"] = {"targetNames": [f"+{time:.6g} s" for time in key_times[1:]]}  # Blender shows these
    return result


def _frames(mesh: GlbMesh, keys: NDArray[np.int64]) -> NDArray[np.float64]:
    given = np.asarray(mesh.frames)
    if given.ndim != 3 or len(given) != keys[-1] + 1:
        raise ValueError(f"'{mesh.name}' frames must be ({keys[-1] + 1}, point_count, 3) (got {given.shape}); one frame per time")
    return checked_positions(f"'{mesh.name}' frames", given[keys], dimensions=3)


def _morphs(buffer: Buffer, frames: NDArray[np.float64]) -> list[int]:
    """Accessors of the first frame and of the differences of all others from it."""
    base = frames[0].astype(np.float32)
    # Differences from the rounded base, so that base + difference is within one rounding of the frame
    return [buffer.add(base, target=VERTICES)] + [
        buffer.add((frame - base.astype(np.float64)).astype(np.float32), target=VERTICES) for frame in frames[1:]
    ]


def _primitive(
    buffer: Buffer, mode: int, indices: NDArray[np.int64], morphs: dict[str, list[int]], colour: dict[str, int], index: int
) -> dict[str, Any]:
    target_count = len(morphs["POSITION"]) - 1
    targets = [{name: accessors[1 + k] for name, accessors in morphs.items()} for k in range(target_count)]
    result: dict[str, Any] = {
        "mode": mode,
        "attributes": {name: accessors[0] for name, accessors in morphs.items()} | colour,
        "indices": buffer.add(indices.astype(np.uint32).ravel(), target=INDICES),
        "material": index,
    }
    return result | ({"targets": targets} if targets else {})


def _animation(buffer: Buffer, key_times: NDArray[np.float32], mesh_count: int) -> dict[str, Any]:
    """One sampler for all bodies: at key k the weight of target k is one, at key 0 none is."""
    weights = np.eye(len(key_times), dtype=np.float32)[:, 1:]
    sampler = {"input": buffer.add(key_times), "interpolation": "LINEAR", "output": buffer.add(weights.ravel())}
    channels = [{"sampler": 0, "target": {"node": 1 + index, "path": "weights"}} for index in range(mesh_count)]
    return {"name": "motion", "samplers": [sampler], "channels": channels}
