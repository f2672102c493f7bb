"""The force elements of one body: links, ties, cells under pressure and guard; and what they mean for the stable step."""

from collections.abc import Sequence

import numpy as np

from yawara.checks import SceneError
from yawara.forces.cells.pack import CellGroup
from yawara.forces.links.bounds import LinearLaw, stiffnesses
from yawara.forces.links.constants import TIE
from yawara.forces.links.pack import LinkGroup
from yawara.forces.operator import no_slopes
from yawara.integrators.stability import Term
from yawara.meshes.facets import cell_sizes
from yawara.model import Floats, KernelArrays
from yawara.scene.bodies.body import Body
from yawara.scene.bodies.geometry import Geometry, heights

GUARD_STIFFNESS = 3.0  # over that of the body's links
GUARD_DAMPING = 0.25  # of the critical one
TIE_STIFFNESS = 30.0  # over that of the body's links; their viscosity likewise
TIE_DAMPING = 0.25  # of the critical one, at least
TIE_SMALL = 1e-3  # of a link's length: gaps over which the damping begins

NO_LAWS: tuple[tuple[float, LinearLaw], ...] = ()


def link_group(body: Body, geometry: Geometry, offset: int) -> LinkGroup:
    ends = geometry.all_positions[geometry.links]
    rest_length: Floats = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    factor = np.ones(len(rest_length)) if geometry.link_factor is None else geometry.link_factor
    if body.material is not None:
        factor = body.link_weights(geometry)
    law = body.link_law
    return LinkGroup(
        (geometry.links + offset).astype(np.uint32), law.family, law.parts, law.link_coefficients(rest_length, factor)
    )


def typical_stiffness(links: LinkGroup) -> float:
    """[N/m], of the body's links; 0 if they have no springs."""
    return float(np.median(stiffnesses(links.family, links.coefficient)))


def tie_group(geometry: Geometry, offset: int, links: LinkGroup, mass: float) -> LinkGroup | None:
    """Elements of no length that hold a point of a fine region at its place on an edge of a coarse one."""
    count = len(geometry.ties)
    if not count:
        return None
    k = TIE_STIFFNESS * typical_stiffness(links)
    viscosity = TIE_STIFFNESS * float(np.median(links.coefficient[2]))
    c = max(viscosity, 2.0 * TIE_DAMPING * float(np.sqrt(k * mass)))
    small = TIE_SMALL * float(np.median(links.coefficient[0]))  # of a link's rest length
    coefficient = np.repeat(np.array([[0.0], [k], [c], [small**2]]), count, axis=1)
    return LinkGroup(np.sort(geometry.ties + offset, axis=1).astype(np.uint32), TIE, 1, coefficient)


def cell_group(body: Body, name: str, geometry: Geometry, offset: int, links: LinkGroup, mass: float) -> CellGroup | None:
    cells = geometry.elements
    rest, count = cell_sizes(geometry.position, cells), len(cells)
    law = _pressure_law(body, geometry, rest)
    if not len(cells) or not (law.any() or body.topology):
        return None
    stiffness, damping, threshold = 0.0, 0.0, 0.0
    if body.topology is not None:
        stiffness = body.topology.stiffness or GUARD_STIFFNESS * typical_stiffness(links)
        if stiffness == 0.0:
            what = "must be given [N/m] (got none), as these links have no spring to derive it from; write for example stiffness = 100.0"
            raise SceneError([(f"body.{name}.topology.stiffness", what)])
        given = body.topology.damping
        damping = 2.0 * GUARD_DAMPING * float(np.sqrt(stiffness * mass)) if given is None else given
        threshold = body.topology.threshold
    return CellGroup(
        (cells + offset).astype(np.uint32), rest, law, threshold * heights(geometry.position, cells),
        np.full(count, stiffness), np.full(count, damping),
    )  # fmt: skip


def _pressure_law(body: Body, geometry: Geometry, rest: Floats) -> Floats:
    """a, b, phi of every cell: what a Poisson's ratio asks for beside the links, or what the volume effect says."""
    law = np.zeros((3, len(rest)))
    if body.material is not None:
        weight = body.material.bulk_weight(geometry.dimension)
        if weight > 0.0:
            # the pressure -(lambda - mu) (V - V0)/V0 flows like the shear stress, so that Poisson's ratio stays
            law[:] = body.link_law.link_coefficients(rest, weight * geometry.thickness / rest)[1:]
    elif body.volume is not None:
        # p = -K (V - V0)/V0 - eta Vdot/V0, times the thickness of a flat body
        law[0], law[1] = (value * geometry.thickness / rest for value in (body.volume.cells, body.volume.cells_damping))
    return law


def _voigt(strength: float, k: float, c: float) -> tuple[tuple[float, LinearLaw], ...]:
    return ((strength, LinearLaw(np.array([k, c]), np.zeros((0, 2)))),) if strength > 0.0 else NO_LAWS


def _flow(a: float, b: float, phi: float) -> tuple[tuple[float, LinearLaw], ...]:
    """As in forces/links/bounds.py: f = a (V - q) + b Vdot, qdot = phi f."""
    force = np.array([a, b, -a])
    strength = a or b
    return ((strength, LinearLaw(force, phi * force[None, :])),) if strength > 0.0 else NO_LAWS


def cell_terms(arrays: KernelArrays, groups: Sequence[CellGroup | None]) -> list[Term]:
    """Pressures and guards, as terms of the stable step."""
    pressure, guard = no_slopes(arrays), no_slopes(arrays)
    for cells, slope, guard_slope in (
        (arrays.tetrahedron, pressure.tetrahedron, guard.tetrahedron_guard),
        (arrays.triangle, pressure.triangle, guard.triangle_guard),
    ):
        slope[:] = np.where(cells.a > 0.0, cells.a, cells.b)
        guard_slope[:] = cells.stiffness
    pressures = [NO_LAWS if group is None else _flow(*(float(value) for value in group.law[:, 0])) for group in groups]
    guards = [
        NO_LAWS if group is None else _voigt(float(group.stiffness[0]), float(group.stiffness[0]), float(group.damping[0]))
        for group in groups
    ]
    return [Term(pressure, tuple(pressures)), Term(guard, tuple(guards))]


def surface_term(arrays: KernelArrays, bodies: Sequence[Body], geometries: Sequence[Geometry]) -> Term:
    slopes, surface = no_slopes(arrays), arrays.surface
    slopes.surface[:] = np.where(surface.stiffness > 0.0, surface.stiffness, surface.damping)
    laws = []
    for body, geometry in zip(bodies, geometries, strict=True):
        unit = geometry.thickness / geometry.rest_size
        k, c = (body.volume.whole * unit, body.volume.whole_damping * unit) if body.volume else (0.0, 0.0)
        laws.append(_voigt(k or c, k, c))
    return Term(slopes, tuple(laws))
