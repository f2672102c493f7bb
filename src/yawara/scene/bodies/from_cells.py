"""Bodies from any tetrahedra or triangles: links along their edges, tied nodes where a fine region meets a coarse one."""

import numpy as np

from yawara.core.geometry import BOX_FACES, FLAT_FACES, EmbeddedNodes, Geometry, Integers, volume_shares
from yawara.meshes.facets import boundary_facets, cell_sizes, edges_of
from yawara.meshes.hanging import hanging_face_points, hanging_points, inner_facets

NOTHING_DIVIDED = "No cell has its centre in a refine box: nothing is divided."


def geometry_of_cells(
    position: np.ndarray, cells: Integers, *, thickness: float = 1.0, notices: tuple[str, ...] = ()
) -> Geometry:
    """A body of tetrahedra, (n, 4), or of triangles in the plane z = 0, (n, 3)."""
    flat = cells.shape[1] == 3
    content = cell_sizes(position, cells)
    boundary = cells if flat else boundary_facets(cells)
    embedded, tied = _tied_nodes(position, cells)
    if len(tied):
        notices = (*notices, f"{len(tied)} points of a finer region are tied to edges or faces of a coarser one.")
    return Geometry(
        position,
        edges_of(cells),
        volume_shares(len(position), cells, content * thickness),
        boundary if flat or not len(tied) else boundary[~inner_facets(position, cells)],
        {"triangle" if flat else "tetra": cells},
        dimension=2 if flat else 3,
        up=1 if flat else 2,
        rest_size=float(content.sum()),
        faces=FLAT_FACES if flat else BOX_FACES,
        elements=cells,
        embedded=embedded,
        tied=tied,
        closed=boundary,
        thickness=thickness,
        notices=notices,
    )


def _tied_nodes(position: np.ndarray, cells: Integers) -> tuple[tuple[EmbeddedNodes, ...], Integers]:
    """Embedded nodes at the places of hanging points on coarse edges and faces, and which point is tied to which."""
    point, edge, ratio = hanging_points(position, cells)
    kinds, tied = [], [np.stack([point, len(position) + np.arange(len(point))], axis=1)]
    if len(point):
        kinds.append(EmbeddedNodes(edge, np.stack([1.0 - ratio, ratio], axis=1)))
    if cells.shape[1] == 4:
        on_face, face, weight = hanging_face_points(position, cells)
        if len(on_face):
            kinds.append(EmbeddedNodes(face, weight))
            tied.append(np.stack([on_face, len(position) + len(point) + np.arange(len(on_face))], axis=1))
    return tuple(kinds), np.concatenate(tied)
