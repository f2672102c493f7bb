"""Patches: simplices that hang together, of which only the volume of all stays the same.

Each simplex is in one patch. A patch grows from one simplex to its neighbours, the one with most points in common first, so that it is
round; what is left between patches joins the smallest beside it. So there are about four free coordinates per constraint.
"""

import numpy as np

from yawara.core.geometry import Integers
from yawara.meshes.facets import facet_neighbours

MEMBERS = {
    3: 4,
    4: 8,
}  # of a patch, by the corners of a simplex: there are twice as many triangles as points, and about six times as many tetrahedra


def patches(simplices: Integers) -> Integers:
    """Number of each simplex's patch."""
    rows, neighbours = simplices.tolist(), _neighbours(simplices)
    owner, members = [-1] * len(rows), list[list[int]]()
    for seed in range(len(rows)):
        if owner[seed] < 0:
            grown = _grown(seed, rows, neighbours, owner)
            for one in grown:
                owner[one] = len(members)
            members.append(grown)
    _join(owner, members, neighbours, 0.5 * MEMBERS[simplices.shape[1]])
    _, number = np.unique(owner, return_inverse=True)
    return number.astype(np.int64)


def _neighbours(simplices: Integers) -> list[list[int]]:
    found: list[list[int]] = [[] for _ in range(len(simplices))]
    for a, b in facet_neighbours(simplices).tolist():
        found[a].append(b)
        found[b].append(a)
    return [sorted(one) for one in found]


def _grown(seed: int, rows: list[list[int]], neighbours: list[list[int]], owner: list[int]) -> list[int]:
    members, points = [seed], set(rows[seed])
    border = {one for one in neighbours[seed] if owner[one] < 0}
    while border and len(members) < MEMBERS[len(rows[seed])]:
        best = min(border, key=lambda one: (-len(points.intersection(rows[one])), one))
        members.append(best)
        points.update(rows[best])
        border.update(one for one in neighbours[best] if owner[one] < 0)
        border.difference_update(members)
    return members


def _join(owner: list[int], members: list[list[int]], neighbours: list[list[int]], least: float) -> None:
    """Patches of fewer members than that to the smallest beside them, if there is one."""
    for patch, own in enumerate(members):
        beside = {owner[other] for one in own for other in neighbours[one]} - {patch} if len(own) < least else set()
        if beside:
            other = min(beside, key=lambda one: (len(members[one]), one))
            for one in own:
                owner[one] = other
            members[other], members[patch] = members[other] + own, []
