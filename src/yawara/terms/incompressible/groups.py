"""From a body to its constraints: of which simplices each one keeps the volume."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from yawara.core.geometry import Geometry, Integers
from yawara.core.piece import Piece
from yawara.kernels.kinds import Floats, Words
from yawara.meshes.facets import cell_sizes
from yawara.terms.incompressible.patches import patches


@dataclass(frozen=True)
class Group:
    """Constraints of one body."""

    name: str
    corner: Words  # points of the model, (element_count, 4 or 3)
    volume: Floats  # [m^3], (element_count,), at rest
    thickness: float  # [m], of a flat body; 1 of others
    of: Words  # (element_count,): constraint to which each element belongs, numbered within the body
    rate: float  # [1/s]; 0 if it follows from the step
    geometry: Geometry  # of the body

    @property
    def count(self) -> int:
        return int(self.of.max()) + 1

    def coarser(self) -> list[str]:
        """Of what else the volume could stay the same, with fewer constraints."""
        return [per for per, owners in OWNERS.items() if owners(self.geometry).max() + 1 < self.count]


def group_of(piece: Piece) -> Group | None:
    """Of a body that is to keep its volume."""
    asked, geometry = piece.body.incompressible, piece.geometry
    if asked is None or not len(geometry.elements):
        return None
    volume = geometry.thickness * cell_sizes(geometry.position, geometry.elements)
    of = OWNERS[asked.per.value](geometry)
    return Group(piece.name, geometry.elements + piece.offset, volume, geometry.thickness, of, asked.rate or 0.0, geometry)


def _body(geometry: Geometry) -> Integers:
    return np.zeros(len(geometry.elements), np.int64)


def _elements(geometry: Geometry) -> Integers:
    return np.arange(len(geometry.elements))


def _patches(geometry: Geometry) -> Integers:
    return patches(geometry.elements)


def _cells(geometry: Geometry) -> Integers:
    """The cell with all corners of a simplex; one that is in no cell is by itself. Triangles that are cells themselves go in pairs."""
    simplices, points = geometry.elements, len(geometry.all_positions)
    owner = -np.ones(len(simplices), np.int64)
    first = 0
    for cells in [geometry.cubes, *geometry.cells.values()]:
        if len(cells) and cells.shape[1] > simplices.shape[1] and cells.max() < points:
            shared = (_members(simplices, points) @ _members(cells, points).T).tocoo()
            inside = shared.data == simplices.shape[1]
            owner[shared.row[inside]] = first + shared.col[inside]
            first += len(cells)
    if first == 0 and simplices.shape[1] == 3:
        owner = _pairs(geometry)
    alone = owner < 0
    owner[alone] = owner.max(initial=-1) + 1 + np.arange(alone.sum())
    _, number = np.unique(owner, return_inverse=True)
    return number.astype(np.int64)


def _pairs(geometry: Geometry) -> Integers:
    """Triangles that are neighbours across the longest side of both make up a cell: in grids, the squares. -1 of others."""
    triangles = geometry.elements
    sides = np.sort(triangles[:, [[1, 2], [2, 0], [0, 1]]], axis=2)
    length = np.linalg.norm(np.diff(geometry.position[sides], axis=2)[:, :, 0], axis=2)
    longest = sides[np.arange(len(triangles)), np.round(length / length.max(), 9).argmax(axis=1)]
    _, number, count = np.unique(longest, axis=0, return_inverse=True, return_counts=True)
    number = number.ravel()
    return np.where(count[number] == 2, number, -1)


def _members(cells: Integers, points: int) -> csr_array:
    rows = np.repeat(np.arange(len(cells)), cells.shape[1])
    return csr_array((np.ones(cells.size), (rows, cells.ravel())), shape=(len(cells), points))


OWNERS = {"cell": _cells, "patch": _patches, "body": _body, "element": _elements}
