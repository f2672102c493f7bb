"""PLY: one surface at one time, for mesh tools and printing."""

import os
from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from yawara.files import write_bytes
from yawara.observe.export.arrays import checked_indices, checked_positions, checked_values


def write_ply(
    path: str | os.PathLike[str],
    position: ArrayLike,
    triangles: ArrayLike,
    *,
    point_data: Mapping[str, ArrayLike] | None = None,
) -> None:
    """Write a binary PLY of points [m], triangles and numbers per point, whole or not at all."""
    write_bytes(path, ply_of(position, triangles, point_data=point_data))


def ply_of(position: ArrayLike, triangles: ArrayLike, *, point_data: Mapping[str, ArrayLike] | None = None) -> bytes:
    """The file's content; every point is kept in its place, in single precision. Numbers are properties of vertices by name."""
    import trimesh
    from trimesh.exchange.ply import export_ply

    points = checked_positions("position", position)
    faces = checked_indices("triangles", triangles, columns=3, point_count=len(points))
    # process=False: equal points would be merged and the numbering lost
    mesh = trimesh.Trimesh(points, faces, process=False, validate=False)
    for name, values in (point_data or {}).items():
        mesh.vertex_attributes[name] = checked_values(f"point_data['{name}']", values, point_count=len(points)).astype(np.float32)
    return bytes(export_ply(mesh, encoding="binary", vertex_normal=False))
