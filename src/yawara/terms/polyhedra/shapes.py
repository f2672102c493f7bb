"""Which of a body's cells are its elements, and how large they are."""

import numpy as np

from yawara.core.geometry import Geometry, Integers
from yawara.kernels.kinds import Floats
from yawara.meshes.facets import cell_sizes

# Simplices that cells are cut into, by meshio's names and numbering: only for their sizes.
SIMPLICES = {
    "triangle": [[0, 1, 2]],
    "quad": [[0, 1, 2], [0, 2, 3]],
    "tetra": [[0, 1, 2, 3]],
    "pyramid": [[0, 1, 2, 4], [0, 2, 3, 4]],
    "wedge": [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]],
    "hexahedron": [[0, 1, 3, 4], [1, 2, 3, 6], [1, 4, 5, 6], [3, 4, 6, 7], [1, 3, 4, 6]],
}


def cells_of(geometry: Geometry) -> dict[str, Integers]:
    """By meshio's names: the cells of a body as they are, so cubes where there are cubes."""
    found = {kind: cells for kind, cells in geometry.cells.items() if kind in SIMPLICES and len(cells)}
    if not found and len(geometry.elements):
        found = {"triangle" if geometry.elements.shape[1] == 3 else "tetra": geometry.elements}
    return found


def sizes(position: Floats, kind: str, cells: Integers) -> Floats:
    """[m^3], or [m^2] of flat ones, (cell_count,)."""
    total: Floats = np.sum([np.abs(cell_sizes(position, cells[:, corners])) for corners in SIMPLICES[kind]], axis=0)
    return total
