"""From a body to its cells under pressure and behind barriers."""

from typing import TYPE_CHECKING

import numpy as np

from yawara.checks import SceneError
from yawara.core.geometry import heights
from yawara.core.piece import Piece, Request
from yawara.kernels.kinds import Floats
from yawara.laws.families import flow
from yawara.meshes.facets import cell_sizes
from yawara.terms.cells.constants import CORNERS_2D, CORNERS_3D
from yawara.terms.cells.pack import CellGroup

if TYPE_CHECKING:
    from yawara.scene.bodies.body import Body

BARRIER_STIFFNESS = 3.0  # over that of the body's links
BARRIER_DAMPING = 0.25  # of the critical one


def kinds(request: Request) -> list[tuple[str, int]]:
    """Names and corners of the terms that cells of these bodies make up."""
    used = {piece.geometry.elements.shape[1] for piece in request.pieces if len(piece.geometry.elements) and _is_used(piece)}
    return [(name, corners) for name, corners in (("tetrahedra", CORNERS_3D), ("triangles", CORNERS_2D)) if corners in used]


def names(request: Request) -> list[str]:
    """Of the terms that `build` would make."""
    return [name for name, _ in kinds(request)]


def _is_used(piece: Piece) -> bool:
    return piece.body.inversion_barrier is not None or any(
        len(part.cells) and _has_pressure(piece, part.body) for part in piece.parts
    )


def _has_pressure(piece: Piece, body: "Body") -> bool:
    if body.material is not None:
        return body.family.joins and body.material.bulk_weight(piece.geometry.dimension) > 0.0
    return body.volume is not None and (body.volume.cells > 0.0 or body.volume.cells_damping > 0.0)


def cell_group(piece: Piece) -> CellGroup | None:
    body, geometry, cells = piece.body, piece.geometry, piece.geometry.elements
    if not len(cells) or not _is_used(piece):
        return None
    rest, count = cell_sizes(geometry.position, cells), len(cells)
    law = np.zeros((3, count))
    for part in piece.parts:
        law[:, part.cells] = _pressure_law(piece, part.body, rest[part.cells])
    stiffness, damping, threshold = 0.0, 0.0, 0.0
    if body.inversion_barrier is not None:
        stiffness = body.inversion_barrier.stiffness or BARRIER_STIFFNESS * piece.typical_strength()[0]
        if stiffness == 0.0:
            what = "must be given [N/m] (got none), as these links have no spring to derive it from; write for example stiffness = 100.0"
            raise SceneError([(f"body.{piece.name}.inversion_barrier.stiffness", what)])
        given = body.inversion_barrier.damping
        damping = 2.0 * BARRIER_DAMPING * float(np.sqrt(stiffness * piece.typical_mass)) if given is None else given
        threshold = body.inversion_barrier.threshold
    samples = tuple(int(part.cells[0]) for part in piece.parts if len(part.cells)) if body.material else (0,)
    return CellGroup(
        (cells + piece.offset).astype(np.uint32), rest, law, threshold * heights(geometry.position, cells),
        np.full(count, stiffness), np.full(count, damping), samples,
    )  # fmt: skip


def _pressure_law(piece: Piece, body: "Body", rest: Floats) -> Floats:
    """a, b, phi of cells with these contents: what a Poisson's ratio asks for beside the links, or what the volume effect says."""
    law, thickness = np.zeros((3, len(rest))), piece.geometry.thickness
    if body.material is not None and body.family.joins:
        weight = body.material.bulk_weight(piece.geometry.dimension)
        if weight > 0.0:
            # the pressure -(lambda - mu) (V - V0)/V0 flows like the shear stress, so that Poisson's ratio stays
            if body.link_law.family is not flow:
                title = body.link_law.title
                what = (
                    f"must have one Voigt part and one damper for a Poisson's ratio above 1/4 (got {title}); use poisson = 0.25"
                )
                raise SceneError([(f"body.{piece.name}.material", what)])
            column = body.link_law.link_columns(rest, weight * thickness / rest)
            law[:] = column["a"], column["b"], column["phi"]
    elif body.material is None and body.volume is not None:
        # p = -K (V - V0)/V0 - eta Vdot/V0, times the thickness of a flat body
        law[0], law[1] = (value * thickness / rest for value in (body.volume.cells, body.volume.cells_damping))
    return law
