"""What every body shape comes down to: points, links, shares of volume, a surface, cells."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from yawara.kernels.kinds import Floats
from yawara.meshes.cubes import EVEN_CUBE
from yawara.meshes.facets import cell_sizes

Integers = NDArray[np.int64]


# Names of faces: (axis, -1 for the lowest points along it or +1 for the highest), of bodies with volume and of flat ones
BOX_FACES = {"bottom": (2, -1), "top": (2, 1), "left": (0, -1), "right": (0, 1), "front": (1, -1), "back": (1, 1)}
FLAT_FACES = {"bottom": (1, -1), "top": (1, 1), "left": (0, -1), "right": (0, 1)}


@dataclass(frozen=True)
class EmbeddedNodes:
    """Nodes without mass at weighted means of others, their hosts; numbered after the body's own points, kind after kind."""

    host: Integers  # (node_count, hosts of each), among the body's own points
    weight: Floats  # the same shape, each row sums to 1


@dataclass(frozen=True)
class Geometry:
    """A body in its natural state, in its own point numbering."""

    position: Floats  # [m], (point_count, 3), of the points with mass
    links: Integers  # (link_count, 2), start < end; embedded nodes may be among them
    share: Floats  # [m^3], (point_count,): the volume each point stands for; their sum is the body's volume
    triangles: Integers  # surface, outward (3-D), or all triangles (2-D), (triangle_count, 3)
    cells: Mapping[str, Integers]  # by meshio type
    dimension: int
    up: int  # axis of the body's height
    rest_size: float  # [m], [m^2] or [m^3]
    faces: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # name -> (axis, -1 or +1)
    elements: Integers = field(default_factory=lambda: np.zeros((0, 4), np.int64))  # tetrahedra, or triangles (2-D), positive
    embedded: tuple[EmbeddedNodes, ...] = ()
    link_factor: Floats | None = None  # (link_count,): coefficients over those of the law, if not all 1
    tied: Integers = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # (tied node, embedded node it is tied to)
    closed: Integers | None = None  # triangles that enclose the volume, if the surface that is seen has seams
    thickness: float = 1.0  # [m], of flat bodies; what turns a pressure into a force per length
    face_depth: float = 0.0  # [m] points this close to the outermost one belong to a face of a body without flat ones
    cubes: Integers = field(
        default_factory=lambda: np.zeros((0, 8), np.int64)
    )  # that several cells make up, and are even only together
    squares: Integers = field(default_factory=lambda: np.zeros((0, 4), np.int64))  # of a flat grid, however its cells are cut
    notices: tuple[str, ...] = ()  # what the user should know of how it was made

    @cached_property
    def all_positions(self) -> Floats:
        """[m], with the embedded nodes."""
        embedded = [np.einsum("nk,nkx->nx", one.weight, self.position[one.host]) for one in self.embedded]
        return np.concatenate([self.position, *embedded])

    @cached_property
    def rest_lengths(self) -> Floats:
        """[m], (link_count,): from neighbour to neighbour."""
        start, end = np.swapaxes(self.all_positions[self.links], 0, 1)
        lengths: Floats = np.linalg.norm(end - start, axis=1)
        return lengths


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


def five_tetrahedra(counts: tuple[int, int, int]) -> Integers:
    """Every grid cube cut into five, alternating, so that neighbours share their diagonals."""
    corners = corner_points(counts)
    nx, ny, nz = (count - 1 for count in counts)
    k, j, i = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    odd = ((i + j + k) % 2 == 1).ravel()
    x, y, z = np.moveaxis(EVEN_CUBE, 2, 0)
    even_cells = corners[:, x, y, z]
    odd_cells = corners[:, 1 - x, y, z][:, :, [1, 0, 2, 3]]
    return np.where(odd[:, None, None], odd_cells, even_cells).reshape(-1, 4)


def outline(triangles: Integers) -> Integers:
    """Edges that belong to one triangle only, (edge_count, 2), with the body on their left."""
    edges = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    _, index, count = np.unique(np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True)
    return edges[np.sort(index[count == 1])]


def heights(position: Floats, cells: Integers) -> Floats:
    """Of every corner over the opposite side [m], (cell_count, corners)."""
    content, corners = cell_sizes(position, cells), cells.shape[1]
    result = np.empty(cells.shape)
    for i in range(corners):
        side = [position[cells[:, j]] for j in range(corners) if j != i]
        if corners == 3:
            result[:, i] = 2.0 * content / np.linalg.norm(side[1] - side[0], axis=1)
        else:
            result[:, i] = 6.0 * content / np.linalg.norm(np.cross(side[1] - side[0], side[2] - side[0]), axis=1)
    return result
