"""Rigid things in a glTF file: a mesh that does not change, on a node that moves and turns.

Turning cannot be left to morph targets: halfway between two key frames a roller would be thinner than it is.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from yawara.observe.export.arrays import checked_indices, checked_positions
from yawara.observe.export.glb_buffer import INDICES, VERTICES, Buffer

_TRIANGLES = 4  # primitive.mode


@dataclass(frozen=True)
class GlbRigid:
    """One tool over time."""

    name: str
    points: ArrayLike  # [m], (point_count, 3), in its own coordinates
    triangles: ArrayLike  # (triangle_count, 3), outward
    times: ArrayLike  # [s], (pose_count,), increasing; one of them if it stays
    position: ArrayLike  # [m], (pose_count, 3), z up
    rotation: ArrayLike  # quaternions x y z w, (pose_count, 4)
    colour: str = "#8A929B"


def rigid_mesh(buffer: Buffer, rigid: GlbRigid, material: int) -> dict[str, Any]:
    """Without normals: viewers then shade each triangle by itself, which keeps the edges of plates sharp."""
    points = checked_positions(f"'{rigid.name}' points", rigid.points)
    triangles = checked_indices(f"'{rigid.name}' triangles", rigid.triangles, columns=3, point_count=len(points))
    if not len(triangles):
        raise ValueError(f"'{rigid.name}' must have triangles (got none); leave the tool out")
    primitive = {
        "mode": _TRIANGLES,
        "attributes": {"POSITION": buffer.add(points.astype(np.float32), target=VERTICES)},
        "indices": buffer.add(triangles.astype(np.uint32).ravel(), target=INDICES),
        "material": material,
    }
    return {"name": rigid.name, "primitives": [primitive]}


def rigid_node(rigid: GlbRigid, mesh: int) -> dict[str, Any]:
    """Where it is at first."""
    position, rotation = _poses(rigid)
    return {"name": rigid.name, "mesh": mesh, "translation": position[0].tolist(), "rotation": rotation[0].tolist()}


def add_motion(buffer: Buffer, rigid: GlbRigid, node: int, begin: float, animation: dict[str, list[Any]]) -> None:
    """Samplers and channels of what changes, counted from a time [s]."""
    times = (np.asarray(rigid.times, float) - begin).astype(np.float32)
    kept = np.flatnonzero(np.diff(times, prepend=np.float32(-np.inf)) > 0.0)
    for path, values in zip(("translation", "rotation"), _poses(rigid), strict=True):
        if len(kept) > 1 and np.ptp(values, axis=0).any():
            output = buffer.add(values[kept])
            animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}})
            animation["samplers"].append({"input": buffer.add(times[kept]), "interpolation": "LINEAR", "output": output})


def _poses(rigid: GlbRigid) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Positions and unit quaternions, in single precision."""
    position = checked_positions(f"'{rigid.name}' position", rigid.position)
    rotation = np.asarray(rigid.rotation, float)
    if not len(position) == len(rotation) == np.size(rigid.times):
        raise ValueError(
            f"'{rigid.name}' must have as many positions and rotations as times "
            f"(got {len(position)}, {len(rotation)} and {np.size(rigid.times)}); give one of each"
        )
    return position.astype(np.float32), (rotation / np.linalg.norm(rotation, axis=1, keepdims=True)).astype(np.float32)
