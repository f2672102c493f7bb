"""A mesh of tetrahedra, or of triangles in the x-y plane, read from a file and repaired, or refused with the reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from yawara.meshes.errors import MeshError, count_of, place_of
from yawara.meshes.facets import all_facets, boundary_facets, cell_sizes, crowded_facets, swapped
from yawara.meshes.foreign import UnreadableError, read_foreign
from yawara.meshes.rows import Booleans, Floats, Integers, diagonal, grouped, merged_points, used_points
from yawara.meshes.size import check_coordinates, check_size

MERGE = 1e-9  # of the diagonal: points nearer than this are one
FLAT = 1e-9  # of the longest edge^3 (or ^2): a cell of less volume (or area) is none
CORNERS = {"tetra": 4, "tetra10": 4, "triangle": 3, "triangle6": 3, "triangle7": 3}  # kinds we read, and their corners
LEVEL = 1e-9  # of the diagonal: how much z may vary in a planar mesh
SOLID = ("tetra", "hexahedron", "wedge", "pyramid", "polyhedron", "VTK_LAGRANGE_TETRAHEDRON", "VTK_LAGRANGE_HEXAHEDRON")
FLAT_KINDS = ("triangle", "quad", "polygon", "VTK_LAGRANGE_TRIANGLE", "VTK_LAGRANGE_QUADRILATERAL")


@dataclass(frozen=True)
class Cells:
    """Cells of positive size; in 2-D they lie in the plane z = 0 and their normals point along +z."""

    position: Floats  # [m], (point_count, 3)
    cells: Integers  # tetrahedra (cell_count, 4), or triangles (cell_count, 3)
    triangles: Integers  # surface of the tetrahedra, outward, or all triangles, (triangle_count, 3)
    notices: tuple[str, ...] = ()  # what was repaired, for the user

    @property
    def dimension(self) -> int:
        return self.cells.shape[1] - 1

    @property
    def size(self) -> float:
        """[m^3], or [m^2] in 2-D"""
        return float(cell_sizes(self.position, self.cells).sum())


def read_cells(path: str | Path, scale: float = 1.0) -> Cells:
    """The cells in a file that meshio reads (.msh, .vtk, .vtu, .xdmf, .inp, ...); `scale` is the file's unit of length [m]."""
    path = Path(path)
    position, blocks = _loaded(path)
    try:
        cells, notices = _chosen(blocks)
        clean = clean_cells(position * scale, cells)
        size_notices = check_size(clean.position, "the mesh")
    except MeshError as error:
        raise MeshError(f"{path.name}: {error}") from None
    return Cells(clean.position, clean.cells, clean.triangles, (*notices, *size_notices, *clean.notices))


def _loaded(path: Path) -> tuple[Floats, dict[str, Integers]]:
    if not path.is_file():
        raise MeshError(f"{path}: there is no such file; check the path")
    try:
        found = read_foreign("cells", path)
    except UnreadableError as error:
        raise MeshError(f"{path.name}: cannot be read as a mesh ({error}); check that it is whole and its ending right") from None
    blocks = {name.removeprefix("cells "): data.astype(np.int64) for name, data in found.items() if name != "points"}
    return found["points"], blocks


def _chosen(blocks: Mapping[str, Integers]) -> tuple[Integers, list[str]]:
    """The tetrahedra, or else the triangles, as corners, and what to tell about the rest."""
    base = next((base for base in ("tetra", "triangle") if any(kind in CORNERS and kind.startswith(base) for kind in blocks)), "")
    foreign = SOLID if base != "triangle" else (*SOLID, *FLAT_KINDS)
    taken = [kind for kind in blocks if base and kind in CORNERS and kind.startswith(base)]
    strange = [kind for kind in blocks if kind not in taken and kind.startswith(foreign)]
    if not taken or strange:
        found = ", ".join(f"{len(data)} {kind}" for kind, data in blocks.items()) or "no cells"
        raise MeshError(
            f"a mesh must be of tetrahedra, or of triangles in the x-y plane (got {found}); mesh the body with these only"
        )
    notices = [
        f"{len(blocks[kind])} {kind} cells of higher order taken by their corners."
        for kind in taken
        if kind not in ("tetra", "triangle")
    ]
    ignored = [f"{len(data)} {kind}" for kind, data in blocks.items() if kind not in taken]
    if ignored:
        notices.append(f"Cells of other kinds ignored: {', '.join(ignored)}.")
    return np.concatenate([blocks[kind][:, : CORNERS[kind]] for kind in taken]).astype(np.int64), notices


def clean_cells(position: Floats, cells: Integers) -> Cells:
    """Points [m] and tetrahedra (m, 4) or triangles (m, 3), with copies merged, useless cells dropped, all cells positive."""
    position, cells = _checked(position, cells)
    notices: list[str] = []
    if cells.shape[1] == 3:
        position = _levelled(position, notices)
    cells = merged_points(position, MERGE * diagonal(position))[cells]
    full = _full(position, cells)
    if not full.any():
        raise MeshError(f"none of the {len(cells)} cells has a size; check the file and its unit")
    if flat := int(np.count_nonzero(~full)):
        notices.append(f"{count_of(flat, 'cell')} without {'volume' if cells.shape[1] == 4 else 'area'} dropped.")
    cells = cells[full]
    first = np.sort(grouped(np.sort(cells, axis=1))[0])
    if copies := len(cells) - len(first):
        notices.append(f"{count_of(copies, 'copy', 'copies')} of cells dropped.")
    cells = cells[first]
    turned = cell_sizes(position, cells) < 0.0
    if turns := int(np.count_nonzero(turned)):
        notices.append(f"{count_of(turns, 'cell')} turned over.")
    position, cells = used_points(position, swapped(cells, turned))
    _refuse_overlaps(position, cells)
    return Cells(position, cells, boundary_facets(cells) if cells.shape[1] == 4 else cells, tuple(notices))


def _checked(position: Floats, cells: Integers) -> tuple[Floats, Integers]:
    position, cells = np.asarray(position, np.float64), np.asarray(cells, np.int64)
    if len(cells) == 0:
        raise MeshError(
            f"there are no cells ({count_of(len(position), 'point')}); give tetrahedra, or triangles in the x-y plane"
        )
    if cells.min() < 0 or cells.max() >= len(position):
        raise MeshError(f"cells name point {cells.max()} of {len(position)} points; write the file again")
    position, cells = used_points(position, cells)
    check_coordinates(position)
    return position, cells


def _levelled(position: Floats, notices: list[str]) -> Floats:
    """A planar mesh moved to z = 0."""
    height, spread = position[0, 2], float(np.ptp(position[:, 2]))
    if spread > LEVEL * diagonal(position):
        raise MeshError(
            f"triangles without tetrahedra must lie in a plane of equal z (z varies by {spread:.3g} m); "
            "give a closed surface as a surface to be filled, or a mesh of tetrahedra"
        )
    if height != 0.0:
        notices.append(f"Moved from z = {height:.4g} m to z = 0.")
    return position * np.array([1.0, 1.0, 0.0])


def _full(position: Floats, cells: Integers) -> Booleans:
    """Cells that have a size worth the name."""
    corners = position[cells]
    edges = np.linalg.norm(corners[:, :, None] - corners[:, None], axis=3).max(axis=(1, 2))
    return np.abs(cell_sizes(position, cells)) > FLAT * edges ** (cells.shape[1] - 1)


def _refuse_overlaps(position: Floats, cells: Integers) -> None:
    """A facet has one cell on either side at most."""
    facet, cell = ("face", "tetrahedra") if cells.shape[1] == 4 else ("edge", "triangles")
    crowded = crowded_facets(cells)
    if len(crowded):
        place = place_of(position[crowded[0]].mean(axis=0))
        raise MeshError(
            f"{count_of(len(crowded), facet + ' belongs', facet + 's belong')} to more than two {cell}, one of them at {place}; "
            "cells overlap: mesh the body again"
        )
    facets = all_facets(cells)
    if cells.shape[1] == 4:  # the same triangle may begin with any of its corners
        facets = np.take_along_axis(facets, (np.argmin(facets, axis=1)[:, None] + np.arange(3)) % 3, axis=1)
    first, _, count = grouped(facets)
    if np.any(count > 1):
        twice = facets[first[count > 1]]
        raise MeshError(
            f"{count_of(len(twice), facet + ' has', facet + 's have')} two {cell} on the same side, one of them at "
            f"{place_of(position[twice[0]].mean(axis=0))}; cells overlap: mesh the body again"
        )
