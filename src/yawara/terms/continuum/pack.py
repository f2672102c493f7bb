"""From bodies to the arrays that the kernels read: stress points of one law in blocks, in the order of their points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from yawara.core.geometry import Geometry
from yawara.core.piece import Piece
from yawara.kernels.kinds import Floats, Indices, Words
from yawara.terms.continuum.cells import of_boxes
from yawara.terms.continuum.constants import FRAME, LANES
from yawara.terms.continuum.family import Cells, Continuum, boxes_of
from yawara.terms.continuum.guarded import Cells as GuardedCells
from yawara.terms.continuum.guarded import Guarded, blocks_of, cells_of
from yawara.terms.continuum.law_table import GUARD_OF_NODES, Law, wave_modulus
from yawara.terms.continuum.measured_table import law_of
from yawara.terms.continuum.points import StressPoints
from yawara.terms.continuum.simplices import beta_of, of_nodes, of_simplices


@dataclass(frozen=True)
class Group:
    """Stress points of one law, in the points of the model."""

    body: int  # number of the body
    points: StressPoints
    offset: int  # the body's first point
    plane: int
    law: Law
    guarded: GuardedCells | None = None


class Shared(NamedTuple):
    """What all threads share: the first fields of `Arrays`, see arrays.py."""

    node: Indices
    first: Indices
    row: Words
    weight: Floats
    volume: Floats
    frame: Floats
    block_live: Indices
    block_law: Words
    block_parameter: Words
    block_place: Words
    block_branches: Indices
    block_values: Indices
    block_columns: Words
    block_lone: Words
    block_box: Words
    block_plane: Words
    block_body: Words
    parameter: Floats
    lone_stiffness: Floats
    lone_viscosity: Floats


def groups_of(number: int, piece: Piece) -> Iterator[Group]:
    """One for each law that the body's parts have; none if it is not made of such elements."""
    family, geometry = piece.body.family, piece.geometry
    if not isinstance(family, Continuum):
        return
    plane = family.plane_of(geometry)
    for part in piece.parts:
        if len(part.cells):
            assert part.body.material is not None
            points = stress_points(family.kind(geometry), geometry, part.cells)
            volume = part.body.volume
            beside = volume.cavity + volume.cells if volume is not None else 0.0
            law = law_of(part.body.material, plane, beta_of(part.body.material.poisson) if points.lone else 0.0, beside)
            yield Group(number, points, piece.offset, plane, law, _guarded(piece, points, part.cells, law, beside))


def _guarded(piece: Piece, points: StressPoints, simplices: Words, law: Law, beside: float) -> GuardedCells | None:
    """Cells that no stress point sees by themselves."""
    if not points.lone:
        return None
    geometry, wave = piece.geometry, wave_modulus(law)
    cells = geometry.elements[simplices]
    return cells_of(geometry.position, cells, piece.offset, geometry.thickness, GUARD_OF_NODES * (wave + beside), wave)


def stress_points(kind: Cells, geometry: Geometry, simplices: Words) -> StressPoints:
    """Of the cells that these simplices are, or lie in most of all."""
    if kind is Cells.BOXES:
        boxes = boxes_of(geometry)
        if len(simplices) < len(geometry.elements):
            boxes = boxes[_share(boxes, geometry.elements, simplices) > 0.5]
        return of_boxes(geometry.position, boxes, geometry.thickness)
    make = of_nodes if kind is Cells.NODAL else of_simplices
    return make(geometry.position, geometry.elements[simplices], geometry.thickness)


def _share(boxes: Words, elements: Words, chosen: Words) -> Floats:
    """How many of each box's simplices are chosen, over all of them; a simplex lies in the box that has all of its corners."""
    from scipy.sparse import csr_array

    def members(cells: Words) -> csr_array:
        count = int(max(boxes.max(), elements.max())) + 1
        rows = np.repeat(np.arange(len(cells)), cells.shape[1])
        return csr_array((np.ones(cells.size), (rows, cells.ravel())), shape=(len(cells), count))

    inside = csr_array(members(boxes) @ members(elements).T)
    inside.data = (inside.data == elements.shape[1]).astype(float)
    picked = np.zeros(len(elements))
    picked[chosen] = 1.0
    return np.asarray((inside @ picked) / np.maximum(inside.sum(axis=1), 1.0))


@dataclass(frozen=True)
class Packed:
    shared: Shared
    guarded: Guarded
    groups: tuple[Group, ...]
    slot: tuple[Words, ...]  # of each group's stress points
    kernels: tuple[object, ...]  # modules of the laws, by number
    internal_count: int


def values_of(group: Group) -> int:
    """Internal variables of a stress point."""
    modes = 0 if group.points.lone else group.points.columns - 3
    return 6 * group.law.branches + (3 * modes if group.law.branches else 0) + (6 if group.law.flows else 0)


def pack(groups: Sequence[Group]) -> Packed:
    kernels = tuple(dict.fromkeys(group.law.kernel for group in groups))
    bodies = sorted({group.body for group in groups})
    columns: dict[str, list[np.ndarray]] = {name: [] for name in Shared._fields}
    slots, entries, rows, blocks, internal, parameters = [], 0, 0, 0, 0, 0
    for group in groups:
        points, first = group.points, group.points.first
        lowest = np.minimum.reduceat(points.node, first[:-1])
        order = np.argsort(lowest, kind="stable")
        count = -(-len(order) // LANES)
        live = np.full(count, LANES)
        live[-1] = len(order) - LANES * (count - 1)
        place = np.empty(len(order), np.int64)
        place[order] = LANES * blocks + np.arange(len(order))
        slots.append(place)
        spare = LANES * count - len(order)
        sizes = points.count[order]
        within = np.arange(sizes.sum()) - np.repeat(np.append(0, np.cumsum(sizes))[:-1], sizes)
        columns["node"].append(points.node[np.repeat(first[:-1][order], sizes) + within] + group.offset)
        columns["first"].append(entries + np.append(np.append(0, np.cumsum(sizes))[:-1], np.full(spare, sizes.sum())))
        columns["row"].append(np.append(rows + points.weight.shape[1] * points.row[order], np.zeros(spare, np.int64)))
        columns["weight"].append(points.weight.ravel())
        columns["volume"].append(np.append(points.volume[order], np.zeros(spare)))
        columns["frame"].append(_frame(points, order, spare))
        columns["block_live"].append(live)
        columns["block_place"].append(internal + values_of(group) * LANES * np.arange(count))
        for name, value in (
            ("block_law", kernels.index(group.law.kernel)), ("block_parameter", parameters), ("block_branches", group.law.branches),
            ("block_values", values_of(group)),
            ("block_columns", points.columns), ("block_lone", int(points.lone)), ("block_box", int(points.box)),
            ("block_plane", group.plane), ("block_body", bodies.index(group.body)),
            ("lone_stiffness", 2.0 * group.law.stabiliser[0] * points.lone),
            ("lone_viscosity", 2.0 * group.law.stabiliser[1] * points.lone),
        ):  # fmt: skip
            columns[name].append(np.full(count, value))
        columns["parameter"].append(group.law.parameter)
        entries, rows, blocks = entries + int(sizes.sum()), rows + points.weight.size, blocks + count
        internal, parameters = internal + values_of(group) * LANES * count, parameters + len(group.law.parameter)
    columns["first"].append(np.array([entries]))
    if all(not len(group.points.frame) for group in groups):
        columns["frame"] = [np.zeros(0)]
    guarded = blocks_of([(bodies.index(group.body), group.guarded) for group in groups if group.guarded is not None])
    return Packed(_arrays(columns), guarded, tuple(groups), tuple(slots), kernels, internal)


def _frame(points: StressPoints, order: Words, spare: int) -> Floats:
    found = np.zeros((len(order) + spare, FRAME))
    if len(points.frame):
        found[: len(order)] = points.frame[order]
    return found.ravel()


def _arrays(columns: dict[str, list[np.ndarray]]) -> Shared:
    kinds: dict[str, Any] = dict.fromkeys(("node", "first", "block_live", "block_branches", "block_values"), np.uint32)
    kinds |= dict.fromkeys(("weight", "volume", "frame", "parameter", "lone_stiffness", "lone_viscosity"), np.float64)
    found: dict[str, Any] = {name: np.concatenate(parts).astype(kinds.get(name, np.int64)) for name, parts in columns.items()}
    return Shared(**found)
