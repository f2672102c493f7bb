"""From a body to its links: coefficients by law and material, ties between fine and coarse regions."""

from dataclasses import dataclass

import numpy as np

from yawara.core.piece import Piece, Request
from yawara.kernels.kinds import Words
from yawara.terms.links import tie
from yawara.terms.links.pack import Family, LinkGroup

TIE_STIFFNESS = 30.0  # over that of the body's links; their viscosity likewise
TIE_DAMPING = 0.25  # of the critical one, at least
TIE_SMALL = 1e-3  # of a link's length: gaps over which the damping begins


@dataclass(frozen=True)
class Groups:
    """The links of a body, in groups of one family of laws."""

    own: tuple[LinkGroup, ...]
    numbers: tuple[Words, ...]  # of each group's links, in the body's own order
    ties: tuple[LinkGroup, ...]


def names(request: Request) -> list[str]:
    """Of the terms that `build` would make."""
    return ["links"] if any(_joins(piece) or len(piece.geometry.tied) for piece in request.pieces) else []


def _joins(piece: Piece) -> bool:
    return piece.body.family.joins and len(piece.geometry.links) > 0


def groups_of(piece: Piece) -> Groups:
    own = families_of(piece)
    ends = [(piece.geometry.links[one.number] + piece.offset).astype(np.uint32) for one in own]
    groups = tuple(LinkGroup(links, *one[1:]) for links, one in zip(ends, own, strict=True))
    return Groups(groups, tuple(one.number for one in own), tie_groups(piece))


def families_of(piece: Piece) -> list[Family]:
    """The body's own links; those of one family are kept together, whatever their law."""
    parts = [part for part in piece.parts if len(part.links)] if _joins(piece) else []
    columns = [piece.columns(part) for part in parts]
    families: dict[tuple[object, ...], list[int]] = {}
    for n, (part, column) in enumerate(zip(parts, columns, strict=True)):
        law = part.body.link_law
        families.setdefault((law.family, law.kind, law.parts, len(column)), []).append(n)
    found = []
    for members in families.values():
        law, number, column = parts[members[0]].body.link_law, parts[members[0]].links, columns[members[0]]
        if len(members) > 1:
            number = np.concatenate([parts[n].links for n in members])
            order = np.argsort(number, kind="stable")
            column = {name: np.concatenate([columns[n][name] for n in members])[order] for name in column}
            number = number[order]
        samples = tuple(int(np.searchsorted(number, parts[n].links[0])) for n in members) if len(parts) > 1 else ()
        found.append(Family(number, law.family, law.parts, column, law.columns, samples))
    return found


def tie_groups(piece: Piece) -> tuple[LinkGroup, ...]:
    """Elements of no length that hold a point of a fine region at its place on an edge of a coarse one."""
    ties = piece.geometry.tied
    if not len(ties):
        return ()
    stiffness, viscosity = piece.typical_strength()
    k = TIE_STIFFNESS * stiffness
    c = max(TIE_STIFFNESS * viscosity, 2.0 * TIE_DAMPING * float(np.sqrt(k * piece.typical_mass)))
    small = TIE_SMALL * float(np.median(piece.geometry.rest_lengths))
    values = {"rest_length": 0.0, "k": k, "c": c, "delta2": small**2}
    ends = np.sort(ties + piece.offset, axis=1).astype(np.uint32)
    return (LinkGroup(ends, tie, 1, {name: np.full(len(ties), value) for name, value in values.items()}, tie.columns(1)),)
