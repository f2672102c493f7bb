"""From a body to its constraints: of which simplices each one keeps the volume."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from yawara.core.geometry import Geometry, Integers
from yawara.core.piece import Piece
from yawara.kernels.kinds import Floats, Words
from yawara.meshes.facets import cell_sizes


@dataclass(frozen=True)
class Group:
    """Constraints of one body."""

    name: str
    corner: Words  # points of the model, (element_count, 4 or 3)
    volume: Floats  # [m^3], (element_count,), at rest
    thickness: float  # [m], of a flat body; 1 of others
    of: Words  # (element_count, k): constraints to which each element counts, a k-th of it to each; numbered within the body
    rate: float  # [1/s]; 0 if it follows from the step

    @property
    def count(self) -> int:
        return int(self.of.max()) + 1


def group_of(piece: Piece) -> Group | None:
    """Of a body that is to keep its volume."""
    asked, geometry = piece.body.incompressible, piece.geometry
    if asked is None or not len(geometry.elements):
        return None
    volume = geometry.thickness * cell_sizes(geometry.position, geometry.elements)
    of = OWNERS[asked.per.value](geometry)
    return Group(piece.name, geometry.elements + piece.offset, volume, geometry.thickness, of, asked.rate or 0.0)


def _body(geometry: Geometry) -> Integers:
    return np.zeros((len(geometry.elements), 1), np.int64)


def _elements(geometry: Geometry) -> Integers:
    return np.arange(len(geometry.elements))[:, None]


def _patches(geometry: Geometry) -> Integers:
    """Points, numbered anew without those that no element has."""
    _, number = np.unique(geometry.elements, return_inverse=True)
    return number.reshape(geometry.elements.shape).astype(np.int64)


def _cells(geometry: Geometry) -> Integers:
    """The cell with all corners of a simplex; one that is in no cell is by itself."""
    simplices, points = geometry.elements, len(geometry.all_positions)
    owner = -np.ones(len(simplices), np.int64)
    first = 0
    for cells in [geometry.cubes, *geometry.cells.values()]:
        if len(cells) and cells.shape[1] > simplices.shape[1] and cells.max() < points:
            shared = (_members(simplices, points) @ _members(cells, points).T).tocoo()
            inside = shared.data == simplices.shape[1]
            owner[shared.row[inside]] = first + shared.col[inside]
            first += len(cells)
    alone = owner < 0
    owner[alone] = first + np.arange(alone.sum())
    _, number = np.unique(owner, return_inverse=True)
    return number[:, None].astype(np.int64)


def _members(cells: Integers, points: int) -> csr_array:
    rows = np.repeat(np.arange(len(cells)), cells.shape[1])
    return csr_array((np.ones(cells.size), (rows, cells.ravel())), shape=(len(cells), points))


OWNERS = {"body": _body, "cell": _cells, "patch": _patches, "element": _elements}
