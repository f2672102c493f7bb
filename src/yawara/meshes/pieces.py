"""Cells that hang together: crumbs are dropped, and a filling that comes apart is refused."""

import numpy as np

from yawara.meshes.errors import MeshError, count_of
from yawara.meshes.facets import facet_components, shared_pairs
from yawara.meshes.inside import inside
from yawara.meshes.rows import Booleans, Floats, Integers, components, used_points
from yawara.meshes.surface import Surface
from yawara.meshes.winding import shell_volumes, shells

CRUMB = 0.01  # of all cells: a loose piece smaller than this is dropped
SQUARES = [[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [3, 2, 6, 7], [0, 3, 7, 4], [1, 2, 6, 5]]  # faces of a hexahedron


def kept_pieces(
    surface: Surface, position: Floats, cells: Integers, rows: Integers, spacing: float
) -> tuple[Floats, Integers, tuple[str, ...]]:
    """Points and rows that remain when loose crumbs are dropped; `rows` are point numbers that go with the cells, one row each.

    Every part of the surface keeps the largest piece inside it. Another piece, held by a point or an edge at most, is a crumb.
    """
    piece = facet_components(cells) if cells.shape[1] == 4 else _cube_components(cells)
    size = np.bincount(piece)
    main = _main_pieces(surface, position[cells].mean(axis=1), piece, size, spacing)
    crumbs = size[~main]
    if len(crumbs) and crumbs.max() >= CRUMB * len(cells):
        raise MeshError(
            f"parts come apart at this spacing ({spacing:g} m): {count_of(len(crumbs), 'loose piece')}, the largest of "
            f"{count_of(int(crumbs.max()), 'cell')} out of {len(cells)}; lower spacing to {0.5 * spacing:.2g} m"
        )
    kept = main[piece]
    notices = (f"{count_of(int(crumbs.sum()), 'cell')} in loose pieces dropped.",) if len(crumbs) else ()
    return (*used_points(position, rows[kept]), notices)


def _main_pieces(surface: Surface, centre: Floats, piece: Integers, size: Integers, spacing: float) -> Booleans:
    """The largest piece of every part of the surface; a part is a shell that is no cavity."""
    shell = shells(surface.triangles)
    parts = np.flatnonzero(shell_volumes(surface.position, surface.triangles, shell) > 0.0)
    main = np.zeros(len(size), bool)
    for part in parts:
        faces = surface.triangles[shell == part]
        held = inside(surface.position, faces, centre) if len(parts) > 1 else np.ones(len(centre), bool)
        if not held.any():
            width = np.ptp(surface.position[np.unique(faces)], axis=0).min()
            raise MeshError(
                f"no cell fits into one of the {len(parts)} parts of the surface at this spacing ({spacing:g} m), it is "
                f"{width:.2g} m thick; lower spacing to {min(0.5 * spacing, 0.5 * width):.2g} m, or remove the part"
            )
        main[np.argmax(np.bincount(piece[held], minlength=len(size)))] = True
    return main


def _cube_components(hexahedra: Integers) -> Integers:
    """As facet_components, for hexahedra in meshio's corner order."""
    squares = np.sort(np.concatenate([hexahedra[:, corners] for corners in SQUARES]), axis=1)
    return components(len(hexahedra), shared_pairs(squares) % len(hexahedra))
