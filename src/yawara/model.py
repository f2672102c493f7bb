"""What does not change while time runs: frozen arrays, packed for the kernels, and the names that lead back to the scene.

All quantities are in SI units. 2-D bodies live in the same arrays, in the plane z = 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

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


@dataclass(frozen=True)
class BodyRange:
    """Where a body of the scene is found in the arrays of the model."""

    name: str
    shape: str
    point_begin: int
    point_end: int
    links: Indices  # (link_count, 2), point indices of the model, in the body's own order
    link_slot: Indices  # (link_count,) slot of each link in LinkArrays
    memory_index: NDArray[np.uint64]  # (link_count, memories per link) places in State.memory
    triangles: Indices  # surface, outward, (triangle_count, 3), point indices of the model; a 2-D body's own triangles
    cells: Mapping[str, Indices]  # volume elements by meshio type, for export
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


@dataclass(frozen=True)
class Model:
    """A compiled scene."""

    arrays: KernelArrays
    bodies: tuple[BodyRange, ...]
    rest_position: Floats  # [m], (point_count, 3)
    stable_step: Mapping[str, float]  # [s], largest stable step by integrator name
    memory_count: int

    @property
    def point_count(self) -> int:
        return len(self.arrays.point.mass)

    @property
    def link_count(self) -> int:
        return sum(len(body.links) for body in self.bodies)

    @property
    def bytes_per_link(self) -> float:
        """Memory of all link arrays and of the links' state, over the number of links [B]."""
        return (sum(array.nbytes for array in self.arrays.link) + 8 * self.memory_count) / max(1, self.link_count)

    def body(self, name: str) -> BodyRange:
        return next(body for body in self.bodies if body.name == name)

    def body_of_point(self, point: int) -> BodyRange:
        return next(body for body in self.bodies if body.point_begin <= point < body.point_end)
