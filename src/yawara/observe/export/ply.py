"""PLY: one surface at one time, for mesh tools and printing."""

import os

from numpy.typing import ArrayLike

from yawara.files import write_bytes
from yawara.observe.export.arrays import checked_indices, checked_positions


def write_ply(path: str | os.PathLike[str], position: ArrayLike, triangles: ArrayLike) -> None:
    """Write a binary PLY of points [m] and triangles, whole or not at all."""
    write_bytes(path, ply_of(position, triangles))


def ply_of(position: ArrayLike, triangles: ArrayLike) -> bytes:
    """The file's content; every point is kept in its place, in single precision."""
    import trimesh
    from trimesh.exchange.ply import export_ply

    points = checked_positions("position", position)
    faces = checked_indices("triangles", triangles, columns=3, point_count=len(points))
    # process=False: equal points would be merged and the numbering lost
    mesh = trimesh.Trimesh(points, faces, process=False, validate=False)
    return bytes(export_ply(mesh, encoding="binary", vertex_normal=False))
