"""From a scene to the terms of its shear and volume elements."""

from yawara.core.piece import Request
from yawara.terms.shear_volume.constants import KINDS
from yawara.terms.shear_volume.groups import groups_of, thirds
from yawara.terms.shear_volume.term import ShearVolumeTerm


def build(request: Request) -> list[ShearVolumeTerm]:
    """One for each kind of elements."""
    found, bodies = [dict(groups_of(piece)) for piece in request.pieces], [piece.name for piece in request.pieces]
    return [
        ShearVolumeTerm(kind, [groups.get(kind.name) for groups in found], bodies, request.first_points, thirds=thirds(request))
        for kind in KINDS
        if any(kind.name in groups for groups in found)
    ]


def names(request: Request) -> list[str]:
    """Of the terms that `build` would make."""
    found = {name for piece in request.pieces for name, _ in groups_of(piece)}
    return [kind.name for kind in KINDS if kind.name in found]
