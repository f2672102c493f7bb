"""What of a body follows which law: its links and cells, shared out to its regions.

Regions with equal laws are one part, and so is what no region takes. A body without regions has one part.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yawara.core.geometry import Geometry, Integers, outline
from yawara.meshes.facets import boundary_facets
from yawara.scene.bodies.body import Body
from yawara.scene.bodies.region import Depth, LinkKind, Region
from yawara.scene.box import Box
from yawara.scene.selection import inside_box

Booleans = NDArray[np.bool_]
OWN = -1  # taken by no region


@dataclass(frozen=True)
class BodyPart:
    """Links and cells of one law."""

    body: Body  # as if all of it followed that law
    links: Integers  # their numbers, increasing
    cells: Integers  # numbers of the cells that have its pressure, increasing


def parts_of(body: Body, geometry: Geometry) -> list[BodyPart]:
    """Those that have links or cells."""
    if not body.region:
        return [BodyPart(body, np.arange(len(geometry.links)), np.arange(len(geometry.elements)))]
    bodies = [body.of_region(region) for region in body.region.values()] + [body.of_region(None)]  # OWN counts from the end
    number = np.array([bodies.index(one) for one in bodies])
    links, cells = (number[owner] for owner in owners(body, geometry))
    return [
        BodyPart(bodies[n], np.flatnonzero(links == n), np.flatnonzero(cells == n))
        for n in np.unique(np.concatenate([links, cells]))
    ]


def owners(body: Body, geometry: Geometry) -> tuple[Integers, Integers]:
    """The number of the region that each link and each cell belongs to, or OWN; later regions take from earlier ones."""
    link, cell = np.full(len(geometry.links), OWN), np.full(len(geometry.elements), OWN)
    surface = (
        on_surface(geometry) if any(isinstance(region.links, Depth) for region in body.region.values()) else np.zeros(0, bool)
    )
    for n, region in enumerate(body.region.values()):
        link[_taken(region, geometry, geometry.links, surface) & _of_kind(region.kind, geometry)] = n
        if region.kind is not LinkKind.IN:
            cell[_taken(region, geometry, geometry.elements, surface)] = n
    return link, cell


def _taken(region: Region, geometry: Geometry, members: Integers, surface: Booleans) -> Booleans:
    """Which links or cells, each by its points (member_count, points), lie where the region is."""
    if isinstance(region.links, Box):
        return inside_box(geometry, region.links, geometry.all_positions[members].mean(axis=1))
    touching = np.asarray(surface[members].any(axis=1))
    return touching if region.links is Depth.SURFACE else ~touching


def _of_kind(kind: LinkKind, geometry: Geometry) -> Booleans:
    to_centre: Booleans = geometry.links[:, 1] >= len(geometry.position)  # links reach no other embedded nodes
    return np.ones_like(to_centre) if kind is LinkKind.ALL else to_centre if kind is LinkKind.IN else ~to_centre


def on_surface(geometry: Geometry) -> Booleans:
    """(all points,): on the surface of a body, on the rim of a flat one, at the ends of a row; no embedded node is."""
    found = np.zeros(len(geometry.all_positions), np.bool_)
    found[_boundary(geometry)] = True
    return found


def _boundary(geometry: Geometry) -> Integers:
    if geometry.dimension == 1:
        return np.flatnonzero(np.bincount(geometry.links.ravel()) == 1)
    if geometry.dimension == 2:
        rim = np.unique(outline(geometry.elements))
        return rim[~surrounded(geometry)[rim]] if len(geometry.tied) else rim  # where nodes are tied, seams look like rims
    own = not len(geometry.triangles) or geometry.triangles.max() < len(geometry.position)
    return np.unique(geometry.triangles if own else boundary_facets(geometry.elements))


def surrounded(geometry: Geometry) -> Booleans:
    """(point_count,): points of a flat body with cells all around, by the angles; a tied node lies on a straight edge."""
    corner = geometry.position[geometry.elements]
    total = np.zeros(len(geometry.position))
    total[geometry.tied[:, 0]] = np.pi
    for n in range(3):
        u, v = (corner[:, (n + k) % 3] - corner[:, n] for k in (1, 2))
        angle = np.arctan2(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0], np.einsum("ij,ij->i", u, v))
        np.add.at(total, geometry.elements[:, n], angle)
    return total > 2.0 * np.pi - 1e-6
