"""From geometries to the model: points, links, cells, surfaces and followers of all bodies in one set of arrays."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from yawara.checks import SceneError
from yawara.contact.work import contacts_of_a_point
from yawara.forces.cells.constants import CORNERS_2D, CORNERS_3D
from yawara.forces.cells.pack import CellGroup, pack_cells
from yawara.forces.links.pack import LinkGroup, PackedLinks, pack
from yawara.integrators import SCHEMES
from yawara.integrators.stability import (
    Term,
    Vibration,
    link_term,
    quickest_vibrations,
    reference_step,
    stable_step,
    with_contact,
)
from yawara.integrators.watch import Watch
from yawara.model import BodyRange, CellArrays, Floats, FollowerArrays, Indices, KernelArrays, Model, PointArrays, SurfaceArrays
from yawara.scene.bodies.body import Body
from yawara.scene.bodies.geometry import Geometry, Integers, outline
from yawara.scene.elements import BodyLinks, body_links, cell_group, cell_terms, surface_term, tie_groups
from yawara.scene.parts import parts_of
from yawara.scene.scene import Scene
from yawara.scene.tools.build import tool_arrays, tool_masses
from yawara.scene.touching import Skin, contact_arrays, effective_inverse_mass, load_ratio, set_law

STEPS_PER_FRAME = 10  # at least, where no step is asked for
LARGEST_CONTACT_STEP = 1e-3  # [s] from which the contact of very soft bodies is derived, which themselves would allow larger ones


@dataclass(frozen=True)
class Piece:
    """A body on its way into the model."""

    name: str
    body: Body
    geometry: Geometry
    offset: int  # its first point
    mass: np.ndarray  # [kg], (point_count,), zero for followers
    links: BodyLinks
    ties: tuple[LinkGroup, ...]  # one group, or none
    cells: CellGroup | None

    @property
    def skin(self) -> Skin:
        return Skin(self.geometry, self.offset, effective_inverse_mass(self.geometry, self.mass))


class StableSteps(Mapping[str, float]):
    """Largest stable step [s] by integrator name; found when it is asked for, as a run asks for one only."""

    def __init__(self, vibrations: Sequence[Vibration]) -> None:
        self._vibrations, self._found = tuple(vibrations), dict[str, float]()

    def __getitem__(self, name: str) -> float:
        if name not in self._found:
            self._found[name] = stable_step(SCHEMES[name], self._vibrations)
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(SCHEMES)

    def __len__(self) -> int:
        return len(SCHEMES)


def build_model(scene: Scene, geometries: dict[str, Geometry], offsets: dict[str, int]) -> tuple[Model, Watch]:
    pieces = pieces_of(scene, geometries, offsets)
    arrays, position, links, ties = kernel_arrays(scene, pieces)
    steps = [reference_step(piece.links.groups, arrays.point.inverse_mass) for piece in pieces]
    terms = [
        link_term(arrays, links, steps),
        link_term(arrays, ties, steps),
        *cell_terms(arrays, [piece.cells for piece in pieces], np.array([piece.offset for piece in pieces]), steps),
        surface_term(arrays, [piece.body for piece in pieces], [piece.geometry for piece in pieces]),
    ]
    try:
        return _with_steps(scene, arrays, terms, position, pieces, links)
    except OverflowError:
        what = "stiffnesses, viscosities and masses must not be so large or small that their ratio overflows; check their units"
        raise SceneError([("body", what)]) from None


def pieces_of(scene: Scene, geometries: dict[str, Geometry], offsets: dict[str, int]) -> list[Piece]:
    return [_piece(scene.body[name], name, geometry, offsets[name]) for name, geometry in geometries.items()]


def kernel_arrays(scene: Scene, pieces: list[Piece]) -> tuple[KernelArrays, Floats, list[PackedLinks], list[PackedLinks]]:
    """What the kernels see, the positions at rest [m], and where links and ties of each body went."""
    bodies = np.concatenate([piece.geometry.all_positions + piece.body.origin for piece in pieces])
    position = np.concatenate([bodies, np.array([tool.origin for tool in scene.tool.values()], float).reshape(-1, 3)])
    mass = np.concatenate([*(piece.mass for piece in pieces), tool_masses(scene.tool)])
    kinds = [piece.links.groups for piece in pieces], [piece.ties for piece in pieces]
    links, packed, link_memories = pack([group for kind in kinds for groups in kind for group in groups])
    tetrahedra, triangles = _cells(pieces, link_memories)
    inverse_mass = np.divide(1.0, mass, out=np.zeros_like(mass), where=mass > 0.0)
    point = PointArrays(mass, inverse_mass, np.array([*scene.gravity, 0.0]))
    tool = tool_arrays(scene.tool, len(bodies), scene.contact.friction if scene.contact else 0.0)
    contact = contact_arrays([piece.skin for piece in pieces], tool, scene.contact)
    arrays = KernelArrays(point, links, _followers(pieces), tetrahedra, triangles, _surfaces(pieces), tool, contact)
    places = iter(packed)  # in the order in which they were packed
    own, ties = ([tuple((group, next(places)) for group in groups) for groups in kind] for kind in kinds)
    return arrays, position, own, ties


def _with_steps(
    scene: Scene, arrays: KernelArrays, terms: list[Term], position: np.ndarray, pieces: list[Piece], links: list[PackedLinks]
) -> tuple[Model, Watch]:
    points = np.zeros((len(position), 8))
    points[:, :3] = position
    quickest = quickest_vibrations(arrays, points, np.array([piece.offset for piece in pieces]), terms)
    vibrations = quickest.vibrations
    if len(arrays.contact.node):
        at_most = min(scene.time.step or scene.time.frame_time / STEPS_PER_FRAME, LARGEST_CONTACT_STEP)
        step = min(stable_step(SCHEMES["semi_implicit_euler"], vibrations) or at_most, at_most)
        load = load_ratio(arrays.contact, [float(piece.mass.sum()) for piece in pieces])
        set_law(arrays.contact, scene.contact, step, float(np.linalg.norm(scene.gravity)), load, contacts_of_a_point(arrays))
        vibrations = with_contact(vibrations, arrays)
    steps = StableSteps(vibrations)
    bodies = tuple(_body_range(piece, places) for piece, places in zip(pieces, links, strict=True))
    memory_count = int(arrays.triangle.memory[0]) + len(arrays.triangle.rest)
    return Model(arrays, bodies, position, steps, memory_count, tuple(scene.tool)), quickest.watch


def _piece(body: Body, name: str, geometry: Geometry, offset: int) -> Piece:
    mass = np.zeros(len(geometry.all_positions))
    mass[: len(geometry.position)] = body.point_mass(geometry)
    parts = parts_of(body, geometry)
    links = body_links(parts, geometry, offset)
    typical = float(np.median(mass[: len(geometry.position)]))
    return Piece(
        name, body, geometry, offset, mass, links, tie_groups(geometry, offset, links, typical),
        cell_group(body, name, parts, geometry, offset, links, typical),
    )  # fmt: skip


def _cells(pieces: list[Piece], first_memory: int) -> tuple[CellArrays, CellArrays]:
    groups = [piece.cells for piece in pieces if piece.cells is not None]
    solid, flat = ([group for group in groups if group.corner.shape[1] == corners] for corners in (CORNERS_3D, CORNERS_2D))
    tetrahedra = pack_cells(solid, CORNERS_3D, first_memory)
    return tetrahedra, pack_cells(flat, CORNERS_2D, first_memory + len(tetrahedra.rest))


def _followers(pieces: list[Piece]) -> FollowerArrays:
    """Those at work first."""
    point, leader, weight, count, working = [], [], [], [], 0
    for wanted in (True, False):
        for piece in pieces:
            place = piece.offset + len(piece.geometry.position)
            for kind in piece.geometry.followers:
                if kind.working is wanted:
                    point.append(place + np.arange(len(kind.leader)))
                    leader.append((kind.leader + piece.offset).ravel())
                    weight.append(kind.weight.ravel())
                    count.append(np.full(len(kind.leader), kind.leader.shape[1]))
                    working += len(kind.leader) if wanted else 0
                place += len(kind.leader)
    join = [np.concatenate([np.zeros(0), *parts]) for parts in (point, leader, weight, count)]
    first = np.append(0, np.cumsum(join[3]))
    return FollowerArrays(
        join[0].astype(np.uint32), first.astype(np.uint32), join[1].astype(np.uint32), join[2], np.array([working], np.int64)
    )


def _surfaces(pieces: list[Piece]) -> SurfaceArrays:
    """Of the bodies that are under one pressure as a whole."""
    corner, count, rows = [np.zeros((0, 3), np.int64)], [0], []
    for piece in pieces:
        volume, geometry = piece.body.volume, piece.geometry
        if volume is None or (volume.whole == 0.0 and volume.whole_damping == 0.0):
            continue
        faces = _closed(geometry) if geometry.dimension == 3 else outline(geometry.elements)[:, [0, 1, 1]]
        corner.append(faces + piece.offset)
        count.append(len(faces))
        # p = -K (V - V0)/V0, and in a flat body a force per length, p times the thickness
        unit = geometry.thickness / geometry.rest_size
        centre = geometry.position.mean(axis=0) + piece.body.origin
        rows.append((geometry.dimension, *centre, geometry.rest_size, volume.whole * unit, volume.whole_damping * unit))
    table = np.array(rows, np.float64).reshape(-1, 7)
    return SurfaceArrays(
        np.concatenate(corner).astype(np.uint32).ravel(),
        np.cumsum(count).astype(np.uint32),
        table[:, 0].astype(np.int64),
        np.ascontiguousarray(table[:, 1:4]).ravel(),
        *(np.ascontiguousarray(table[:, n]) for n in (4, 5, 6)),
    )


def _closed(geometry: Geometry) -> Integers:
    return geometry.triangles if geometry.closed is None else geometry.closed


def _body_range(piece: Piece, links: PackedLinks) -> BodyRange:
    geometry, offset = piece.geometry, piece.offset
    slot, memory_index = _places(piece, links)
    return BodyRange(
        piece.name,
        piece.body.shape,
        offset,
        offset + len(geometry.all_positions),
        offset + len(geometry.position),
        (geometry.links + offset).astype(np.uint32),
        slot,
        memory_index,
        (geometry.triangles + offset).astype(np.uint32),
        (_closed(geometry) + offset).astype(np.uint32),
        {kind: (cells + offset).astype(np.uint32) for kind, cells in geometry.cells.items()},
        (geometry.elements + offset).astype(np.uint32),
        geometry.dimension,
        geometry.up,
        geometry.rest_size,
    )


def _places(piece: Piece, links: PackedLinks) -> tuple[Indices, NDArray[np.uint64]]:
    """Slots and memories of the links in the body's own order.

    Links with fewer memories than others repeat their last one; those without any stand at the first one of another link.
    """
    count, most = len(piece.geometry.links), max(group.parts for group, _ in links)
    first = next((place.memory_index[0, 0] for group, place in links if group.parts), 0)
    slot, memory_index = np.empty(count, np.uint32), np.full((count, most), first, np.uint64)
    for number, (group, place) in zip(piece.links.numbers, links, strict=True):
        slot[number] = place.slot
        if group.parts:
            memory_index[number] = place.memory_index[:, np.minimum(np.arange(most), group.parts - 1)]
    return slot, memory_index
