"""The force elements of one body: links, ties, cells under pressure and guard; and what they mean for the stable step."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yawara.checks import SceneError
from yawara.forces.cells.constants import CORNERS_2D, CORNERS_3D
from yawara.forces.cells.pack import CellGroup
from yawara.forces.links.bounds import LinearLaw, joint_strength, stiffnesses
from yawara.forces.links.constants import TIE
from yawara.forces.links.pack import LinkGroup
from yawara.forces.operator import no_slopes
from yawara.integrators.stability import Term
from yawara.meshes.facets import cell_sizes
from yawara.model import Floats, KernelArrays
from yawara.scene.bodies.body import Body
from yawara.scene.bodies.geometry import Geometry, Integers, heights
from yawara.scene.parts import BodyPart

GUARD_STIFFNESS = 3.0  # over that of the body's links
GUARD_DAMPING = 0.25  # of the critical one
TIE_STIFFNESS = 30.0  # over that of the body's links; their viscosity likewise
TIE_DAMPING = 0.25  # of the critical one, at least
TIE_SMALL = 1e-3  # of a link's length: gaps over which the damping begins

NO_LAWS: tuple[tuple[float, LinearLaw], ...] = ()


@dataclass(frozen=True)
class BodyLinks:
    """The links of a body, in groups of one law family, and what is typical of them."""

    groups: tuple[LinkGroup, ...]
    numbers: tuple[Integers, ...]  # of each group's links, in the body's own order
    stiffness: float  # [N/m], median; of several laws, that with the largest; 0 without springs
    viscosity: float  # [N s/m], likewise
    length: float  # [m], median, at rest


def body_links(parts: Sequence[BodyPart], geometry: Geometry, offset: int) -> BodyLinks:
    parts = [part for part in parts if len(part.links)]
    ends = geometry.all_positions[geometry.links]
    rest_length: Floats = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
    columns = [_coefficients(part, geometry, rest_length) for part in parts]
    families: dict[tuple[int, int, int], list[int]] = {}  # links of one family are kept together, whatever their law
    for n, (part, column) in enumerate(zip(parts, columns, strict=True)):
        families.setdefault((part.body.link_law.family, part.body.link_law.parts, len(column)), []).append(n)
    groups, numbers = [], []
    for (family, memories, _), members in families.items():
        number = np.concatenate([parts[n].links for n in members])
        order = np.argsort(number, kind="stable")
        column = np.concatenate([columns[n] for n in members], axis=1)[:, order]
        number = number[order]
        samples = tuple(int(np.searchsorted(number, parts[n].links[0])) for n in members) if len(parts) > 1 else ()
        groups.append(LinkGroup((geometry.links[number] + offset).astype(np.uint32), family, memories, column, samples))
        numbers.append(number)
    stiffness = max(
        float(np.median(stiffnesses(part.body.link_law.family, column))) for part, column in zip(parts, columns, strict=True)
    )
    viscosity = max(float(np.median(column[2])) for column in columns)
    return BodyLinks(tuple(groups), tuple(numbers), stiffness, viscosity, float(np.median(rest_length)))


def _coefficients(part: BodyPart, geometry: Geometry, rest_length: Floats) -> Floats:
    """(column_count, link_count) of the part's links, by its law and their places in the whole body."""
    factor = np.ones(len(rest_length)) if geometry.link_factor is None else geometry.link_factor
    if part.body.material is not None:
        factor = part.body.link_weights(geometry)
    return part.body.link_law.link_coefficients(rest_length[part.links], factor[part.links])


def tie_groups(geometry: Geometry, offset: int, links: BodyLinks, mass: float) -> tuple[LinkGroup, ...]:
    """Elements of no length that hold a point of a fine region at its place on an edge of a coarse one."""
    count = len(geometry.ties)
    if not count:
        return ()
    k = TIE_STIFFNESS * links.stiffness
    viscosity = TIE_STIFFNESS * links.viscosity
    c = max(viscosity, 2.0 * TIE_DAMPING * float(np.sqrt(k * mass)))
    small = TIE_SMALL * links.length
    coefficient = np.repeat(np.array([[0.0], [k], [c], [small**2]]), count, axis=1)
    return (LinkGroup(np.sort(geometry.ties + offset, axis=1).astype(np.uint32), TIE, 1, coefficient),)


def cell_group(
    body: Body, name: str, parts: Sequence[BodyPart], geometry: Geometry, offset: int, links: BodyLinks, mass: float
) -> CellGroup | None:
    cells = geometry.elements
    rest, count = cell_sizes(geometry.position, cells), len(cells)
    law = np.zeros((3, count))
    for part in parts:
        law[:, part.cells] = _pressure_law(part.body, geometry, rest[part.cells])
    if not len(cells) or not (law.any() or body.topology):
        return None
    stiffness, damping, threshold = 0.0, 0.0, 0.0
    if body.topology is not None:
        stiffness = body.topology.stiffness or GUARD_STIFFNESS * links.stiffness
        if stiffness == 0.0:
            what = "must be given [N/m] (got none), as these links have no spring to derive it from; write for example stiffness = 100.0"
            raise SceneError([(f"body.{name}.topology.stiffness", what)])
        given = body.topology.damping
        damping = 2.0 * GUARD_DAMPING * float(np.sqrt(stiffness * mass)) if given is None else given
        threshold = body.topology.threshold
    samples = tuple(int(part.cells[0]) for part in parts if len(part.cells)) if body.material else (0,)
    return CellGroup(
        (cells + offset).astype(np.uint32), rest, law, threshold * heights(geometry.position, cells),
        np.full(count, stiffness), np.full(count, damping), samples,
    )  # fmt: skip


def _pressure_law(body: Body, geometry: Geometry, rest: Floats) -> Floats:
    """a, b, phi of cells with these contents: what a Poisson's ratio asks for beside the links, or what the volume effect says."""
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


def _flow(law: Floats, step: float) -> tuple[tuple[float, LinearLaw], ...]:
    """As in forces/links/bounds.py: f = a (V - q) + b Vdot, qdot = phi f."""
    a, b, phi = law
    force = np.array([a, b, -a])
    strength = float(_pressure_strength(a, b, np.array(step)))
    return ((strength, LinearLaw(force, phi * force[None, :])),) if strength > 0.0 else NO_LAWS


def _pressure_strength(a: Floats, b: Floats, step: Floats) -> Floats:
    """As `largest_coefficients` in forces/links/bounds.py."""
    return np.where(np.isfinite(step), joint_strength(a, b, step), np.where(a > 0.0, a, b))


def cell_terms(
    arrays: KernelArrays, groups: Sequence[CellGroup | None], first_point: Integers, steps: Sequence[float]
) -> list[Term]:
    """Pressures and guards, as terms of the stable step; `steps` [s] as those of the links."""
    pressure, guard = no_slopes(arrays), no_slopes(arrays)
    for cells, corners, slope, guard_slope in (
        (arrays.tetrahedron, CORNERS_3D, pressure.tetrahedron, guard.tetrahedron_guard),
        (arrays.triangle, CORNERS_2D, pressure.triangle, guard.triangle_guard),
    ):
        owner = np.searchsorted(first_point, cells.corner[::corners], side="right") - 1
        slope[:] = _pressure_strength(cells.a, cells.b, np.array(steps)[owner])
        guard_slope[:] = cells.stiffness
    pressures = [NO_LAWS if group is None else _pressures(group, step) for group, step in zip(groups, steps, strict=True)]
    guards = [
        NO_LAWS if group is None else _voigt(float(group.stiffness[0]), float(group.stiffness[0]), float(group.damping[0]))
        for group in groups
    ]
    return [Term(pressure, tuple(pressures)), Term(guard, tuple(guards))]


def _pressures(group: CellGroup, step: float) -> tuple[tuple[float, LinearLaw], ...]:
    """Of every different law."""
    return tuple(kind for cell in group.samples for kind in _flow(group.law[:, cell], step))


def surface_term(arrays: KernelArrays, bodies: Sequence[Body], geometries: Sequence[Geometry]) -> Term:
    slopes, surface = no_slopes(arrays), arrays.surface
    slopes.surface[:] = np.where(surface.stiffness > 0.0, surface.stiffness, surface.damping)
    laws = []
    for body, geometry in zip(bodies, geometries, strict=True):
        unit = geometry.thickness / geometry.rest_size
        k, c = (body.volume.whole * unit, body.volume.whole_damping * unit) if body.volume else (0.0, 0.0)
        laws.append(_voigt(k or c, k, c))
    return Term(slopes, tuple(laws))
