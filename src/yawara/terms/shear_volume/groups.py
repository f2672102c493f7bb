"""From bodies to their shear and volume elements, kind by kind."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from yawara.core.geometry import Integers
from yawara.core.piece import Piece, Request
from yawara.kernels.kinds import Floats
from yawara.meshes.facets import cell_sizes
from yawara.terms.shear_volume.constants import SHAPE
from yawara.terms.shear_volume.family import Form, Reaction, ShearVolume
from yawara.terms.shear_volume.table import Series

# neighbours along edges of each corner of a cell
AROUND = {
    3: ((0, 1, 2), (1, 2, 0), (2, 0, 1)),
    4: ((0, 1, 2, 3), (1, 2, 0, 3), (2, 0, 1, 3), (3, 1, 0, 2)),
    8: ((0, 1, 3, 4), (1, 2, 0, 5), (2, 3, 1, 6), (3, 0, 2, 7), (4, 7, 5, 0), (5, 4, 6, 1), (6, 5, 7, 2), (7, 6, 4, 3)),
}  # fmt: skip
SQUARE = ((0, 1, 3), (1, 2, 0), (2, 3, 1), (3, 0, 2))


@dataclass(frozen=True)
class Group:
    """Elements of one kind in one body."""

    corner: Integers  # (element_count, corners), points of the model
    shape: Floats  # (element_count, SHAPE)
    natural: Floats  # (element_count, measures): strains at rest
    factor: Floats  # [m] or 1, (element_count,)
    content: Floats  # [m^3], (element_count,)
    volume: Floats  # [m^3], (element_count,): of the body that each stands for
    law: Integers  # number of each element's law, (element_count,)
    laws: list[Series]


def groups_of(piece: Piece) -> Iterator[tuple[str, Group]]:
    """Names of kinds, with their elements."""
    family, geometry = piece.body.family, piece.geometry
    if not isinstance(family, ShearVolume):
        return
    flat, laws = geometry.dimension == 2, [family.laws(part.body, geometry.dimension) for part in piece.parts]
    owner = np.zeros(len(geometry.elements), np.int64)
    for n, part in enumerate(piece.parts):
        owner[part.cells] = n
    shear, bulk = ([law[k] for law in laws] for k in (0, 1))
    if any(law.acts for law in shear):
        yield from _shears(piece, family, owner, shear)
    if any(law.acts for law in bulk):
        squares = geometry.cells.get("quad") if family.form is Form.PRINTED else None
        cells = geometry.elements if squares is None else squares
        name = ("triangle_areas" if squares is None else "square_areas") if flat else "tetrahedron_volumes"
        yield name, _contents(piece, cells, owner[: len(cells)], bulk)


def _shears(piece: Piece, family: ShearVolume, owner: Integers, laws: list[Series]) -> Iterator[tuple[str, Group]]:
    geometry, flat = piece.geometry, piece.geometry.dimension == 2
    if family.form is Form.DEVIATORIC:
        yield "deviatoric_triangles" if flat else "deviatoric_tetrahedra", _deviators(piece, owner, laws)
        return
    cells = geometry.elements
    if family.form is Form.PRINTED:
        cells = geometry.cells.get("quad" if flat else "hexahedron", cells)
    around = SQUARE if flat and cells.shape[1] == 4 else AROUND[cells.shape[1]]
    corner = cells[:, around].reshape(-1, len(around[0]))
    law = np.repeat(owner[: len(cells)], len(around))
    size = _sizes(piece, cells) / len(around)
    volume = np.repeat(size * (geometry.thickness if flat else 1.0), len(around))
    if flat:
        yield (
            ("cot_corners" if family.form is Form.COT else "printed_corners"),
            _flat_corners(piece, family.form, corner, volume, law, laws),
        )
    else:
        yield "printed_corners_3d", _solid_corners(piece, corner, volume, law, laws)


def _sizes(piece: Piece, cells: Integers) -> Floats:
    """[m^2] or [m^3], of each cell: squares and cubes of a grid are all alike."""
    geometry = piece.geometry
    if cells is geometry.elements:
        return cell_sizes(geometry.position, cells)
    return np.full(len(cells), geometry.rest_size / len(cells))


def _shape(*columns: Floats) -> Floats:
    found = np.zeros((len(columns[0]), SHAPE))
    for n, column in enumerate(columns):
        found[:, n] = column
    return found


def _edges(piece: Piece, corner: Integers) -> Floats:
    """(element_count, corners - 1, 3), from the first corner."""
    position = piece.geometry.position[corner]
    edges: Floats = position[:, 1:] - position[:, :1]
    return edges


def _contents(piece: Piece, cells: Integers, law: Integers, laws: list[Series]) -> Group:
    size, thickness = _sizes(piece, cells), piece.geometry.thickness if piece.geometry.dimension == 2 else 1.0
    factor = np.full(len(cells), thickness)
    return Group(
        cells + piece.offset, _shape(size), np.zeros((len(cells), 1)), factor, size * thickness, size * thickness, law, laws
    )


def _deviators(piece: Piece, law: Integers, laws: list[Series]) -> Group:
    """With the inverse of the edges at rest, which are columns: F = D_s D_m^-1."""
    cells, flat = piece.geometry.elements, piece.geometry.dimension == 2
    thickness = piece.geometry.thickness if flat else 1.0
    edges = _edges(piece, cells)[:, :, : 2 if flat else 3]
    inverse = np.linalg.inv(np.swapaxes(edges, 1, 2)).reshape(len(cells), -1)
    content = cell_sizes(piece.geometry.position, cells) * thickness
    natural = np.zeros((len(cells), 3 if flat else 6))
    factor = np.full(len(cells), thickness)
    return Group(cells + piece.offset, _shape(*inverse.T), natural, factor, content, content, law, laws)


def _flat_corners(piece: Piece, form: Form, corner: Integers, volume: Floats, law: Integers, laws: list[Series]) -> Group:
    """Each with the cotangent of its angle; in the form `cot` also with its weight.

    w_i = 2 A0 cot(theta_i) l_i^2 / (l_j^2 l_k^2), from sum w_i D_i D_i^T = the deviatoric identity with D_i the change of cot(theta_i)
    """
    u, v = np.swapaxes(_edges(piece, corner), 0, 1)
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]  # twice the triangle's
    cot, thickness = (u * v).sum(axis=1) / area, piece.geometry.thickness
    if form is Form.COT:
        opposite = ((u - v) ** 2).sum(axis=1)
        weight = area * cot * opposite / ((u**2).sum(axis=1) * (v**2).sum(axis=1))
        factor = content = 0.5 * area * weight * thickness
    else:
        factor, content = np.full(len(corner), thickness), 0.25 * area * thickness
    return Group(corner + piece.offset, _shape(area), cot[:, None], factor, content, volume, law, laws)


def _solid_corners(piece: Piece, corner: Integers, volume: Floats, law: Integers, laws: list[Series]) -> Group:
    x = _edges(piece, corner)
    det = np.abs(np.linalg.det(x))
    shears = []
    for p, q, r in ((0, 1, 2), (0, 2, 1), (1, 2, 0), (1, 0, 2), (2, 1, 0), (2, 0, 1)):
        area = np.linalg.norm(np.cross(x[:, q], x[:, r]), axis=1)
        shears.append(area * (x[:, p] * x[:, q]).sum(axis=1) / np.linalg.norm(x[:, q], axis=1) / det)
    return Group(corner + piece.offset, _shape(det), np.stack(shears, axis=1), np.ones(len(det)), det / 16.0, volume, law, laws)


def thirds(request: Request) -> bool:
    """Whether any body asks for reactions in thirds: all of a scene then have them."""
    families = [piece.body.family for piece in request.pieces]
    return any(isinstance(one, ShearVolume) and one.reaction is Reaction.THIRDS for one in families)
