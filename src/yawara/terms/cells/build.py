"""From bodies to the terms of their cells."""

from yawara.core.piece import Request
from yawara.terms.cells.groups import cell_group, kinds
from yawara.terms.cells.term import CellTerm


def build(request: Request) -> list[CellTerm]:
    """Tetrahedra of all bodies, and triangles of the flat ones."""
    groups = [cell_group(piece) for piece in request.pieces]
    found = []
    for name, corners in kinds(request):
        own = [group if group is not None and group.corner.shape[1] == corners else None for group in groups]
        found.append(CellTerm(name, corners, own, request.first_points))
    return found
