"""What every body shape comes down to: points, links, shares of volume, a surface, cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from yawara.model import Floats

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Geometry:
    """A body in its natural state, in its own point numbering."""

    position: Floats  # [m], (point_count, 3)
    links: Integers  # (link_count, 2), start < end
    share: Floats  # [m^3], (point_count,): the volume each point stands for; their sum is the body's volume
    triangles: Integers  # surface, outward (3-D), or all triangles (2-D), (triangle_count, 3)
    cells: Mapping[str, Integers]  # by meshio type
    dimension: int
    up: int  # axis of the body's height
    rest_size: float  # [m], [m^2] or [m^3]
    faces: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # name -> (axis, -1 or +1)


def grid(counts: tuple[int, ...], spacing: tuple[float, ...]) -> Floats:
    """Points of a regular grid, x running fastest, padded with zeros to three coordinates."""
    nx, ny, nz = (*counts, 1, 1)[:3]
    i, j, k = np.meshgrid(np.arange(nx), np.arange(ny), np.arange(nz), indexing="ij")
    index = np.stack([axis.transpose(2, 1, 0).ravel() for axis in (i, j, k)], axis=1)
    return index * np.array((*spacing, 0.0, 0.0)[:3])


def grid_links(counts: tuple[int, int, int], offset: tuple[int, int, int], *, even_only: bool = False) -> Integers:
    """Links from every grid point to the one `offset` cells away; `even_only`: from points of even index sum."""
    nx, ny, _ = counts
    ranges = [np.arange(max(0, -step), count - max(0, step)) for step, count in zip(offset, counts, strict=True)]
    k, j, i = np.meshgrid(ranges[2], ranges[1], ranges[0], indexing="ij")
    start = ((k * ny + j) * nx + i).ravel()
    if even_only:
        start = start[((i + j + k) % 2 == 0).ravel()]
    return np.stack([start, start + (offset[2] * ny + offset[1]) * nx + offset[0]], axis=1)


def corner_points(counts: tuple[int, int, int]) -> Integers:
    """The 8 corner points of every grid cell, (cell_count, 2, 2, 2) with axes x, y, z; cells run like points."""
    nx, ny, nz = counts
    k, j, i = np.meshgrid(np.arange(nz - 1), np.arange(ny - 1), np.arange(nx - 1), indexing="ij")
    base = ((k * ny + j) * nx + i).ravel()
    a, b, c = np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij")
    return base[:, None, None, None] + (c * ny + b) * nx + a


def volume_shares(point_count: int, cells: Integers, volume: Floats) -> Floats:
    """Each cell's volume in equal parts to its corners."""
    corners = cells.shape[1]
    return np.bincount(cells.ravel(), np.repeat(volume / corners, corners), minlength=point_count).astype(np.float64)


def boundary_faces(tetrahedra: Integers) -> Integers:
    """Triangles that belong to one tetrahedron only, outward, for tetrahedra of positive volume."""
    faces = np.concatenate([tetrahedra[:, corners] for corners in ([1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1])])
    _, index, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return faces[np.sort(index[count == 1])]
