"""What does not change while time runs: frozen arrays, packed for the kernels, and the names that lead back to the scene.

All quantities are in SI units. 2-D bodies live in the same arrays, in the plane z = 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yawara.held import Held, hold

Floats = NDArray[np.float64]
Indices = NDArray[np.uint32]


class PointArrays(NamedTuple):
    """Mass points, all bodies one after another."""

    mass: Floats  # [kg], (point_count,)
    inverse_mass: Floats  # [1/kg], (point_count,)
    gravity: Floats  # [m/s^2], (4,): x y z 0


class LinkArrays(NamedTuple):
    """Links in blocks of one law family, sorted by start point; a block's slots are padded to whole vectors.

    The link in slot s of a block has its coefficient j at `coefficient[block_coefficient + j * block_stride + s]` and its memory i at
    `memory[block_memory + i * block_stride + s]`: each column is contiguous over all blocks of a body, because long streams are what
    a processor fetches ahead. A run is the links of a block that share a start point; they are neighbours.
    """

    start: Indices  # point, (slot_count,)
    end: Indices  # point, (slot_count,); start < end, except padding
    coefficient: Floats  # units and order: see the family's file in forces/links
    block_family: NDArray[np.int64]  # (block_count,)
    block_parts: Indices  # memories per link, (block_count,)
    block_slot: Indices  # first slot, (block_count + 1,)
    block_coefficient: NDArray[np.uint64]  # (block_count,)
    block_memory: NDArray[np.uint64]  # (block_count,)
    block_stride: NDArray[np.uint64]  # slots of all blocks of the body, (block_count,)
    block_run: Indices  # first run, (block_count + 1,)
    run_point: Indices  # (run_count,)
    run_length: Indices  # links, (run_count,)
    largest_block: NDArray[np.int64]  # slots, memories per link: sizes of the scratch


class FollowerArrays(NamedTuple):
    """Points without mass that lie at a weighted mean of others, their leaders, and hand all force on to them.

    Positions, velocities and forces are linear in each other, so a follower adds no unknowns: a cell's centre, the place on an edge
    where a finer mesh is tied, a surface that is drawn on coarse cells. The first `working` ones are reached by force terms and follow
    at every stage of a step; the others only have to be right when somebody looks.
    """

    point: Indices  # (follower_count,)
    first: Indices  # first leader, (follower_count + 1,)
    leader: Indices  # points, (leader_count,)
    weight: Floats  # (leader_count,), sums to 1 for each follower
    working: NDArray[np.int64]  # (1,)


class CellArrays(NamedTuple):
    """Tetrahedra, or triangles of 2-D bodies, in blocks of one body, sorted by lowest corner; columns have one entry per cell.

    A cell's content (volume [m^3], or area [m^2]) follows a law like a link's length; its corners keep off the opposite sides.
    """

    corner: Indices  # points, (corners per cell * cell_count,), corner by corner within a cell
    rest: Floats  # content in the natural state
    a: Floats  # [Pa/m^3] for volumes, [N/m^3] for areas; a, b, phi as in forces/links/flow.py, with the content for the length
    b: Floats
    phi: Floats
    threshold: Floats  # [m], (corners per cell * cell_count,): height below which the guard acts, corner by corner in columns
    stiffness: Floats  # [N/m], of the guard
    damping: Floats  # [N s/m], of the guard
    block_cell: Indices  # first cell, (block_count + 1,)
    block_kind: NDArray[np.int64]  # (block_count,): PRESSURE + GUARD
    memory: NDArray[np.int64]  # (1,): place of the first cell's memory in State.memory


class SurfaceArrays(NamedTuple):
    """Closed surfaces (3-D) or outlines (2-D) that are under one pressure each, by what they enclose."""

    corner: Indices  # points, (3 * face_count,); an edge of an outline repeats its second point
    face: Indices  # first face of each surface, (surface_count + 1,)
    dimension: NDArray[np.int64]  # (surface_count,), 3 or 2
    centre: Floats  # [m], (3 * surface_count,): volumes are counted from here, since far from the origin they lose digits
    rest: Floats  # [m^3] or [m^2], (surface_count,)
    stiffness: Floats  # [Pa/m^3] or [N/m^3]: k_vol
    damping: Floats  # [Pa s/m^3] or [N s/m^3]: c_vol


class ToolArrays(NamedTuple):
    """Rigid tools: shapes by their signed distance, each carried by a point of the model, whose fourth coordinate is its angle.

    Few arrays, because every array costs each kernel that it is handed to.
    """

    kind: NDArray[np.int64]  # (tool_count,), see contact/tools/shapes.py
    point: Indices  # (tool_count,)
    form: Floats  # (tool_count * FORM,), see contact/tools/form.py
    grid: Floats  # [m], samples of the distance from those that are no simple shapes, x running fastest


class ContactArrays(NamedTuple):
    """What of the bodies can touch: nodes, edges and faces of their surfaces, and the law of the contact force.

    Edges and faces count nodes, not points. A side is what nodes of other bodies, or of the same, can run into: a face, or an edge of a
    flat body's outline, whose second node is then repeated.
    """

    node: Indices  # points, increasing, (node_count,)
    inverse_mass: Floats  # [1/kg], (node_count,)
    node_body: NDArray[np.int64]  # (node_count,)
    edge: Indices  # (edge_count, 2)
    face: Indices  # (face_count, 3)
    longest: Floats  # [m], (1,): of the edges at rest
    side: Indices  # (side_count, 3); none if bodies touch tools only
    side_body: NDArray[np.int64]  # (side_count,)
    pair_node: Indices  # nodes that can run into sides
    pair_edge: Indices  # (pair_edge_count, 2): edges of solid bodies that can run into each other: not those in flat surfaces
    pair_apex: Indices  # (pair_edge_count, 2): third nodes of the two faces beside each
    pair_edge_body: NDArray[np.int64]
    reach: Floats  # [m], (body_count,): overlap up to which a contact is followed
    dimension: NDArray[np.int64]  # (body_count,)
    between: NDArray[np.bool_]  # (1,): whether different bodies touch
    itself: NDArray[np.bool_]  # (body_count,): whether the body touches itself
    law: Floats  # see contact/response.py
    bounce: Floats  # restitution, or nothing: then forces act


@dataclass(frozen=True)
class BodyRange:
    """Where a body of the scene is found in the arrays of the model."""

    name: str
    shape: str
    point_begin: int
    point_end: int
    mass_end: int  # points from here to point_end are followers, without mass of their own
    links: Indices  # (link_count, 2), point indices of the model, in the body's own order
    link_slot: Indices  # (link_count,) slot of each link in LinkArrays
    memory_index: NDArray[np.uint64]  # (link_count, memories per link) places in State.memory; repeated where a link has fewer
    triangles: Indices  # surface, outward, (triangle_count, 3), point indices of the model; a 2-D body's own triangles
    closed: Indices  # triangles that enclose its volume: those of the surface, and where regions meet, both sides of the seam
    cells: Mapping[str, Indices]  # volume elements by meshio type, for export
    elements: Indices  # tetrahedra (n, 4), triangles (n, 3) of a 2-D body: what can be turned inside out
    dimension: int  # 1, 2 or 3: what "size" means: length, area or volume
    up: int  # axis that the body calls its height
    rest_size: float  # [m], [m^2] or [m^3]

    @property
    def points(self) -> slice:
        return slice(self.point_begin, self.point_end)


class KernelArrays(NamedTuple):
    """What the kernels see of a model. A new force term adds its own arrays here."""

    point: PointArrays
    link: LinkArrays
    follower: FollowerArrays
    tetrahedron: CellArrays
    triangle: CellArrays
    surface: SurfaceArrays
    tool: ToolArrays
    contact: ContactArrays


@dataclass(frozen=True)
class Model:
    """A compiled scene."""

    arrays: KernelArrays
    bodies: tuple[BodyRange, ...]
    rest_position: Floats  # [m], (point_count, 3)
    stable_step: Mapping[str, float]  # [s], largest stable step by integrator name
    memory_count: int
    tools: tuple[str, ...] = ()  # names, in the order of ToolArrays; their points are the last ones

    @cached_property
    def held(self) -> Held:
        """The arrays, as kernels that are called often take them."""
        return hold(self.arrays)

    @cached_property
    def size(self) -> float:
        """[m], of the scene at rest, with its distance from the origin."""
        return float(np.ptp(self.rest_position, axis=0).max() + abs(self.rest_position).max())

    @property
    def point_count(self) -> int:
        return len(self.arrays.point.mass)

    @property
    def link_count(self) -> int:
        return sum(len(body.links) for body in self.bodies)

    @property
    def bytes_per_link(self) -> float:
        """Memory of all link arrays and of the links' state, over the number of links [B]."""
        memories = sum(len(np.unique(body.memory_index)) for body in self.bodies)
        return (sum(array.nbytes for array in self.arrays.link) + 8 * memories) / max(1, self.link_count)

    def body(self, name: str) -> BodyRange:
        return next(body for body in self.bodies if body.name == name)

    def owner_of(self, point: int) -> tuple[str, str]:
        """Name of the body or tool that the point belongs to, and the point's name there."""
        for body in self.bodies:
            if body.point_begin <= point < body.point_end:
                return body.name, f"point {point - body.point_begin}"
        return self.tools[point - (self.point_count - len(self.tools))], "tool"
