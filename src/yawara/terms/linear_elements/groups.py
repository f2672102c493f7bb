"""From bodies to their linear elements."""

from dataclasses import dataclass

import numpy as np

from yawara.core.geometry import Integers
from yawara.core.piece import Piece
from yawara.kernels.kinds import Floats
from yawara.meshes.facets import cell_sizes
from yawara.terms.linear_elements.branches import Branches
from yawara.terms.linear_elements.constants import BY_DIMENSION, Kind
from yawara.terms.linear_elements.family import SmallStrain

Laws = tuple[Branches, ...]  # of lambda and of mu; in a row of points of Young's modulus


@dataclass(frozen=True)
class Group:
    """Elements of one body, sorted by lowest corner."""

    kind: Kind
    corner: Integers  # (element_count, corners), points of the model
    gradient: Floats  # [1/m], (element_count, slots): of the shape functions of all corners but the first
    volume: Floats  # [m^3], (element_count,)
    keeps_thickness: bool  # plane strain
    law: Integers  # number of each element's laws, (element_count,)
    laws: list[Laws]


def group_of(piece: Piece) -> Group | None:
    """None if the body has other elements."""
    family, geometry = piece.body.family, piece.geometry
    if not isinstance(family, SmallStrain):
        return None
    cells, dimension = geometry.links if geometry.dimension == 1 else geometry.elements, geometry.dimension
    law = np.zeros(len(cells), np.int64)
    for n, part in enumerate(piece.parts):
        law[part.links if dimension == 1 else part.cells] = n
    order = np.argsort(cells.min(axis=1), kind="stable")
    cells, law = cells[order], law[order]
    laws = [family.laws(part.body, dimension) for part in piece.parts]
    strain = dimension == 2 and not family.plane_stress
    return Group(
        BY_DIMENSION[dimension], cells + piece.offset, _gradients(piece, cells), _volumes(piece, cells), strain, law, laws
    )


def _gradients(piece: Piece, cells: Integers) -> Floats:
    """Rows of the inverse of the edges at rest, which are columns; of a bar its direction over its length."""
    position, dimension = piece.geometry.position[cells], piece.geometry.dimension
    edges = position[:, 1:] - position[:, :1]
    if dimension == 1:
        return np.asarray(edges[:, 0] / (edges[:, 0] ** 2).sum(axis=1)[:, None])
    return np.asarray(np.linalg.inv(np.swapaxes(edges[:, :, :dimension], 1, 2)).reshape(len(cells), -1), np.float64)


def _volumes(piece: Piece, cells: Integers) -> Floats:
    geometry = piece.geometry
    if geometry.dimension == 1:
        return geometry.rest_lengths * (float(geometry.share.sum()) / geometry.rest_size)
    return cell_sizes(geometry.position, cells) * (geometry.thickness if geometry.dimension == 2 else 1.0)
