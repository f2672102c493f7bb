"""From bodies to the term of their links."""

from yawara.core.piece import Request
from yawara.terms.links.groups import groups_of
from yawara.terms.links.pack import pack
from yawara.terms.links.term import BodyLinks, Links


def build(request: Request) -> list[Links]:
    """One term for the links of all bodies; none if no body has links."""
    bodies = [groups_of(piece) for piece in request.pieces]
    groups = [group for one in bodies for group in one.own] + [group for one in bodies for group in one.ties]
    if not groups:
        return []
    packed = pack(groups)
    places = iter(packed.groups)  # in the order in which they were packed
    own = [[(group, next(places)) for group in one.own] for one in bodies]
    tied = [[(group, next(places)) for group in one.ties] for one in bodies]
    found = [
        BodyLinks(piece.name, piece.offset, links, body.numbers, ties)
        for piece, body, links, ties in zip(request.pieces, bodies, own, tied, strict=True)
    ]
    return [Links(packed, found)]
