"""The inside of a surface filled with cells of one size: body-centred cubic tetrahedra, or cubes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from yawara.meshes.cubes import EVEN_CUBE, HEXAHEDRON, ODD_CUBE, cut, grid_cells, numbered
from yawara.meshes.errors import MeshError, count_of
from yawara.meshes.inside import inside
from yawara.meshes.pieces import kept_pieces
from yawara.meshes.rows import Floats, Integers
from yawara.meshes.surface import Surface

FEWEST, MOST = 20, 5_000_000  # cells
ON_PLANE = 1e-4  # of a step: as good as on a plane, in view of files in single precision
BATCH = 2_000_000  # cells that are looked at together: bounds the memory

# The 12 tetrahedra of a cube of the body-centred grid, in half edges from its centre. Its centre and the next one along an axis are
# one long edge, an edge of the face between them the other; the other four edges are short, sqrt(3)/2 of the cube's.
_RING = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
_ALONG_X = np.array([[(0, 0, 0), (2, 0, 0), (1, *_RING[n]), (1, *_RING[(n + 1) % 4])] for n in range(4)])
BCC = np.concatenate([np.roll(_ALONG_X, axis, axis=2) for axis in range(3)])


@dataclass(frozen=True)
class Filling:
    """Cells of one size inside a surface."""

    position: Floats  # [m], (point_count, 3); x runs fastest, then y, then z
    cells: Mapping[str, Integers]  # by meshio type
    tetrahedra: Integers  # (tetrahedron_count, 4), of positive volume; those of a cube follow each other
    cell_edge: float  # [m], of the cubes, or of the cubic cell of the tetrahedra
    notices: tuple[str, ...] = ()  # what was left out, for the user


def fill_bcc(surface: Surface, spacing: float) -> Filling:
    """Tetrahedra, all alike, of volume spacing^3 / 12 and edges `spacing` [m] and sqrt(3)/2 of it, whose centroid is inside."""
    origin, counts = _grid(surface, spacing, cells_per_cube=12)
    origin = _beside_planes(surface, origin, 0.25 * spacing, phase=0.0, aside=0.125 * spacing)
    chosen = []
    for cubes in _layers(counts, 12):
        corners = (2 * cubes[:, None, None, :] + 1 + BCC).reshape(-1, 4, 3)
        chosen.append(corners[inside(surface.position, surface.triangles, origin + corners.mean(axis=1) * (0.5 * spacing))])
    points, cells = _numbered(np.concatenate(chosen), spacing)
    position = origin + points * (0.5 * spacing)
    position, cells, notices = kept_pieces(surface, position, cells, cells, spacing)
    return Filling(position, {"tetra": cells}, cells, spacing, notices)


def fill_lattice(surface: Surface, spacing: float) -> Filling:
    """Cubes of edge `spacing` [m] whose centre is inside, as hexahedra, and cut into 5 tetrahedra each, alternating."""
    origin, counts = _grid(surface, spacing, cells_per_cube=1)
    origin = _beside_planes(surface, origin, spacing, phase=0.5, aside=0.001 * spacing)
    layers = [
        cubes[inside(surface.position, surface.triangles, origin + (cubes + 0.5) * spacing)] for cubes in _layers(counts, 1)
    ]
    cubes = np.concatenate(layers)
    tetrahedra = cut(cubes, EVEN_CUBE, ODD_CUBE).reshape(-1, 5, 4, 3)
    corners = np.concatenate([(cubes[:, None] + HEXAHEDRON), tetrahedra.reshape(-1, 20, 3)], axis=1)
    points, cells = _numbered(corners, spacing)
    position, cells, notices = kept_pieces(surface, origin + points * spacing, cells[:, :8], cells, spacing)
    five = np.ascontiguousarray(cells[:, 8:]).reshape(-1, 4)
    return Filling(position, {"hexahedron": np.ascontiguousarray(cells[:, :8])}, five, spacing, notices)


def _grid(surface: Surface, spacing: float, *, cells_per_cube: int) -> tuple[Floats, tuple[int, ...]]:
    """Lowest corner [m] and numbers of cubes of a grid around the surface, in the middle of it, with a cube to spare on each side.

    A box whose sides are multiples of the spacing is met exactly.
    """
    if not (np.isfinite(spacing) and spacing > 0.0):
        raise MeshError(f"spacing must be > 0 m (got {spacing:g}); change the value")
    diagonal = float(np.linalg.norm(np.ptp(surface.position, axis=0)))
    if not 1e-6 * diagonal < spacing < diagonal:
        raise MeshError(
            f"spacing must be below the surface's size of {diagonal:.3g} m, but not a million times (got {spacing:g} m); change it"
        )
    expected = cells_per_cube * surface.volume / spacing**3
    if expected > MOST:
        least = (cells_per_cube * surface.volume / MOST) ** (1.0 / 3.0)
        raise MeshError(
            f"spacing {spacing:g} m gives about {expected:.3g} cells, more than {MOST:g}; raise spacing to {1.01 * least:.2g} m or more"
        )
    lower, upper = surface.position.min(axis=0), surface.position.max(axis=0)
    counts = np.rint((upper - lower) / spacing).astype(np.int64) + 2
    return (lower + upper) / 2.0 - counts * (0.5 * spacing), tuple(counts.tolist())


def _beside_planes(surface: Surface, origin: Floats, step: float, *, phase: float, aside: float) -> Floats:
    """The grid's origin [m], moved by `aside` [m] along the axes on which a plane face of the surface passes through centres of cells.

    They stand at (n + phase) * step [m] from the origin, and rounding would decide which of them are in. Moved aside, they are in on
    one side of a box and out on the other, and its volume is met.
    """
    corners = surface.position[surface.triangles]
    level = np.ptp(corners, axis=1) < ON_PLANE * step
    place = (corners[:, 0] - origin) / step - phase
    hit = np.any(level & (np.abs(place - np.rint(place)) < ON_PLANE), axis=0)
    return origin - hit * aside


def _layers(counts: tuple[int, ...], cells_per_cube: int) -> Iterator[Integers]:
    """Indices of all cubes of a grid, a batch of layers in z at a time."""
    nx, ny, nz = counts
    step = max(1, BATCH // (nx * ny * cells_per_cube))
    for start in range(0, nz, step):
        yield grid_cells((nx, ny, min(step, nz - start))) + np.array([0, 0, start])


def _numbered(corners: Integers, spacing: float) -> tuple[Integers, Integers]:
    if len(corners) < FEWEST:
        factor = 0.5 * (max(len(corners), 1) / FEWEST) ** (1.0 / 3.0)
        raise MeshError(
            f"only {count_of(len(corners), 'cell')} fit inside at spacing {spacing:g} m, fewer than {FEWEST}; "
            f"lower spacing to {factor * spacing:.2g} m or less"
        )
    points, cells = numbered(corners)
    return points, cells.astype(np.int64)
